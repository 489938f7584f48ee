"""What a judge writes: one JSON record a line.

A judge that ran to its end wrote an "end" record. Anything less says nothing about the
learner's code, and is ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grader.errors import JudgeError

# Where a file lay when it was compiled; nobody wants to read that.
_BUILT_IN = re.compile(r'(?:[^"\s]*build/cache/\.new-[^/"\s]+|/submission)/')
OUTCOMES = ("passed", "wrong", "crashed", "hung", "refused", "ours")
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of one step."""

    start: Record
    end: Record
    tests: tuple[Record, ...] = ()
    budget: Record | None = None
    speed: Record | None = None
    seconds: float = 0.0
    extra: dict[str, Any] = field(default_factory=dict)


def parse(text: str, step: str) -> Records:
    """Read the records of one step, or raise JudgeError."""
    found: dict[str, list[Record]] = {}
    for number, line in enumerate(_BUILT_IN.sub("", text).splitlines(), 1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise JudgeError(f"record {number} is not JSON: {error}") from None
        if not isinstance(record, dict) or not isinstance(record.get("record"), str):
            raise JudgeError(f"record {number} has no kind")
        if record.get("step") != step:
            raise JudgeError(f"record {number} is not of step {step}")
        found.setdefault(record["record"], []).append(record)
    if len(found.get("start", ())) != 1 or len(found.get("end", ())) != 1:
        raise JudgeError("the judge did not run to its end")
    for record in found.get("test", ()):
        if record.get("outcome") not in OUTCOMES:
            raise JudgeError(f"a test has the outcome {record.get('outcome')!r}")
    return Records(
        start=found["start"][0],
        end=found["end"][0],
        tests=tuple(found.get("test", ())),
        budget=_last(found, "budget"),
        speed=_last(found, "speed"),
    )


def _last(found: dict[str, list[Record]], kind: str) -> Record | None:
    records = found.get(kind)
    return records[-1] if records else None


def counters(device_record: Record) -> dict[str, float]:
    """Totals and copies of a device record, under their names."""
    totals = device_record.get("totals") or {}
    copies = device_record.get("copies") or {}
    merged = {**copies, **totals}
    return {k: v for k, v in merged.items() if isinstance(v, int | float)}


Counts = list[tuple[str, int, dict[str, float]]]


def lines(device_record: Record) -> Counts:
    """Counters of every source line, summed over the launches."""
    found = device_record.get("launches") or ()
    return _summed(entry for launch in found for entry in launch.get("lines") or ())


def launching_lines(device_record: Record) -> Counts:
    """Counters of every line that launches something, where that is known."""
    found = device_record.get("launches") or ()
    return _summed(launch for launch in found if launch.get("line"))


def _summed(entries: Iterable[Record]) -> Counts:
    total: dict[tuple[str, int], dict[str, float]] = {}
    for entry in entries:
        key = (str(entry.get("file", "")), int(entry.get("line", 0)))
        into = total.setdefault(key, {})
        for name, value in (entry.get("counters") or {}).items():
            into[name] = into.get(name, 0) + value
    return [(file, line, found) for (file, line), found in sorted(total.items())]


def launches(device_record: Record, most: int = 8) -> list[str]:
    """The launches in words: tree<<<(4,1,1), (256,1,1)>>>."""
    found = device_record.get("launches") or ()
    words = [_launch(launch) for launch in found[:most]]
    left = len(found) - most + int(device_record.get("dropped_launches") or 0)
    return [*words, f"and {left} more"] if left > 0 else words


def _launch(launch: Record) -> str:
    grid = "x".join(str(n) for n in _trim(launch.get("grid") or [0]))
    block = "x".join(str(n) for n in _trim(launch.get("block") or [0]))
    return f"{launch.get('kernel', '?')}<<<{grid}, {block}>>>"


def _trim(sizes: list[int]) -> list[int]:
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return sizes
