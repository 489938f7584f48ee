"""The rules: what makes a kernel slow, as a table over its counters.

A rule looks at a kernel, or at one line of it, and says what it measured and what that
may cost: the share of the kernel's time that goes if the fault does. The share is an
estimate (a part of one bound, times how near the kernel is to that bound); it is there
to put findings in order. `CHAPTERS` names the chapter that explains each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.profile import (
    ALL_SECTORS,
    ALL_WAVES,
    DIVERGENT,
    INST,
    LANES,
    OCCUPANCY,
    REGISTERS,
    SERIAL,
    START_NS,
    WAVES_PER_SM,
    Counters,
    Kernel,
    Line,
    conflicts,
    requests,
    sectors,
    total,
    wavefronts,
)

CHAPTERS = {
    4: "launch_config",
    7: "global_memory",
    8: "shared_memory",
    10: "warps",
    11: "reduction",
    14: "histogram",
    18: "reduced_precision",
}
LEAST = 0.02  # findings that cost less are not worth a learner's time
_VERB = {"ld": "load", "st": "store"}


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found: an estimate of its cost, 0 to 1, and the measured words."""

    cost: float
    says: str


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    title: str
    chapter: int
    advice: str
    of_line: Callable[[Kernel, Line], Iterator[Found]] | None = None
    of_kernel: Callable[[Kernel], Iterator[Found]] | None = None


def _part(kernel: Kernel, amount: float, names: tuple[str, ...], *bounds: str) -> float:
    """A part of some counters, as a share of the kernel's time."""
    whole = total(kernel.counters, names)
    return amount / whole * kernel.share(*bounds) if whole else 0.0


def _excess(line: Counters, op: str) -> tuple[float, float, float]:
    """Requests of a line, and its sectors a request: those there are, those needed."""
    count = line.get(requests(op), 0)
    if not count:
        return 0, 0, 0
    touched = line.get(sectors(op), 0) / count
    needed = max(1, line.get(f"global_bytes_{op}", 0) / 32 / count)
    return count, touched, min(touched, needed)


def _memory_cost(kernel: Kernel, extra: float) -> float:
    return _part(kernel, extra, ALL_SECTORS, "dram", "l2", "l1", "lsu", "latency")


def uncoalesced(kernel: Kernel, line: Line) -> Iterator[Found]:
    for op, verb in _VERB.items():
        count, touched, needed = _excess(line.counters, op)
        if count and not _is_shifted(touched, needed) and touched > 1.2 * needed:
            words = f"each {verb} of a warp touches {touched:.1f} sectors, and"
            words += f" {needed:.1f} would hold its bytes"
            yield Found(_memory_cost(kernel, count * (touched - needed)), words)


def misaligned(kernel: Kernel, line: Line) -> Iterator[Found]:
    for op, verb in _VERB.items():
        count, touched, needed = _excess(line.counters, op)
        if count and _is_shifted(touched, needed):
            words = f"each {verb} of a warp touches {touched:.2f} sectors, and"
            words += f" {needed:.2f} would do if it began at a multiple of 32 bytes"
            yield Found(_memory_cost(kernel, count * (touched - needed)), words)


def _is_shifted(touched: float, needed: float) -> bool:
    """At most one sector too many, where several are needed."""
    return needed >= 1.5 and 0.2 < touched - needed <= 1.01


def bank_conflicts(kernel: Kernel, line: Line) -> Iterator[Found]:
    for op, verb in _VERB.items():
        extra = line.counters.get(conflicts(op), 0)
        count = line.counters.get(f"shared_requests_{op}", 0)
        if extra and count:
            waves = line.counters.get(wavefronts(op), 0)
            words = (
                f"each shared {verb} of a warp takes {waves / count:.1f} wavefronts,"
            )
            words += f" {extra / count:.1f} of them conflicts"
            yield Found(_part(kernel, extra, ALL_WAVES, "shared", "lsu", "l1"), words)


def divergent(kernel: Kernel, line: Line) -> Iterator[Found]:
    count, ways = line.counters.get(DIVERGENT, 0), kernel.counters.get(DIVERGENT, 0)
    if count:
        lost = 1 - _lanes(kernel.counters) / 32
        branches = line.counters.get("branches_source", count)
        words = f"{count:,.0f} of {branches:,.0f} branches send a warp both ways; the"
        words += f" kernel runs with {_lanes(kernel.counters):.1f} of 32 lanes"
        compute = max(kernel.compute, 0.3)  # idle lanes ask for nothing either
        yield Found(lost * count / ways * compute, words)


