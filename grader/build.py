"""From a learner's file to a runner, and from a unit's test.c to a judge.

Both come from the cache unless something that they are made of has changed: the text,
the headers beside it, the flags, the compiler, the libraries. What nvcc refuses is the
learner's (Unbuilt, with nvcc's own words); anything else that fails is ours.
"""

from __future__ import annotations

import fcntl
import os
import re
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from grader import process, sandbox
from grader.cache import Cache, file_digest, key
from grader.errors import WorkbookError, from_os_error
from grader.links import Links
from grader.toolchain import find_nvcc
from grader.units import Unit

SECONDS = 120.0  # for one run of nvcc; a template that never ends is the learner's
_ERROR = re.compile(
    r"^(?P<file>[^\s(:]+)[(:](?P<line>\d+)\)?[:\d]* *(?:fatal )?error", re.M
)

_MISSING = re.compile(r"undefined reference to [`'](cu[a-z]*[A-Z]\w*)'")


class Unbuilt(Exception):  # noqa: N818 (a verdict, not an error of ours)
    """nvcc or the linker refused the learner's file."""

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.message, self.file, self.line = message, file, line


class Refused(Unbuilt):
    """The learner's file includes what the unit forbids."""


@dataclass(frozen=True, slots=True)
class Code:
    """A learner's file: its text, and how it is named to nvcc and to the learner."""

    text: str
    name: str  # chapters/11_reduction/kernel.cu
    trusted: bool = True


class Builder(Protocol):
    """What check needs; the tests of the grader have one that needs no compiler."""

    @property
    def toolchain(self) -> str: ...

    @property
    def simt_device(self) -> Path | None: ...

    def judge(self, unit: Unit) -> list[str]: ...

    def runner(self, unit: Unit, code: Code) -> Path: ...

    def ceilings(self) -> Path | None: ...


