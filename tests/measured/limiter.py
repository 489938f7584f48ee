"""Is what the time model calls the limiter what Nsight Compute's throughputs name?

    python limiter.py PROGRAM COUNTERS

The throughput of DRAM, L2, L1 or the multiprocessors that is highest on the GPU, or one
within 15 % of it; "latency" where none reaches half of its peak. Nsight Compute has no
throughput of atomics at one address, so those are counted apart.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import compare

LEAST_NS = 8000  # shorter launches are all latency
THROUGHPUTS = {
    "dram": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "sm": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
}
PARTS = {
    **dict.fromkeys(("issue", "alu", "fma", "fp64", "xu", "lsu", "tensor"), "sm"),
    **dict.fromkeys(("latency", "blocks"), "latency"),
    **{name: name for name in ("l1", "l2", "dram", "atomics")},
}


def named(counters: dict[str, float]) -> set[str]:
    """The parts that may be called the limiter on the GPU."""
    percent = {part: counters.get(name, 0) for part, name in THROUGHPUTS.items()}
    most = max(percent.values())
    if most < 50:
        return {"latency"}
    return {part for part, value in percent.items() if value >= 0.85 * most}


def judged(
    emulator: dict[str, list[dict[str, Any]]], data: dict[str, Any]
) -> list[tuple[str, str, set[str]]]:
    """Case, the model's limiter, the GPU's; one a launch that is not short."""
    gpu: dict[str, list[dict[str, Any]]] = {}
    for row in data["rows"]:
        gpu.setdefault(row["case"], []).append(row)
    return [
        (case, PARTS[here["limiter"]], named(there["counters"]))
        for case, launches in emulator.items()
        for here, there in zip(launches, gpu[case], strict=True)
        if there["counters"]["gpu__time_duration.sum"] >= LEAST_NS
    ]


def summary(rows: list[tuple[str, str, set[str]]]) -> str:
    """How many agree."""
    right = sum(part in parts for _, part, parts in rows)
    atomics = sum(part == "atomics" for _, part, _ in rows)
    return (
        f"limiter: {right} of {len(rows)} launches as the GPU's throughputs name it; "
        f"{atomics} more are atomics"
    )


def main() -> None:
    data = compare.load(Path(sys.argv[2]))
    rows = judged(compare.run(Path(sys.argv[1]), compare.all_cases(data)), data)
    for case, part, parts in rows:
        if part not in parts:
            print(f"{case}: {part}, the GPU {' or '.join(sorted(parts))}")
    print(summary(rows))


if __name__ == "__main__":
    main()
