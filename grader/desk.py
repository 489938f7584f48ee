"""Hints and resets: help that costs something, so it is kept on record."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from grader.check import now, skeleton_of
from grader.errors import CallerError, from_os_error
from grader.progress import unit_state
from grader.result import Verdict
from grader.store import Store
from grader.units import Step, Unit


def next_hint(unit: Unit, store: Store, wanted: str = "") -> tuple[Step, int, str]:
    """One more hint of a step: which step, the hint's number, and the hint.

    Without a name it is the first step that is not solved. The last hint is repeated.
    """
    step = unit.step(wanted) if wanted else _open_step(unit, store)
    if not step.hints:
        raise CallerError(f"{step.name} has no hints.", f"Read {unit.id}/README.md")
    shown = store.hints(unit.id, step.name)
    number = min(shown + 1, len(step.hints))
    if number > shown:
        store.add_hint(now(), unit.id, step.name, number)
    return step, number, step.hints[number - 1]


def _open_step(unit: Unit, store: Store) -> Step:
    for state in unit_state(unit, store).steps:
        if state.verdict is not Verdict.SOLVED:
            return state.step
    return unit.steps[-1]


def reset(unit: Unit) -> Path | None:
    """Put the skeleton back; return where the learner's file was kept.

    None means that the file was the skeleton already.
    """
    fresh = skeleton_of(unit)
    try:
        kept: Path | None = None
        if unit.kernel.exists():
            old = unit.kernel.read_bytes()
            if old == fresh.encode():
                return None
            kept = _backup(unit, old)
        write_atomically(unit.kernel, fresh.encode())
        return kept
    except OSError as error:
        raise from_os_error(error) from None


def _backup(unit: Unit, data: bytes) -> Path:
    stamp = now().replace(":", "").replace("+0000", "Z")
    name = f"{unit.id.replace('/', '_')}.{stamp}"
    folder = unit.root / ".workbook/backups"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.cu"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}.{number}.cu"
    write_atomically(path, data)
    return path


def write_atomically(path: Path, data: bytes) -> None:
    """A reader sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
