"""Small plots, drawn by pygal and coloured by the page's own style sheet.

pygal gives every plot a style, a script and a tool tip. They are taken out, so
a plot is two kilobytes of plain SVG that follows light and dark and needs no script.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import pygal
from markupsafe import Markup

from grader.terminal import clean

_SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", _SVG)


def budget_plot(says: str, value: float, low: float, high: float) -> Markup:
    """The learner's count above its budget."""
    bound = high if value > high or low <= 0 else low
    chart = _chart(pygal.HorizontalBar, 58, print_values=False)
    chart.x_labels = ["budget", "yours"]
    top = max(bound, value, 1)
    chart.y_labels = [0, top / 2, top]
    chart.add("", [bound, value])
    good = low <= value <= high
    words = f"{clean(says)}: {value:,.0f} counted, budget {low:,.0f} to {high:,.0f}"
    return _svg(chart, words, "met" if good else "over")


def history_plot(points: Sequence[float], out_of: float) -> Markup:
    """Points of a unit over its attempts."""
    chart = _chart(pygal.Line, 110, dots_size=3, show_minor_x_labels=False)
    chart.x_labels = [str(index) for index in range(1, len(points) + 1)]
    chart.range = (0, max(out_of, 1))
    chart.y_labels = [0, out_of / 2, out_of] if out_of else [0]
    chart.add("", list(points))
    words = f"Points over {len(points)} attempts: " + ", ".join(
        f"{value:g}" for value in points
    )
    return _svg(chart, words, "line")


def _chart(kind: Any, height: int, **options: Any) -> Any:
    return kind(
        js=[],
        width=360,
        height=height,
        margin=2,
        show_legend=False,
        disable_xml_declaration=True,
        x_labels_major_count=4,
        value_formatter=_short,
        formatter=_short,
        **options,
    )


def _short(value: float) -> str:
    """A number for an axis: 4480, 44.8k, 1.05M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= max(size, 1e4):
            return f"{value / size:.3g}{letter}"
    return f"{value:g}"


def _svg(chart: Any, words: str, kind: str) -> Markup:
    tree: ET.Element = chart.render_tree()
    _strip(tree)
    for key in ("id", "class"):
        tree.attrib.pop(key, None)
    tree.set("class", f"plot {kind}")
    tree.set("role", "img")
    tree.set("aria-label", words)
    return Markup(ET.tostring(tree, encoding="unicode"))


def _strip(parent: ET.Element) -> None:
    """Remove what the page has no use for: styles, scripts, tool tips, titles."""
    for child in list(parent):
        tag = child.tag.rsplit("}", 1)[-1] if isinstance(child.tag, str) else "comment"
        classes = child.get("class", "")
        gone = tag in ("defs", "script", "style", "title", "desc", "comment")
        if gone or "overlay" in classes or classes == "titles":
            parent.remove(child)
        else:
            child.attrib.pop("style", None)
            _strip(child)
