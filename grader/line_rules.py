"""Rules about one line of a kernel; rules.toml has their words."""

from __future__ import annotations

from collections.abc import Iterator

from grader.nsight import (
    ALL_WAVES,
    DIVERGENT,
    INST,
    SERIAL,
    Counters,
    conflicts,
    requests,
    sectors,
    total,
    wavefronts,
)
from grader.profile import Kernel, Line
from grader.rule_parts import Found, lanes, memory_cost, part

_VERB = {"ld": "load", "st": "store"}


def _excess(line: Counters, op: str) -> tuple[float, float, float]:
    """Requests of a line, and its sectors a request: those there are, those needed."""
    count = line.get(requests(op), 0)
    if not count:
        return 0, 0, 0
    touched = line.get(sectors(op), 0) / count
    needed = max(1, line.get(f"global_bytes_{op}", 0) / 32 / count)
    return count, touched, min(touched, needed)


def _is_shifted(touched: float, needed: float) -> bool:
    """At most one sector too many, where several are needed."""
    return needed >= 1.5 and 0.2 < touched - needed <= 1.01


def uncoalesced(kernel: Kernel, line: Line) -> Iterator[Found]:
    for op, verb in _VERB.items():
        count, touched, needed = _excess(line.counters, op)
        if count and not _is_shifted(touched, needed) and touched > 1.2 * needed:
            words = f"each {verb} of a warp touches {touched:.1f} sectors, and"
            words += f" {needed:.1f} would hold its bytes"
            yield Found(memory_cost(kernel, count * (touched - needed)), words)


def misaligned(kernel: Kernel, line: Line) -> Iterator[Found]:
    for op, verb in _VERB.items():
        count, touched, needed = _excess(line.counters, op)
        if count and _is_shifted(touched, needed):
            words = f"each {verb} of a warp touches {touched:.2f} sectors, and"
            words += f" {needed:.2f} would do if it began at a multiple of 32 bytes"
            yield Found(memory_cost(kernel, count * (touched - needed)), words)


def bank_conflicts(kernel: Kernel, line: Line) -> Iterator[Found]:
    for op, verb in {**_VERB, "atom": "atomic"}.items():
        extra = line.counters.get(conflicts(op), 0)
        count = line.counters.get(f"shared_requests_{op}", 0)
        if extra and count:
            waves = line.counters.get(wavefronts(op), 0)
            words = (
                f"each shared {verb} of a warp takes {waves / count:.1f} wavefronts,"
            )
            words += f" {extra / count:.1f} of them conflicts"
            yield Found(part(kernel, extra, ALL_WAVES, "shared", "lsu", "l1"), words)


def divergent(kernel: Kernel, line: Line) -> Iterator[Found]:
    count, ways = line.counters.get(DIVERGENT, 0), kernel.counters.get(DIVERGENT, 0)
    if count:
        lost = 1 - lanes(kernel.counters) / 32
        branches = line.counters.get("branches_source", count)
        words = f"{count:,.0f} of {branches:,.0f} branches send a warp both ways; the"
        words += f" kernel runs with {lanes(kernel.counters):.1f} of 32 lanes"
        compute = max(kernel.compute, 0.3)  # idle lanes ask for nothing either
        yield Found(lost * count / ways * compute, words)


def few_lanes(kernel: Kernel, line: Line) -> Iterator[Found]:
    active, count = lanes(line.counters), line.counters.get(INST, 0)
    if count >= 0.1 * kernel.counters[INST] and active < 15 and kernel.threads >= 32:
        share = count / kernel.counters[INST]
        words = f"{share:.0%} of the instructions, with {active:.1f} of 32 lanes active"
        cost = share * (1 - active / 32) * max(kernel.compute, 0.3)
        yield Found(0.9 * cost, words)  # the branch that sent them away comes first


def serial_atomics(kernel: Kernel, line: Line) -> Iterator[Found]:
    names = (requests("atom"), requests("red"), "shared_requests_atom")
    count, depth = total(line.counters, names), line.counters.get(SERIAL, 0)
    if count and depth >= 2 * count:
        words = f"{depth / count:.1f} lanes of a warp change one address, in turn, at"
        words += f" each of {count:,.0f} atomics"
        yield Found(part(kernel, depth - count, (SERIAL,), "atomics", "l2"), words)


def local_memory(kernel: Kernel, line: Line) -> Iterator[Found]:
    names = ("local_sectors_ld", "local_sectors_st")
    touched = total(line.counters, names)
    if touched:
        count = total(line.counters, ("local_requests_ld", "local_requests_st"))
        words = f"{count:,.0f} loads and stores of local memory, {touched:,.0f} sectors"
        yield Found(memory_cost(kernel, touched), words)


def slow_f64(kernel: Kernel, line: Line) -> Iterator[Found]:
    count = line.counters.get("inst_fp64_ptx", 0)
    if count and kernel.gpu.fp64_lanes < 32:
        words = f"{count:,.0f} double instructions, and {kernel.gpu.key} has"
        words += f" {kernel.gpu.fp64_lanes} lanes a multiprocessor for them"
        yield Found(part(kernel, count, ("inst_fp64_ptx",), "fp64"), words)


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
