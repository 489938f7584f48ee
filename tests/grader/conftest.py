"""A toy workbook of three units, and a builder that needs no compiler."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from grader.authoring import make_skeletons  # noqa: E402
from grader.build import Code, NvccBuilder, Refused, Unbuilt  # noqa: E402
from grader.cli import Desk, main  # noqa: E402
from grader.units import Unit  # noqa: E402


@dataclass
class FakeBuilder:
    """The runner is the learner's text; the judge is fake_judge.py."""

    root: Path
    device: str = "emulator"
    toolchain: str = "fake 1.0"
    simt_device: Path | None = None
    built: list[str] = field(default_factory=list)

    def judge(self, unit: Unit) -> list[str]:
        toml = unit.folder / f"{unit.kind}.toml"
        return [sys.executable, "-S", str(HERE / "fake_judge.py"), "--toml", str(toml)]

    def runner(self, unit: Unit, code: Code) -> Path:
        lines = code.text.splitlines()
        for number, line in enumerate(lines, 1):
            if "SYNTAX" in line:
                message = f"{code.name}({number}): error: expected a ';'"
                raise Unbuilt(message, code.name, number)
            if "#include <cub" in line:
                raise Refused("This unit is done without <cub>.", code.name, number)
        self.built.append(code.name)
        path = self.root / f"build/fake/{abs(hash(code.text))}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code.text)
        return path

    def ceilings(self) -> Path | None:
        return None


@dataclass
class Workbook:
    """The toy in a folder of its own."""

    root: Path

    def run(self, *words: str, **options: Any) -> Result:
        desk = Desk(self.root, FakeBuilder)
        return CliRunner().invoke(main, list(words), obj=desk, **options)

    def kernel(self, unit: str) -> Path:
        return self.root / unit / "kernel.cu"

    def solve(self, unit: str, **steps: str) -> None:
        """Put the solution in place; `step="wrong"` makes a step say so."""
        folder = "solutions/01_first" if unit == "exercises/01_first" else unit
        text = (self.root / folder / "solution.cu").read_text()
        for step, word in steps.items():
            text = text.replace(f"FAKE {step} solved", f"FAKE {step} {word}")
        self.kernel(unit).write_text(text)


@dataclass(frozen=True)
class Slow:
    """A workbook of kernels that are slow in one way each, for the real emulator."""

    root: Path

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(main, list(words), obj=Desk(self.root, self.builder))

    def builder(self, _: Path, device: str) -> NvccBuilder:
        """With this repository's libraries and cache."""
        return NvccBuilder(ROOT, device)

    def line(self, rule: str) -> int:
        """The line whose comment is the rule's name."""
        text = (self.root / "chapters/01_slow/solution.cu").read_text()
        (line,) = [
            number
            for number, words in enumerate(text.splitlines(), 1)
            if words.endswith(f"// {rule}")
        ]
        return line


@pytest.fixture(scope="session")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Slow:
    root = tmp_path_factory.mktemp("slow")
    shutil.copytree(HERE / "slow/chapters", root / "chapters")
    solution = root / "chapters/01_slow/solution.cu"
    shutil.copy(solution, solution.with_name("kernel.cu"))
    return Slow(root)


@pytest.fixture
def toy(tmp_path: Path) -> Workbook:
    root = tmp_path / "toy"
    shutil.copytree(HERE / "toy", root)
    make_skeletons(root)
    return Workbook(root)


@pytest.fixture
def edit(toy: Workbook) -> Callable[[str, str, str], None]:
    """Replace text in a file of the toy."""

    def replace(name: str, old: str, new: str) -> None:
        path = toy.root / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return replace
