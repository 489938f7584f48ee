"""A class of twenty, a third of it hostile: all graded, none hangs the rest."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from bad_input import BAD, STEP, UNIT
from click.testing import CliRunner

from grader import authoring, marks, sandbox
from grader.cli import Desk, main

ROOT = Path(__file__).resolve().parent.parent.parent

FORK = """\
#include <unistd.h>
struct bomb {
    bomb() { for (int i = 0; i < 10000; i++) if (fork() == 0) for (;;) pause(); }
} lit;
"""
THIEF = """\
#include <cstdio>
#include <cstdlib>
struct thief {
    thief()
    {
        for (const char *path : {"/etc/passwd", "%s"})
            if (FILE *file = fopen(path, "r")) abort();
    }
} at_work;
"""


def spoil(edit, solution):
    """A bad edit of the solution; then only some steps keep their answer."""
    return marks.skeleton(edit(solution), [STEP, "reduce_v2"])


@pytest.fixture
def school(tmp_path):
    """Twenty folders; the names say what is in them."""
    unit = authoring.unit_of(ROOT, UNIT)
    if unit.solution.name != "solution.cu":
        pytest.skip("the solution is withheld")
    if sandbox.problem():
        pytest.skip(f"no box here: {sandbox.problem()}")
    solution = unit.solution.read_text()
    right = marks.skeleton(solution, [STEP, "reduce_v2", "reduce_v6"])
    half = marks.skeleton(solution)
    texts = {f"right{n}": f"{right}// {n}\n" for n in range(6)}
    texts |= {f"untouched{n}": f"{half}// {n}\n" for n in range(3)}
    for name in list(BAD)[:9]:
        texts[name.replace(" ", "_").replace("/", "")] = spoil(BAD[name].edit, solution)
    texts["fork bomb"] = FORK + right
    texts["thief"] = THIEF % (ROOT / "README.md") + right
    for student, text in texts.items():
        place = tmp_path / "subs" / student / UNIT
        place.mkdir(parents=True)
        (place / "kernel.cu").write_text(text)
    return tmp_path


def test_twenty_submissions(school):
    began = time.monotonic()

    words = ["grade", str(school / "subs"), "--out", str(school / "out")]
    done = CliRunner().invoke(main, words, obj=Desk(ROOT))

    took = time.monotonic() - began
    assert done.exit_code == 0, done.output
    with (school / "out/gradebook.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert len(rows) == 20
    assert not [row["note"] for row in rows.values() if row["note"]]
    points = {name: float(row["total"]) for name, row in rows.items()}
    full = points["right0"]
    assert full > 0 and all(points[f"right{n}"] == full for n in range(6))
    assert all(points[f"untouched{n}"] == 0 for n in range(3))
    assert points["thief"] == full, "the thief found something"
    for name in rows:
        if not name.startswith(("right", "thief", "fork")):
            assert points[name] < full, name
    assert took < 120, f"{took:.0f} s"
