"""Which order of blocks breaks a step, and how to see it again."""

from __future__ import annotations


def test_says_the_first_order_that_breaks_a_step(toy):
    toy.solve("chapters/01_first", first_v1="order3")

    done = toy.run("explore", "1", "--seeds", "5")

    assert done.exit_code == 1, done.output
    assert "the same in 5 orders" in done.output
    assert "breaks in order 3: wrong" in done.output
    assert "make chapter1 STEP=first_v1 SEED=1 SCHEDULE=3" in done.output


def test_is_content_with_one_result(toy):
    toy.solve("chapters/01_first")

    done = toy.run("explore", "1", "--seeds", "2", "--step", "v0")

    assert done.exit_code == 0, done.output
    assert done.output.count("the same in 2 orders") == 1


def test_says_what_is_wrong_without_it(toy):
    toy.solve("chapters/01_first", first_v0="wrong")

    done = toy.run("explore", "1", "--seeds", "2")

    assert done.exit_code == 1
    assert "is wrong in the usual order already" in done.output


def test_an_order_is_replayed_and_not_recorded(toy):
    toy.solve("chapters/01_first", first_v1="order3")

    done = toy.run("check", "1", "--device", "emulator", "--schedule", "3")

    assert done.exit_code == 1 and "wrong" in done.output
    assert "solved" not in toy.run("list").output
