"""Rules about a kernel as a whole; rules.toml has their words."""

from __future__ import annotations

from collections.abc import Iterator

from grader.nsight import INST, OCCUPANCY, REGISTERS, WAVES_PER_SM, sectors
from grader.profile import START_NS, Kernel
from grader.rule_parts import Found, many, memory_cost


def redundant_loads(kernel: Kernel) -> Iterator[Found]:
    moved = kernel.counters.get("global_bytes_ld", 0)
    if kernel.needed and moved > 1.05 * kernel.needed:
        words = f"{moved:,.0f} bytes are loaded, where {kernel.needed:,.0f} do"
        loaded = kernel.counters.get(sectors("ld"), 0)
        yield Found(memory_cost(kernel, loaded * (1 - kernel.needed / moved)), words)


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
        words += f" {kernel.limiter}: {many(kernel.resident, 'block')} of"
        words += f" {many(kernel.threads, 'thread')},"
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
        words = f"{many(small[0].blocks, 'block')} for {sms} multiprocessors, and"
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
