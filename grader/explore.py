"""Many orders of blocks and warps: does a step's result depend on one?

The emulator runs them in one fixed order, in which a race may do no harm. Each seed is
another order, the same in every run, so what breaks a step can be looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.build import Builder
from grader.check import Options, check, read_kernel
from grader.result import StepResult, UnitResult, Verdict
from grader.units import Unit

SEED = 1  # of the data, the same in all orders


@dataclass(frozen=True, slots=True)
class Search:
    """Which orders of which steps."""

    unit: Unit
    step: str = ""
    gpu: str = "A100"
    seeds: int = 50
    solution: bool = False  # the reference, not the learner's file


@dataclass(frozen=True, slots=True)
class Found:
    """What became of one step."""

    step: str
    says: str
    broken: bool = False
    message: str = ""
    replay: str = ""


def search(wanted: Search, builder: Builder) -> list[Found]:
    """Try a unit's steps in the fixed order, then in others until one breaks them."""
    unit = wanted.unit
    path = unit.solution if wanted.solution else unit.kernel
    name = str(path.relative_to(unit.root))
    text = read_kernel(path, name)
    options = Options(
        gpu=wanted.gpu, step=wanted.step, seed=SEED, untouched=wanted.solution
    )
    first = check(unit, builder, text, name, options)
    found = {one.name: _at_first(one, wanted) for one in first.steps}
    left = [one.name for one in first.steps if not found[one.name].broken]
    left = [name for name in left if not found[name].says]
    for seed in range(1, wanted.seeds + 1):
        if not left:
            break
        steps = tuple(step for step in unit.steps if step.name in left)
        again = replace(options, schedule=seed, step="")
        result = check(replace(unit, steps=steps), builder, text, name, again)
        for one in _broken(result):
            left.remove(one.name)
            found[one.name] = Found(
                one.name,
                f"breaks in order {seed}: {one.verdict.value}",
                True,
                one.message,
                _replay(wanted, one.name, seed),
            )
    for name in left:
        found[name] = Found(name, f"the same in {wanted.seeds} orders")
    return list(found.values())


def _at_first(one: StepResult, wanted: Search) -> Found:
    if one.verdict is Verdict.UNSOLVED:
        return Found(one.name, "not begun")
    if one.tests and all(test.outcome == "passed" for test in one.tests):
        return Found(one.name, "")
    says = f"is {one.verdict.value} in the usual order already"
    return Found(one.name, says, True, one.message, _replay(wanted, one.name, 0))


def _broken(result: UnitResult) -> list[StepResult]:
    return [one for one in result.steps if one.verdict is not Verdict.SOLVED]


def _replay(wanted: Search, step: str, seed: int) -> str:
    target = wanted.unit.target
    if wanted.solution:
        kind = " KIND=exercise" if wanted.unit.kind == "exercise" else ""
        target = f"solution{wanted.unit.number}{kind}"
    order = f" SCHEDULE={seed}" if seed else ""
    return f"make {target} STEP={step} SEED={SEED}{order}"
