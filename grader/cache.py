"""What was built, kept by what it was built from: build/cache.

An entry is a folder named by the SHA-256 of all its inputs. It is made beside its place
and renamed into it, so an entry is whole or absent, and two graders may make the same
one at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from grader.errors import from_os_error

FORMAT = "2"  # change it when entries of older versions must not be used
KEEP = 400


def key(parts: Iterable[str | bytes]) -> str:
    """The name of an entry made from these parts."""
    digest = hashlib.sha256(FORMAT.encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:40]


def file_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class Cache:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entry(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the entry's folder; `make` fills it if it is not there.

        Nothing is kept of a `make` that raises.
        """
        place = self._folder / name
        if place.is_dir():
            with contextlib.suppress(OSError):
                os.utime(place)
            return place
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self._folder))
            fresh.chmod(0o755)
        except OSError as error:
            raise from_os_error(error) from None
        try:
            make(fresh)
            fresh.rename(place)
        except OSError as error:
            if not place.is_dir():  # another grader was not first: it is a real one
                raise from_os_error(error) from None
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        self._trim()
        return place

    def _trim(self) -> None:
        """Drop the entries that were used the longest ago."""
        with contextlib.suppress(OSError):
            found = [p for p in self._folder.iterdir() if not p.name.startswith(".")]
            if len(found) <= KEEP:
                return
            found.sort(key=lambda path: path.stat().st_mtime)
            for old in found[: len(found) - KEEP]:
                shutil.rmtree(old, ignore_errors=True)
