"""Records and chapter.toml make verdicts and points. Pure functions.

A test earns its points if every case passed. Budgets and speed ratios earn theirs only
once every test of the step passes: a fast wrong answer is worth nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from grader import records as rec
from grader.records import Record, Records
from grader.result import (
    BudgetResult,
    LineCount,
    Place,
    Rate,
    SpeedResult,
    StepResult,
    TestResult,
    Verdict,
)
from grader.units import Budget, Speed, Step

# The worst outcome of a step's tests is its verdict.
_WORST = ("ours", "refused", "hung", "crashed", "wrong")


class Source:
    """The learner's file: how it is named, and its lines."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = text.splitlines()

    def home(self, step: str) -> Place | None:
        """Where a step's function begins: the line to look at if no other is known."""
        names = re.compile(rf"^[\w\s*\"]*\b{step}\s*\(")
        marks = re.compile(rf"^\s*// (TODO\({step}\)|END {step}\b)")
        for wanted in (names, marks):
            for number, line in enumerate(self._lines, 1):
                if wanted.match(line):
                    return Place(self.file, number, line)
        return None

    def place(self, file: str, line: int) -> Place:
        """A place as the learner names it; other files keep their own name."""
        if PurePosixPath(file).name != PurePosixPath(self.file).name:
            return Place(file, line)
        known = 0 < line <= len(self._lines)
        return Place(self.file, line, self._lines[line - 1] if known else "")


def untouched(step: Step, device: str, place: Place | None, todo: str) -> StepResult:
    """The result of a step whose TODO nobody has touched."""
    return _without_run(step, device, Verdict.UNSOLVED, todo, place)


def unbuilt(
    step: Step, device: str, verdict: Verdict, message: str, place: Place | None
) -> StepResult:
    """The result of a step that could not run: unbuilt, refused or ours."""
    return _without_run(step, device, verdict, message, place)


def judged(step: Step, device: str, found: Records, source: Source) -> StepResult:
    """The result of a step from its judge's records."""
    tests = tuple(
        _test(name, worth, found, source) for name, worth in step.tests.items()
    )
    right = all(test.outcome == "passed" for test in tests)
    device_record = (found.budget or {}).get("device_record") or {}
    budgets: tuple[BudgetResult, ...] = ()
    speeds: tuple[SpeedResult, ...] = ()
    if device == "emulator":
        budgets = tuple(_budget(b, found, right, source) for b in step.budgets)
    else:
        speeds = tuple(_speed(s, found, right) for s in step.speeds)
    verdict, message, place = _verdict(tests, budgets, speeds, found, source)
    if verdict is not Verdict.SOLVED and place is None:
        place = source.home(step.name)
    parts: list[Any] = [*tests, *budgets, *speeds]
    return StepResult(
        name=step.name,
        title=step.title,
        verdict=verdict,
        points=sum(part.points for part in parts),
        out_of=sum(part.out_of for part in parts),
        message=message,
        place=place,
        tests=tests,
        budgets=budgets,
        speeds=speeds,
        gbs=(found.speed or {}).get("gbs"),
        rates=_rates(found.speed or {}),
        lines=_own_lines(device_record, source),
        launches=tuple(rec.launches(device_record)),
        peak_kib=sum(int(v) for v in (found.end.get("peak_kib") or {}).values()),
        seconds=found.seconds,
    )


def _verdict(
    tests: Iterable[TestResult],
    budgets: Iterable[BudgetResult],
    speeds: Iterable[SpeedResult],
    found: Records,
    source: Source,
) -> tuple[Verdict, str, Place | None]:
    for outcome in _WORST:
        for test in tests:
            if test.outcome == outcome:
                case = f" (case {test.case})" if test.cases > 1 else ""
                words = f"{test.name}{case}: {test.message}".strip()
                return Verdict(outcome), words, test.place
    for record in (found.budget, found.speed):
        if record and record.get("outcome") in _WORST:
            fault = _place(record, source)
            return Verdict(record["outcome"]), str(record.get("message", "")), fault
    for budget in budgets:
        if budget.value is None:
            return Verdict.OURS, f"no counter is called {budget.counter}", None
    for budget in budgets:
        if not budget.met:
            verdict, words = _missed(budget)
            return verdict, words, budget.place
    for speed in speeds:
        if speed.ratio is None:
            return Verdict.OURS, f"{speed.ceiling} was not measured", None
    for speed in speeds:
        if not speed.met:
            words = f"{speed.ratio:.2f} of {speed.ceiling}, and {speed.least:.2f} pass"
            return Verdict.SLOW, words, None
    return Verdict.SOLVED, "", None


