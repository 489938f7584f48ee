"""Run a unit for its views: no mark is given and nothing is recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from grader.accesses import accesses
from grader.build import Builder
from grader.check import Options, check
from grader.findings import findings
from grader.profile import Kernel, kernels
from grader.records import Record, Records
from grader.result import Access, Finding, StepResult, UnitResult
from grader.score import Source
from grader.units import Step, Unit

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class StepProfile:
    result: StepResult
    kernels: tuple[Kernel, ...] = ()  # none: the step has no counted run
    findings: tuple[Finding, ...] = ()
    accesses: tuple[Access, ...] = ()
    events: tuple[Record, ...] = ()  # of Chrome's trace format


@dataclass(frozen=True, slots=True)
class Profile:
    result: UnitResult
    steps: tuple[StepProfile, ...]


def profile(
    unit: Unit, builder: Builder, text: str, name: str, options: Options
) -> Profile:
    """Run the steps on the emulator and read what was counted."""
    seen: dict[str, Record] = {}

    def note(step: Step, found: Records) -> None:
        seen[step.name] = (found.budget or {}).get("device_record") or {}

    options = replace(options, device="emulator", on_records=note)
    result = check(unit, builder, text, name, options)
    source = Source(name, text)
    return Profile(
        result,
        tuple(
            _step(unit, step, seen.get(step.name, {}), source) for step in result.steps
        ),
    )


def _step(
    unit: Unit, result: StepResult, record: Record, source: Source
) -> StepProfile:
    found = with_needs(kernels(record, source), unit.step(result.name))
    return StepProfile(
        result,
        tuple(found),
        tuple(findings(found, unit.root)),
        tuple(accesses(record, source)),
        tuple(record.get("timeline") or ()),
    )


def with_needs(found: list[Kernel], step: Step) -> list[Kernel]:
    """What the step must load is known where it has a budget for that."""
    for budget in step.budgets:
        if budget.counter == "global_bytes_ld" and len(found) == 1:
            return [replace(found[0], needed=budget.high)]
    return found


def to_json(made: Profile) -> dict[str, Any]:
    """docs/reference/profile.md has the keys."""
    from dataclasses import asdict

    result = made.result
    return {
        "schema": SCHEMA,
        "unit": result.unit,
        "file": result.file,
        "gpu": result.gpu,
        "at": result.at,
        "toolchain": result.toolchain,
        "source_sha256": result.source_sha256,
        "steps": [
            {
                "name": step.result.name,
                "title": step.result.title,
                "verdict": step.result.verdict.value,
                "kernels": [_kernel(kernel) for kernel in step.kernels],
                "findings": [asdict(one) for one in step.findings],
                "accesses": [asdict(one) for one in step.accesses],
            }
            for step in made.steps
        ],
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    return {
        "kernel": kernel.name,
        "block": list(kernel.block),
        "shared": kernel.shared,
        "occupancy_limiter": kernel.limiter,
        "resident_blocks": kernel.resident,
        "modelled": kernel.modelled,
        "ns": kernel.ns,
        "bounds": kernel.bounds,
        "memory_pct": round(100 * kernel.memory, 2),
        "compute_pct": round(100 * kernel.compute, 2),
        "launches": [
            {"grid": list(one.grid), "ns": one.ns, **one.occupancy}
            for one in kernel.launches
        ],
        "counters": {name: value for name, value in kernel.counters.items() if value},
        "lines": [
            {"file": one.file, "line": one.line, "counters": one.counters}
            for one in kernel.lines
        ],
    }
