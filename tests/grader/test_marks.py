"""Skeletons from solutions, and what counts as untouched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.marks import MarkError, regions, skeleton, steps, unsolved

SOLUTION = """\
int a()
{
    // TODO(v0): return one,
    // not two. (1 line)
    // BEGIN v0
    return 1;
    // INSTEAD
    // return 0; // a placeholder
    //
    // END v0
}
"""
SKELETON = """\
int a()
{
    // TODO(v0): return one,
    // not two. (1 line)
    return 0; // a placeholder

    // END v0
}
"""


def test_the_answer_is_replaced_by_what_stands_instead():
    assert skeleton(SOLUTION) == SKELETON


def test_an_answer_can_be_kept():
    kept = skeleton(SOLUTION, ["v0"])
    assert "return 1;" in kept and "return 0;" not in kept and "BEGIN" not in kept


def test_a_region_knows_its_step_line_and_words():
    (region,) = regions(SKELETON)

    assert (region.step, region.line) == ("v0", 3)
    assert region.todo == "return one, not two. (1 line)"


def test_a_skeleton_is_unsolved_and_an_edited_one_is_not():
    assert unsolved(SKELETON, SKELETON, "v0")
    assert unsolved("// above\n" + SKELETON + "// below\n", SKELETON, "v0")
    assert not unsolved(SKELETON.replace("0;", "1;"), SKELETON, "v0")
    assert not unsolved(SKELETON.replace("// END v0", ""), SKELETON, "v0")
    assert not unsolved(SKELETON, SKELETON, "v1")


@pytest.mark.parametrize(
    "text",
    [
        "// BEGIN v0\n",
        "// END v0\n",
        "// BEGIN\n// END\n",
        "// INSTEAD\n",
        "// BEGIN v0\n// BEGIN v1\n// END v1\n// END v0\n",
        "// BEGIN v0\n// END v1\n",
        "// BEGIN v0\n// INSTEAD\n// INSTEAD\n// END v0\n",
        "// BEGIN v0\n// INSTEAD\nreturn 0;\n// END v0\n",
    ],
)
def test_marks_that_do_not_nest_are_refused(text):
    with pytest.raises(MarkError):
        skeleton(text)


def test_prose_that_mentions_a_mark_is_no_mark():
    text = "// END of the story\n// BEGIN here, they say\n// INSTEAD of that\n"
    assert skeleton(text) == text


_line = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\v\f\x1c\x1d\x1e"))
# Shown lines are commented in the solution; one that then reads as a mark is a mark.
_plain = _line.map(lambda s: s.replace("//", "/")).filter(
    lambda s: s == s.strip() and s.split()[:1] not in (["BEGIN"], ["INSTEAD"], ["END"])
)
_lines = st.lists(
    _plain.filter(
        lambda s: "\x85" not in s and "\u2028" not in s and "\u2029" not in s
    ),
    max_size=5,
)
_name = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)


def _text(lines, prefix=""):
    return "".join(f"{prefix}{line}\n" for line in lines)


@given(
    before=_lines,
    blocks=st.lists(st.tuples(_name, _lines, _lines, _lines), min_size=1, max_size=4),
)
def test_any_solution_round_trips(before, blocks):
    solution = want = _text(before)
    for step, answer, instead, after in blocks:
        todo = f"    // TODO({step}): do it\n"
        marked = _text(answer) + "    // INSTEAD\n" + _text(instead, "    // ")
        solution += f"{todo}    // BEGIN {step}\n{marked}    // END {step}\n"
        shown = "".join(f"    {line}\n" for line in instead)
        want += f"{todo}{shown}    // END {step}\n"
        solution += _text(after)
        want += _text(after)
    made = skeleton(solution)

    assert made == want
    assert steps(made) == list(dict.fromkeys(block[0] for block in blocks))
    for step, *_ in blocks:
        assert unsolved(made, made, step)
    assert skeleton(made.replace("// END", "// DONE")) == made.replace(
        "// END", "// DONE"
    )
