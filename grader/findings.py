"""The rules applied: what a step's kernels could gain, the dearest first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.profile import Kernel
from grader.result import Finding, Place
from grader.rules import CHAPTERS, LEAST, RULES, Found, Rule


def findings(kernels: Iterable[Kernel], root: Path) -> list[Finding]:
    """All that the rules find; costs are shares of the whole step."""
    kernels = list(kernels)
    whole = sum(kernel.ns for kernel in kernels)
    found = [
        (one.cost * (kernel.ns / whole if whole else 0), rule, one, kernel, place)
        for kernel in kernels
        for rule, one, place in _of(kernel)
    ]
    found.sort(key=lambda entry: -entry[0])
    return [
        Finding(
            rule=rule.name,
            title=rule.title,
            says=one.says,
            advice=rule.advice,
            cost=round(min(1.0, cost), 4),
            kernel=kernel.name,
            chapter=rule.chapter,
            folder=_folder(root, rule.chapter),
            place=place,
        )
        for cost, rule, one, kernel, place in found
        if cost >= LEAST
    ]


def _of(kernel: Kernel) -> Iterable[tuple[Rule, Found, Place | None]]:
    for rule in RULES:
        for one in rule.of_kernel(kernel) if rule.of_kernel else ():
            yield rule, one, kernel.place
        for line in kernel.lines if rule.of_line else ():
            assert rule.of_line is not None
            for one in rule.of_line(kernel, line):
                yield rule, one, Place(line.file, line.line, line.text)


def _folder(root: Path, chapter: int) -> str:
    """The chapter's folder, if it is there yet."""
    folder = f"chapters/{chapter:02}_{CHAPTERS[chapter]}"
    return folder if (root / folder).is_dir() else ""
