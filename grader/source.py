"""The learner's source, line by line, each with what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from grader.result import StepResult, Verdict
from grader.terminal import clean, number

MOST_LINES = 3000
MOST_COLUMNS = 5
# Shown where no budget names a counter: what executed, and what it moved.
_USUAL = (
    ("inst_executed_ptx", "warp instructions"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global load sectors"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global store sectors"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    heat: float  # share of the column's largest, 0 to 1


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    code: Markup
    cells: tuple[Cell, ...]
    flags: tuple[str, ...]  # why a reader should look here


@dataclass(frozen=True, slots=True)
class Listing:
    columns: tuple[tuple[str, str], ...]  # counter, in words
    lines: tuple[Line, ...]
    cut: int  # lines that are not shown


def highlighted(text: str) -> list[Markup]:
    """Each line as HTML; the words are escaped by Pygments."""
    formatter = HtmlFormatter(nowrap=True, classprefix="s-")
    lexer = CudaLexer(stripnl=False, ensurenl=False)
    return [
        Markup(line) for line in highlight(clean(text), lexer, formatter).split("\n")
    ]


def listing(text: str, steps: Iterable[StepResult]) -> Listing:
    """Annotate a file with the counters of these steps."""
    steps = list(steps)
    counts = _counts(steps)
    columns = _columns(steps, counts)
    largest = {
        name: max((found.get(name, 0) for found in counts.values()), default=0)
        for name, _ in columns
    }
    flags = _flags(steps)
    code = highlighted(text)
    if code and not code[-1]:
        code.pop()
    lines = tuple(
        Line(
            index,
            html,
            tuple(_cell(counts.get(index, {}), name, largest) for name, _ in columns),
            tuple(flags.get(index, ())),
        )
        for index, html in enumerate(code[:MOST_LINES], 1)
    )
    return Listing(columns, lines, max(0, len(code) - MOST_LINES))


def _cell(found: dict[str, float], name: str, largest: dict[str, float]) -> Cell:
    value = found.get(name, 0)
    return Cell(number(value), value / largest[name]) if value else Cell("", 0)


def _counts(steps: Iterable[StepResult]) -> dict[int, dict[str, float]]:
    total: dict[int, dict[str, float]] = {}
    for step in steps:
        for line in step.lines:
            into = total.setdefault(line.line, {})
            for name, value in line.counters.items():
                into[name] = into.get(name, 0) + value
    return total


def _columns(
    steps: Iterable[StepResult], counts: dict[int, dict[str, float]]
) -> tuple[tuple[str, str], ...]:
    seen = {name for found in counts.values() for name in found}
    named = {b.counter: b.says for step in steps for b in step.budgets}
    wanted = [_USUAL[0], *named.items(), *_USUAL[1:]]
    columns = {name: says for name, says in wanted if name in seen}
    return tuple(columns.items())[:MOST_COLUMNS]


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
