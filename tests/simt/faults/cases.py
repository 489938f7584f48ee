"""The cases of the planted faults, read from their sources (see programs/fault.h)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "programs"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Findings about a call, which has no line of a kernel.
CALLS = ("bad_copy", "bad_free", "leak", "unchecked_error")
_HEAD = re.compile(r"^//: (\w+) \| ([\w,]+) \| ([\w,-]+) \| (.+)$")


@dataclass(frozen=True)
class Case:
    program: str  # the source's name without .cu
    name: str
    kinds: tuple[str, ...]  # all are due, unless there is an "or" among them
    tools: tuple[str, ...]  # of compute-sanitizer that are able to see it
    says: str
    here: tuple[int, ...]  # lines
    and_here: tuple[int, ...]

    @property
    def line(self) -> int:
        return self.here[0] if self.here else 0


def _case(program: str, lines: list[str], first: int, end: int) -> Case:
    head = _HEAD.match(lines[first])
    if not head:
        raise ValueError(
            f"{program}.cu:{first + 1}: not 'name | kinds | tools | words'"
        )
    name, kinds, tools, says = head.groups()
    marked: dict[str, list[int]] = {"HERE": [], "AND HERE": []}
    for number in range(first, end):
        _, _, comment = lines[number].rpartition("// ")
        for mark in comment.split(", "):
            if mark in marked:
                marked[mark].append(number + 1)
    seen = tuple(tools.split(",")) if tools != "-" else ()
    if set(seen) - set(TOOLS):
        raise ValueError(f"{program}.cu:{first + 1}: no such tool: {tools}")
    return Case(
        program,
        name,
        tuple(kinds.split(",")),
        seen,
        says,
        tuple(marked["HERE"]),
        tuple(marked["AND HERE"]),
    )


def cases() -> list[Case]:
    """All of them, in the order of files and lines."""
    found = []
    for source in sorted(SOURCES.glob("*.cu")):
        lines = source.read_text().splitlines()
        heads = [i for i, line in enumerate(lines) if line.startswith("//:")]
        for first, end in zip(heads, [*heads[1:], len(lines)], strict=True):
            found.append(_case(source.stem, lines, first, end))
    names = [case.name for case in found]
    if len(set(names)) != len(names) or not names:
        raise ValueError("two cases have one name, or there are none")
    return found
