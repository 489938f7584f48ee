"""Broken chapters are named with file and key, and end with status 2."""

from __future__ import annotations

import pytest

from grader import units
from grader.errors import CallerError, UnitError

TOML = "chapters/01_first/chapter.toml"


def test_units_come_in_the_order_of_the_course(toy):
    assert [unit.id for unit in units.every(toy.root)] == [
        "chapters/01_first",
        "exercises/01_first",
        "chapters/02_second",
    ]


def test_a_unit_knows_its_steps_budgets_and_speeds(toy):
    unit = units.find(toy.root, "chapter", 1)

    assert unit.step("v1").name == "first_v1"
    assert unit.steps[0].tests == {"adds_one": 3, "leaves_its_input_as_it_was": 1}
    assert unit.steps[1].budgets[0].says == "shared load conflicts"
    assert unit.steps[1].speeds[0].stretch == unit.steps[1].speeds[0].full
    assert unit.solution.name == "solution.cu"


def test_an_unknown_step_lists_the_known_ones(toy):
    with pytest.raises(CallerError) as caught:
        units.find(toy.root, "chapter", 1).step("v9")
    assert "first_v0, first_v1" in caught.value.remedy


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('title = "The first"', "", "title: is missing"),
        ('title = "The first"', "title = 3", "title: must be a text"),
        ("seconds = 2", 'seconds = "2"', "seconds: must be a number"),
        ("seconds = 2", "seconds = nan", "seconds: must be finite"),
        ("seconds = 2", "second = 2", "second: is not a key"),
        ("adds_one = 3", "adds_one = -3", "step[0].tests.adds_one: must not be less"),
        ("adds_one = 3", "adds_one = true", "step[0].tests.adds_one: must be a number"),
        ("max = 100", "max = -1", "step[1].budget[0].max: must not be less than 0"),
        ('counter = "conflicts"', "", "step[1].budget[0].counter: is missing"),
        ("full = 0.8", "full = 0.1", "step[1].speed[0].full: must not be less"),
        ('name = "first_v1"', 'name = "first_v0"', "two steps have one name"),
        ('name = "first_v0"', 'name = "a b"', "step[0].name: 'a b' must match"),
        (
            "[step.tests]\nadds_one_again = 2",
            "[step.tests]",
            "step[1].tests: there must",
        ),
        ("hints = [", "hints = [[", "chapter.toml:"),
    ],
)
def test_a_broken_file_is_ours_with_file_and_key(toy, edit, old, new, says):
    edit(TOML, old, new)

    with pytest.raises(UnitError) as caught:
        units.load(toy.root, "chapter", "01_first")
    assert caught.value.problem.startswith(TOML) and says in caught.value.problem
    done = toy.run("check", "1")
    assert done.exit_code == 2
    assert says in done.stderr and "git checkout" in done.stderr


def test_a_missing_file_is_ours(toy):
    (toy.root / TOML).unlink()

    done = toy.run("check", "1")

    assert done.exit_code == 2
    assert f"{TOML} is missing" in done.stderr


@pytest.mark.parametrize("number", ["99", "0"])
def test_an_unknown_chapter_is_the_callers(toy, number):
    done = toy.run("check", number)

    assert done.exit_code == 2
    assert f"There is no chapter {number}." in done.stderr
    assert "Chapters: 1, 2" in done.stderr


def test_a_number_may_have_zeros_in_front(toy):
    assert toy.run("check", "01").exit_code == 1


def test_a_missing_kernel_says_how_to_get_it_back(toy):
    toy.kernel("chapters/01_first").unlink()

    done = toy.run("check", "1")

    assert done.exit_code == 2
    assert "git checkout -- chapters/01_first/kernel.cu" in done.stderr