def _missed(budget: BudgetResult) -> tuple[Verdict, str]:
    """More than the budget is slow; less means that the step's work was not done."""
    value = budget.value or 0.0
    if value < budget.low:
        words = f"{budget.says}: {value:,.0f}, and this step has at least"
        words += f" {budget.low:,.0f}.\nThe answers are right, but they are"
        return Verdict.WRONG, words + " made in another way than the step asks for."
    words = f"{budget.says}: {value:,.0f}, where the budget is at most"
    words += f" {budget.high:,.0f}."
    if budget.place:
        words += f"\n{budget.share:.0%} of them come from line {budget.place.line}."
    return Verdict.SLOW, words


def _test(name: str, worth: float, found: Records, source: Source) -> TestResult:
    cases = [record for record in found.tests if record.get("test") == name]
    bad = next((r for o in _WORST for r in cases if r["outcome"] == o), None)
    if not cases:
        missing = {"outcome": "ours", "message": "the judge has no such test"}
        return TestResult(name, "ours", 0, worth, message=missing["message"])
    shown = bad or next((r for r in cases if r.get("printed")), cases[0])
    return TestResult(
        name=name,
        outcome=shown["outcome"],
        points=0 if bad else worth,
        out_of=worth,
        cases=len(cases),
        case=int(shown.get("case", 0)),
        message=str(shown.get("message", "")),
        place=_place(shown, source),
        printed=str(shown.get("printed", "")),
        seconds=sum(float(r.get("seconds", 0)) for r in cases),
    )


def _place(record: Record, source: Source) -> Place | None:
    for key in ("fault", "at"):
        at = record.get(key)
        if isinstance(at, dict) and at.get("file") and at.get("line"):
            return source.place(str(at["file"]), int(at["line"]))
    return None


def _budget(
    budget: Budget, found: Records, right: bool, source: Source
) -> BudgetResult:
    record = found.budget or {}
    device_record = record.get("device_record") or {}
    value = rec.counters(device_record).get(budget.counter)
    met = value is not None and budget.low <= value <= budget.high
    met = met and record.get("outcome") == "measured"
    place, share = (None, 0.0)
    if value and not budget.low <= value <= budget.high:
        place, share = _hottest(device_record, budget.counter, value, source)
    return BudgetResult(
        counter=budget.counter,
        says=budget.says,
        value=value,
        low=budget.low,
        high=budget.high,
        points=budget.points if met and right else 0,
        out_of=budget.points,
        met=met,
        place=place,
        share=share,
    )


def _hottest(
    device_record: Record, counter: str, total: float, source: Source
) -> tuple[Place | None, float]:
    """The line that has most of a counter, and its share."""
    best: tuple[float, Place] | None = None
    counts = rec.lines(device_record)
    if not any(counter in found for _, _, found in counts):
        counts = rec.launching_lines(device_record)
    for file, line, found in counts:
        value = found.get(counter, 0)
        if value and (best is None or value > best[0]):
            best = (value, source.place(file, line))
    return (best[1], best[0] / total) if best else (None, 0.0)


def _speed(speed: Speed, found: Records, right: bool) -> SpeedResult:
    record = found.speed or {}
    ceiling = (record.get("ceilings") or {}).get(speed.ceiling) or {}
    ratio = ceiling.get("ratio") if record.get("outcome") == "measured" else None
    met = ratio is not None and ratio >= speed.least
    return SpeedResult(
        ceiling=speed.ceiling,
        ratio=ratio,
        gbs=record.get("gbs"),
        ceiling_gbs=ceiling.get("gbs"),
        least=speed.least,
        full=speed.full,
        stretch=speed.stretch,
        points=_worth(speed, ratio) if right and ratio is not None else 0,
        out_of=speed.points,
        met=met,
    )


def _rates(record: rec.Record) -> tuple[Rate, ...]:
    ceilings = record.get("ceilings") or {}
    return tuple(
        Rate(name, float(c["gbs"]), float(c["ratio"]))
        for name, c in ceilings.items()
        if "gbs" in c and "ratio" in c
    )


def _worth(speed: Speed, ratio: float) -> float:
    """Half the points at `pass`, all of them at `full`, straight between."""
    if not ratio >= speed.least:
        return 0
    if ratio >= speed.full:
        return speed.points
    way = (ratio - speed.least) / (speed.full - speed.least)
    return round(speed.points * (0.5 + 0.5 * way), 2)


def _own_lines(device_record: Record, source: Source) -> tuple[LineCount, ...]:
    return tuple(
        LineCount(line, found)
        for file, line, found in rec.lines(device_record)
        if source.place(file, line).file == source.file
    )


def _without_run(
    step: Step, device: str, verdict: Verdict, message: str, place: Place | None
) -> StepResult:
    outcome = verdict.value
    tests = tuple(
        TestResult(name, outcome, 0, worth) for name, worth in step.tests.items()
    )
    extra: float = (
        sum(b.points for b in step.budgets)
        if device == "emulator"
        else sum(s.points for s in step.speeds)
    )
    return StepResult(
        name=step.name,
        title=step.title,
        verdict=verdict,
        points=0,
        out_of=sum(step.tests.values()) + extra,
        message=message,
        place=place,
        tests=tests,
    )
