"""Chapters and exercises: what there is, and what their TOML files say.

A unit is a folder, chapters/NN_topic or exercises/NN_topic, and everything the grader
knows about it comes from there. A broken file is named with the key that is wrong.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from grader.errors import CallerError, UnitError
from grader.fields import Fields

Kind = Literal["chapter", "exercise"]
KINDS: tuple[Kind, ...] = ("chapter", "exercise")
FOLDERS: dict[Kind, str] = {"chapter": "chapters", "exercise": "exercises"}
# What the emulator can look for: lib/simt/simt.h has the table.
CHECKS = ("race", "init", "sync", "leak", "error")
_NAME = re.compile(r"^(\d\d)_[a-z0-9_]+$")


@dataclass(frozen=True, slots=True)
class Budget:
    """A range that an emulator counter must lie in."""

    counter: str
    says: str
    low: float
    high: float
    points: float


@dataclass(frozen=True, slots=True)
class Speed:
    """A ratio to a ceiling on a GPU: no points below `least`, all from `full` on."""

    ceiling: str
    least: float
    full: float
    stretch: float
    points: float


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    title: str
    hints: tuple[str, ...]
    tests: dict[str, float]
    budgets: tuple[Budget, ...] = ()
    speeds: tuple[Speed, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    kind: Kind
    number: int
    name: str  # NN_topic
    root: Path  # of the workbook
    title: str
    seconds: float
    steps: tuple[Step, ...]
    needs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    checks: tuple[str, ...] = CHECKS
    text: str = field(default="", repr=False)  # of the TOML file

    @property
    def id(self) -> str:
        return f"{FOLDERS[self.kind]}/{self.name}"

    @property
    def folder(self) -> Path:
        return self.root / self.id

    @property
    def kernel(self) -> Path:
        return self.folder / "kernel.cu"

    @property
    def solution(self) -> Path:
        """The reference, or where it is withheld, the skeleton in its place."""
        beside = self.folder if self.kind == "chapter" else self.answers
        answer = beside / "solution.cu"
        return answer if answer.exists() else self.folder / "skeleton.cu"

    @property
    def answers(self) -> Path:
        return self.root / "solutions" / self.name

    @property
    def target(self) -> str:
        """What to type after `make`."""
        return f"{self.kind}{self.number}"

    def step(self, wanted: str) -> Step:
        """Find a step by its name or by the end of it (v3)."""
        for step in self.steps:
            if step.name == wanted:
                return step
        close = [s for s in self.steps if s.name.endswith(f"_{wanted}")]
        if len(close) == 1:
            return close[0]
        raise CallerError(
            f"{self.id} has no step '{wanted}'.",
            "Its steps are: " + ", ".join(step.name for step in self.steps),
        )


def names(root: Path, kind: Kind) -> list[str]:
    """Return the folder names of a kind, in order; a folder needs no valid TOML."""
    folder = root / FOLDERS[kind]
    if not folder.is_dir():
        return []
    return sorted(
        p.name for p in folder.iterdir() if p.is_dir() and _NAME.match(p.name)
    )


def find(root: Path, kind: Kind, number: int) -> Unit:
    """Return the unit of that number."""
    known = names(root, kind)
    for name in known:
        if int(name[:2]) == number:
            return load(root, kind, name)
    numbers = ", ".join(str(int(name[:2])) for name in known) or "none"
    raise CallerError(
        f"There is no {kind} {number}.", f"{FOLDERS[kind].capitalize()}: {numbers}"
    )


def every(root: Path) -> list[Unit]:
    """Return all units: each chapter, then the exercise of its number."""
    pairs = [(int(n[:2]), kind, n) for kind in KINDS for n in names(root, kind)]
    pairs.sort(key=lambda pair: (pair[0], KINDS.index(pair[1])))
    return [load(root, kind, name) for _, kind, name in pairs]


def load(root: Path, kind: Kind, name: str) -> Unit:
    """Read and check a unit's TOML file."""
    path = root / FOLDERS[kind] / name / f"{kind}.toml"
    shown = f"{FOLDERS[kind]}/{name}/{kind}.toml"
    try:
        text = path.read_text(encoding="utf-8")
        data: dict[str, Any] = tomllib.loads(text)
    except FileNotFoundError:
        raise UnitError(f"{shown} is missing.", _restore(shown)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnitError(f"{shown}: {error}", _restore(shown)) from None
    top = Fields(data, shown, remedy=_restore(shown))
    unit = Unit(
        kind=kind,
        number=int(name[:2]),
        name=name,
        root=root,
        title=top.text("title"),
        seconds=top.number("seconds", 10.0, low=0.1),
        needs=top.texts("needs", ()),
        sources=top.texts("sources", ()),
        forbid=top.texts("forbid", ()),
        checks=top.texts("checks", CHECKS),
        steps=tuple(_step(step) for step in top.tables("step")),
        text=text,
    )
    top.end()
    if not unit.steps:
        raise top.error("step", "there must be at least one")
    for check in unit.checks:
        if check not in CHECKS:
            raise top.error("checks", f"'{check}' is none of {', '.join(CHECKS)}")
    if len({step.name for step in unit.steps}) != len(unit.steps):
        raise top.error("step", "two steps have one name")
    return unit


def _step(step: Fields) -> Step:
    made = Step(
        name=step.text("name", pattern=r"[a-z][a-z0-9_]*"),
        title=step.text("title"),
        hints=step.texts("hints"),
        tests=step.numbers("tests"),
        budgets=tuple(_budget(table) for table in step.tables("budget")),
        speeds=tuple(_speed(table) for table in step.tables("speed")),
    )
    step.end()
    if not made.tests:
        raise step.error("tests", "there must be at least one")
    return made


def _budget(table: Fields) -> Budget:
    counter, low = table.text("counter"), table.number("min")
    high = table.number("max", low=low)
    says = table.text("says", counter)
    budget = Budget(counter, says, low, high, table.number("points", low=0))
    table.end()
    return budget


def _speed(table: Fields) -> Speed:
    ceiling, least = table.text("ceiling"), table.number("pass", low=0)
    full = table.number("full", low=least)
    stretch = table.number("stretch", full, low=full)
    speed = Speed(ceiling, least, full, stretch, table.number("points", low=0))
    table.end()
    return speed


def _restore(shown: str) -> str:
    return f"If you did not mean to change it: git checkout -- {shown}"