def few_lanes(kernel: Kernel, line: Line) -> Iterator[Found]:
    lanes, count = _lanes(line.counters), line.counters.get(INST, 0)
    explained = kernel.counters.get(DIVERGENT, 0) or kernel.threads % 32
    if count and lanes < 24 and not explained:
        share = count * (1 - lanes / 32) / kernel.counters[INST]
        words = f"{lanes:.1f} of 32 lanes are active here"
        yield Found(share * max(kernel.compute, 0.3), words)


def _lanes(counters: Counters) -> float:
    return counters.get(LANES, 0) / counters[INST] if counters.get(INST) else 32.0


def serial_atomics(kernel: Kernel, line: Line) -> Iterator[Found]:
    names = (requests("atom"), requests("red"), "shared_requests_atom")
    count, depth = total(line.counters, names), line.counters.get(SERIAL, 0)
    if count and depth >= 2 * count:
        words = f"{depth / count:.1f} lanes of a warp change one address, in turn, at"
        words += f" each of {count:,.0f} atomics"
        yield Found(_part(kernel, depth - count, (SERIAL,), "atomics", "l2"), words)


def local_memory(kernel: Kernel, line: Line) -> Iterator[Found]:
    names = ("local_sectors_ld", "local_sectors_st")
    touched = total(line.counters, names)
    if touched:
        count = total(line.counters, ("local_requests_ld", "local_requests_st"))
        words = f"{count:,.0f} loads and stores of local memory, {touched:,.0f} sectors"
        yield Found(_memory_cost(kernel, touched), words)


def slow_f64(kernel: Kernel, line: Line) -> Iterator[Found]:
    count = line.counters.get("inst_fp64_ptx", 0)
    if count and kernel.gpu.fp64_lanes < 32:
        words = f"{count:,.0f} double instructions, and {kernel.gpu.key} has"
        words += f" {kernel.gpu.fp64_lanes} lanes a multiprocessor for them"
        yield Found(_part(kernel, count, ("inst_fp64_ptx",), "fp64"), words)


def division(kernel: Kernel, line: Line) -> Iterator[Found]:
    count = line.counters.get("inst_division_ptx", 0)
    if count:
        share = count / line.counters[INST]
        words = (
            f"{count:,.0f} divisions or remainders, {share:.0%} of the line; each is"
        )
        words += " some twenty instructions of the machine"
        extra = 19 * count
        yield Found(extra / (kernel.counters[INST] + extra) * kernel.compute, words)


def redundant_loads(kernel: Kernel) -> Iterator[Found]:
    moved = kernel.counters.get("global_bytes_ld", 0)
    if kernel.needed and moved > 1.05 * kernel.needed:
        words = f"{moved:,.0f} bytes are loaded, where {kernel.needed:,.0f} do"
        loaded = kernel.counters.get(sectors("ld"), 0)
        yield Found(_memory_cost(kernel, loaded * (1 - kernel.needed / moved)), words)


def barriers(kernel: Kernel) -> Iterator[Found]:
    each = kernel.counters.get("barriers", 0) / max(kernel.counters.get("blocks", 0), 1)
    waits = kernel.counters.get("inst_barrier_ptx", 0) / kernel.counters[INST]
    if each >= 8 and waits > 0.03:
        words = f"{each:.0f} barriers a block, {waits:.0%} of all instructions"
        yield Found(min(1.0, 4 * waits) * 0.5, words)


def low_occupancy(kernel: Kernel) -> Iterator[Found]:
    value = kernel.occupancy.get(OCCUPANCY, 100) / 100
    if value < 0.5:
        words = f"{value:.1%} of the warps that a multiprocessor could hold, limited by"
        words += (
            f" {kernel.limiter}: {kernel.resident} blocks of {kernel.threads} threads,"
        )
        words += f" {kernel.occupancy.get(REGISTERS, 0):.0f} registers a thread,"
        words += f" {kernel.shared:,} bytes of shared memory a block"
        yield Found(1 - value / 0.5, words)


def small_launch(kernel: Kernel) -> Iterator[Found]:
    sms, whole = kernel.gpu.sms, sum(launch.weight for launch in kernel.launches)
    small = [one for one in kernel.launches if one.blocks < sms]
    lost = 0.0
    for one in small:  # one that has little to do is short on any GPU
        busy = min(1.0, one.warp_instructions / 500)
        lost += (1 - one.blocks / sms) * busy * one.weight
    if small and whole:
        words = f"{small[0].blocks} blocks for {sms} multiprocessors, and"
        words += f" {small[0].warp_instructions:,.0f} instructions in each warp"
        yield Found(lost / whole, words)


