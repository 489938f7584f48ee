"""An access picture on a terminal: what each lane touches, in cells of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.accesses import Picture
from grader.profile_page import say

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 40
_SECTOR_WIDTH = 15
_DIGITS = "0123456789abcdefghijklmnopqrstuv"


def draw(out: Console, picture: Picture) -> None:
    say(out, picture.title, 2, "bold")
    say(out, picture.words, 2)
    out.print()
    if picture.unit == "bank":
        _banks(out, picture)
    else:
        _lines(out, picture)
    if len(picture.rows) > MOST_ROWS:
        out.print(f"  ... and {len(picture.rows) - MOST_ROWS} rows more")
    out.print()


def _lines(out: Console, picture: Picture) -> None:
    """A line of memory a row: four boxes, each with the lanes that touch it."""
    width = max(len(row.label) for row in picture.rows) + 2
    heads = "".join(f"+{c}".ljust(_SECTOR_WIDTH + 2) for c in picture.columns).rstrip()
    out.print(f"  {'bytes':>{width}}  {heads}", style="dim")
    for row in picture.rows[:MOST_ROWS]:
        out.print(f"  {row.label:>{width}} ", end="")
        for cell in row.cells:
            text = spans(cell)
            text = text if len(text) <= _SECTOR_WIDTH - 2 else f"{len(cell)} lanes"
            style = "bold reverse" if cell else "dim"
            fill = (text or "·").center(_SECTOR_WIDTH)
            out.print(f"[{fill}]", style=style, end="")
        out.print()
    out.print("  Numbers are lanes; a box is a sector of 32 bytes, a dot is untouched.")


def _banks(out: Console, picture: Picture) -> None:
    """A wavefront a row: 32 cells, the lane that the bank serves as one character."""
    heads = "".join(f"{bank:<8}" for bank in range(0, 32, 4)).rstrip()
    out.print(f"  {'bank':>9}  {heads}", style="dim")
    for row in picture.rows[:MOST_ROWS]:
        out.print(f"  {'turn ' + row.label:>9}  ", end="")
        for cell in row.cells:
            out.print(_cell(cell), style="bold cyan" if cell else "dim", end="")
        out.print()
    out.print(
        "  A turn is a wavefront. 0-9, a-v: lanes 0 to 31; + more lanes, same word."
    )


def _cell(lanes: tuple[int, ...]) -> str:
    if not lanes:
        return "· "
    return _DIGITS[lanes[0]] + ("+" if len(lanes) > 1 else " ")


def spans(lanes: tuple[int, ...]) -> str:
    """0-7, or 0,4,8: the lanes in as few words as they allow."""
    parts: list[str] = []
    first = last = -2
    for lane in (*sorted(set(lanes)), 99):
        if lane == last + 1:
            last = lane
            continue
        if first >= 0:
            parts.append(str(first) if first == last else f"{first}-{last}")
        first = last = lane
    return ",".join(parts)
