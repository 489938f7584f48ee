"""Grade a class: every submission in the box, several at a time, none stops another.

What was graded is kept by what it depends on (the file, the unit, the toolchain), so a
run that was ended goes on where it was, and a second one grades only what has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from grader import sandbox
from grader.build import Builder
from grader.check import Options, check, now
from grader.class_pages import write_pages
from grader.errors import CallerError, WorkbookError, from_os_error
from grader.intake import Submission, collect
from grader.result import UnitResult, from_json, to_json
from grader.toolchain import resolve_device
from grader.units import Unit, every

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    root: Path
    submissions: Path
    out: Path
    device: str = "emulator"
    gpu: str = "A100"
    seed: int = 1  # one for all, so that everyone gets the same data
    jobs: int | None = None


@dataclass(slots=True)
class Student:
    """A student's results: a line of the gradebook."""

    name: str
    problem: str = ""
    results: dict[str, UnitResult] = field(default_factory=dict)
    ours: dict[str, str] = field(default_factory=dict)  # unit to what failed of ours

    @property
    def points(self) -> float:
        return sum(result.points for result in self.results.values())


class Ledger:
    """Results by the hash of what they depend on."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS graded"
            " (key TEXT PRIMARY KEY, at TEXT NOT NULL, result TEXT NOT NULL)"
        )

    def get(self, key: str) -> UnitResult | None:
        with self._lock:
            query = "SELECT result FROM graded WHERE key = ?"
            row = self._db.execute(query, (key,)).fetchone()
        return from_json(json.loads(row[0])) if row else None

    def put(self, key: str, result: UnitResult) -> None:
        text = json.dumps(to_json(result), separators=(",", ":"))
        with self._lock:
            self._db.execute(
                "INSERT OR IGNORE INTO graded VALUES (?, ?, ?)", (key, now(), text)
            )

    def close(self) -> None:
        self._db.close()


def grade_class(plan: Plan, builder: Callable[[Path, str], Builder], say: Say) -> int:
    """Grade all, write the pages and tables, return how many students there are."""
    sandbox.require()
    device, _ = resolve_device(plan.device)
    units = {unit.id: unit for unit in every(plan.root)}
    submissions = collect(plan.submissions, units)
    if plan.out.is_relative_to(plan.submissions.resolve()):
        raise CallerError("OUT lies inside SUBMISSIONS.", "OUT=another folder")
    try:
        plan.out.mkdir(parents=True, exist_ok=True)
        ledger = Ledger(plan.out / ".graded.sqlite3")
    except OSError as error:
        raise from_os_error(error) from None
    except sqlite3.Error as error:
        raise WorkbookError(
            f"{plan.out} cannot be used: {error}.", "OUT=folder"
        ) from None
    maker = builder(plan.root, device)
    try:
        students = _grade(plan, device, units, submissions, maker, ledger, say)
    finally:
        ledger.close()
    write_pages(plan.out, students, list(units.values()))
    return len(students)


def _grade(
    plan: Plan,
    device: str,
    units: dict[str, Unit],
    submissions: list[Submission],
    builder: Builder,
    ledger: Ledger,
    say: Say,
) -> list[Student]:
    students = {one.student: Student(one.student, one.problem) for one in submissions}
    work = [
        (one, units[unit], text)
        for one in submissions
        for unit, text in sorted(one.kernels.items())
    ]
    digests = {unit: _unit_digest(units[unit]) for unit in {w[1].id for w in work}}
    cores = len(os.sched_getaffinity(0))
    jobs = plan.jobs or (cores if device == "emulator" else 1)

    def one(unit: Unit, text: str) -> UnitResult:
        parts = (text, digests[unit.id], device, plan.gpu, str(plan.seed))
        whole = "\0".join((*parts, builder.toolchain))
        key = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()
        known = ledger.get(key)
        if known:
            return known
        options = Options(
            device=device,
            gpu=plan.gpu,
            seed=plan.seed,
            workers=1,
            wrap=lambda runner: _box(runner, device),
            trusted=False,
        )
        result = check(unit, builder, text, f"{unit.id}/kernel.cu", options)
        if result.ours:  # not the student's: once more, and never kept
            result = check(unit, builder, text, f"{unit.id}/kernel.cu", options)
        if not result.ours:
            ledger.put(key, result)
        return result

    with ThreadPoolExecutor(jobs) as pool:
        waiting = {
            pool.submit(one, unit, text): (who, unit) for who, unit, text in work
        }
        try:
            for count, future in enumerate(as_completed(waiting), 1):
                who, unit = waiting[future]
                student = students[who.student]
                words = _settle(student, unit, future.result)
                say(f"[{count}/{len(waiting)}] {student.name}: {unit.id}: {words}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    for student in students.values():
        student.results = dict(sorted(student.results.items()))
        if student.problem:
            say(f"{student.name}: {student.problem}")
    return list(students.values())


def _settle(student: Student, unit: Unit, result_of: Callable[[], UnitResult]) -> str:
    """Take a result, or what failed in its place; one failure stops no other."""
    try:
        result = result_of()
    except WorkbookError as error:
        student.ours[unit.id] = error.problem
    except Exception as error:
        student.ours[unit.id] = f"{type(error).__name__}: {error}"
    else:
        if result.ours:
            bad = next(step for step in result.steps if step.verdict.value == "ours")
            student.ours[unit.id] = f"{bad.name}: {bad.message}"
        student.results[unit.id] = result
        if not result.ours:
            return f"{result.points:g} of {result.out_of:g}"
    return f"ours, no mark: {student.ours[unit.id].splitlines()[0]}"


def _box(runner: Path, device: str) -> tuple[str, ...]:
    """The box around a runner; the judge passes it what it may know."""
    gpu = device == "gpu"
    limits = sandbox.Limits(data_mib=0) if gpu else sandbox.Limits()
    return tuple(sandbox.box([runner], limits=limits, clear=False, devices=gpu))


def _unit_digest(unit: Unit) -> str:
    """Everything of a unit that its marks depend on."""
    digest = hashlib.sha256(unit.text.encode())
    for path in (unit.folder / "test.c", unit.folder / "kernel.h", unit.solution):
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()
