"""Every attempt, kept in SQLite under .workbook/.

Attempts are only ever added, each in one transaction; triggers refuse anything else.
WAL with synchronous=FULL: an attempt that was shown survives kill -9 and a power cut.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import WorkbookError, from_os_error
from grader.result import StepResult, UnitResult, from_json, to_json

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempt (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    unit TEXT NOT NULL,
    device TEXT NOT NULL,
    source_sha256 TEXT NOT NULL,
    points REAL NOT NULL,
    out_of REAL NOT NULL,
    result TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS attempt_unit ON attempt (unit, id);
CREATE TABLE IF NOT EXISTS step (
    attempt INTEGER NOT NULL REFERENCES attempt (id),
    name TEXT NOT NULL,
    verdict TEXT NOT NULL,
    points REAL NOT NULL,
    out_of REAL NOT NULL,
    PRIMARY KEY (attempt, name)
);
CREATE TABLE IF NOT EXISTS hint (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    unit TEXT NOT NULL,
    step TEXT NOT NULL,
    number INTEGER NOT NULL
);
CREATE TRIGGER IF NOT EXISTS attempts_stay BEFORE UPDATE ON attempt
    BEGIN SELECT RAISE(ABORT, 'attempts are only added'); END;
CREATE TRIGGER IF NOT EXISTS attempts_are_kept BEFORE DELETE ON attempt
    BEGIN SELECT RAISE(ABORT, 'attempts are only added'); END;
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A line of a unit's history."""

    id: int
    at: str
    device: str
    points: float
    out_of: float
    verdicts: dict[str, str]


class Store:
    """The learner's progress."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._words():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(_SCHEMA)

    def close(self) -> None:
        self._db.close()

    def add(self, result: UnitResult) -> None:
        """Keep an attempt. One that is ours is no attempt of the learner's."""
        if result.ours:
            return
        text = json.dumps(to_json(result), separators=(",", ":"))
        with self._words(), self._transaction():
            cursor = self._db.execute(
                "INSERT INTO attempt (at, unit, device, source_sha256, points, out_of,"
                " result) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    result.at,
                    result.unit,
                    result.device,
                    result.source_sha256,
                    result.points,
                    result.out_of,
                    text,
                ),
            )
            self._db.executemany(
                "INSERT INTO step VALUES (?, ?, ?, ?, ?)",
                [
                    (cursor.lastrowid, s.name, s.verdict.value, s.points, s.out_of)
                    for s in result.steps
                ],
            )

    def latest(self, unit: str, device: str | None = None) -> UnitResult | None:
        """The newest result of every step, as one record; None if never tried."""
        if device is None:
            newest = (
                "SELECT device FROM attempt WHERE unit = ? ORDER BY id DESC LIMIT 1"
            )
            with self._words():
                row = self._db.execute(newest, (unit,)).fetchone()
            if row is None:
                return None
            device = str(row[0])
        query = (
            "SELECT id, result FROM attempt WHERE id IN (SELECT MAX(attempt.id)"
            " FROM attempt JOIN step ON attempt.id = step.attempt"
            " WHERE unit = ? AND device = ? GROUP BY step.name) ORDER BY id"
        )
        with self._words():
            rows = self._db.execute(query, (unit, device)).fetchall()
        steps: dict[str, StepResult] = {}
        last: UnitResult | None = None
        for _, text in rows:
            last = from_json(json.loads(text))
            steps.update({step.name: step for step in last.steps})
        return replace(last, steps=tuple(steps.values())) if last else None

    def history(self, unit: str) -> list[Attempt]:
        """Every attempt at a unit, the oldest first."""
        query = "SELECT id, at, device, points, out_of FROM attempt WHERE unit = ?"
        with self._words():
            rows = self._db.execute(query + " ORDER BY id", (unit,)).fetchall()
            return [
                Attempt(**dict(row), verdicts=self._verdicts(row["id"])) for row in rows
            ]

    def hints(self, unit: str, step: str) -> int:
        """How many hints of a step have been shown."""
        query = "SELECT COALESCE(MAX(number), 0) FROM hint WHERE unit = ? AND step = ?"
        with self._words():
            return int(self._db.execute(query, (unit, step)).fetchone()[0])

    def add_hint(self, at: str, unit: str, step: str, number: int) -> None:
        with self._words(), self._transaction():
            self._db.execute(
                "INSERT INTO hint (at, unit, step, number) VALUES (?, ?, ?, ?)",
                (at, unit, step, number),
            )

    def _verdicts(self, attempt: int) -> dict[str, str]:
        query = "SELECT name, verdict FROM step WHERE attempt = ?"
        return dict(self._db.execute(query, (attempt,)).fetchall())

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextlib.contextmanager
    def _words(self) -> Iterator[None]:
        """Turn what SQLite and the system say into a problem and its remedy."""
        try:
            yield
        except OSError as error:
            raise from_os_error(error) from None
        except sqlite3.Error as error:
            raise WorkbookError(
                f"The record of your attempts, {self.path}, cannot be used: {error}.",
                "Is the disk full, or the folder not yours? A damaged file can be moved"
                " away: the workbook starts a new one.",
            ) from None
