"""Copies and kernels on the modelled clock: as Chrome's trace, or as a picture.

The trace is for ui.perfetto.dev and chrome://tracing; the picture has a row a stream of
one step, in microseconds from its first event.
"""

from __future__ import annotations

from typing import Any

from grader.errors import CallerError
from grader.profiling import Profile, StepProfile
from grader.records import Record
from grader.report import render

WIDTH, LEFT = 900, 120
COLOURS = {"kernel": "#1f6feb", "copy": "#9a6700", "range": "#6e7781"}


def to_trace(made: Profile) -> dict[str, Any]:
    """All steps' events, a process a step."""
    events: list[Record] = []
    for number, step in enumerate(made.steps, 1):
        for event in step.events:
            if event.get("name") == "process_name":
                words = f"{step.result.name}, {event['args']['name']}"
                event = {**event, "args": {"name": words}}
            events.append({**event, "pid": 100 * number + int(event.get("pid", 0))})
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def to_svg(made: Profile) -> str:
    """The first step that has events, as a picture."""
    for step in made.steps:
        if any(event.get("ph") == "X" for event in step.events):
            return _drawn(step)
    raise CallerError(
        "No step launched or copied anything.", "solve a step first, or name another"
    )


def _drawn(step: StepProfile) -> str:
    names = {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in step.events
        if e.get("name") == "thread_name"
    }
    # Long ones first: a range of the host's lies under those inside it.
    spans = sorted(
        (event for event in step.events if event.get("ph") == "X"),
        key=lambda event: -event["dur"],
    )
    first = min(event["ts"] for event in spans)
    length = max(event["ts"] + event["dur"] for event in spans) - first
    scale = (WIDTH - LEFT - 20) / (length or 1)
    rows = [
        {
            "name": name,
            "y": 34 + 30 * row,
            "spans": [
                _span(event, first, scale)
                for event in spans
                if (event["pid"], event["tid"]) == key
            ],
        }
        for row, (key, name) in enumerate(names.items())
    ]
    ticks = [
        {"x": LEFT + part * length * scale / 5, "label": f"{part * length / 5:.3g} µs"}
        for part in range(6)
    ]
    return render(
        "timeline.svg.j2",
        title=f"{step.result.name} (modelled)",
        rows=rows,
        ticks=ticks,
        width=WIDTH,
        height=64 + 30 * len(rows),
    )


def _span(event: Record, first: float, scale: float) -> dict[str, Any]:
    """A bar, with its name where that fits."""
    start, width = event["ts"] - first, max(event["dur"] * scale, 1)
    rate = event.get("args", {}).get("GB/s")
    return {
        "name": event["name"],
        "start": start,
        "end": start + event["dur"],
        "x": round(LEFT + start * scale, 2),
        "w": round(width, 2),
        "colour": COLOURS[event["cat"]],
        "label": event["name"] if width > 7 * len(event["name"]) else "",
        "more": f", {rate} GB/s" if rate else "",
    }
