"""The planted faults on a GPU, under the four tools of compute-sanitizer.

    python sanitize.py OUT [--jobs 16] [--seconds 15]

Builds every program twice (with its faults, and clean) for the GPU that is there, runs
each case under memcheck (with its leak check), racecheck, initcheck and synccheck, and
writes OUT/faults.json: GPU, driver, tools, and what each said first, a row a case. It
needs Python 3.11 alone. Cases are compiled and run side by side; a run that takes too
long is ended, and that is what its row says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cases import SOURCES, TOOLS, Case, cases

OPTIONS = {
    "memcheck": ["--leak-check", "full"],
    "racecheck": ["--racecheck-report", "all"],
}
# Lines of the tool that are no finding.
_NOISE = re.compile(
    r"^(COMPUTE-SANITIZER|ERROR SUMMARY|LEAK SUMMARY|RACECHECK SUMMARY|Target"
    r" application|No attachable process|Internal Sanitizer)"
)
_SUMMARY = re.compile(r"^(?:ERROR|RACECHECK) SUMMARY: (\d+)")
_PLACE = re.compile(r"(\w+\.(?:cu|h|cuh|hpp)):(\d+)")


def nvcc() -> str:
    return shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def sanitizer() -> str:
    beside = Path(nvcc()).resolve().parent / "compute-sanitizer"
    return shutil.which("compute-sanitizer") or str(beside)


def build(source: Path, planted: bool, to: Path) -> str:
    """'' or what the compiler said."""
    words = [nvcc(), "-O3", "-std=c++17", "-lineinfo", "-arch=native", "-o", str(to)]
    words += ["-DFAULT"] * planted + [str(source)]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def read(text: str, program: str) -> dict[str, Any]:
    """What the tool said: how much, the first of it, and the lines that it names."""
    said = [line.lstrip("= ") for line in text.splitlines() if line.startswith("=====")]
    summary = [m for m in map(_SUMMARY.match, said) if m]
    found = [line for line in said if line.strip() and not _NOISE.match(line)]
    lines: list[int] = []
    for line in found:
        for file, number in _PLACE.findall(line):
            if file == f"{program}.cu" and int(number) not in lines:
                lines.append(int(number))
    count = int(summary[-1].group(1)) if summary else len(found)
    return {"count": count, "first": found[0] if found else "", "lines": lines[:8]}


def run(program: Path, case: Case, tool: str, seconds: float) -> dict[str, Any]:
    """One case under one tool. The tool's child goes with it when its time is over."""
    words = [sanitizer(), "--tool", tool, *OPTIONS.get(tool, [])]
    child = subprocess.Popen(
        [*words, str(program), case.name],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        text, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        text, _ = child.communicate()
        return read(text, case.program) | {"late": True}
    return read(text, case.program) | {"code": child.returncode}


def about() -> dict[str, str]:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    name, driver = (
        subprocess.run(query, capture_output=True, text=True)
        .stdout.split("\n")[0]
        .split(", ")
    )
    version = [sanitizer(), "--version"]
    tool = subprocess.run(version, capture_output=True, text=True).stdout
    found = re.search(r"[Vv]ersion (\S+)", tool)
    return {
        "gpu": name,
        "driver": driver,
        "compute_sanitizer": found.group(1) if found else "?",
        "date": time.strftime("%Y-%m-%d"),
    }


def main() -> int:
    words = argparse.ArgumentParser(description="compute-sanitizer on planted faults")
    words.add_argument("out", type=Path)
    words.add_argument("--jobs", type=int, default=16)
    words.add_argument("--seconds", type=float, default=15)
    options = words.parse_args()
    folder = options.out / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    builds = [
        (s, planted) for s in sorted(SOURCES.glob("*.cu")) for planted in (True, False)
    ]
    twin = {True: "fault", False: "clean"}
    with ThreadPoolExecutor(options.jobs) as pool:
        said = pool.map(
            lambda b: build(*b, folder / f"{b[0].stem}.{twin[b[1]]}"), builds
        )
        for (source, planted), wrong in zip(builds, said, strict=True):
            if wrong:
                print(f"{source.name} ({twin[planted]}): {wrong}", file=sys.stderr)
        runs = [(c, p, tool) for c in cases() for p in (True, False) for tool in TOOLS]
        results = pool.map(
            lambda r: run(
                folder / f"{r[0].program}.{twin[r[1]]}", r[0], r[2], options.seconds
            ),
            runs,
        )
        rows: dict[str, dict[str, Any]] = {}
        for (case, planted, tool), result in zip(runs, results, strict=True):
            row = rows.setdefault(case.name, {"fault": {}, "clean": {}})
            row[twin[planted]][tool] = result
    shutil.rmtree(folder)
    text = json.dumps(about() | {"cases": rows}, indent=1)
    (options.out / "faults.json").write_text(text + "\n")
    seen = sum(any(t["count"] for t in row["fault"].values()) for row in rows.values())
    accused = sum(
        any(t["count"] for t in row["clean"].values()) for row in rows.values()
    )
    print(f"{seen} of {len(rows)} faults seen, {accused} clean twins accused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
