"""What the rules have in common."""

from __future__ import annotations

from dataclasses import dataclass

from grader.nsight import ALL_SECTORS, INST, LANES, Counters, total
from grader.profile import Kernel


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found: an estimate of its cost, 0 to 1, and the measured words."""

    cost: float
    says: str


def many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def part(kernel: Kernel, amount: float, names: tuple[str, ...], *bounds: str) -> float:
    """A part of some counters, as a share of the kernel's time."""
    whole = total(kernel.counters, names)
    return amount / whole * kernel.share(*bounds) if whole else 0.0


def memory_cost(kernel: Kernel, extra: float) -> float:
    return part(kernel, extra, ALL_SECTORS, "dram", "l2", "l1", "lsu", "latency")


def lanes(counters: Counters) -> float:
    return counters.get(LANES, 0) / counters[INST] if counters.get(INST) else 32.0
