"""The page that a learner reads after `make chapterN`.

The first line says what device it was. Then a line a step, and for the first step that
is not solved: why, where, its counters, and what to do next. Colour only on a terminal
that wants it; the words are the same without.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from grader.result import (
    BudgetResult,
    Place,
    SpeedResult,
    StepResult,
    UnitResult,
    Verdict,
)

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {
    "solved": "32",
    "unsolved": "2",
    "slow": "33",
    "ours": "35",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Page:
    """Writes lines; styled where the stream is a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._styled = wants_colour(self._stream)
        self._console: Console | None = None

    def line(self, text: str = "") -> None:
        if self._styled:
            self._rich(text)
        else:
            self._stream.write(text + "\n")

    def _rich(self, text: str) -> None:
        """Rich knows what the terminal can show; it is slow to load."""
        from rich.console import Console
        from rich.text import Text

        if self._console is None:
            self._console = Console(file=self._stream, force_terminal=True)
        self._console.print(Text.from_ansi(text), soft_wrap=True)

    def style(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._styled else text

    def bold(self, text: str) -> str:
        return self.style(text, "1")

    def dim(self, text: str) -> str:
        return self.style(text, "2")

    def block(self, text: str, indent: str = "  ", most: int = 40) -> None:
        """Text of others: control characters made visible, long ones cut."""
        lines = clean(text).rstrip().splitlines()
        for line in lines[:most]:
            self.line((indent + line).rstrip())
        if len(lines) > most:
            self.line(f"{indent}... {len(lines) - most} more lines: make report")

    def verdict(self, verdict: Verdict, width: int = 8) -> str:
        word = verdict.value.ljust(width)
        return self.style(word, _COLOURS.get(verdict.value, "31"))


def wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def clean(text: str) -> str:
    """Make control and direction characters of untrusted text visible."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", text.replace("\t", "    "))


def number(value: float) -> str:
    """Points and counts without needless zeros."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def unit_page(result: UnitResult, stream: TextIO | None = None) -> None:
    """Show the result of one run."""
    page = Page(stream)
    page.line(device_line(result))
    page.line()
    kind = "Chapter" if result.target.startswith("chapter") else "Exercise"
    page.line(page.bold(f"{kind} {_number(result)}: {result.title}"))
    page.line()
    width = max(len(step.name) for step in result.steps)
    worth = [f"{number(s.points)}/{number(s.out_of)}" for s in result.steps]
    room = max(7, *map(len, worth))
    for step, points in zip(result.steps, worth, strict=True):
        points = points.rjust(room)
        name = step.name.ljust(width)
        page.line(f"  {page.verdict(step.verdict)} {points}  {name}  {step.title}")
    rate_table(page, result.steps)
    total = f"{number(result.points)} of {number(result.out_of)} points"
    page.line(f"  {page.bold(total)}")
    page.line()
    first = result.first_open()
    if first is None and len(result.steps) == 1 and result.steps[0].budgets:
        counter_table(page, result.steps[0].budgets)
        page.line()
    if first is None:
        page.line(page.style("All solved.", "1;32"))
        page.line(f"Next: {page.bold('make')} goes on; `make report` shows it all.")
        return
    step_block(page, first)
    next_block(page, result, first)


def device_line(result: UnitResult) -> str:
    if result.device == "gpu":
        return f"Device: {result.gpu}, a real GPU (DEVICE=emulator for the pretended)"
    return f"Device: emulated {result.gpu} (pretended: this run used no GPU)"


def step_block(page: Page, step: StepResult) -> None:
    """Why a step is not solved, and where."""
    page.line(f"{page.bold(step.name)}: {page.verdict(step.verdict, 0)}")
    if step.verdict is Verdict.UNSOLVED:
        page.line("  Its TODO is untouched:")
        page.block(step.message, "    ")
    elif step.message:
        page.block(step.message)
    if step.place:
        place_block(page, step.place)
    printed_block(page, step)
    if step.budgets and all(test.outcome == "passed" for test in step.tests):
        page.line()
        counter_table(page, step.budgets)
    if step.speeds:
        page.line()
        speed_table(page, step.speeds)


def place_block(page: Page, place: Place) -> None:
    page.line(f"  {page.bold(f'{place.file}:{place.line}')}")
    if place.text:
        page.line(f"  {place.line:5} | {clean(place.text)}")


def printed_block(page: Page, step: StepResult) -> None:
    said = next((t.printed for t in step.tests if t.printed), "")
    if said:
        page.line("  Your program printed:")
        page.block(said, "    ", most=12)


def counter_table(page: Page, budgets: Iterable[BudgetResult]) -> None:
    rows = [("counter", "yours", "budget", "")]
    for budget in budgets:
        value = "?" if budget.value is None else number(budget.value)
        ok = "ok" if budget.met else "over"
        if budget.value is not None and budget.value < budget.low:
            ok = "under"
        rows.append((budget.says, value, bounds(budget.low, budget.high), ok))
    _table(page, rows)


def speed_table(page: Page, speeds: Iterable[SpeedResult]) -> None:
    rows = [("ceiling", "GB/s", "ratio", "pass / full / stretch")]
    for speed in speeds:
        gbs = "?" if speed.gbs is None else f"{speed.gbs:.0f}"
        ratio = "?" if speed.ratio is None else f"{speed.ratio:.3f}"
        marks = f"{speed.least:.2f} / {speed.full:.2f} / {speed.stretch:.2f}"
        rows.append((speed.ceiling, gbs, ratio, marks))
    _table(page, rows)


def rate_table(page: Page, steps: Iterable[StepResult]) -> None:
    """Every step's bandwidth and its ratio to each ceiling of the same run."""
    measured = [step for step in steps if step.rates]
    if not measured:
        return
    rows = [("step", "GB/s", *(f"of {r.ceiling}" for r in measured[0].rates))]
    for step in measured:
        ratios = (f"{rate.ratio:.3f}" for rate in step.rates)
        rows.append((step.name, f"{step.gbs or 0:.0f}", *ratios))
    page.line()
    _table(page, rows)


def bounds(low: float, high: float) -> str:
    if low == high:
        return number(low)
    return f"up to {number(high)}" if low <= 0 else f"{number(low)} to {number(high)}"


def next_block(page: Page, result: UnitResult, step: StepResult) -> None:
    """The one thing to do now."""
    page.line()
    if step.verdict is Verdict.OURS:
        page.line("This is the workbook's fault, not yours, and counts nothing.")
        page.line(f"Next: {page.bold('make doctor')}, then try again with V=1.")
        return
    where = f"{step.place.file}:{step.place.line}" if step.place else result.file
    page.line(f"Next: edit {where}, then {page.bold(f'make {result.target}')}")
    again = f"make {result.target} STEP={step.name}"
    seed = f" SEED={result.seed}" if result.seed is not None else ""
    page.line(f"      {page.dim('only this step: ')}{again}{seed}")
    page.line(f"      {page.dim('stuck? ')}make hint{hint_suffix(result)}")


def hint_suffix(result: UnitResult) -> str:
    n = _number(result)
    return n if result.target.startswith("chapter") else f"{n} KIND=exercise"


def _number(result: UnitResult) -> str:
    return re.sub(r"\D", "", result.target)


def _table(page: Page, rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for index, row in enumerate(rows):
        first = row[0].ljust(widths[0])
        middle = [
            cell.rjust(w) for cell, w in zip(row[1:-1], widths[1:-1], strict=True)
        ]
        text = "  ".join([first, *middle, row[-1]]).rstrip()
        page.line("  " + (page.dim(text) if index == 0 else text))
