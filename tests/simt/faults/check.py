"""The planted faults on the emulator: each found at its line, and no twin accused.

    python check.py DIR [NAME...]

DIR has the programs, PROGRAM.fault and PROGRAM.clean; each runs with all checks on, in
one process with the device. Prints a line for what went wrong, and the sum.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cases import CALLS, Case, cases

SECONDS = 60


def run(program: Path, case: Case) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, findings, and what was written to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        words = {"SIMT_CHECKS": "all", "SIMT_GPU": "H200", "SIMT_WORKERS": "1"}
        words["SIMT_LIMIT"] = str(1 << 22)
        done = subprocess.run(
            [program, case.name],
            env=os.environ | words | {"SIMT_RECORD": str(record)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        faults = json.loads(record.read_text())["faults"] if record.exists() else []
        return done.returncode, faults, done.stderr


def told(fault: dict[str, Any]) -> str:
    """A finding in a few words."""
    other = fault.get("other", {}).get("line", 0)
    where = f"{fault['line']}" + (f" and {other}" if other else "")
    return f"{fault['kind']} at {where} ({fault['detail']})"


def wrong_of_fault(case: Case, faults: list[dict[str, Any]], text: str) -> str:
    """What is not as it must be in a run with the fault, or ''."""
    due = set(case.kinds)
    for fault in faults:
        if fault["kind"] not in case.kinds:
            return f"unexpected: {told(fault)}"
        due.discard(fault["kind"])
        lines = {fault["line"], fault.get("other", {}).get("line", 0)} - {0}
        if not case.here or (fault["kind"] in CALLS and not fault["line"]):
            continue
        allowed = set(case.here) | set(case.and_here)
        if not lines <= allowed or not lines:
            return f"wrong line, not {sorted(allowed)}: {told(fault)}"
        if case.and_here and not (
            lines & set(case.here) and lines & set(case.and_here)
        ):
            return f"one line of two: {told(fault)}"
        if f"{case.program}.cu:{fault['line']}" not in text:
            return f"stderr does not say {case.program}.cu:{fault['line']}"
    return f"not found: {', '.join(sorted(due))}" if due else ""


def judge(folder: Path, case: Case, planted: bool) -> str:
    """'' if the run is as it must be."""
    program = folder / f"{case.program}.{'fault' if planted else 'clean'}"
    try:
        code, faults, text = run(program, case)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} s"
    if planted:
        return wrong_of_fault(case, faults, text)
    if faults or "simt:" in text:
        return "accused: " + "; ".join(map(told, faults)) + text * (not faults)
    return f"exit code {code}" if code else ""


def main() -> int:
    folder = Path(sys.argv[1])
    wanted = [case for case in cases() if not sys.argv[2:] or case.name in sys.argv[2:]]
    runs = [(case, planted) for case in wanted for planted in (True, False)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda r: judge(folder, *r), runs))
    failed = 0
    for (case, planted), wrong in zip(runs, found, strict=True):
        if wrong:
            failed += 1
            twin = "fault" if planted else "clean"
            print(f"{case.program}.cu {case.name} ({twin}): {wrong}")
    print(f"{len(runs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
