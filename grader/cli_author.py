"""Commands of instructors and authors: class grading, skeletons, withholding."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import Desk, main
from grader.errors import UNFINISHED
from grader.units import find


@main.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to write the pages and tables.  [default: build/grades]",
)
@click.option("--jobs", type=click.IntRange(1), help="Submissions at a time.")
@click.option("--device", default="emulator", show_default=True)
@click.option("--gpu", default="A100", show_default=True, help="The GPU to pretend.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the data.")
@click.pass_obj
def grade(
    desk: Desk,
    submissions: Path,
    out: Path | None,
    jobs: int | None,
    device: str,
    gpu: str,
    seed: int,
) -> None:
    """Grade a folder of submissions: a folder, .zip or .tar.gz for each student."""
    from grader.gradebook import Plan, grade_class

    out = (out or desk.root / "build/grades").resolve()
    plan = Plan(desk.root, submissions, out, device, gpu, seed, jobs)
    count = grade_class(plan, desk.builder, click.echo)
    click.echo(
        f"{count} students graded: {out}/index.html, gradebook.csv, results.json"
    )


@main.command()
@click.argument("number", type=int)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the file.  [default: docs/measurements]",
)
@click.pass_obj
def measure(desk: Desk, number: int, out: Path | None) -> None:
    """Run chapter NUMBER's reference on the GPU; write its figures for the docs."""
    from grader.check import Options, check, read_kernel
    from grader.measure import write_figures
    from grader.terminal import unit_page

    unit = find(desk.root, "chapter", number)
    name = str(unit.solution.relative_to(unit.root))
    options = Options(device="gpu", untouched=True)
    text = read_kernel(unit.solution, name)
    result = check(unit, desk.builder(desk.root, "gpu"), text, name, options)
    unit_page(result)
    click.echo(f"wrote {write_figures(result, out or desk.root / 'docs/measurements')}")


@main.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; compare.")
@click.pass_obj
def skeletons(desk: Desk, only_check: bool) -> None:
    """Make every kernel.cu from its solution, or check that it is what is made."""
    from grader.authoring import make_skeletons, stale_skeletons

    if not only_check:
        for name in make_skeletons(desk.root):
            click.echo(f"made {name}")
        return
    stale = stale_skeletons(desk.root)
    for name in stale:
        click.echo(f"{name} is not what its solution makes.")
    if stale:
        raise click.exceptions.Exit(UNFINISHED)


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--chapters", is_flag=True, help="Withhold the chapters' answers too.")
@click.pass_obj
def withhold(desk: Desk, folder: Path, chapters: bool) -> None:
    """Copy the tracked workbook into FOLDER without the exercises' solutions."""
    from grader.authoring import withhold as copy

    for name in copy(desk.root, folder, chapters):
        click.echo(f"withheld {name}")


@main.command("compile-commands")
@click.pass_obj
def compile_commands_command(desk: Desk) -> None:
    """Write compile_commands.json, for an editor's language server."""
    from grader.compile_commands import compile_commands
    from grader.desk import write_atomically

    text = compile_commands(desk.root)
    write_atomically(desk.root / "compile_commands.json", text.encode())
    click.echo("compile_commands.json is made; point your editor at this folder.")
