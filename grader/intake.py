"""Submissions: whose files there are, read without trusting a name or an archive.

Nothing is unpacked. A kernel.cu is looked for by name and read into memory, from a
folder (links not followed) or from an archive whose members are all looked at first.
One bad name in an archive refuses it whole.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from grader.errors import CallerError, from_os_error

MOST_FILE = 1 << 20
MOST_TOTAL = 64 << 20  # bytes of an archive, unpacked
MOST_MEMBERS = 5000
ARCHIVES = (".zip", ".tar.gz", ".tgz")
_KERNEL = re.compile(
    r"^(?:(?!chapters/|exercises/)[^/]+/)?(?:(?P<folder>chapters|exercises)/)?"
    r"(?P<unit>\d\d_[a-z0-9_]+)/kernel\.cu$"
)


class IntakeError(Exception):
    """A submission that cannot be read; the words are for its student's page."""


@dataclass(slots=True)
class Submission:
    student: str
    kernels: dict[str, str] = field(default_factory=dict)  # unit id to its text
    problem: str = ""


def collect(folder: Path, units: Iterable[str]) -> list[Submission]:
    """Read every student's submission; a broken one says so and stops no other."""
    known = set(units)
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except FileNotFoundError:
        raise CallerError(f"{folder} does not exist.", "SUBMISSIONS=folder") from None
    except NotADirectoryError:
        raise CallerError(f"{folder} is not a folder.", "SUBMISSIONS=folder") from None
    except OSError as error:
        raise from_os_error(error) from None
    found: dict[str, Submission] = {}
    for entry in entries:
        name = _student(entry)
        if name is None:
            continue
        one = found.setdefault(name, Submission(name))
        if one.kernels or one.problem:
            one.problem = "There are two submissions of this name."
            one.kernels.clear()
            continue
        try:
            one.kernels = _read(entry, known)
            if not one.kernels:
                one.problem = "It holds no kernel.cu of a unit."
        except IntakeError as error:
            one.problem = str(error)
        except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
            one.problem = f"It cannot be read: {error}"
        except (zlib.error, ValueError, NotImplementedError, RuntimeError) as error:
            one.problem = f"It cannot be read: {error}"
    if not found:
        raise CallerError(
            f"{folder} holds no submissions.",
            "It needs a folder, .zip or .tar.gz for each student.",
        )
    return list(found.values())


def _student(entry: Path) -> str | None:
    if entry.name.startswith("."):
        return None
    for end in ARCHIVES:
        if entry.name.lower().endswith(end):
            return entry.name[: -len(end)] or None
    return entry.name if entry.is_dir() or entry.is_symlink() else None


def _read(entry: Path, known: set[str]) -> dict[str, str]:
    mode = entry.lstat().st_mode
    if stat.S_ISDIR(mode):
        return _accept(_folder(entry), known)
    if not stat.S_ISREG(mode):
        raise IntakeError("It is a link or a special file.")
    if entry.name.lower().endswith(".zip"):
        return _accept(_zip(entry), known)
    return _accept(_tar(entry), known)


def _accept(files: Iterable[tuple[str, bytes]], known: set[str]) -> dict[str, str]:
    kernels: dict[str, str] = {}
    for name, data in files:
        match = _KERNEL.match(name)
        assert match is not None
        unit = f"{match['folder'] or 'exercises'}/{match['unit']}"
        if unit not in known:
            continue
        if unit in kernels:
            raise IntakeError(f"It holds {unit}/kernel.cu twice.")
        kernels[unit] = data.decode("utf-8", "replace")
    return kernels


def _folder(top: Path) -> Iterator[tuple[str, bytes]]:
    """Kernels up to three folders down; a link or special file is refused."""
    for path, folders, files in os.walk(top, followlinks=False):
        here = Path(path)
        depth = len(here.relative_to(top).parts)
        folders[:] = sorted(f for f in folders if depth < 3 and f != ".git")
        name = str((here / "kernel.cu").relative_to(top))
        if "kernel.cu" in files and _KERNEL.match(name):
            yield name, _regular(here / "kernel.cu", name)


def _regular(path: Path, name: str) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise IntakeError(f"{name} cannot be read: {error.strerror}") from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise IntakeError(f"{name} is not a plain file.")
        return _whole(file, name)


def _whole(file: IO[bytes], name: str) -> bytes:
    data = file.read(MOST_FILE + 1)
    if len(data) > MOST_FILE:
        raise IntakeError(f"{name} is larger than 1 MiB.")
    return data


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_names(info.filename for info in members)
        if sum(info.file_size for info in members) > MOST_TOTAL:
            raise IntakeError("The archive is too large, unpacked.")
        for info in members:
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise IntakeError("The archive holds a link or a special file.")
            if info.flag_bits & 1:
                raise IntakeError("The archive is encrypted.")
        for info in members:
            if _KERNEL.match(info.filename):
                with archive.open(info) as file:
                    yield info.filename, _whole(file, info.filename)


class _Bounded(io.RawIOBase):
    """A stream that refuses to be read beyond MOST_TOTAL."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._left = MOST_TOTAL

    def read(self, size: int | None = -1) -> bytes:
        data = self._file.read(
            size if size is not None and size >= 0 else self._left + 1
        )
        self._left -= len(data)
        if self._left < 0:
            raise IntakeError("The archive is too large, unpacked.")
        return data


def _tar(path: Path) -> Iterator[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    names: list[str] = []
    with gzip.open(path) as file:
        stream: Any = _Bounded(file)
        archive = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115 (no file)
        for member in archive:
            names.append(member.name)
            if len(names) > MOST_MEMBERS:
                break
            if not (member.isreg() or member.isdir()):
                raise IntakeError("The archive holds a link or a special file.")
            name = member.name.removeprefix("./")
            if member.isreg() and _KERNEL.match(name):
                content = archive.extractfile(member)
                assert content is not None
                found.append((name, _whole(content, name)))
    _check_names(names)
    yield from found


def _check_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        parts = name.split("/")
        odd = name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0]
        if odd or any(ord(letter) < 32 for letter in name):
            raise IntakeError("The archive holds a name that leads out of it.")
        folded = name.rstrip("/").removeprefix("./").casefold()
        if folded in seen and folded not in ("", "."):
            raise IntakeError("The archive holds one name twice.")
        seen.add(folded)
        if len(seen) > MOST_MEMBERS:
            raise IntakeError(f"The archive holds more than {MOST_MEMBERS} files.")
