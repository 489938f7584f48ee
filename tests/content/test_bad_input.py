"""What bad input gets, on chapter 11: in seconds one clear verdict and its line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from bad_input import BAD, STEP, UNIT, line_of

from grader import authoring
from grader.build import Code, NvccBuilder
from grader.check import Options, check

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def unit():
    found = authoring.unit_of(ROOT, UNIT)
    if found.solution.name != "solution.cu":
        pytest.skip("the solution is withheld")
    return found


@pytest.fixture(scope="module")
def builder():
    return NvccBuilder(ROOT, "emulator")


def left_running(runner: Path) -> list[str]:
    """Processes of this very runner that still live."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            program = str((process / "exe").readlink())
        except OSError:
            continue
        if program.startswith(str(runner)):
            found.append(process.name)
    return found


@pytest.mark.parametrize("name", BAD)
def test_bad_input(unit, builder, name):
    bad = BAD[name]
    text = bad.edit(unit.solution.read_text())
    began = time.monotonic()

    result = check(unit, builder, text, f"{UNIT}/kernel.cu", Options(step=STEP))

    (step,) = result.steps
    took = time.monotonic() - began
    assert step.verdict.value in bad.verdicts, f"{step.verdict}: {step.message}"
    assert step.message and "100% passed" not in step.message
    assert took < 90, f"{took:.0f} s"
    if bad.at:
        assert step.place is not None, step.message
        assert step.place.file == f"{UNIT}/kernel.cu"
        shown = (step.place.line, step.place.text)
        assert bad.at in step.place.text or step.place.line == line_of(text, bad.at), (
            shown
        )
    if step.verdict.value != "unbuilt":
        code = Code(text, f"{UNIT}/kernel.cu")
        assert left_running(builder.runner(unit, code)) == []
