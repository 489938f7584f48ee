"""Start a judge for a step and read its records.

The judge is trusted and bounds the learner's code in time; the limit here is for a
judge that is broken itself, and makes the step ours.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader import process
from grader.errors import JudgeError
from grader.records import Records, parse
from grader.units import CHECKS, Step


@dataclass(frozen=True, slots=True)
class Order:
    """How to judge the steps of one unit."""

    judge: Sequence[str]  # the program, and words before it
    runner: Path
    device: str = "emulator"
    gpu: str = "A100"
    simt_device: Path | None = None
    ceilings: Path | None = None
    wrap: tuple[str, ...] = ()
    seconds: float = 10.0
    seed: int | None = None
    checks: tuple[str, ...] = CHECKS
    schedule: int = 0
    workers: int = 0
    test: str = ""
    watch: str = ""  # whose lanes' addresses to keep: FILE:LINE:BLOCK:WARP


def command(order: Order, step: Step) -> list[str]:
    """The judge's command line for one step."""
    words = [*order.judge, "--step", step.name, "--device", order.device]
    words += ["--runner", str(order.runner), "--seconds", f"{order.seconds:g}"]
    words += ["--records", "fd:RECORDS"]
    if order.device == "emulator":
        words += ["--gpu", order.gpu]
        words += ["--checks", ",".join(order.checks)]
        if order.schedule:
            words += ["--schedule", str(order.schedule)]
        if order.simt_device:
            words += ["--simt-device", str(order.simt_device)]
        if step.budgets:
            words.append("--budget")
        if order.watch:
            words += ["--watch", order.watch]
    else:
        if order.ceilings:
            words += ["--ceilings", str(order.ceilings)]
        if step.speeds:
            words.append("--speed")
    if order.seed is not None:
        words += ["--seed", str(order.seed)]
    if order.workers:
        words += ["--workers", str(order.workers)]
    if order.test:
        words += ["--test", order.test]
    for word in order.wrap:
        words += ["--wrap", word]
    return words


def judge(order: Order, step: Step) -> Records:
    """Judge one step, or raise JudgeError with what the judge said."""
    limit = 30 + order.seconds * (len(step.tests) + 3) * 4
    done = process.run(
        command(order, step),
        seconds=limit,
        env=environment(),
        records=True,
    )
    said = done.errors.strip()[-2000:]
    if done.late:
        raise JudgeError(f"the judge did not end in {limit:.0f} s. {said}".strip())
    if done.status != 0:
        how = f"status {done.status}" if done.status > 0 else f"signal {-done.status}"
        raise JudgeError(f"the judge ended with {how}. {said}".strip())
    found = parse(done.records.decode("utf-8", "replace"), step.name)
    return replace(found, seconds=done.seconds)


def environment() -> dict[str, str]:
    """What a judge, and so a learner's process, sees of ours."""
    kept = ("PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")
    env = {key: os.environ[key] for key in kept if key in os.environ}
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **env}
