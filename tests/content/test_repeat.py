"""Counters are facts: the same for one core and two, one job and two, twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_VARIES = {"at", "seed", "seconds", "peak_kib"}


def _facts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _facts(v) for key, v in value.items() if key not in _VARIES}
    return [_facts(v) for v in value] if isinstance(value, list) else value


def _record(cores: int, jobs: int) -> Any:
    words = [sys.executable, "-m", "grader", "solution", "11", "--json"]
    env = {**os.environ, "MAKEFLAGS": f"-j{jobs}", "PYTHONPATH": str(ROOT)}
    some = sorted(os.sched_getaffinity(0))[:cores]
    done = subprocess.run(
        [*words, "--device", "emulator"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, some),
    )
    assert done.returncode == 0, done.stderr.decode()
    return _facts(json.loads(done.stdout))


def test_the_record_does_not_depend_on_cores_or_jobs() -> None:
    first = _record(1, 1)
    assert first["steps"][0]["budgets"], "a record without counters proves nothing"
    for cores, jobs in ((2, 2), (1, 2), (2, 1), (1, 1)):
        assert _record(cores, jobs) == first, f"{cores} cores, -j{jobs}"
