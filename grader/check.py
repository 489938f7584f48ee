"""Grade one unit: the path that chapters, exercises and solutions all take."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from grader import judge, marks, score
from grader.accesses import worst
from grader.build import Builder, Code, Refused, Unbuilt
from grader.errors import JudgeError, UnitError, WorkbookError, from_os_error
from grader.findings import findings
from grader.profile import kernels
from grader.records import Records
from grader.result import Place, StepResult, UnitResult, Verdict
from grader.toolchain import gpu_name
from grader.units import Step, Unit

MOST_TEXT = 1 << 20
MOST_FINDINGS = 8  # kept with a step's result


@dataclass(frozen=True, slots=True)
class Options:
    device: str = "emulator"
    gpu: str = "A100"
    step: str = ""
    seed: int | None = None
    schedule: int = 0  # the order that the emulator's blocks and warps run in
    workers: int = 0  # judges at a time; 0 = one a core
    untouched: bool = False  # judge unsolved steps too
    wrap: Callable[[Path], tuple[str, ...]] | None = None  # the box for a runner
    trusted: bool = True
    test: str = ""
    watch: str = ""  # "LINE:BLOCK:WARP"; else a look at every line's first block
    on_records: Callable[[Step, Records], None] | None = field(default=None, repr=False)
    on_step: Callable[[StepResult], None] | None = field(default=None, repr=False)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_kernel(path: Path, shown: str) -> str:
    """Read a learner's file; what is not text is theirs, what is absent ours to say."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_TEXT + 1)
    except FileNotFoundError:
        raise UnitError(f"{shown} is missing.", f"git checkout -- {shown}") from None
    except OSError as error:
        raise from_os_error(error) from None
    if len(data) > MOST_TEXT:
        raise UnitError(f"{shown} is larger than 1 MiB.", "Is it the right file?")
    return data.decode("utf-8", "replace")


def skeleton_of(unit: Unit) -> str:
    """The text that a learner starts from."""
    text = read_kernel(unit.solution, str(unit.solution.relative_to(unit.root)))
    if unit.solution.name == "skeleton.cu":
        return text
    try:
        return marks.skeleton(text)
    except marks.MarkError as error:
        shown = unit.solution.relative_to(unit.root)
        raise UnitError(f"{shown}: {error}.", f"git checkout -- {shown}") from None


def check(
    unit: Unit, builder: Builder, text: str, name: str, options: Options
) -> UnitResult:
    """Grade `text`, the file that the learner knows as `name`."""
    if options.schedule:  # which changes how often lanes run together: nothing counts
        steps = tuple(replace(step, budgets=()) for step in unit.steps)
        unit = replace(unit, steps=steps)
    wanted = (unit.step(options.step),) if options.step else unit.steps
    source = score.Source(name, text)
    original = skeleton_of(unit)
    results: dict[str, StepResult] = {}
    to_judge: list[Step] = []
    for step in wanted:
        if not options.untouched and marks.unsolved(text, original, step.name):
            results[step.name] = _untouched(step, options, text, source)
        else:
            to_judge.append(step)
    driver: dict[str, str] = {}
    # The file is built even where there is nothing to judge: a skeleton that was broken
    # outside its marks must say so.
    try:
        runner = builder.runner(unit, Code(text, name, options.trusted))
    except Unbuilt as error:
        verdict = Verdict.REFUSED if isinstance(error, Refused) else Verdict.UNBUILT
        place = source.place(error.file, error.line) if error.line else None
        for step in wanted:
            results[step.name] = score.unbuilt(
                step, options.device, verdict, error.message, place
            )
    else:
        for made in _judge_all(
            unit, builder, runner, to_judge, source, options, driver
        ):
            results[made.name] = made
            if options.on_step:
                options.on_step(made)
    return UnitResult(
        unit=unit.id,
        title=unit.title,
        target=unit.target,
        file=name,
        device=options.device,
        gpu=driver.get("device") or _gpu(options),
        at=now(),
        seed=options.seed,
        steps=tuple(results[step.name] for step in wanted),
        source=text,
        source_sha256=hashlib.sha256(text.encode()).hexdigest(),
        toolchain=builder.toolchain,
        driver=driver.get("driver", ""),
    )


def _gpu(options: Options) -> str:
    """What the device is called where no judge has said it."""
    if options.device == "emulator":
        return options.gpu
    return gpu_name() or "unknown GPU"


def _judge_all(
    unit: Unit,
    builder: Builder,
    runner: Path,
    steps: list[Step],
    source: score.Source,
    options: Options,
    driver: dict[str, str],
) -> list[StepResult]:
    if not steps:
        return []
    cores = len(os.sched_getaffinity(0))
    at_once = options.workers or (cores if options.device == "emulator" else 1)
    at_once = max(1, min(at_once, len(steps)))
    order = judge.Order(
        judge=builder.judge(unit),
        runner=runner,
        device=options.device,
        gpu=options.gpu,
        simt_device=builder.simt_device,
        ceilings=builder.ceilings(),
        wrap=options.wrap(runner) if options.wrap else (),
        seconds=unit.seconds,
        seed=options.seed,
        checks=unit.checks,
        schedule=options.schedule,
        workers=max(1, cores // at_once),
        test=options.test,
        watch=f"{Path(source.file).name}:{options.watch or '*:0'}",
    )

    def one(step: Step) -> StepResult:
        try:
            found = judge.judge(order, step)
        except JudgeError as error:
            words = f"The workbook's judge failed: {error}"
            return score.unbuilt(step, options.device, Verdict.OURS, words, None)
        if found.speed:
            driver.update(
                {k: str(found.speed.get(k, "")) for k in ("device", "driver")}
            )
        if options.on_records:
            options.on_records(step, found)
        return _with_views(score.judged(step, options.device, found, source), found)

    def _with_views(result: StepResult, found: Records) -> StepResult:
        record = (found.budget or {}).get("device_record") or {}
        return replace(
            result,
            findings=tuple(
                findings(kernels(record, source), unit.root)[:MOST_FINDINGS]
            ),
            accesses=worst(record, source),
        )

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(one, steps))


def _untouched(
    step: Step, options: Options, text: str, source: score.Source
) -> StepResult:
    for region in marks.regions(text):
        if region.step == step.name:
            place: Place | None = source.place(source.file, region.line)
            return score.untouched(step, options.device, place, region.todo)
    raise WorkbookError(f"{step.name} has no mark.", "make doctor")
