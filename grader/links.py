"""How the parts are compiled and linked: the one place that knows.

lib/simt and lib/harness build through their own Makefiles; what they make lies in
build/lib. The learner's file is compiled by nvcc for the emulator (PTX of one fixed
architecture) or for the GPU at hand, and linked with the runner.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.toolchain import Nvcc

LIB = "build/lib"
# For the emulator one fixed architecture, so the PTX is the same on every machine.
# Nothing runs the machine code, but the registers that a kernel takes stand in it.
# -O1 is for the host's part; device code is always optimised in full.
_CODE = "arch=compute_80,code=[compute_80,sm_80]"
_EMULATOR = ("-gencode", _CODE, "-cudart", "none")
_GPU = ("-arch=native",)


@dataclass(frozen=True, slots=True)
class Links:
    """Command lines, with paths from the workbook's root."""

    root: Path
    nvcc: Nvcc | None
    device: str

    @property
    def lib(self) -> Path:
        return self.root / LIB

    @property
    def simt_device(self) -> Path:
        return self.lib / "simt-device"

    def make(self) -> list[list[str]]:
        """The commands that bring build/lib up to date."""
        words = ["make", "-s", "--no-print-directory", f"OUT={self.lib}"]
        words.append(f"-j{os.cpu_count() or 1}")
        simt = [*words, "-C", str(self.root / "lib/simt")]
        harness = [*words, "-C", str(self.root / "lib/harness"), "all"]
        if self.device == "gpu":
            harness.append("ceilings")
        if self.nvcc:
            simt.append(f"CUDA_HOME={self.nvcc.top}")
            harness += [f"CUDA_HOME={self.nvcc.top}", f"NVCC={self.nvcc.program}"]
        return [simt, harness] if self.device == "emulator" else [harness]

    def compile(self, source: str, include: str, output: str, text: str) -> list[str]:
        """nvcc on one learner's file, whose text is given."""
        assert self.nvcc is not None
        where = _EMULATOR if self.device == "emulator" else _GPU
        words = [str(self.nvcc.program), "-O1", "-std=c++17", "-lineinfo", *where]
        # The host's lines: who launched it, who forgot to free it.
        words += ["-Xcompiler", "-g1,-gdwarf-5"] if self.device == "emulator" else []
        # A skeleton declares names that only the answer uses.
        words += ["-diag-suppress", "177", f"-I{include}"]
        # cooperative_groups.h pulls in all of libcu++, three seconds of compilation,
        # unless asked not to; code that names libcu++ itself gets it.
        if "<cuda/" not in text:
            words.append("-D_CG_LIMIT_INCLUDED_DEPENDENCIES")
        return [*words, "-c", source, "-o", output]

    def runner(self, learner: str, output: str) -> list[str]:
        """The learner's object and the runner make a program."""
        words = ["g++", "-rdynamic", learner, "-o", output]
        return [*words, *map(str, self.runner_inputs()), *self._libraries()]

    def runner_inputs(self) -> list[Path]:
        """What the runner is linked from, apart from the learner's object."""
        made = [self.lib / "libharness_runner.a"]
        if self.device == "emulator":
            made.append(self.lib / "libsimt_front.a")
        return made

    def _libraries(self) -> list[str]:
        words = []
        if self.device == "gpu":
            assert self.nvcc is not None
            words += [f"-L{self.nvcc.libraries}", "-lcudart_static"]
        return [*words, "-lffi", "-lzstd", "-lpthread", "-ldl", "-lrt", "-lm"]

    def judge(self, test: str, include: str, output: str) -> list[str]:
        """A unit's test.c and the harness make a judge."""
        words = ["gcc", "-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Werror"]
        words += [f"-I{self.root / 'lib/harness'}", f"-I{include}", test, "-o", output]
        return [*words, *map(str, self.judge_inputs()), *JUDGE_LIBRARIES]

    def judge_inputs(self) -> list[Path]:
        return [self.lib / "libharness_judge.a"]

    @property
    def ceilings(self) -> Path:
        """The trusted program that measures what a GPU can do."""
        return self.lib / "ceilings"


JUDGE_LIBRARIES: Sequence[str] = (
    *("-lcheck", "-lsubunit", "-ljansson", "-lpthread", "-ldl", "-lrt", "-lm"),
)
