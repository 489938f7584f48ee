"""The command line: python -m grader COMMAND.

Exit status: 0 all solved, 1 the learner's work is unfinished, 2 the workbook's or the
caller's fault. The Makefile is a thin front of these commands.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from grader.build import Builder, NvccBuilder
from grader.check import Options, check, read_kernel
from grader.errors import OURS, SOLVED, UNFINISHED, WorkbookError, from_os_error
from grader.result import StepResult, UnitResult, to_json
from grader.store import Store
from grader.units import FOLDERS, Kind, Unit, find

HERE = Path(__file__).resolve().parent.parent


@dataclass
class Desk:
    """What every command needs; the grader's own tests bring another builder."""

    root: Path = HERE
    builder: Callable[[Path, str], Builder] = NvccBuilder
    _store: Store | None = field(default=None, repr=False)

    @property
    def store(self) -> Store:
        if self._store is None:
            self._store = Store(self.root / ".workbook/progress.sqlite3")
        return self._store


class Group(click.Group):
    """Turns what is not the learner's fault into words and exit status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except WorkbookError as error:
            fail(error)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(OURS)
        except OSError as error:
            fail(from_os_error(error))
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except Exception as error:
            if os.environ.get("V"):
                traceback.print_exc()
            words = f"The grader failed: {type(error).__name__}: {error}"
            fail(WorkbookError(words, "Run it again with V=1 and report what it says."))


def fail(error: WorkbookError) -> None:
    """Say what is wrong and what mends it, and end with status 2."""
    from grader.terminal import clean

    click.echo(f"workbook: {clean(error.problem)}", err=True)
    if error.remedy:
        click.echo(f"workbook: remedy: {clean(error.remedy)}", err=True)
    raise click.exceptions.Exit(OURS)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    help="The workbook's folder.",
)
@click.pass_context
def main(ctx: click.Context, root: Path | None) -> None:
    """Grade the units of the CUDA workbook.

    Exit status: 0 all solved, 1 work is unfinished, 2 the workbook's or the caller's
    fault. Every command has a --help of its own.
    """
    desk = ctx.ensure_object(Desk)
    if root is not None:
        desk.root = root.resolve()


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that runs a unit."""
    for option in (
        click.option("--step", default="", help="Only this step (reduce_v3, or v3)."),
        click.option(
            "--device",
            default="auto",
            show_default=True,
            help="auto takes a GPU where there is one; or emulator, gpu.",
        ),
        click.option(
            "--gpu", default="A100", show_default=True, help="The GPU to pretend."
        ),
        click.option("--seed", type=click.IntRange(0), help="Repeat a run's data."),
        click.option(
            "--schedule",
            type=click.IntRange(0),
            default=0,
            help="Another order of blocks and warps.",
        ),
        click.option(
            "--json", "as_json", is_flag=True, help="Print the result record."
        ),
    ):
        command = option(command)
    return command


@main.command("check")
@click.argument("number", type=int)
@run_options
@click.pass_obj
def check_command(desk: Desk, /, number: int, **options: Any) -> None:
    """Grade chapter NUMBER's kernel.cu."""
    grade_unit(desk, find(desk.root, "chapter", number), **options)


@main.command()
@click.argument("number", type=int)
@run_options
@click.pass_obj
def exercise(desk: Desk, /, number: int, **options: Any) -> None:
    """Grade exercise NUMBER's kernel.cu."""
    grade_unit(desk, find(desk.root, "exercise", number), **options)


@main.command()
@click.argument("number", type=int)
@click.option(
    "--kind", type=click.Choice(list(FOLDERS)), default="chapter", show_default=True
)
@run_options
@click.pass_obj
def solution(desk: Desk, /, number: int, kind: Kind, **options: Any) -> None:
    """Grade the reference of chapter NUMBER (or of an exercise); it is not recorded."""
    unit = find(desk.root, kind, number)
    if unit.solution.name == "skeleton.cu":
        raise WorkbookError(
            f"The solution of {unit.id} is withheld.", "Ask your instructor."
        )
    grade_unit(desk, unit, source=unit.solution, **options)


@main.command("next")
@run_options
@click.pass_obj
def next_command(desk: Desk, /, **options: Any) -> None:
    """Grade the first unfinished chapter and say the next step."""
    from grader.progress import first_unfinished

    unit = first_unfinished(desk.root, desk.store)
    if unit is None:
        click.echo("Every chapter and exercise is solved. `make report` shows it all.")
        return
    grade_unit(desk, unit, **options)


def grade_unit(
    desk: Desk,
    unit: Unit,
    *,
    step: str,
    device: str,
    gpu: str,
    seed: int | None,
    schedule: int,
    as_json: bool,
    source: Path | None = None,
) -> None:
    """Grade, keep the attempt, show it, and end with its exit status."""
    from grader.toolchain import check_gpu, resolve_device

    if step:
        unit.step(step)  # a wrong name is said before anything is built
    device, _ = resolve_device(device)
    if device == "emulator":
        check_gpu(HERE, gpu)
    store = None if source or schedule else desk.store
    path = source or unit.kernel
    name = str(path.relative_to(unit.root))
    text = read_kernel(path, name)
    options = Options(
        device=device,
        gpu=gpu,
        step=step,
        seed=seed,
        schedule=schedule,
        untouched=source is not None,
        on_step=progress(unit, bool(step) or as_json),
    )
    result = check(unit, desk.builder(desk.root, device), text, name, options)
    if store:
        store.add(result)
    show(result, as_json)
    if result.ours:
        raise click.exceptions.Exit(OURS)
    raise click.exceptions.Exit(SOLVED if result.solved else UNFINISHED)


def show(result: UnitResult, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(to_json(result), indent=1))
        return
    from grader.terminal import unit_page

    unit_page(result)


def progress(unit: Unit, quiet: bool) -> Callable[[StepResult], None] | None:
    """A line that counts the steps while one waits; only on a terminal."""
    if quiet or not sys.stderr.isatty():
        return None
    count = 0

    def one_more(_: StepResult) -> None:
        nonlocal count
        count += 1
        end = "\r\x1b[K" if count == len(unit.steps) else ""
        sys.stderr.write(f"\r{unit.id}: {count} of {len(unit.steps)} steps{end}")
        sys.stderr.flush()

    return one_more


# The other commands are in files of their own; they register themselves here.
from grader import cli_author, cli_learner, cli_views  # noqa: E402, F401
