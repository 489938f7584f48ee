"""Build the harness, and the programs that are judged by it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = sorted(
    path for path in (HERE / "programs").iterdir() if path.suffix in (".c", ".cu")
)
_NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
_ARCH = ("-gencode", "arch=compute_80,code=[compute_80,sm_80]", "-cudart", "none")
_HOST = ("-Xcompiler", "-g1,-gdwarf-5")
_WARN = ("-Wall", "-Wextra", "-Werror")
_SANITIZE = ("-fsanitize=address,undefined", "-fno-omit-frame-pointer")


class BuildError(Exception):
    """The compiler or the linker said no."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program and what its head says must come of it."""

    path: Path
    said: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem


def read_program(path: Path) -> Program:
    head = re.findall(r"^// (\w+): (.*)$", path.read_text(), re.MULTILINE)
    return Program(path, dict(head))


@dataclass(frozen=True, slots=True)
class Built:
    """Where the built things lie."""

    folder: Path
    judge: Path

    @property
    def device(self) -> Path:
        return self.folder / "simt-device"

    def runner(self, program: Program) -> Path:
        """The program, linked with the runner and the emulator's front end."""
        out = self.folder / "programs" / program.name
        out.parent.mkdir(exist_ok=True)
        compiled = out.with_suffix(".o")
        source = str(program.path)
        include = f"-I{Path(_NVCC).resolve().parents[1] / 'include'}"
        words: list[str | Path]
        if program.path.suffix == ".cu":
            words = [_NVCC, "-O3", "-std=c++17", "-lineinfo", *_HOST, *_ARCH]
        else:
            words = ["gcc", "-std=gnu11", "-O1", *_WARN, include]
        _run([*words, "-c", source, "-o", str(compiled)])
        made = [self.folder / "libharness_runner.a", self.folder / "libsimt_front.a"]
        libraries = ("-lffi", "-lzstd", "-lpthread", "-ldl", "-lrt", "-lm")
        _run(["g++", "-rdynamic", compiled, "-o", out, *made, *libraries])
        return out


def build_harness(folder: Path) -> Built:
    """The harness as it ships, but its judge with sanitizers."""
    out = f"OUT={folder}"
    jobs = f"-j{os.cpu_count() or 1}"
    _run(["make", "-s", jobs, "-C", ROOT / "lib/simt", out])
    flags = " ".join(_SANITIZE)
    _run(["make", "-s", jobs, "-C", ROOT / "lib/harness", out, f"SANITIZE={flags}"])
    judge = folder / "judge"
    words: list[str | Path] = ["gcc", "-std=c11", "-g", *_WARN, *_SANITIZE]
    words += [f"-I{ROOT / 'lib/harness'}", HERE / "test.c", "-o", judge]
    words += [folder / "libharness_judge.a", "-lcheck", "-lsubunit", "-ljansson"]
    _run([*words, "-lrt", "-lm", "-lpthread"])
    return Built(folder, judge)


def _run(words: Sequence[str | Path]) -> None:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        shown = " ".join(map(str, words))
        raise BuildError(f"{shown}\n{done.stdout}{done.stderr}")
