"""What the pages show beyond their text: tables, output of commands, a unit's code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tables
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FACTS = {
    "chapters": lambda: tables.chapters(lambda unit: f"../{unit.id}/README.md"),
    "counters": tables.counters,
    "checks": tables.checks,
    "differences": tables.differences,
    "classes": tables.classes,
    "forms": tables.forms,
    "gpus": tables.gpus,
    "instructions": tables.instructions,
    "measurements": tables.measurements,
    "rules": tables.rules,
    "runtime": tables.runtime,
}


class Facts(SphinxDirective):
    """{facts} NAME: a table of tables.py."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()
        lines = FACTS[self.arguments[0]]()
        box = nodes.container(classes=["facts"])
        self.state.nested_parse(StringList(lines, source="tables.py"), 0, box)
        return [box]


class Says(SphinxDirective):
    """{says} COMMAND: what a command prints, run while the pages are made."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()
        words = self.arguments[0].split()
        if words[0] == "python":
            words[0] = sys.executable
        drop = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
        env = {key: value for key, value in os.environ.items() if key not in drop}
        env |= {"PYTHONPATH": str(tables.ROOT), "COLUMNS": "88"}
        done = subprocess.run(
            words, cwd=tables.ROOT, env=env, capture_output=True, text=True, check=True
        )
        text = f"$ {self.arguments[0]}\n{done.stdout}"
        return [nodes.literal_block(text, text, language="none")]


def add_code(app: Sphinx, docname: str, content: list[str]) -> None:
    """Put a unit's kernel.h, and a chapter's solution, below its README."""
    kind, _, rest = docname.partition("/")
    if kind not in ("chapters", "exercises"):
        return
    folder = Path(kind, rest).parent
    text = content[0] + _include("What you define: kernel.h", folder / "kernel.h", "c")
    if (app.srcdir / folder / "solution.cu").exists():
        code = _include("", folder / "solution.cu", "cuda")
        summary = "Show one way to solve it (solution.cu)"
        text += f"\n## The solution\n\n<details><summary>{summary}</summary>\n"
        text += f"{code}\n</details>\n"
    content[0] = text


def _include(title: str, file: Path, language: str) -> str:
    head = f"\n\n## {title}\n" if title else ""
    return f"{head}\n```{{literalinclude}} /{file}\n:language: {language}\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("facts", Facts)
    app.add_directive("says", Says)
    app.connect("source-read", add_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
