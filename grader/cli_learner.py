"""Commands around the learner's work: hints, resets, the report, the machine."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import Desk, main
from grader.errors import OURS, UNFINISHED, CallerError
from grader.units import FOLDERS, Kind, every, find

_kind = click.option(
    "--kind", type=click.Choice(list(FOLDERS)), default="chapter", show_default=True
)


@main.command()
@click.argument("number", type=int)
@_kind
@click.option("--step", default="", help="A hint for this step.")
@click.pass_obj
def hint(desk: Desk, number: int, kind: Kind, step: str) -> None:
    """Show one more hint for unit NUMBER's first open step."""
    from grader.desk import next_hint
    from grader.terminal import Page

    unit = find(desk.root, kind, number)
    found, count, text = next_hint(unit, desk.store, step)
    page = Page()
    page.line(page.bold(f"{found.name}: {found.title}"))
    page.line(f"Hint {count} of {len(found.hints)}: {text}")
    if count == len(found.hints):
        page.line(page.dim(f"That was the last one. {unit.id}/README.md says more."))


@main.command()
@click.argument("number", type=int)
@_kind
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def reset(desk: Desk, number: int, kind: Kind, yes: bool) -> None:
    """Put unit NUMBER's skeleton back; keeps a copy of the learner's file."""
    from grader.desk import reset as put_back

    unit = find(desk.root, kind, number)
    shown = unit.kernel.relative_to(unit.root)
    question = f"Throw away your work in {shown}? A copy is kept in .workbook/backups."
    if not yes and not click.confirm(question, default=False):
        raise CallerError("Nothing was changed.")
    kept = put_back(unit)
    if kept is None:
        click.echo(f"{shown} is the skeleton.")
    else:
        click.echo(f"{shown} is the skeleton again. Your file is kept:")
        click.echo(f"  {kept.relative_to(unit.root)}")


@main.command()
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it.  [default: build/report.html]",
)
@click.pass_obj
def report(desk: Desk, out: Path | None) -> None:
    """Write the progress report, one HTML file that needs no network."""
    from grader.desk import write_atomically
    from grader.report import progress_report

    path = out or desk.root / "build/report.html"
    write_atomically(path, progress_report(desk.root, desk.store).encode())
    shown = path.relative_to(desk.root) if path.is_relative_to(desk.root) else path
    click.echo(f"The report is {shown}; open it in a browser.")


@main.command()
@click.argument("number", type=int)
@_kind
@click.option("--step", default="", help="Only this step (reduce_v3, or v3).")
@click.option(
    "--seeds", type=click.IntRange(1), default=50, show_default=True, help="How many."
)
@click.option("--gpu", default="A100", show_default=True, help="The GPU to pretend.")
@click.option("--solution", is_flag=True, help="The reference, not the learner's file.")
@click.pass_obj
def explore(
    desk: Desk, number: int, kind: Kind, step: str, seeds: int, gpu: str, solution: bool
) -> None:
    """Run unit NUMBER's tests in many orders of blocks and warps."""
    from grader.explore import Search, search
    from grader.terminal import Page

    unit = find(desk.root, kind, number)
    page = Page()
    wanted = Search(unit, step=step, gpu=gpu, seeds=seeds, solution=solution)
    found = search(wanted, desk.builder(desk.root, "emulator"))
    for one in found:
        page.line(f"{one.step:<24} {one.says}")
        if one.message:
            page.line(f"    {one.message.splitlines()[0]}")
        if one.replay:
            page.line(f"    again: {one.replay}")
    if any(one.broken for one in found):
        raise click.exceptions.Exit(UNFINISHED)


@main.command("list")
@click.pass_obj
def list_command(desk: Desk) -> None:
    """List the units, their steps and where you stand."""
    from grader.progress import unit_state
    from grader.terminal import Page, number

    page = Page()
    for unit in every(desk.root):
        state = unit_state(unit, desk.store)
        points = f"{number(state.points)}/{number(state.out_of)}"
        page.line(page.bold(f"{unit.target:<11} {points:>8}  {unit.title}"))
        for step in state.steps:
            word = step.verdict.value if step.verdict else "-"
            page.line(f"    {word:<9} {step.step.name:<24} {step.step.title}")


@main.command()
@click.pass_obj
def doctor(desk: Desk) -> None:
    """Say what this machine has and lacks, with the command that mends it."""
    from grader.doctor import examine, show

    if not show(examine(desk.root)):
        raise click.exceptions.Exit(OURS)
