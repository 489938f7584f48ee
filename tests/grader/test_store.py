"""Attempts are added, never changed; a disk that fails is said with its remedy."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader import desk as desk_module
from grader import errors
from grader.store import Store


def test_attempts_cannot_be_changed(toy):
    toy.run("check", "1")
    db = sqlite3.connect(toy.root / ".workbook/progress.sqlite3")

    for words in ("UPDATE attempt SET points = 99", "DELETE FROM attempt"):
        with pytest.raises(sqlite3.DatabaseError, match="only added"):
            db.execute(words)


def test_the_newest_result_of_every_step_counts(toy):
    toy.solve("chapters/01_first", first_v1="wrong")
    toy.run("check", "1", "--device", "emulator")
    toy.solve("chapters/01_first")
    toy.run("check", "1", "--step", "v1", "--device", "emulator")

    latest = Store(toy.root / ".workbook/progress.sqlite3").latest("chapters/01_first")

    assert latest is not None and latest.solved
    assert len(latest.steps) == 2


def test_what_is_ours_is_no_attempt(toy):
    toy.solve("chapters/01_first", first_v0="dies")

    done = toy.run("check", "1", "--device", "emulator")

    assert done.exit_code == 2
    assert "the fake judge was told to die" in done.output
    assert "not yours" in done.output
    assert not Store(toy.root / ".workbook/progress.sqlite3").history(
        "chapters/01_first"
    )


def test_a_judge_that_stops_short_is_ours(toy):
    toy.solve("chapters/01_first", first_v0="truncated")
    assert toy.run("check", "1", "--device", "emulator").exit_code == 2


def test_a_damaged_file_is_ours(toy):
    path = toy.root / ".workbook/progress.sqlite3"
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)

    done = toy.run("check", "1")

    assert done.exit_code == 2
    assert "progress.sqlite3" in done.stderr and "remedy" in done.stderr


@pytest.mark.parametrize(
    ("code", "says"), [(errno.ENOSPC, "disk is full"), (errno.EACCES, "may not write")]
)
def test_a_folder_that_cannot_be_written_is_ours(toy, monkeypatch, code, says):
    def refuse(self, *args, **kwargs):
        raise OSError(code, os.strerror(code), str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)

    done = toy.run("check", "1")

    assert done.exit_code == 2
    assert says in done.stderr and "remedy" in done.stderr


def test_a_full_disk_is_ours(toy, tmp_path):
    """A real one: a file system of 64 KiB."""
    place = toy.root / ".workbook"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("may not mount here")
    try:
        done = toy.run("check", "1", "--device", "emulator")
        for _ in range(30):
            done = toy.run("check", "1", "--device", "emulator")
            if done.exit_code == 2:
                break
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)

    assert done.exit_code == 2
    assert "full" in done.stderr


def test_writing_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    desk_module.write_atomically(path, b"old")

    def refuse(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError):
        desk_module.write_atomically(path, b"new")

    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_acknowledged_attempts_survive_kill_9(toy):
    """A child adds attempts and says so; killed, none that it said is lost."""
    program = f"""
import sys
sys.path[:0] = {[str(p) for p in sys.path if p]!r}
from grader.store import Store
from grader.result import UnitResult
from pathlib import Path
store = Store(Path({str(toy.root)!r}) / ".workbook/progress.sqlite3")
n = 0
while True:
    n += 1
    store.add(UnitResult("u", "U", "u1", "f", "emulator", "A100", str(n), n, ()))
    print(n, flush=True)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    said = int(child.stdout.readline())
    time.sleep(0.3)
    child.send_signal(signal.SIGKILL)
    said = max([said, *(int(line) for line in child.stdout if line.endswith("\n"))])
    child.wait()

    kept = Store(toy.root / ".workbook/progress.sqlite3").history("u")
    assert len(kept) >= said > 0


def test_os_errors_are_worded():
    assert "full" in errors.from_os_error(OSError(errno.ENOSPC, "x")).problem
    assert "make doctor" in errors.from_os_error(OSError(errno.EIO, "x")).remedy
