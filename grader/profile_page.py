"""`make profileN`: what the emulator counted, on a terminal.

Rich draws the tables and bars; every bar has its number beside it, so nothing is lost
without colour or on a stream that is no terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TextIO

from grader.nsight import (
    ALL_CONFLICTS,
    ALL_REQUESTS,
    ALL_WAVES,
    DIVERGENT,
    INST,
    LANES,
    LIMITS,
    OCCUPANCY,
    REGISTERS,
    SHARED_REQUESTS,
    WAVES_PER_SM,
    sectors,
    total,
)
from grader.profile import MEMORY, Kernel, Line, computes
from grader.result import Finding
from grader.terminal import clean, wants_colour

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_LINES = 8
_LEGEND = (
    "sect/rq: sectors a request of global memory; wave/rq: wavefronts a request of"
    " shared memory (! with conflicts); lanes: active, of 32; diverg: branches that"
    " went both ways"
)
WIDTH = 88
_BAR = " ▏▎▍▌▋▊▉█"
_SECTORS = tuple(sectors(op) for op in ("ld", "st", "atom", "red"))


def bar(share: float, width: int = 10) -> str:
    """A share from 0 to 1, in eighths of a cell."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    text = _BAR[8] * full + (_BAR[rest] if rest else "")
    return text.ljust(width, "·" if not full and not rest else " ")


def console(stream: TextIO) -> Console:
    from rich.console import Console

    colour = wants_colour(stream)
    return Console(
        file=stream,
        width=None if stream.isatty() else WIDTH,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
    )


def say(out: Console, text: str, indent: int = 4, style: str = "") -> None:
    """A paragraph, indented; no trailing spaces, also where nothing is styled."""
    space = " " * indent
    for line in textwrap.wrap(clean(text), out.width - 1 - indent):
        out.print(space + line, style=style)


def kernel_block(out: Console, kernel: Kernel) -> None:
    """One kernel: its shape, how full the GPU is, how near to its limits, its lines."""
    shape = f"{sizes(kernel.launches[0].grid)} blocks of {sizes(kernel.block)}"
    count = len(kernel.launches)
    more = f", {count} launches (this is the largest)" if count > 1 else ""
    say(out, f"{kernel.name}: {shape} threads{more}", 2, "bold")
    found = kernel.occupancy
    words = f"{found.get(REGISTERS, 0):.0f} registers a thread, {kernel.shared:,} bytes"
    words += f" of shared memory a block, {found.get(WAVES_PER_SM, 0):.2f} waves"
    say(out, words)
    limits = ", ".join(f"{words} {found[n]:.0f}" for n, words in LIMITS.items())
    words = f"occupancy {found.get(OCCUPANCY, 0):.0f}%: {kernel.resident} blocks a"
    say(out, f"{words} multiprocessor, limited by {kernel.limiter} ({limits})")
    speed_of_light(out, kernel)
    out.print()
    with out.capture() as text:
        out.print(lines_table(kernel, out.width))
    for line in text.get().splitlines():
        out.out(line.rstrip())
    say(out, _LEGEND, 4, "dim")
    out.print()


def speed_of_light(out: Console, kernel: Kernel) -> None:
    """How near to what memory and multiprocessors can do."""
    memory = [name for name in kernel.bounds if name in MEMORY]
    compute = list(filter(computes, kernel.bounds))
    for says, share, names in (
        ("memory", kernel.memory, memory),
        ("compute", kernel.compute, compute),
    ):
        name = names[0] if names else ""
        because = f"  {name}: {kernel.bounds[name]:,.0f} ns" if name else ""
        out.print(f"    {says:<8}{bar(share, 20)} {share:4.0%}{because}")
    if kernel.modelled:
        words = f"of {kernel.ns:,.0f} ns, the modelled time; the longest bound is"
        name, ns = next(iter(kernel.bounds.items()))
        say(out, f"{words} {name}, {ns:,.0f} ns", style="dim")
    else:
        say(
            out,
            "of the longer one; from the counts, as if nothing were cached",
            4,
            "dim",
        )


def lines_table(kernel: Kernel, width: int) -> Table:
    """The lines that most instructions are spent on, and what each costs."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    fixed = {"line": 8, "instr": 5, "": 8, "sect/rq": 7, "wave/rq": 7, "lanes": 5}
    for name, cells in {**fixed, "diverg": 7}.items():
        justify: Literal["left", "right"] = "right" if name else "left"
        table.add_column(name, justify=justify, no_wrap=True, width=cells)
    left = max(20, width - sum(fixed.values()) - 7 - 8)
    table.add_column("source", no_wrap=True, overflow="ellipsis", max_width=left)
    whole = kernel.counters.get(INST, 0)
    for line in kernel.lines[:MOST_LINES]:
        share = line.counters.get(INST, 0) / whole if whole else 0
        text = line.text.strip() or line.file.rsplit("/", 1)[-1]
        table.add_row(
            str(line.line), f"{share:.0%}", bar(share, 8), *costs(line), clean(text)
        )
    return table


def costs(line: Line) -> tuple[str, str, str, str]:
    """Sectors and wavefronts a request, active lanes, divergent branches."""
    c = line.counters
    waves = ratio(total(c, ALL_WAVES), total(c, SHARED_REQUESTS))
    extra = total(c, ALL_CONFLICTS)
    return (
        ratio(total(c, _SECTORS), total(c, ALL_REQUESTS)),
        f"{waves}!" if extra else waves,
        ratio(c.get(LANES, 0), c.get(INST, 0)),
        f"{c[DIVERGENT]:,.0f}" if c.get(DIVERGENT) else "",
    )


def ratio(part: float, whole: float) -> str:
    return f"{part / whole:.1f}" if whole and part else ""


def findings_block(out: Console, found: Sequence[Finding], most: int | None) -> None:
    """What matters most, each with its number, its line and its chapter."""
    shown = found if most is None else found[:most]
    if not shown:
        out.print("  No rule finds anything worth changing.")
        return
    say(out, "What matters most", 2, "bold")
    for number, one in enumerate(shown, 1):
        out.print(f"  {number}. {one.title}", style="bold yellow", end="  ")
        out.print(f"{bar(one.cost, 8)} about {one.cost:.0%} of the time")
        say(out, f"{one.says}.", 5)
        if one.place:
            where = f"{one.place.file}:{one.place.line}"
            say(out, where, 5, "bold")
            out.print(
                f"     {one.place.line:5} | {clean(one.place.text)}", no_wrap=True
            )
        say(out, f"{one.advice} {chapter(one)}", 5, "dim")
    if len(found) > len(shown):
        say(out, f"({len(found) - len(shown)} more: ALL=1)", 2, "dim")


def chapter(one: Finding) -> str:
    where = f" ({one.folder}/README.md)" if one.folder else ""
    return f"Chapter {one.chapter} explains it{where}."


def sizes(numbers: Iterable[int]) -> str:
    return "x".join(f"{n:,}" for n in numbers)
