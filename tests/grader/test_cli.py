"""What a command prints, and its exit status."""

from __future__ import annotations

import json


def test_a_skeleton_is_unsolved_and_says_what_to_do(toy):
    done = toy.run("check", "1", "--device", "emulator")

    assert done.exit_code == 1, done.output
    lines = done.output.splitlines()
    assert "emulated A100" in lines[0] and "pretended" in lines[0]
    assert sum("unsolved" in line and "first_v" in line for line in lines) == 3
    assert "write d_in[0] + 1 to d_out. (1 line)" in done.output
    assert "chapters/01_first/kernel.cu:6" in done.output
    assert "make hint1" in done.output


def test_a_solution_is_solved(toy):
    toy.solve("chapters/01_first")

    done = toy.run("check", "1", "--device", "emulator")

    assert done.exit_code == 0, done.output
    assert "9 of 9 points" in done.output and "All solved." in done.output


def test_a_fault_shows_message_and_line(toy):
    toy.solve("chapters/01_first", first_v0="crashed")

    done = toy.run("check", "1", "--device", "emulator")

    assert done.exit_code == 1
    assert "adds_one (case 1): out[256]: got nan" in done.output
    assert "chapters/01_first/kernel.cu:9" in done.output
    assert "d_out[0] = d_in[0] + 1;" in done.output


def test_a_missed_budget_is_slow_and_names_its_line(toy):
    toy.solve("chapters/01_first", first_v1="slow")

    done = toy.run("check", "1", "--device", "emulator")

    assert done.exit_code == 1
    assert "first_v1: slow" in done.output
    assert "shared load conflicts" in done.output and "4,480" in done.output
    assert "chapters/01_first/kernel.cu:20" in done.output


def test_one_step_by_the_end_of_its_name(toy):
    toy.solve("chapters/01_first")

    done = toy.run("check", "1", "--step", "v1", "--json", "--device", "emulator")

    assert done.exit_code == 0
    assert [step["name"] for step in json.loads(done.output)["steps"]] == ["first_v1"]


def test_a_syntax_error_is_unbuilt(toy, edit):
    edit("chapters/01_first/kernel.cu", "return 0;", "SYNTAX")

    done = toy.run("check", "1")

    assert done.exit_code == 1
    assert "unbuilt" in done.output and "expected a ';'" in done.output
