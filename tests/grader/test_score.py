"""Verdicts and points from records: nothing passes by accident."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader import score
from grader.authoring import changed_lines, lines_named
from grader.errors import JudgeError
from grader.records import Records, parse
from grader.result import Place, Verdict, from_json, to_json
from grader.units import Budget, Speed, Step

SOURCE = score.Source("chapters/01_a/kernel.cu", "one\ntwo\nthree\n")
STEP = Step(
    "s",
    "S",
    (),
    {"a": 3, "b": 1},
    (Budget("conflicts", "conflicts", 1, 10, 2),),
    (Speed("memcpy", 0.5, 0.9, 0.95, 4),),
)


def test_record(name: str = "a", outcome: str = "passed", **more):
    return {"record": "test", "test": name, "case": 0, "outcome": outcome, **more}


test_record.__test__ = False  # type: ignore[attr-defined]


def records(*tests, value: float | None = 5, speed: float | None = None, lines=()):
    totals = {} if value is None else {"conflicts": value}
    device = {"totals": totals, "launches": [{"kernel": "k", "lines": list(lines)}]}
    budget = {"outcome": "measured", "device_record": device}
    timing = {
        "outcome": "measured",
        "gbs": 1.0,
        "ceilings": {"memcpy": {"ratio": speed}},
    }
    return Records({}, {}, tuple(tests), budget, timing)


GOOD = (test_record("a"), test_record("b"))


def judged(found: Records, device: str = "emulator"):
    return score.judged(STEP, device, found, SOURCE)


def test_all_right_is_solved_with_all_points():
    result = judged(records(*GOOD))

    assert (result.verdict, result.points, result.out_of) == (Verdict.SOLVED, 6, 6)


@pytest.mark.parametrize("outcome", ["wrong", "crashed", "hung", "refused", "ours"])
def test_one_bad_case_takes_the_tests_points_and_the_budgets(outcome):
    bad = test_record(
        "a", outcome, case=1, message="no", fault={"file": "kernel.cu", "line": 2}
    )

    result = judged(records(*GOOD, bad))

    assert result.verdict.value == outcome
    assert result.points == 1
    assert result.place is not None
    assert (result.place.file, result.place.text) == ("chapters/01_a/kernel.cu", "two")


def test_the_worst_outcome_is_the_verdict():
    bad = [test_record("a", "wrong"), test_record("b", "hung")]
    assert judged(records(*bad)).verdict is Verdict.HUNG


def test_a_test_that_did_not_run_is_ours():
    assert judged(records(test_record("a"))).verdict is Verdict.OURS


@pytest.mark.parametrize(("value", "verdict"), [(0, "wrong"), (11, "slow")])
def test_too_little_is_another_way_and_too_much_is_slow(value, verdict):
    result = judged(records(*GOOD, value=value))

    assert (result.verdict.value, result.points) == (verdict, 4)
    assert ("another way" in result.message) == (verdict == "wrong")


def test_a_wrong_value_is_looked_for_where_it_was_stored():
    bad = test_record("a", "wrong", message="no", at={"file": "kernel.cu", "line": 3})

    result = judged(records(*GOOD, bad))

    assert result.place is not None and result.place.text == "three"


def test_a_budget_that_no_line_counts_names_the_launch():
    found = records(*GOOD, value=20)
    assert found.budget
    (launch,) = found.budget["device_record"]["launches"]
    launch |= {"file": "kernel.cu", "line": 2, "counters": {"conflicts": 20}}

    result = judged(found)

    assert result.place is not None and result.place.text == "two"


def test_lines_that_changed_and_lines_that_are_named():
    before = "a\nb\nc\nd\n"
    place = Place("kernel.cu", 7)
    step = replace(judged(records(*GOOD)), place=place)

    assert changed_lines(before, "a\nx\nc\nd\n") == {2}
    assert changed_lines(before, "a\nb\nd\n") == {2, 3}
    assert lines_named(replace(step, message="kernel.cu:12 or line 4")) == {4, 7, 12}


def test_a_counter_that_is_not_there_is_ours():
    assert judged(records(*GOOD, value=None)).verdict is Verdict.OURS


def test_a_missed_budget_names_the_line_that_counts_most():
    lines = [
        {"file": "kernel.cu", "line": 1, "counters": {"conflicts": 5}},
        {"file": "/x/kernel.cu", "line": 3, "counters": {"conflicts": 15}},
    ]

    result = judged(records(*GOOD, value=20, lines=lines))

    assert result.place is not None and result.place.line == 3
    assert "75% of them come from line 3" in result.message


@pytest.mark.parametrize(
    ("ratio", "verdict", "points"),
    [(0.49, "slow", 4), (0.5, "solved", 6), (0.7, "solved", 7), (0.9, "solved", 8)],
)
def test_speed_earns_half_at_pass_and_all_at_full(ratio, verdict, points):
    result = judged(records(*GOOD, speed=ratio), "gpu")

    assert result.verdict.value == verdict
    assert result.points == pytest.approx(points)
    assert result.out_of == 8


def test_an_unmeasured_speed_is_ours():
    assert judged(records(*GOOD, speed=None), "gpu").verdict is Verdict.OURS


def test_a_result_survives_json():
    from grader.result import UnitResult

    step = judged(records(*GOOD, value=20))
    unit = UnitResult(
        "chapters/01_a", "A", "chapter1", "k", "emulator", "A100", "now", None, (step,)
    )
    assert from_json(to_json(unit)) == unit


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json\n",
        '{"record":"start","step":"s"}\n',
        '{"record":"end","step":"s"}\n',
        '{"record":"start","step":"other"}\n{"record":"end","step":"other"}\n',
        '{"record":"start","step":"s"}\n{"record":"test","step":"s","outcome":"great"}\n'
        '{"record":"end","step":"s"}\n',
        "[1]\n",
    ],
)
def test_records_that_are_not_whole_are_refused(text):
    with pytest.raises(JudgeError):
        parse(text, "s")


def test_where_a_file_was_built_is_not_shown():
    text = '{"record":"start","step":"s"}\n'
    text += '{"record":"test","step":"s","test":"a","outcome":"wrong","message":'
    text += '"at /w/build/cache/.new-ab12/chapters/01_a/kernel.cu:3"}\n'
    text += '{"record":"end","step":"s"}\n'
    assert parse(text, "s").tests[0]["message"] == "at chapters/01_a/kernel.cu:3"
