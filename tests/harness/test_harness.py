"""Judge and runner against right, broken and hostile programs.

Each program of programs/ says in its head what must come of it: the outcome of its
first test that does not pass (`case` names another), words that its message holds (`|`
between alternatives), the line that its fault names, how many cases pass, ...
Nothing of it may be left running, and the judge's sanitizers must be silent.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from building import PROGRAMS, BuildError, Built, Program, read_program

Record = dict[str, Any]


def judge(built: Built, runner: Path, *words: str) -> list[Record]:
    """The records of one judge, which must run to its end."""
    command: list[str | Path] = [built.judge, "--device", "emulator"]
    command += ["--simt-device", built.device]
    done = subprocess.run(
        [*command, "--runner", runner, *words],
        capture_output=True,
        timeout=120,
        env={"PATH": os.environ["PATH"], "CK_RUN_CASE": "none", "WORKBOOK_SECRET": "1"},
    )
    assert done.stderr == b""
    assert done.returncode == 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records[0]["record"] == "start"
    assert records[-1]["record"] == "end"
    return records


def left_over(runner: Path) -> list[str]:
    """Processes that the program started and that still run."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if bytes(runner) in words or b"31415" in words:
            found.append(words.replace(b"\0", b" ").decode())
    return found


PROGRAM = [read_program(path) for path in PROGRAMS]


@pytest.mark.parametrize("program", PROGRAM, ids=lambda p: p.name)
def test_program(built: Built, program: Program) -> None:
    said = program.said
    if said["outcome"] == "unbuilt":
        with pytest.raises(BuildError, match=said["words"]):
            built.runner(program)
        return
    runner = built.runner(program)
    step = said.get("step", "twice")
    seconds = said.get("seconds", "1")
    words = ["--step", step, "--seconds", seconds, "--seed", "7"]
    if step == "twice":
        words.append("--budget")
    began = time.monotonic()

    records = judge(built, runner, *words)

    assert time.monotonic() - began < 20
    assert left_over(runner) == []
    check(said, records)


def check(said: dict[str, str], records: list[Record]) -> None:
    """Compare records with what a program's head says."""
    tests = [r for r in records if r["record"] == "test"]
    failed = [r for r in tests if r["outcome"] != "passed"]
    assert tests
    assert records[-1]["failed"] == len(failed)
    if said["outcome"] == "passed":
        assert failed == []
    else:
        assert failed, "every test passed"
        one = tests[int(said["case"])] if "case" in said else failed[0]
        assert one["outcome"] in said["outcome"].split("|"), one["message"]
        assert any(w in one["message"] for w in said["words"].split("|")), one[
            "message"
        ]
        assert "repeat: SEED=7" in one["message"]
        if "line" in said:
            assert one["fault"]["line"] == int(said["line"])
            assert f".cu:{said['line']}" in one["message"]
        if "at" in said:
            assert one["at"]["line"] == int(said["at"])
            assert f".cu:{said['at']}" in one["message"]
        if "launched" in said:
            assert one["fault"]["launched"]["line"] == int(said["launched"])
            assert f".cu:{said['launched']}, grid" in one["message"]
    if "passed" in said:
        assert len(tests) - len(failed) == int(said["passed"])
    if "printed" in said:
        assert any(said["printed"] in r.get("printed", "") for r in tests)
    if "launches" in said:
        budget = next(r for r in records if r["record"] == "budget")
        totals = budget["device_record"]["totals"]
        assert totals.get("launches", 0) == int(said["launches"])
