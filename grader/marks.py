"""Marks in a solution, and the skeleton that they make.

A mark is the part of a solution that a step asks for:

    // TODO(add_v0): write this thread's sum. (1 line)
    // BEGIN add_v0
    d_out[i] = d_in[i] + 1;
    // INSTEAD
    // d_out[i] = 0;
    // END add_v0

The skeleton keeps the TODO and the END line and shows the INSTEAD lines, uncommented,
where the answer was. A step is unsolved exactly when each of its marks still holds the
skeleton's text.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_MARK = re.compile(
    r"^\s*// (?:(?P<edge>BEGIN|END)(?: (?P<step>\w+))?\s*$"
    r"|(?P<instead>INSTEAD)\s*$|(?P<todo>TODO)\((?P<of>\w+)\))"
)


class MarkError(ValueError):
    """A mark that does not open, close or nest as it should."""


@dataclass(frozen=True, slots=True)
class Region:
    """What lies between the first line of a TODO and its END line."""

    step: str
    line: int  # of the TODO, from 1
    text: str

    @property
    def todo(self) -> str:
        """The words of the TODO comment, without slashes, on one line."""
        words = []
        for line in self.text.splitlines():
            stripped = line.strip()
            if not stripped.startswith("//"):
                break
            words.append(stripped.removeprefix("//").strip())
        return re.sub(r"^TODO\([^)]*\):?\s*", "", " ".join(words))


def skeleton(solution: str, solved: Collection[str] = ()) -> str:
    """Return the text of solution without its marked answers, but those of `solved`."""
    kept: list[str] = []
    inside = ""  # the step whose answer this is
    instead = False
    for number, line in enumerate(solution.splitlines(keepends=True), 1):
        word, step = _mark(line)
        if word == "BEGIN":
            if inside or not step:
                raise MarkError(f"line {number}: unexpected '{line.strip()}'")
            inside = step
        elif word == "INSTEAD":
            if not inside or instead:
                raise MarkError(f"line {number}: unexpected '{line.strip()}'")
            instead = True
        elif word == "END":
            if step != inside or not step:
                raise MarkError(f"line {number}: unexpected '{line.strip()}'")
            inside, instead = "", False
            kept.append(line)
        elif instead:
            plain = _uncomment(line, number)
            if inside not in solved:
                kept.append(plain)
        elif not inside or inside in solved:
            kept.append(line)
    if inside:
        raise MarkError(f"'// BEGIN {inside}' is never closed")
    return "".join(kept)


def regions(text: str) -> list[Region]:
    """Return the marks of a skeleton or a learner's file, in order.

    A learner may have removed or broken some: those are simply not there.
    """
    found: list[Region] = []
    start, step = 0, ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        word, name = _mark(line)
        if word == "TODO":
            start, step = number, name
        elif word == "END" and step and name == step:
            found.append(Region(step, start, "".join(lines[start - 1 : number - 1])))
            step = ""
    return found


def unsolved(kernel: str, original: str, step: str) -> bool:
    """Say whether the marks of a step in kernel are those of the skeleton."""
    want = [region.text for region in regions(original) if region.step == step]
    have = [region.text for region in regions(kernel) if region.step == step]
    return bool(want) and have == want


def steps(text: str) -> list[str]:
    """Return the names of the steps that have marks, each once, in order."""
    return list(dict.fromkeys(region.step for region in regions(text)))


def _mark(line: str) -> tuple[str, str]:
    match = _MARK.match(line)
    if not match:
        return "", ""
    word = match["edge"] or match["instead"] or match["todo"]
    return word, match["step"] or match["of"] or ""


def _uncomment(line: str, number: int) -> str:
    body = line.lstrip(" \t")
    indent = line[: len(line) - len(body)]
    text = body.rstrip("\n")
    if text == "//" or text == "":
        return body[len(text) :]
    if not text.startswith("// "):
        raise MarkError(f"line {number}: an INSTEAD line must start with '// '")
    return indent + body[3:]
