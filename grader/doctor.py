"""What this machine has and lacks, with the command that mends it.

Needs nothing but Python itself: it must also run where nothing is set up yet.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from grader import sandbox, toolchain  # noqa: E402
from grader.errors import WorkbookError  # noqa: E402


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the workbook uses."""

    what: str
    found: str  # empty: it is not there
    remedy: str = ""
    needed: bool = True


def examine(root: Path) -> list[Finding]:
    """Look at everything once."""
    findings = [_system(), _python(), *_programs(), *_headers()]
    findings += [_nvcc(root), _box(), _environment(root), _gpu(), *_room(root)]
    return findings


def show(findings: list[Finding], say: Callable[[str], None] = print) -> bool:
    """Print the findings; return whether all that is needed is there."""
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        word = "ok" if finding.found else "MISSING" if finding.needed else "none"
        say(f"  {word:<8} {finding.what:<{width}}  {finding.found}".rstrip())
        if not finding.found and finding.remedy:
            say(f"  {'':<8} {'':<{width}}  -> {finding.remedy}")
    missing = [f for f in findings if f.needed and not f.found]
    say(
        "Everything that is needed is here."
        if not missing
        else "Some things are missing."
    )
    return not missing


def _system() -> Finding:
    name, machine = platform.system(), platform.machine()
    wsl = " (WSL)" if "microsoft" in platform.release().lower() else ""
    good = name == "Linux" and machine == "x86_64"
    words = f"{name} {machine}{wsl}, {len(os.sched_getaffinity(0))} cores"
    return Finding("system", words if good else "", "Linux on x86-64, or WSL2")


def _python() -> Finding:
    found = platform.python_version() if sys.version_info >= (3, 11) else ""
    return Finding("Python 3.11 or newer", found, "sudo apt-get install -y python3")


def _programs() -> list[Finding]:
    packages = {"gcc": "gcc", "g++": "g++", "make": "make", "patch": "patch"}
    return [
        Finding(name, shutil.which(name) or "", toolchain.apt_command([package]))
        for name, package in packages.items()
    ]


def _headers() -> list[Finding]:
    packages = {
        "check.h": "check",
        "ffi.h": "libffi-dev",
        "jansson.h": "libjansson-dev",
        "zstd.h": "libzstd-dev",
    }
    return [
        Finding(package, header, toolchain.apt_command([package]))
        if _compiles(header)
        else Finding(package, "", toolchain.apt_command([package]))
        for header, package in packages.items()
    ]


def _compiles(header: str) -> bool:
    words = ["gcc", "-E", "-x", "c", "-", "-o", "/dev/null"]
    try:
        done = subprocess.run(
            words, input=f"#include <{header}>\n", text=True, capture_output=True
        )
    except OSError:
        return False
    return done.returncode == 0


def _nvcc(root: Path) -> Finding:
    try:
        nvcc = toolchain.find_nvcc(root)
    except WorkbookError:
        remedy = "make setup (fetches it into .venv, about 300 MB)"
        return Finding("nvcc", "", remedy)
    return Finding("nvcc", f"{nvcc.version}, {nvcc.program}")


def _box() -> Finding:
    why = sandbox.problem()
    remedy = f"{why}: sudo apt-get install -y bubblewrap (for `make grade` only)"
    return Finding("bubblewrap", "" if why else "works", remedy, needed=False)


def _environment(root: Path) -> Finding:
    found = ".venv" if (root / ".venv/.run").exists() else ""
    return Finding("Python packages", found, "make setup")


def _gpu() -> Finding:
    name = toolchain.gpu_name()
    remedy = "none is needed: the workbook pretends one"
    return Finding("NVIDIA GPU", name or "", remedy, needed=False)


def _room(root: Path) -> list[Finding]:
    writable = os.access(root, os.W_OK)
    free = shutil.disk_usage(root).free
    room = f"{free / 1e9:.1f} GB" if free > 1e9 else ""
    mine = f"sudo chown -R $USER {root}"
    return [
        Finding("folder is writable", str(root) if writable else "", mine),
        Finding("free space", room, "make clean, or free 1 GB"),
    ]


if __name__ == "__main__":
    sys.exit(0 if show(examine(ROOT)) else 2)
