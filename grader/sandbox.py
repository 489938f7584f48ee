"""Argument lists for bubblewrap: the box that code of other people runs in.

All namespaces are the box's own: no network, no other process, no file but the
toolchain (read-only) and what is named. Scratch is a sized tmpfs. The box dies with
whoever started it. prlimit bounds what namespaces do not. What this does not protect
from is in README.md.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import WorkbookError

MIB = 1 << 20
PLACE = "/submission"  # where the box has the folder that it is given
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc/alternatives")
_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process in the box may use."""

    processes: int = 64
    file_mib: int = 256
    scratch_mib: int = 256
    cpu_seconds: int = 120
    data_mib: int = 2048  # 0: no limit (a GPU's runtime reserves more than it uses)


def box(
    shown: Sequence[Path] = (),
    *,
    folder: Path | None = None,
    limits: Limits | None = None,
    clear: bool = True,
    devices: bool = False,
) -> list[str]:
    """Return the words to put before a command.

    `shown` can be read at its own path; `folder` is mounted at PLACE and is where the
    command starts. With `clear` the environment is emptied (a judge that passes a
    variable to its runner empties it itself).
    """
    limits = limits or Limits()
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    words += ["--uid", "65534", "--gid", "65534", "--hostname", "workbook"]
    if clear:
        words += ["--clearenv", "--setenv", "PATH", _PATH, "--setenv", "LC_ALL", "C"]
        words += ["--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp"]
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for where in ("/tmp", "/dev/shm"):
        words += ["--size", str(limits.scratch_mib * MIB), "--tmpfs", where]
    if devices:
        words += _gpu_devices()
    for path in shown:
        if not path.is_relative_to("/usr"):
            words += ["--ro-bind", str(path), str(path)]
    if folder is not None:
        words += ["--ro-bind", str(folder), PLACE, "--chdir", PLACE]
    else:
        words += ["--chdir", "/tmp"]
    return [*words, "--", *_prlimit(limits)]


def _prlimit(limits: Limits) -> list[str]:
    data = [f"--data={limits.data_mib * MIB}"] if limits.data_mib else []
    return [
        "prlimit",
        *data,
        "--core=0",
        f"--cpu={limits.cpu_seconds}",
        f"--nproc={limits.processes}",
        f"--fsize={limits.file_mib * MIB}",
        "--nofile=256",
        "--",
    ]


def _gpu_devices() -> list[str]:
    nodes = [*sorted(Path("/dev").glob("nvidia*")), Path("/dev/dxg")]
    words: list[str] = []
    for node in nodes:
        if node.exists():
            words += ["--dev-bind", str(node), str(node)]
    return [*words, "--ro-bind", "/sys", "/sys"]


def problem() -> str | None:
    """Say why the box cannot be built here, or None if it can."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if shutil.which("prlimit") is None:
        return "prlimit (util-linux) is not installed"
    try:
        done = subprocess.run(
            [*box(), "true"], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not run: {error}"
    return None if done.returncode == 0 else done.stderr.strip() or "it failed"


def require() -> None:
    """Refuse to go on where the box cannot be built."""
    why = problem()
    if why:
        raise WorkbookError(
            f"Submissions cannot be boxed in here: {why}.",
            "sudo apt-get install -y bubblewrap; inside a container, allow user"
            " namespaces (--security-opt seccomp=unconfined). Without the box,"
            " nobody else's code is run.",
        )
