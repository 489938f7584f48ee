"""Every unit: its skeleton fails, its solution passes, its mutants are caught.

The skeletons are derived here from the solutions; kernel.cu is the learner's and is not
looked at. Everything runs on the emulator.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from grader import authoring, marks
from grader.build import NvccBuilder
from grader.check import Options, check, skeleton_of
from grader.result import UnitResult, Verdict
from grader.units import Unit, every

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS = every(ROOT)
ANSWERED = [unit for unit in UNITS if unit.solution.name == "solution.cu"]
MUTANTS = authoring.mutants(ROOT)
FEWEST_MUTANTS = 4
# The files of a unit; an exercise's answer lies elsewhere.
FILES = {"README.md", "kernel.h", "kernel.cu", "test.c"}

by_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.id)
by_answer = pytest.mark.parametrize("unit", ANSWERED, ids=lambda unit: unit.id)


@cache
def builder() -> NvccBuilder:
    return NvccBuilder(ROOT, "emulator")


def grade(unit: Unit, text: str, **options) -> UnitResult:
    settings = Options(untouched=True, **options)
    return check(unit, builder(), text, f"{unit.id}/kernel.cu", settings)


def story(result: UnitResult) -> str:
    """What happened, for a failing test's message."""
    return "\n".join(
        f"{s.name}: {s.verdict} {s.points:g}/{s.out_of:g} {s.message}"
        for s in result.steps
    )


def test_there_are_units_and_mutants():
    assert UNITS and ANSWERED and MUTANTS


@by_unit
def test_it_has_its_files_and_no_others(unit):
    want = FILES | {f"{unit.kind}.toml"}
    if unit.kind == "chapter" or unit.solution.name == "skeleton.cu":
        want.add(unit.solution.name)
    have = {path.name for path in unit.folder.iterdir()}
    assert have - {"figures"} == want


@by_answer
def test_the_marks_are_the_steps_in_order(unit):
    found = marks.steps(skeleton_of(unit))
    assert found == [step.name for step in unit.steps]


@by_unit
def test_it_needs_units_that_come_before_it(unit):
    for needed in unit.needs:
        assert (ROOT / "chapters" / needed).is_dir()
        assert int(needed[:2]) <= unit.number


@by_unit
def test_every_step_has_three_hints(unit):
    assert all(len(step.hints) == 3 for step in unit.steps)


@by_answer
def test_its_skeleton_compiles_and_earns_no_step(unit):
    result = grade(unit, skeleton_of(unit))

    for step in result.steps:
        allowed = set(Verdict) - {Verdict.SOLVED, Verdict.UNBUILT, Verdict.OURS}
        assert step.verdict in allowed, story(result)


@by_answer
def test_its_skeleton_is_unsolved_without_running(unit):
    text = skeleton_of(unit)
    for step in unit.steps:
        assert marks.unsolved(text, text, step.name)


@by_answer
def test_its_solution_earns_every_point(unit):
    result = grade(unit, unit.solution.read_text())

    assert result.solved, story(result)
    assert result.points == result.out_of > 0


@by_answer
def test_it_has_enough_mutants(unit):
    mine = [mutant for mutant in MUTANTS if mutant.unit == unit.id]
    assert len(mine) >= FEWEST_MUTANTS


@by_answer
def test_every_test_catches_a_mutant(unit):
    caught = {(m.step, m.caught_by) for m in MUTANTS if m.unit == unit.id}
    names = {test for _, test in caught}
    for step in unit.steps:
        for test in step.tests:
            assert (step.name, test) in caught or test in names, f"{step.name}: {test}"


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda m: str(m.path.relative_to(ROOT / "tests/mutants"))
)
def test_the_mutant_is_caught_by_what_it_names(mutant):
    unit = authoring.unit_of(ROOT, mutant.unit)
    text = authoring.mutate(mutant, unit.solution.read_text())

    result = grade(unit, text, step=mutant.step)

    (step,) = result.steps
    assert step.verdict not in (Verdict.SOLVED, Verdict.UNBUILT, Verdict.OURS), story(
        result
    )
    if mutant.by_budget:
        missed = [b.counter for b in step.budgets if not b.met]
        assert mutant.budget in missed, story(result)
        assert all(test.outcome == "passed" for test in step.tests), story(result)
    else:
        failed = [test.name for test in step.tests if test.outcome != "passed"]
        assert mutant.caught_by in failed, story(result)
    if mutant.names:
        changed = authoring.changed_lines(unit.solution.read_text(), text)
        assert changed & authoring.lines_named(step), f"{changed}: {story(result)}"


@by_unit
def test_its_test_names_are_facts(unit):
    for step in unit.steps:
        for test in step.tests:
            assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", test), test
