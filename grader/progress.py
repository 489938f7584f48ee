"""Where the learner stands in the course: what is solved, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader import marks
from grader.check import skeleton_of
from grader.result import StepResult, UnitResult, Verdict
from grader.store import Store
from grader.units import Step, Unit, every


@dataclass(frozen=True, slots=True)
class StepState:
    step: Step
    verdict: Verdict | None  # None: never tried
    points: float
    out_of: float
    result: StepResult | None = None


@dataclass(frozen=True, slots=True)
class UnitState:
    unit: Unit
    steps: tuple[StepState, ...]
    latest: UnitResult | None = None

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
    def solved_steps(self) -> int:
        return sum(step.verdict is Verdict.SOLVED for step in self.steps)

    @property
    def begun(self) -> bool:
        return self.latest is not None


def unit_state(unit: Unit, store: Store, device: str | None = None) -> UnitState:
    """The newest result of every step; a step whose TODO is back is unsolved again."""
    latest = store.latest(unit.id, device)
    known = {step.name: step for step in latest.steps} if latest else {}
    text = _text(unit.kernel)
    original = skeleton_of(unit)
    states = []
    for step in unit.steps:
        found = known.get(step.name)
        out_of = found.out_of if found else worth(step)
        verdict = found.verdict if found else None
        points = found.points if found else 0.0
        if marks.unsolved(text, original, step.name):
            verdict, points = (Verdict.UNSOLVED if found else None), 0.0
            found = found if found and found.verdict is Verdict.UNSOLVED else None
        states.append(StepState(step, verdict, points, out_of, found))
    return UnitState(unit, tuple(states), latest)


def worth(step: Step) -> float:
    """The points of a step on the emulator."""
    return sum(step.tests.values()) + sum(budget.points for budget in step.budgets)


def course(root: Path, store: Store) -> list[UnitState]:
    """The state of every unit, in order."""
    return [unit_state(unit, store) for unit in every(root)]


def first_unfinished(root: Path, store: Store) -> Unit | None:
    """The first chapter that is not all solved; then the first such exercise."""
    states = course(root, store)
    for kind in ("chapter", "exercise"):
        for state in states:
            if state.unit.kind == kind and not state.solved:
                return state.unit
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
