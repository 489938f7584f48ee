"""Hints, resets, the next chapter, withholding, skeletons."""

from __future__ import annotations

import subprocess


def test_hints_come_one_at_a_time_and_the_last_one_stays(toy):
    said = [toy.run("hint", "1").output for _ in range(4)]

    for count, text in enumerate(["What is missing?", "Look at", "d_out[0] ="], 1):
        assert f"Hint {count} of 3" in said[count - 1] and text in said[count - 1]
    assert said[3] == said[2]


def test_a_hint_is_for_the_first_open_step(toy):
    toy.solve("chapters/01_first", first_v1="wrong")
    toy.run("check", "1", "--device", "emulator")

    assert "first_v1" in toy.run("hint", "1").output
    assert "first_v0" in toy.run("hint", "1", "--step", "v0").output
    assert "problem" in toy.run("hint", "1", "--kind", "exercise").output


def test_reset_asks_and_keeps_a_copy(toy):
    kernel = toy.kernel("chapters/01_first")
    skeleton = kernel.read_text()
    kernel.write_text("my work")

    refused = toy.run("reset", "1", input="n\n")
    assert refused.exit_code == 2 and kernel.read_text() == "my work"

    done = toy.run("reset", "1", input="y\n")
    assert done.exit_code == 0 and kernel.read_text() == skeleton
    (backup,) = (toy.root / ".workbook/backups").iterdir()
    assert backup.read_text() == "my work" and backup.name in done.output


def test_two_resets_in_a_second_keep_two_copies(toy):
    for text in ("one", "two"):
        toy.kernel("chapters/01_first").write_text(text)
        toy.run("reset", "1", "--yes")
    backups = (toy.root / ".workbook/backups").iterdir()
    assert sorted(path.read_text() for path in backups) == ["one", "two"]


def test_next_goes_to_the_first_unfinished_chapter_then_to_exercises(toy):
    assert "Chapter 1" in toy.run("next", "--device", "emulator").output
    toy.solve("chapters/01_first")
    assert toy.run("next", "--device", "emulator").exit_code == 0
    toy.solve("chapters/02_second")
    assert "Chapter 2" in toy.run("next", "--device", "emulator").output
    assert "Exercise 1" in toy.run("next", "--device", "emulator").output
    toy.solve("exercises/01_first")
    toy.run("next", "--device", "emulator")
    assert "is solved" in toy.run("next", "--device", "emulator").output


def test_a_reset_unit_is_unfinished_again(toy):
    toy.solve("chapters/01_first")
    toy.run("check", "1", "--device", "emulator")
    toy.run("reset", "1", "--yes")
    assert "Chapter 1" in toy.run("next", "--device", "emulator").output


def test_a_solution_is_graded_but_not_recorded(toy):
    done = toy.run("solution", "1", "--device", "emulator")
    assert done.exit_code == 0 and "chapter" in done.output.lower()
    exercise = toy.run("solution", "1", "--kind", "exercise", "--device", "emulator")
    assert exercise.exit_code == 0
    assert "solved " not in toy.run("list").output


def test_skeletons_are_compared_and_made(toy):
    assert toy.run("skeletons", "--check").exit_code == 0
    toy.kernel("exercises/01_first").write_text("mine")
    done = toy.run("skeletons", "--check")
    assert done.exit_code == 1 and "exercises/01_first/kernel.cu" in done.output
    toy.run("skeletons")
    assert toy.run("skeletons", "--check").exit_code == 0


def test_withheld_answers_leave_a_workbook_that_works(toy, tmp_path):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run([*git, "init", "-q"], cwd=toy.root, check=True)
    subprocess.run([*git, "add", "-A"], cwd=toy.root, check=True)
    there = tmp_path / "there"

    done = toy.run("withhold", str(there))

    assert done.exit_code == 0, done.output
    assert not (there / "solutions").exists()
    assert (there / "chapters/01_first/solution.cu").exists()
    toy.root = there
    assert "unsolved" in toy.run("exercise", "1", "--device", "emulator").output
    refused = toy.run("solution", "1", "--kind", "exercise")
    assert refused.exit_code == 2 and "withheld" in refused.stderr
    assert toy.run("withhold", str(there)).exit_code == 2


def test_the_device_is_checked(toy, monkeypatch):
    monkeypatch.setattr("grader.toolchain.gpu_name", lambda: None)
    assert "no GPU" in toy.run("check", "1", "--device", "gpu").stderr
    done = toy.run("check", "1", "--device", "toaster")
    assert done.exit_code == 2 and "toaster" in done.stderr
    assert "emulated" in toy.run("check", "1").output.splitlines()[0]


def test_a_forbidden_header_is_refused(toy):
    kernel = toy.kernel("chapters/01_first")
    kernel.write_text("#include <cub/cub.cuh>\n" + kernel.read_text())
    done = toy.run("check", "1", "--device", "emulator")
    assert done.exit_code == 1 and "refused" in done.output


def test_every_command_has_help(toy):
    text = toy.run("--help").output
    for name in (
        "check",
        "exercise",
        "solution",
        "hint",
        "reset",
        "next",
        "report",
        "grade",
        "doctor",
        "skeletons",
        "withhold",
        "list",
    ):
        assert name in text
        done = toy.run(name, "--help")
        assert done.exit_code == 0 and len(done.output) > 80
