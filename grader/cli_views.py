"""Commands that show what the emulator counted: profile and picture."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from grader.check import Options, read_kernel
from grader.cli import HERE, Desk, main
from grader.errors import CallerError, WorkbookError
from grader.result import Verdict
from grader.units import FOLDERS, Kind, Unit, find

MOST = 3  # findings shown


def view_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every view."""
    for option in (
        click.argument("number", type=int),
        click.option("--kind", type=click.Choice(list(FOLDERS)), default="chapter"),
        click.option("--step", default="", help="Only this step (reduce_v3, or v3)."),
        click.option("--gpu", default="A100", show_default=True),
        click.option(
            "--solution", is_flag=True, help="Look at the reference, not at kernel.cu."
        ),
    ):
        command = option(command)
    return command


@main.command()
@view_options
@click.option("--all", "all_", is_flag=True, help="Show every finding, not three.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all of it to this file (docs/reference/profile.md).",
)
@click.option(
    "--timeline",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write copies and kernels over time: FILE.json as Chrome's trace, FILE.svg.",
)
@click.pass_obj
def profile(
    desk: Desk,
    number: int,
    kind: Kind,
    step: str,
    gpu: str,
    solution: bool,
    all_: bool,
    json_file: Path | None,
    timeline: Path | None,
) -> None:
    """Profile unit NUMBER on the emulator: kernels, hottest lines, what to do."""
    from grader import profile_page as page
    from grader.desk import write_atomically
    from grader.profiling import to_json
    from grader.timeline import to_svg, to_trace

    made = _run(desk, find(desk.root, kind, number), step, gpu, solution)
    out = page.console(sys.stdout)
    out.print(f"Profiled on an emulated {made.result.gpu}: {made.result.file}")
    for one in made.steps:
        out.print()
        out.print(f"{one.result.name}: {one.result.title}", style="bold underline")
        if one.result.verdict is Verdict.UNSOLVED:
            out.print("  Its TODO is untouched.")
        elif one.result.verdict in (Verdict.UNBUILT, Verdict.REFUSED, Verdict.OURS):
            out.print(f"  {one.result.verdict.value}: {one.result.message}")
        elif not one.kernels:
            out.print("  This step launches nothing that is counted.")
        else:
            if one.result.verdict not in (Verdict.SOLVED, Verdict.SLOW):
                page.say(out, f"Its tests: {one.result.verdict.value}.", 2, "red")
            for kernel in one.kernels:
                page.kernel_block(out, kernel)
            page.findings_block(out, one.findings, None if all_ else MOST)
    if json_file:
        text = json.dumps(to_json(made), indent=1)
        write_atomically(json_file, text.encode())
        out.print(f"\nAll of it is in {json_file}.")
    if timeline:
        drawn = timeline.suffix == ".svg"
        text = to_svg(made) if drawn else json.dumps(to_trace(made), indent=1)
        write_atomically(timeline, text.encode())
        viewer = "a browser" if drawn else "ui.perfetto.dev or chrome://tracing"
        out.print(f"\nOpen {timeline} in {viewer}.")


@main.command()
@view_options
@click.option("--line", type=click.IntRange(1), required=True, help="Of kernel.cu.")
@click.option("--block", type=click.IntRange(0), help="Its place in the grid.")
@click.option("--warp", type=click.IntRange(0), help="Of the block.")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the first picture to this file too.",
)
@click.pass_obj
def picture(
    desk: Desk,
    number: int,
    kind: Kind,
    step: str,
    gpu: str,
    solution: bool,
    line: int,
    block: int | None,
    warp: int | None,
    svg: Path | None,
) -> None:
    """Show which addresses a warp's lanes touch at a line of unit NUMBER.

    Without --block and --warp, the dearest access of the line.
    """
    from grader import picture_page, profile_page
    from grader.accesses import picture as picture_of
    from grader.desk import write_atomically
    from grader.pictures import svg_picture

    where = f"{line}:{_any(block)}:{_any(warp)}"
    unit = find(desk.root, kind, number)
    made = _run(desk, unit, step, gpu, solution, where)
    out = profile_page.console(sys.stdout)
    drawn = 0
    for one in made.steps:
        for access in one.accesses:
            if drawn == 0 and svg:
                drawing = svg_picture(picture_of(access), alone=True)
                write_atomically(svg, drawing.encode())
            out.print(f"{one.result.name}", style="bold underline")
            picture_page.draw(out, picture_of(access))
            drawn += 1
    if not drawn:
        raise CallerError(
            f"No memory access of line {line} of {made.result.file} was seen.",
            "Is it the line of a load, a store or an atomic that this warp runs?",
        )


def _any(number: int | None) -> str:
    return "*" if number is None else str(number)


def _run(
    desk: Desk, unit: Unit, step: str, gpu: str, solution: bool, watch: str = ""
) -> Any:
    from grader.profiling import profile as run
    from grader.toolchain import check_gpu

    check_gpu(HERE, gpu)
    path = unit.solution if solution else unit.kernel
    if path.name == "skeleton.cu":
        raise WorkbookError(
            f"The solution of {unit.id} is withheld.", "Ask your instructor."
        )
    name = str(path.relative_to(unit.root))
    options = Options(
        gpu=gpu, step=step and unit.step(step).name, untouched=solution, watch=watch
    )
    text = read_kernel(path, name)
    return run(unit, desk.builder(desk.root, "emulator"), text, name, options)
