"""What class grading leaves behind: pages, a CSV and a JSON file.

Every file is whole or absent, and nothing in a name or a message is believed: HTML is
escaped by the templates, and a CSV cell that a spreadsheet would run is made a text.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.check import now
from grader.desk import write_atomically
from grader.errors import from_os_error
from grader.report import render
from grader.result import Verdict, to_json
from grader.source import listing
from grader.units import Unit

if TYPE_CHECKING:
    from grader.gradebook import Student

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def write_pages(out: Path, students: list[Student], units: list[Unit]) -> None:
    """Write index.html, students/*.html, gradebook.csv and results.json."""
    seen = {unit for s in students for unit in (*s.results, *s.ours)}
    shown = [unit for unit in units if unit.id in seen]
    at = now()
    try:
        for student in students:
            page = render(
                "student.html.j2",
                student=student,
                listings={
                    unit: listing(
                        result.source, result.steps, result.target, result.file
                    )
                    for unit, result in student.results.items()
                },
                units=shown,
                at=at,
            )
            write_atomically(out / page_name(student), page.encode())
        index = render(
            "class.html.j2",
            students=students,
            units=shown,
            misses=misses(students),
            page_name=page_name,
            out_of=out_of(shown, students),
            at=at,
        )
        write_atomically(out / "gradebook.csv", gradebook(students, shown).encode())
        text = json.dumps(results(students, at), indent=1)
        write_atomically(out / "results.json", text.encode())
        write_atomically(out / "index.html", index.encode())
    except OSError as error:
        raise from_os_error(error) from None


def page_name(student: Student) -> str:
    """A file name that is safe and belongs to one student only."""
    word = re.sub(r"[^A-Za-z0-9-]+", "_", student.name)[:40].strip("_")
    digest = hashlib.sha256(student.name.encode("utf-8", "surrogateescape"))
    return f"students/{word or 'student'}.{digest.hexdigest()[:8]}.html"


def out_of(units: list[Unit], students: list[Student]) -> dict[str, float]:
    """The points of each unit, on the device that was used."""
    found: dict[str, float] = {}
    for unit in units:
        marks = [s.results[unit.id].out_of for s in students if unit.id in s.results]
        found[unit.id] = max(marks, default=0)
    return found


def misses(students: list[Student], most: int = 10) -> list[tuple[str, str, str, int]]:
    """What most of the class got wrong: unit, step, test or counter, how many."""
    count: Counter[tuple[str, str, str]] = Counter()
    for student in students:
        for unit, result in student.results.items():
            for step in result.steps:
                if step.verdict in (Verdict.UNSOLVED, Verdict.UNBUILT, Verdict.OURS):
                    continue
                for test in step.tests:
                    if test.outcome != "passed":
                        count[unit, step.name, test.name.replace("_", " ")] += 1
                for budget in step.budgets:
                    if not budget.met:
                        count[unit, step.name, budget.says] += 1
    return [(*key, number) for key, number in count.most_common(most)]


def gradebook(students: list[Student], units: list[Unit]) -> str:
    """One row a student; points stay numbers, an absent mark is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["student", *(unit.id for unit in units), "total", "note"])
    for student in students:
        row: list[Any] = [cell(student.name)]
        for unit in units:
            result = student.results.get(unit.id)
            marked = result is not None and unit.id not in student.ours
            row.append(result.points if marked and result else "")
        notes = [student.problem, *(f"{u}: ours" for u in student.ours)]
        row += [student.points, cell("; ".join(filter(None, notes)))]
        writer.writerow(row)
    return stream.getvalue()


def cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    text = "".join(c for c in text if c.isprintable() or c == " ")
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def results(students: list[Student], at: str) -> dict[str, Any]:
    return {
        "format": 1,
        "at": at,
        "students": [
            {
                "student": student.name,
                "points": student.points,
                "problem": student.problem,
                "ours": student.ours,
                "results": {u: to_json(r) for u, r in student.results.items()},
            }
            for student in students
        ],
    }
