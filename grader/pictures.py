"""An access picture as SVG: 32 cells a row, words of memory or banks of a turn.

Filled cells are asked for by the lane that stands in them; a tinted sector moves too.
On a page the page's style sheet colours it; alone it carries a style sheet of its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from grader.accesses import LINE, Picture
from grader.terminal import clean

MOST_ROWS = 32
_CELL, _HIGH, _LEFT, _TOP = 24, 17, 64, 16
_STYLE = """svg{font:10px monospace;background:#fff}.head,.label{fill:#526070}
.label{text-anchor:end}.lane{fill:#fff;text-anchor:middle}.idle{fill:#eceff3}
.fetched{fill:#f6cfa8}.touched{fill:#1a56b0}.rule{stroke:#fff;stroke-width:2}"""


def svg_picture(picture: Picture, name: str = "picture", alone: bool = False) -> Markup:
    """The picture; `name` makes its ids unique on a page."""
    shared = picture.unit == "bank"
    rows = picture.rows[:MOST_ROWS]
    more = len(picture.rows) - len(rows)
    touched, fetched = [], []
    for index, row in enumerate(rows):
        y = _TOP + index * (_HIGH + 2)
        for cell, lanes in enumerate(row.cells):
            if shared and lanes:
                touched.append((_LEFT + cell * _CELL, y, _lanes(lanes)))
            elif lanes:
                fetched.append((_LEFT + cell * 8 * _CELL, y))
    if not shared:
        touched = _words(picture, len(rows))
    bottom = _TOP + len(rows) * (_HIGH + 2)
    step = 4 if shared else 8
    text = _template().render(
        p=picture,
        id=f"{name}-words",
        alone=alone,
        style=Markup(_STYLE),
        width=_LEFT + 32 * _CELL + 4,
        height=bottom + (18 if more else 4),
        heads=[
            (_LEFT + c * _CELL + 2, f"bank {c}" if shared else f"byte +{4 * c}")
            for c in range(0, 32, step)
        ],
        labels=[
            (_TOP + i * (_HIGH + 2), f"turn {r.label}" if shared else r.label)
            for i, r in enumerate(rows)
        ],
        fetched=fetched,
        touched=touched,
        rules=[_LEFT + c * _CELL for c in range(step, 32, step)],
        left=_LEFT,
        cell=_CELL,
        high=_HIGH,
        bottom=bottom,
        more=more,
    )
    return Markup(text.strip())


@cache
def _template() -> jinja2.Template:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return env.get_template("picture.svg.j2")


def _words(picture: Picture, rows: int) -> list[tuple[int, int, str]]:
    """The words of memory that are asked for, and by whom."""
    access = picture.access
    found: dict[int, list[int]] = {}
    for lane, address in enumerate(access.addresses):
        if address is not None:
            for word in range(address // 4, (address + access.bytes - 1) // 4 + 1):
                found.setdefault(word, []).append(lane)
    lines = sorted({word * 4 // LINE for word in found})[:rows]
    at = {line: _TOP + i * (_HIGH + 2) for i, line in enumerate(lines)}
    per_line = LINE // 4
    return [
        (_LEFT + word % per_line * _CELL, at[word // per_line], _lanes(lanes))
        for word, lanes in sorted(found.items())
        if word // per_line in at
    ]


def _lanes(lanes: list[int] | tuple[int, ...]) -> str:
    return f"{lanes[0]}{'+' if len(lanes) > 1 else ''}"