def many_launches(kernel: Kernel) -> Iterator[Found]:
    whole = sum(launch.weight for launch in kernel.launches)
    short = [launch for launch in kernel.launches if launch.weight < 2 * START_NS]
    if len(kernel.launches) >= 4 and len(short) > 1:
        words = f"{len(kernel.launches)} launches, {len(short)} of them with less work"
        words += " than a launch takes to start"
        yield Found(min(0.9, START_NS * (len(short) - 1) / whole), words)


def tail(kernel: Kernel) -> Iterator[Found]:
    waves = kernel.occupancy.get(WAVES_PER_SM, 0)
    full = -(-waves // 1)
    if waves > 1 and full - waves > 0.1:
        words = f"{waves:.2f} waves: in the last of {full:.0f} only"
        words += f" {waves - full + 1:.1%} of the places for blocks are taken"
        # Blocks do not end together, and short ones leave no gap.
        busy = min(1.0, kernel.launches[0].warp_instructions / 500)
        yield Found((full - waves) / full / 2 * busy, words)


def odd_block(kernel: Kernel) -> Iterator[Found]:
    warps = -(-kernel.threads // 32)
    if kernel.threads % 32:
        lost = 1 - kernel.threads / (32 * warps)
        words = (
            f"blocks of {kernel.threads} threads fill {warps} warps to {1 - lost:.0%}"
        )
        yield Found(lost, words)


RULES = (
    Rule(
        "uncoalesced",
        "Uncoalesced access",
        7,
        "Let neighbouring lanes touch neighbouring addresses.",
        of_line=uncoalesced,
    ),
    Rule(
        "misaligned",
        "Misaligned access",
        7,
        "Begin each warp's accesses at a multiple of 32 bytes.",
        of_line=misaligned,
    ),
    Rule(
        "bank_conflicts",
        "Bank conflicts",
        8,
        "Pad the row of the shared array by one word, or change which lane takes what.",
        of_line=bank_conflicts,
    ),
    Rule(
        "divergent",
        "Divergent branches",
        10,
        "Let whole warps take the same way.",
        of_line=divergent,
    ),
    Rule(
        "few_lanes",
        "Few lanes active",
        10,
        "Give every lane of a warp work.",
        of_line=few_lanes,
    ),
    Rule(
        "serial_atomics",
        "Atomics in turn on one address",
        14,
        "Add up within the warp or block first, and let one lane change memory.",
        of_line=serial_atomics,
    ),
    Rule(
        "local_memory",
        "Local memory",
        4,
        "Index arrays by constants, or use fewer registers.",
        of_line=local_memory,
    ),
    Rule(
        "slow_f64",
        "Doubles on a GPU with few lanes for them",
        18,
        "Compute in float; write 1.0f, not 1.0.",
        of_line=slow_f64,
    ),
    Rule(
        "division",
        "Integer divisions",
        11,
        "Use masks and shifts for powers of two, or count up instead.",
        of_line=division,
    ),
    Rule(
        "redundant_loads",
        "Loads of what was loaded before",
        8,
        "Keep it in registers or shared memory.",
        of_kernel=redundant_loads,
    ),
    Rule(
        "barriers",
        "Many barriers",
        10,
        "Within one warp, use shuffles or __syncwarp().",
        of_kernel=barriers,
    ),
    Rule(
        "low_occupancy",
        "Too few warps",
        4,
        "Ask for less of what limits it, or choose another block size.",
        of_kernel=low_occupancy,
    ),
    Rule(
        "small_launch",
        "A launch too small for the GPU",
        4,
        "Launch at least two blocks a multiprocessor.",
        of_kernel=small_launch,
    ),
    Rule(
        "many_launches",
        "Many small launches",
        4,
        "Do more in one launch.",
        of_kernel=many_launches,
    ),
    Rule(
        "tail",
        "A tail wave",
        4,
        "Choose a grid of whole waves, or smaller blocks.",
        of_kernel=tail,
    ),
    Rule(
        "odd_block",
        "Warps that are not full",
        4,
        "Choose a block size that is a multiple of 32.",
        of_kernel=odd_block,
    ),
)
