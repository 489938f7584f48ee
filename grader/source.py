"""The learner's source, line by line, each with what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from grader.accesses import picture
from grader.nsight import (
    ALL_REQUESTS,
    ALL_SECTORS,
    ALL_WAVES,
    BRANCHES,
    DIVERGENT,
    INST,
    LANES,
    SHARED_REQUESTS,
    Counters,
    total,
)
from grader.pictures import svg_picture
from grader.result import Finding, Place, StepResult, Verdict
from grader.terminal import clean, number

MOST_LINES = 3000
MOST_BUDGETS = 2  # columns of budgets that are missed, beside the usual ones
MOST_FINDINGS = 3  # of a step
MOST_PICTURES = 8
_USUAL = ("instr.", "sectors a request", "wavefronts a request", "active lanes")
_DIVERGENT = "divergent branches"


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    heat: float  # how much of the cell is filled, 0 to 1


@dataclass(frozen=True, slots=True)
class Note:
    """A finding at its line."""

    step: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Drawing:
    """An access at its line."""

    step: str
    what: str
    words: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    code: Markup
    cells: tuple[Cell, ...]
    flags: tuple[str, ...]  # why a reader should look here
    notes: tuple[Note, ...] = ()
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    cut: int  # lines that are not shown
    prefix: str = ""  # of the lines' anchors
    file: str = ""

    def anchor(self, place: Place) -> str:
        """Where a place is in this listing, or nothing."""
        here = place.file == self.file and 0 < place.line <= len(self.lines)
        return f"#{self.prefix}-L{place.line}" if here else ""


def highlighted(text: str) -> list[Markup]:
    """Each line as HTML; the words are escaped by Pygments."""
    formatter = HtmlFormatter(nowrap=True, classprefix="s-")
    lexer = CudaLexer(stripnl=False, ensurenl=False)
    return [
        Markup(line) for line in highlight(clean(text), lexer, formatter).split("\n")
    ]


def listing(
    text: str, steps: Iterable[StepResult], prefix: str = "", file: str = ""
) -> Listing:
    """Annotate a file with what these steps' counted runs spent on each line."""
    steps = list(steps)
    counts = _counts(steps)
    missed = {b.counter: b.says for s in steps for b in s.budgets if not b.met}
    for shown in (INST, DIVERGENT):
        missed.pop(shown, None)
    missed = dict(list(missed.items())[:MOST_BUDGETS])
    shares = _shares(steps)
    over = {name: _counts(_missing(steps, name)) for name in missed}
    flags, notes, drawings = _flags(steps), _notes(steps), _drawings(steps, prefix)
    code = highlighted(text)
    if code and not code[-1]:
        code.pop()
    lines = tuple(
        Line(
            index,
            html,
            (
                *_cells(counts.get(index, {}), shares.get(index, 0)),
                *(_part(over[name], index, name) for name in missed),
            )
            if counts
            else (),
            tuple(flags.get(index, ())),
            tuple(notes.get(index, ())),
            tuple(drawings.get(index, ())),
        )
        for index, html in enumerate(code[:MOST_LINES], 1)
    )
    columns = (*_USUAL, _DIVERGENT, *missed.values()) if counts else ()
    return Listing(columns, lines, max(0, len(code) - MOST_LINES), prefix, file)


def _missing(steps: Iterable[StepResult], counter: str) -> list[StepResult]:
    """The steps that miss a budget of this counter."""
    return [
        s for s in steps if any(b.counter == counter and not b.met for b in s.budgets)
    ]


def _shares(steps: Iterable[StepResult]) -> dict[int, float]:
    """Each line's share of the instructions of the step that it is dearest to."""
    shares: dict[int, float] = {}
    for step in steps:
        whole = sum(line.counters.get(INST, 0) for line in step.lines)
        for line in step.lines if whole else ():
            share = line.counters.get(INST, 0) / whole
            shares[line.line] = max(share, shares.get(line.line, 0))
    return shares


def _cells(found: Counters, share: float) -> tuple[Cell, ...]:
    """A line's numbers; a bar is full where it cannot be worse."""
    inst = found.get(INST, 0)
    lanes = found.get(LANES, 0) / inst if inst else 32
    split, branches = found.get(DIVERGENT, 0), found.get(BRANCHES, 0)
    return (
        Cell(f"{share:.1%}", share) if inst else Cell("", 0),
        _ratio(total(found, ALL_SECTORS[:4]), total(found, ALL_REQUESTS)),
        _ratio(total(found, ALL_WAVES), total(found, SHARED_REQUESTS)),
        Cell(f"{lanes:.1f}", 1 - lanes / 32) if inst else Cell("", 0),
        Cell(number(split), split / branches) if split and branches else Cell("", 0),
    )


def _part(counts: dict[int, Counters], line: int, name: str) -> Cell:
    """A line's part of a counter."""
    value = counts.get(line, {}).get(name, 0)
    whole = sum(found.get(name, 0) for found in counts.values())
    return Cell(number(value), value / whole) if value else Cell("", 0)


def _ratio(part: float, whole: float) -> Cell:
    """What a request costs, of the 32 that it can."""
    value = part / whole if whole else 0
    return Cell(f"{value:.1f}", min(1.0, value / 32)) if part else Cell("", 0)


def _notes(steps: Iterable[StepResult]) -> dict[int, list[Note]]:
    notes: dict[int, list[Note]] = {}
    for step in steps:
        for finding in step.findings[:MOST_FINDINGS]:
            if finding.place and finding.place.text:
                at = notes.setdefault(finding.place.line, [])
                at.append(Note(step.name, finding))
    return notes


def _drawings(steps: Iterable[StepResult], prefix: str) -> dict[int, list[Drawing]]:
    drawings: dict[int, list[Drawing]] = {}
    every = [(step, access) for step in steps for access in step.accesses]
    every.sort(key=lambda pair: pair[1].ideal / max(pair[1].cost, 1))
    for count, (step, access) in enumerate(every[:MOST_PICTURES]):
        shown = picture(access)
        svg = svg_picture(shown, f"{prefix}-picture{count}")
        words = f"{shown.title}. {shown.words}"
        what = f"{access.space} {access.op}"
        made = Drawing(step.name, what, words, svg)
        drawings.setdefault(access.line, []).append(made)
    return drawings


def _counts(steps: Iterable[StepResult]) -> dict[int, dict[str, float]]:
    total: dict[int, dict[str, float]] = {}
    for step in steps:
        for line in step.lines:
            into = total.setdefault(line.line, {})
            for name, value in line.counters.items():
                into[name] = into.get(name, 0) + value
    return total


def _flags(steps: Iterable[StepResult]) -> dict[int, list[str]]:
    flags: dict[int, list[str]] = {}
    for step in steps:
        places = [(b.place, b.says) for b in step.budgets if not b.met]
        if step.verdict is not Verdict.SLOW:
            places.append((step.place, step.verdict.value))
        for place, why in places:
            if place and place.text:
                words = f"{step.name}: {why}"
                if words not in flags.setdefault(place.line, []):
                    flags[place.line].append(words)
    return flags
