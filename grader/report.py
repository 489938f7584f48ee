"""The learner's progress as one HTML file that needs no network.

The first screen answers four questions: what is done, what is next, why the next step
fails, and at which line. Everything else is below, in the order of the course.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from grader import plots
from grader.check import now
from grader.progress import StepState, UnitState, course
from grader.result import Place, UnitResult, Verdict
from grader.source import Listing, highlighted, listing
from grader.store import Attempt, Store
from grader.terminal import bounds, clean, hint_suffix, number

TEMPLATES = Path(__file__).parent / "templates"
MOST_SOURCE_BYTES = 40_000  # of all listings, so that the file stays small
AROUND = 2  # lines of source shown around a place


@dataclass(frozen=True, slots=True)
class Section:
    """A unit that was begun: its newest results, its source, its history."""

    state: UnitState
    result: UnitResult
    listing: Listing | None
    history: tuple[Attempt, ...]
    history_plot: Markup | None
    other: UnitResult | None  # the same unit on the other kind of device


def progress_report(root: Path, store: Store) -> str:
    """Return the page."""
    states = course(root, store)
    sections = _sections(states, store)
    state, step = _next(states, store)
    return render(
        "progress.html.j2",
        states=states,
        sections=sections,
        next_state=state,
        next_step=step,
        listings={s.state.unit.id: s.listing for s in sections if s.listing},
        at=now(),
    )


def render(template: str, **values: Any) -> str:
    return environment().get_template(template).render(**values)


@cache
def environment() -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals["css"] = Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))
    env.globals.update(budget_plot=plots.budget_plot, snippet=snippet, bounds=bounds)
    env.globals["hint_of"] = hint_suffix
    env.filters.update(number=number, date=_date)
    return env


def snippet(source: str, place: Place) -> list[tuple[int, Markup]]:
    """The line of a place with its neighbours."""
    lines = highlighted(source)
    first = max(1, place.line - AROUND)
    last = min(len(lines), place.line + AROUND)
    return [(number_, lines[number_ - 1]) for number_ in range(first, last + 1)]


def _visible(value: Any) -> Any:
    """Every text on a page: control and direction characters are made visible."""
    return clean(value) if type(value) is str else value


def _date(at: str) -> str:
    return at.replace("T", " ").replace("+00:00", " UTC")


def _next(
    states: list[UnitState], store: Store
) -> tuple[UnitState | None, StepState | None]:
    """The unit worked on last, or else the first open one; its first failing step."""
    open_ = [state for state in states if not state.solved]
    begun = [state for state in open_ if state.latest]
    begun.sort(key=lambda state: state.latest.at if state.latest else "", reverse=True)
    for state in [*begun, *open_]:
        steps = [s for s in state.steps if s.verdict is not Verdict.SOLVED]
        tried = [s for s in steps if s.verdict not in (None, Verdict.UNSOLVED)]
        return state, (tried or steps)[0]
    return None, None


def _sections(states: list[UnitState], store: Store) -> list[Section]:
    room = MOST_SOURCE_BYTES
    sections = []
    for state in states:
        result = state.latest
        if result is None:
            continue
        room -= len(result.source)
        history = store.history(state.unit.id)
        full = [a.points for a in history if a.out_of == result.out_of]
        other = "gpu" if result.device == "emulator" else "emulator"
        sections.append(
            Section(
                state,
                result,
                listing(result.source, result.steps, state.unit.target, result.file)
                if room > 0
                else None,
                tuple(reversed(history[-20:])),
                plots.history_plot(full[-40:], result.out_of)
                if len(full) > 1
                else None,
                store.latest(state.unit.id, other),
            )
        )
    return sections
