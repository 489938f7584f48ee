"""The rules: what makes a kernel slow, as a table (rules.toml).

A rule looks at a kernel, or at one line of it, and says what it measured and what that
may cost: the share of the kernel's time that goes if the fault does. The share is an
estimate (a part of one bound, times how near the kernel is to that bound); it is there
to put findings in order.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import kernel_rules, line_rules
from grader.profile import Kernel, Line
from grader.rule_parts import Found

_TABLE: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "rules.toml").read_text(encoding="utf-8")
)
CHAPTERS: dict[int, str] = {int(n): name for n, name in _TABLE["chapters"].items()}
LEAST = 0.02  # findings that cost less are not worth a learner's time


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    title: str
    chapter: int
    advice: str
    of_line: Callable[[Kernel, Line], Iterator[Found]] | None
    of_kernel: Callable[[Kernel], Iterator[Found]] | None


def _rule(name: str, row: dict[str, Any]) -> Rule:
    of_line, of_kernel = (
        getattr(line_rules, name, None),
        getattr(kernel_rules, name, None),
    )
    assert of_line or of_kernel, name
    return Rule(name, of_line=of_line, of_kernel=of_kernel, **row)


RULES = tuple(_rule(name, row) for name, row in _TABLE["rule"].items())
