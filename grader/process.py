"""Run a program that may hang, flood or leave children behind.

Its whole process group ends with it, at its time limit at the latest. Output goes to
memory files, so nothing can block, and only the beginning of it is kept.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

KEEP = 64 << 10


@dataclass(frozen=True, slots=True)
class Done:
    status: int  # negative: the signal that ended it
    output: bytes
    errors: str
    records: bytes
    late: bool  # it had to be ended
    seconds: float


def run(
    command: Sequence[str | Path],
    *,
    seconds: float,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    keep: int = KEEP,
    records: bool = False,
) -> Done:
    """Run a command to its end.

    With `records`, the word "fd:RECORDS" of the command becomes the number of a
    descriptor that it may write records to.
    """
    files = [os.memfd_create(name) for name in ("output", "errors", "records")]
    out, err, rec = files
    words = [f"fd:{rec}" if word == "fd:RECORDS" else str(word) for word in command]
    began = time.monotonic()
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env=dict(env) if env is not None else None,
            pass_fds=(rec,) if records else (),
            start_new_session=True,
        )
        late = False
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            _end(child)
        return Done(
            status=child.returncode,
            output=_read(out, keep),
            errors=_read(err, keep).decode("utf-8", "replace"),
            records=_read(rec, 64 << 20),
            late=late,
            seconds=time.monotonic() - began,
        )
    finally:
        for file in files:
            os.close(file)


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _read(file: int, most: int) -> bytes:
    return os.pread(file, min(most, os.fstat(file).st_size), 0)
