"""What this machine can build and run with.

nvcc is the learner's own where there is one: on PATH, in /usr/local/cuda, else the one
that the workbook put into .venv. WORKBOOK_NVCC_SEARCH (names from path, system, venv)
narrows the search, which is how the tests hide a system's toolkit.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from grader.errors import CallerError, WorkbookError

SEARCH = "path,system,venv"


@dataclass(frozen=True, slots=True)
class Nvcc:
    """A CUDA compiler: its program, the top of its toolkit, and its version."""

    program: Path
    top: Path  # what a sandbox must show
    version: str

    @property
    def includes(self) -> Path:
        return self.top / "include"

    @property
    def libraries(self) -> Path:
        for name in ("lib64", "lib"):
            if (self.top / name).is_dir():
                return self.top / name
        return self.top / "lib"


def nvcc_programs(root: Path) -> list[Path]:
    """Every nvcc that may be used, the preferred one first."""
    found: list[Path] = []
    for place in os.environ.get("WORKBOOK_NVCC_SEARCH", SEARCH).split(","):
        if place == "path" and (path := shutil.which("nvcc")):
            found.append(Path(path))
        elif place == "system":
            found.append(Path("/usr/local/cuda/bin/nvcc"))
        elif place == "venv":
            found += root.glob(".venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
    return [path for path in found if os.access(path, os.X_OK)]


def find_nvcc(root: Path) -> Nvcc:
    """Return the CUDA compiler to use."""
    for program in nvcc_programs(root):
        real = program.resolve()
        return Nvcc(real, real.parent.parent, _version(real))
    raise WorkbookError(
        "There is no nvcc: not on PATH, not in /usr/local/cuda, not in .venv.",
        "make setup",
    )


def _version(program: Path) -> str:
    try:
        text = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise WorkbookError(f"{program} does not run: {error}", "make doctor") from None
    match = re.search(r"V(\d+\.\d+\.\d+)", text)
    return match[1] if match else "unknown"


def nvidia_smi() -> str | None:
    """The program that knows the GPUs; on WSL2 it is not on PATH."""
    return shutil.which("nvidia-smi") or shutil.which(
        "nvidia-smi", path="/usr/lib/wsl/lib:/usr/bin"
    )


def gpu_name() -> str | None:
    """Name the first GPU, or return None where there is none that works.

    The device nodes are looked at first: asking the driver costs up to a second.
    """
    if not any(Path(p).exists() for p in ("/dev/nvidiactl", "/dev/dxg")):
        return None
    program = nvidia_smi()
    if program is None:
        return None
    query = [program, "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    names = done.stdout.strip().splitlines()
    return names[0].strip() if done.returncode == 0 and names else None


def check_gpu(root: Path, name: str) -> None:
    """Refuse a GPU that the emulator cannot pretend to be."""
    text = (root / "lib/simt/src/gpus.def").read_text()
    known = re.findall(r"^GPU\((\w+),", text, re.MULTILINE)
    if name not in known:
        raise CallerError(f"GPU={name} is not known.", f"GPU={', '.join(known)}")


def resolve_device(wanted: str) -> tuple[str, str]:
    """Turn DEVICE into (emulator or gpu, why); auto takes a GPU where there is one."""
    if wanted == "emulator":
        return "emulator", "as asked"
    if wanted not in ("auto", "gpu"):
        raise CallerError(
            f"DEVICE={wanted} is not a device.", "DEVICE=auto, emulator or gpu"
        )
    name = gpu_name()
    if name:
        return "gpu", name
    if wanted == "gpu":
        raise CallerError(
            "There is no GPU here that the NVIDIA driver knows.",
            "Leave DEVICE out to use the emulator; `make doctor` says more.",
        )
    return "emulator", "no GPU here"


def apt_command(packages: list[str]) -> str:
    return "sudo apt-get install -y " + " ".join(packages)
