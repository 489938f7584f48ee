"""For authors: skeletons, mutants, and the course without its answers."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader import process
from grader.check import skeleton_of
from grader.desk import write_atomically
from grader.errors import CallerError, UnitError, WorkbookError
from grader.result import StepResult
from grader.units import Unit, every, load

_NAMED = re.compile(r"(?:kernel\.cu:|\bline )(\d+)")


def stale_skeletons(root: Path) -> list[str]:
    """Name every kernel.cu that is not what its solution makes."""
    units = every(root)
    if not units:
        raise WorkbookError("There are no units.", "git checkout -- chapters")
    return [
        f"{unit.id}/kernel.cu"
        for unit in units
        if not unit.kernel.exists() or unit.kernel.read_text() != skeleton_of(unit)
    ]


def make_skeletons(root: Path) -> list[str]:
    """Write the kernel.cu of every unit whose solution is there; name what changed."""
    stale = stale_skeletons(root)
    for unit in every(root):
        if f"{unit.id}/kernel.cu" in stale:
            write_atomically(unit.kernel, skeleton_of(unit).encode())
    return stale


NAMES = "a changed line"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer: a patch on a solution, and what must catch it."""

    path: Path
    unit: str  # chapters/11_reduction
    step: str
    caught_by: str  # a test's name, or "budget COUNTER"
    names: bool = False  # what a learner reads must name a line that the patch changes

    @property
    def budget(self) -> str:
        return self.caught_by.removeprefix("budget ") if self.by_budget else ""

    @property
    def by_budget(self) -> bool:
        return self.caught_by.startswith("budget ")


def mutants(root: Path) -> list[Mutant]:
    """Every patch under tests/mutants, its head read and checked."""
    return [
        _mutant(root, path) for path in sorted(root.glob("tests/mutants/*/*.patch"))
    ]


def _mutant(root: Path, path: Path) -> Mutant:
    head: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("--- "):
            break
        match = re.match(r"^(Unit|Step|Caught-by|Names): *(.+?) *$", line)
        if match:
            head[match[1]] = match[2]
    shown = path.relative_to(root)
    for key in ("Unit", "Step", "Caught-by"):
        if key not in head:
            raise UnitError(f"{shown} has no line '{key}:'.")
    unit = unit_of(root, head["Unit"])
    step = unit.step(head["Step"])
    if head.get("Names", NAMES) != NAMES:
        raise UnitError(f"{shown}: after 'Names:' comes '{NAMES}'.")
    mutant = Mutant(path, head["Unit"], step.name, head["Caught-by"], "Names" in head)
    known = (
        {budget.counter for budget in step.budgets}
        if mutant.by_budget
        else set(step.tests)
    )
    if (mutant.budget or mutant.caught_by) not in known:
        raise UnitError(f"{shown}: {step.name} has no {mutant.caught_by}.")
    return mutant


def unit_of(root: Path, name: str) -> Unit:
    """The unit of an id such as chapters/11_reduction."""
    folder, _, topic = name.partition("/")
    if folder == "chapters":
        return load(root, "chapter", topic)
    if folder == "exercises":
        return load(root, "exercise", topic)
    raise CallerError(f"{name} is not a unit.")


def mutate(mutant: Mutant, solution: str) -> str:
    """Apply the patch to a solution's text, exactly where it says."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "solution.cu"
        place.write_text(solution, encoding="utf-8")
        words = ["patch", "-p1", "-s", "-F0", "-N", "-i", str(mutant.path)]
        done = process.run(words, seconds=20, cwd=Path(scratch))
        if done.status:
            said = done.output.decode("utf-8", "replace") + done.errors
            raise UnitError(f"{mutant.path.name} does not apply: {said.strip()}")
        return place.read_text(encoding="utf-8")


def changed_lines(before: str, after: str) -> set[int]:
    """Lines of `after` that are not in `before`, and those beside what is gone."""
    found: set[int] = set()
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, _, _, first, end in matcher.get_opcodes():
        if kind == "delete":
            found |= {first, first + 1}
        elif kind != "equal":
            found |= set(range(first + 1, end + 1))
    return found


def lines_named(step: StepResult) -> set[int]:
    """The lines of the learner's file that a step's page speaks of."""
    place = {step.place.line} if step.place else set()
    return place | {int(n) for n in _NAMED.findall(step.message)}


def withhold(root: Path, folder: Path, chapters: bool) -> list[str]:
    """Copy the tracked files without answers; a skeleton.cu marks each one's place."""
    if folder.exists() and any(folder.iterdir()):
        raise CallerError(f"{folder} is not empty.", "Name a new folder.")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True
    )
    if listed.returncode:
        raise WorkbookError("git does not know this folder.", "Clone the workbook.")
    gone: list[str] = []
    for unit in every(root):
        if unit.solution.name == "skeleton.cu":
            continue
        if unit.kind == "exercise" or chapters:
            gone.append(str(unit.solution.relative_to(root)))
            made = folder / unit.id / "skeleton.cu"
            write_atomically(made, skeleton_of(unit).encode())
    for name in filter(None, listed.stdout.split("\0")):
        secret = name in gone or name.startswith("tests/mutants/")
        if not secret and (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return gone
