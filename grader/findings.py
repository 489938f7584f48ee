"""The rules applied: what a step's kernels could gain, the dearest first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.profile import Kernel
from grader.result import Finding, Place
from grader.rule_parts import Found
from grader.rules import CHAPTERS, LEAST, RULES, Rule


def findings(kernels: Iterable[Kernel], root: Path) -> list[Finding]:
    """All that the rules find; costs are shares of the whole step."""
    kernels = list(kernels)
    whole = sum(kernel.ns for kernel in kernels)
    made = [
        Finding(
            rule=rule.name,
            title=rule.title,
            says="; ".join(one.says for one in found),
            advice=rule.advice,
            cost=round(min(1.0, sum(one.cost for one in found)) * kernel.ns / whole, 4),
            kernel=kernel.name,
            chapter=rule.chapter,
            folder=_folder(root, rule.chapter),
            place=place,
        )
        for kernel in kernels
        for rule, place, found in _of(kernel)
        if found and whole
    ]
    made.sort(key=lambda finding: -finding.cost)
    return [finding for finding in made if finding.cost >= LEAST]


def _of(kernel: Kernel) -> Iterable[tuple[Rule, Place | None, list[Found]]]:
    for rule in RULES:
        if rule.of_kernel:
            yield rule, kernel.place, list(rule.of_kernel(kernel))
        for line in kernel.lines if rule.of_line else ():
            assert rule.of_line is not None
            place = Place(line.file, line.line, line.text)
            yield rule, place, list(rule.of_line(kernel, line))


def _folder(root: Path, chapter: int) -> str:
    """The chapter's folder, if it is there yet."""
    folder = f"chapters/{chapter:02}_{CHAPTERS[chapter]}"
    return folder if (root / folder).is_dir() else ""