class NvccBuilder:
    """The real one."""

    def __init__(self, root: Path, device: str) -> None:
        self._root = root
        self._device = device
        self._cache = Cache(root / "build/cache")
        self._lock = threading.Lock()

    @cached_property
    def _links(self) -> Links:
        links = Links(self._root, find_nvcc(self._root), self._device)
        with self._lock:
            self._make(links)
        return links

    @property
    def toolchain(self) -> str:
        nvcc = self._links.nvcc
        return f"nvcc {nvcc.version}" if nvcc else ""

    @property
    def simt_device(self) -> Path | None:
        return self._links.simt_device if self._device == "emulator" else None

    def ceilings(self) -> Path | None:
        return self._links.ceilings if self._device == "gpu" else None

    def judge(self, unit: Unit) -> list[str]:
        links, test = self._links, unit.folder / "test.c"
        words = links.judge(str(test), str(unit.folder), "judge")
        parts: list[str | bytes] = [*words, *_digests(links.judge_inputs())]
        parts += _headers(unit.folder)
        headers = sorted((self._root / "lib/harness").glob("*.h"))
        try:
            parts += [test.read_bytes(), *_digests(headers)]
        except OSError as error:
            raise from_os_error(error) from None

        def make(folder: Path) -> None:
            done = process.run(words, seconds=SECONDS, cwd=folder)
            if done.status:
                raise WorkbookError(
                    f"{unit.id}/test.c does not compile.\n{done.errors.strip()}",
                    f"git checkout -- {unit.id}/test.c",
                )

        return [str(self._cache.entry(key(parts), make) / "judge")]

    def runner(self, unit: Unit, code: Code) -> Path:
        links = self._links
        name = Path(code.name)
        words = links.compile(str(name), str(unit.folder), "/tmp/k.o", code.text)
        nvcc = links.nvcc
        version = nvcc.version if nvcc else ""
        parts: list[str | bytes] = [str(code.trusted), version, code.text]
        parts += [*words, *links.runner("", "")]
        parts += _headers(unit.folder)
        parts += _digests(links.runner_inputs())

        def make(folder: Path) -> None:
            try:
                self._compile(folder, unit, code)
            except Unbuilt as error:
                kind = "refused" if isinstance(error, Refused) else "unbuilt"
                words = f"{kind}\n{error.file}\n{error.line}\n{error.message}"
                (folder / "problem").write_text(words, encoding="utf-8")

        entry = self._cache.entry(key(parts), make)
        if (entry / "problem").exists():
            text = (entry / "problem").read_text(encoding="utf-8")
            kind, file, line, message = text.split("\n", 3)
            raise (Refused if kind == "refused" else Unbuilt)(message, file, int(line))
        return entry / "runner"

    def _compile(self, folder: Path, unit: Unit, code: Code) -> None:
        """Compile and link the text, which lies in the entry under its shown name."""
        links = self._links
        place = folder / code.name
        place.parent.mkdir(parents=True)
        place.write_text(code.text, encoding="utf-8")
        include = str(unit.folder)
        if code.trusted:
            compile_ = links.compile(code.name, include, "kernel.o", code.text)
            link = links.runner("kernel.o", "runner")
            for words in (compile_, link):
                _nvcc(words, folder, unit)
            (folder / "kernel.o").unlink()
        else:
            _boxed(links, folder, unit, code)
        if unit.forbid:
            _forbid(code, unit)

    def _make(self, links: Links) -> None:
        """Bring the libraries up to date, one grader at a time."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFL"))}
        try:
            links.lib.mkdir(parents=True, exist_ok=True)
            with (links.lib / ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                for words in links.make():
                    done = process.run(words, seconds=600, env=env)
                    if done.status:
                        said = done.output.decode("utf-8", "replace") + done.errors
                        raise WorkbookError(
                            f"`{' '.join(words)}` failed.\n{said.strip()[-3000:]}",
                            "make doctor",
                        )
        except OSError as error:
            raise from_os_error(error) from None


def _boxed(links: Links, folder: Path, unit: Unit, code: Code) -> None:
    """Compile and link in the box; the program comes out through standard output."""
    assert links.nvcc is not None
    headers = f"{sandbox.PLACE}/include"
    compile_ = links.compile(code.name, headers, "/tmp/kernel.o", code.text)
    link = links.runner("/tmp/kernel.o", "/tmp/runner")
    include = folder / "include"
    include.mkdir()
    for header in unit.folder.glob("*.h"):
        (include / header.name).write_bytes(header.read_bytes())
    script = '"$@" >&2 && {} >&2 && cat /tmp/runner'.format(" ".join(link))
    shown = [links.nvcc.top, *links.runner_inputs()]
    limits = sandbox.Limits(scratch_mib=512, cpu_seconds=60, data_mib=4096)
    box = sandbox.box(shown, folder=folder, limits=limits)
    words = [*box, "sh", "-c", script, "sh", *compile_]
    done = process.run(words, seconds=SECONDS, keep=256 << 20)
    if done.late or done.status:
        _refuse(done, unit)
    program = folder / "runner"
    program.write_bytes(done.output)
    program.chmod(0o755)


def _nvcc(words: list[str], folder: Path, unit: Unit) -> None:
    done = process.run(words, seconds=SECONDS, cwd=folder)
    if done.late or done.status:
        _refuse(done, unit)


def _refuse(done: process.Done, unit: Unit) -> None:
    if done.late:
        raise Unbuilt(f"The compiler did not end in {SECONDS:.0f} s.")
    said = done.errors.replace(f"{unit.folder}/", f"{unit.id}/")
    said = said.replace(f"{sandbox.PLACE}/include/", f"{unit.id}/").strip()
    if "No space left on device" in said and "/tmp/" not in said:
        raise WorkbookError("The disk is full.", "Free some space: make clean")
    if "ld: cannot find" in said:
        raise WorkbookError(f"A part of the workbook is missing.\n{said}", "make clean")
    missing = sorted(set(_MISSING.findall(said)))
    if missing:
        said = f"{', '.join(missing)}: not in this device's runtime.\n{said}"
    match = _ERROR.search(said)
    short = said if len(said) < 6000 else said[:6000] + "\n..."
    if match:
        raise Unbuilt(short, match["file"], int(match["line"]))
    raise Unbuilt(short or f"The compiler ended with status {done.status}.")


def _forbid(code: Code, unit: Unit) -> None:
    pattern = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")
    for number, line in enumerate(code.text.splitlines(), 1):
        match = pattern.match(line)
        if match and match[1].split("/")[0].split(".")[0] in unit.forbid:
            raise Refused(f"This unit is done without <{match[1]}>.", code.name, number)


def _digests(paths: list[Path]) -> list[bytes]:
    return [file_digest(path) for path in paths if path.exists()]


def _headers(folder: Path) -> list[str | bytes]:
    found = sorted(p for p in folder.iterdir() if p.suffix in (".h", ".cuh", ".inc"))
    return [part for p in found for part in (p.name, p.read_bytes())]
