"""The result record: what one run of a unit came to.

Everything that is shown or kept is a view of a UnitResult. `to_json` is what `--json`
prints, the store keeps and the exports hold; README.md lists its keys.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any


class Verdict(StrEnum):
    """The closed set of what a step can come to."""

    SOLVED = "solved"
    WRONG = "wrong"
    UNSOLVED = "unsolved"  # the TODO is untouched
    SLOW = "slow"  # right, over its budget
    CRASHED = "crashed"
    HUNG = "hung"
    UNBUILT = "unbuilt"
    REFUSED = "refused"  # a rule was broken
    OURS = "ours"  # the workbook failed, never the learner


@dataclass(frozen=True, slots=True)
class Place:
    """A line to look at; text is the line itself, where it is known."""

    file: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test function over all its cases."""

    name: str
    outcome: str  # passed, wrong, crashed, hung, refused, ours
    points: float
    out_of: float
    cases: int = 0
    case: int = 0  # the first one that failed
    message: str = ""
    place: Place | None = None
    printed: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class BudgetResult:
    counter: str
    says: str
    value: float | None  # None: not measured
    low: float
    high: float
    points: float
    out_of: float
    met: bool = False
    place: Place | None = None  # the line that counts most, if the budget is missed
    share: float = 0.0  # of the total, at that line


@dataclass(frozen=True, slots=True)
class SpeedResult:
    ceiling: str
    ratio: float | None
    gbs: float | None  # of the learner's call
    ceiling_gbs: float | None
    least: float
    full: float
    stretch: float
    points: float
    out_of: float
    met: bool = False


@dataclass(frozen=True, slots=True)
class Rate:
    """One ceiling, measured in turns with the learner's call."""

    ceiling: str  # memcpy, read, cub_sum_u32, ...
    gbs: float
    ratio: float  # the learner's over the ceiling's


@dataclass(frozen=True, slots=True)
class LineCount:
    """Counters of one line of the learner's file."""

    line: int
    counters: dict[str, float]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of a kernel; rules.py."""

    rule: str
    title: str
    says: str  # with the measured number
    advice: str
    cost: float  # an estimate: share of the step's time, 0 to 1
    kernel: str
    chapter: int  # that explains it
    folder: str = ""  # of that chapter, if it is there
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """One warp's access of one line: what its lanes touch."""

    kernel: str
    file: str
    line: int
    block: tuple[int, ...]
    warp: int
    space: str  # global, shared, local
    op: str  # load, store, atomic
    bytes: int  # of a lane
    cost: int  # sectors, or wavefronts of shared memory
    ideal: int
    addresses: tuple[int | None, ...]  # by lane; None: it takes no part


@dataclass(frozen=True, slots=True)
class StepResult:
    name: str
    title: str
    verdict: Verdict
    points: float
    out_of: float
    message: str = ""
    place: Place | None = None
    tests: tuple[TestResult, ...] = ()
    budgets: tuple[BudgetResult, ...] = ()
    speeds: tuple[SpeedResult, ...] = ()
    gbs: float | None = None  # on a GPU: bytes that must move, over the time
    rates: tuple[Rate, ...] = ()  # every ceiling measured, graded or not
    lines: tuple[LineCount, ...] = ()
    launches: tuple[str, ...] = ()  # kernel<<<grid, block>>>, in words
    findings: tuple[Finding, ...] = ()  # of the counted run, the dearest first
    accesses: tuple[Access, ...] = ()  # of it, those dearer than need be
    peak_kib: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class UnitResult:
    unit: str  # chapters/11_reduction
    title: str
    target: str  # chapter11
    file: str  # what was graded, as the learner names it
    device: str  # emulator or gpu
    gpu: str
    at: str  # UTC, ISO 8601
    seed: int | None
    steps: tuple[StepResult, ...]
    source: str = ""
    source_sha256: str = ""
    toolchain: str = ""
    driver: str = ""

    @property
    def points(self) -> float:
        return sum(step.points for step in self.steps)

    @property
    def out_of(self) -> float:
        return sum(step.out_of for step in self.steps)

    @property
    def solved(self) -> bool:
        return all(step.verdict is Verdict.SOLVED for step in self.steps)

    @property
    def ours(self) -> bool:
        return any(step.verdict is Verdict.OURS for step in self.steps)

    def first_open(self) -> StepResult | None:
        """The first step that is not solved."""
        for step in self.steps:
            if step.verdict is not Verdict.SOLVED:
                return step
        return None


def to_json(result: UnitResult) -> dict[str, Any]:
    data = dataclasses.asdict(result)
    for step in data["steps"]:
        step["verdict"] = step["verdict"].value
    data["points"], data["out_of"] = result.points, result.out_of
    return data


def from_json(data: dict[str, Any]) -> UnitResult:
    """Inverse of to_json; keys that this version does not know are dropped."""
    made = _read(UnitResult, data)
    assert isinstance(made, UnitResult)
    return made


def _read(kind: Any, value: Any) -> Any:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        known = {key: _read(hints[key], value[key]) for key in hints if key in value}
        return kind(**known)
    if origin is tuple:
        return tuple(_read(args[0], item) for item in value)
    if origin is types.UnionType:
        return None if value is None else _read(args[0], value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return value
