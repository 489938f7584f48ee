"""A class of right, wrong, broken and unlucky submissions."""

from __future__ import annotations

import csv
import io
import json

import pytest

from grader import sandbox
from grader.class_pages import cell
from grader.gradebook import Student, _box
from grader.sandbox import Limits, box

UNIT = "exercises/01_first"


@pytest.fixture
def school(toy, tmp_path):
    """Put a submission there, and grade."""

    class School:
        folder = tmp_path / "subs"
        out = tmp_path / "out"
        answer = (toy.root / "solutions/01_first/solution.cu").read_text()

        def put(self, student, text, unit=UNIT):
            place = self.folder / student / unit
            place.mkdir(parents=True)
            (place / "kernel.cu").write_text(text)

        def grade(self, *words):
            return toy.run("grade", str(self.folder), "--out", str(self.out), *words)

        def rows(self):
            text = (self.out / "gradebook.csv").read_text()
            return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}

    if sandbox.problem():
        pytest.skip(f"no box here: {sandbox.problem()}")
    return School()


def test_all_are_graded_and_none_stops_another(school):
    school.put("ada", school.answer)
    school.put("bea", school.answer.replace("solved", "wrong"))
    school.put("cy", "SYNTAX")
    school.put("dan", school.answer.replace("solved", "dies"))
    school.put("eve", school.answer, "exercises/99_unknown")

    done = school.grade()

    assert done.exit_code == 0, done.output
    rows = school.rows()
    assert [rows[name][UNIT] for name in ("ada", "bea", "cy", "dan")] == [
        "5",
        "0",
        "0",
        "",
    ]
    assert "ours" in rows["dan"]["note"] and "no kernel.cu" in rows["eve"]["note"]
    book = json.loads((school.out / "results.json").read_text())
    assert [s["student"] for s in book["students"]] == [
        "ada",
        "bea",
        "cy",
        "dan",
        "eve",
    ]
    assert len(list((school.out / "students").glob("*.html"))) == 5


def test_a_second_run_grades_only_what_changed(school, monkeypatch):
    from grader import gradebook

    school.put("ada", school.answer)
    school.put("bea", school.answer + "// two\n")
    school.grade()
    first = (school.out / "gradebook.csv").read_bytes()
    graded = []
    real = gradebook.check
    monkeypatch.setattr(
        gradebook, "check", lambda *a, **k: graded.append(a[2]) or real(*a, **k)
    )

    school.grade()
    assert graded == [] and (school.out / "gradebook.csv").read_bytes() == first

    (school.folder / "bea" / UNIT / "kernel.cu").write_text(school.answer + "// 3\n")
    school.grade()
    assert len(graded) == 1


def test_what_is_ours_is_tried_again_and_never_kept(school):
    school.put("ada", school.answer.replace("solved", "dies"))
    school.grade()
    import sqlite3

    db = sqlite3.connect(school.out / ".graded.sqlite3")
    assert db.execute("SELECT COUNT(*) FROM graded").fetchone() == (0,)


def test_without_the_box_nothing_is_run(school, monkeypatch):
    school.put("ada", school.answer)
    monkeypatch.setattr(sandbox, "problem", lambda: "no user namespaces")

    done = school.grade()

    assert done.exit_code == 2
    assert "no user namespaces" in done.stderr and "remedy" in done.stderr
    assert not school.out.exists()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "  =", "\n="])
def test_no_cell_is_a_formula(school, start):
    name = f"{start}1+1"
    assert not cell(name).lstrip().startswith(("=", "+", "-", "@"))


def test_a_students_name_is_a_text_in_the_csv(school):
    school.put("=HYPERLINK(1)", school.answer)
    school.grade()
    assert list(school.rows()) == ["'=HYPERLINK(1)"]


def test_plain_names_stay_as_they_are():
    assert cell("O'Neil, Zoë") == "O'Neil, Zoë"


def test_two_names_that_look_alike_get_two_pages():
    from grader.class_pages import page_name

    names = {page_name(Student(n)) for n in ("a/b", "a b", "a_b", "..", "", "ä")}
    assert len(names) == 6
    assert all(name.count("/") == 1 and ".." not in name for name in names)


def test_the_box_hides_everything_that_is_not_named(tmp_path):
    import subprocess

    if sandbox.problem():
        pytest.skip("no box here")
    secret = tmp_path / "secret"
    secret.write_text("x")
    shown = tmp_path / "shown"
    shown.write_text("y")
    probes = {
        f"cat {secret}": False,
        f"cat {shown}": True,
        f"echo z > {shown}": False,
        "ls /root /home": False,
        "echo x > /usr/x": False,
        "cat /etc/passwd": False,
        "echo x > /tmp/x": True,
        "head -c 40M /dev/zero > /tmp/big": False,
        'test -n "$SECRET"': False,
        "ls /proc/2/exe /proc/3/exe /proc/4/exe": False,
        "unshare -Ur true && unshare -n true && ping -c1 127.0.0.1": False,
    }
    words = box([shown], limits=Limits(scratch_mib=16, file_mib=64))
    for probe, allowed in probes.items():
        done = subprocess.run(
            [*words, "sh", "-c", probe],
            capture_output=True,
            env={"SECRET": "1", "PATH": "/usr/bin:/bin"},
        )
        assert (done.returncode == 0) == allowed, (probe, done.stderr)


def test_a_runners_box_leaves_the_judges_variables(tmp_path):
    words = _box(tmp_path / "runner", "emulator")
    assert "--clearenv" not in words and "--die-with-parent" in words
