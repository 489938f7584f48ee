"""The cache and the box, with g++ in nvcc's place."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader import build, sandbox, units
from grader.build import Code, NvccBuilder, Unbuilt
from grader.links import Links
from grader.toolchain import Nvcc

NAME = "chapters/01_first/kernel.cu"


class GccLinks(Links):
    """Compiles C++ with what every test machine has."""

    def make(self):
        return []

    def compile(self, source, include, output, text):
        log = f"--param=ggc-min-expand={len(include)}"
        return ["g++", "-x", "c++", log, f"-I{include}", "-c", source, "-o", output]

    def runner(self, learner, output):
        return ["g++", learner, "-o", output]

    def runner_inputs(self):
        return []


@pytest.fixture
def builder(toy, monkeypatch):
    made = NvccBuilder(toy.root, "emulator")
    nvcc = Nvcc(Path("/usr/bin/g++"), Path("/usr"), "1")
    made.__dict__["_links"] = GccLinks(toy.root, nvcc, "emulator")
    compiled = []
    real = build.process.run

    def count(words, **options):
        compiled.append(words)
        return real(words, **options)

    monkeypatch.setattr(build.process, "run", count)
    made.compiled = compiled
    return made


@pytest.fixture
def unit(toy):
    return units.find(toy.root, "chapter", 1)


def test_nothing_is_compiled_twice(builder, unit):
    code = Code('#include "kernel.h"\nint main() { return 42; }\n', NAME)

    first = builder.runner(unit, code)
    count = len(builder.compiled)
    second = builder.runner(unit, code)

    assert first == second and len(builder.compiled) == count == 2
    assert subprocess.run([first]).returncode == 42


def test_a_header_that_changed_is_seen(builder, unit):
    code = Code('#include "kernel.h"\nint main() { return 0; }\n', NAME)
    first = builder.runner(unit, code)
    (unit.folder / "kernel.h").write_text("// another\n")
    assert builder.runner(unit, code) != first


@pytest.mark.parametrize("trusted", [True, False])
def test_the_compilers_own_words_name_the_line(builder, unit, trusted):
    if not trusted and sandbox.problem():
        pytest.skip("no box here")
    code = Code("int main()\n{\n    return x;\n}\n", NAME, trusted)

    for _ in range(2):  # the second comes from the cache
        with pytest.raises(Unbuilt) as caught:
            builder.runner(unit, code)
        assert (caught.value.file, caught.value.line) == (NAME, 3)
        assert "was not declared" in caught.value.message


def test_a_function_that_is_nowhere_is_named(builder, unit):
    code = Code(
        'extern "C" int cudaNever();\nint main() { return cudaNever(); }\n', NAME
    )
    with pytest.raises(Unbuilt, match="cudaNever: not in this device's runtime"):
        builder.runner(unit, code)


def test_two_at_once_make_one(builder, unit):
    code = Code("int main() { return 7; }\n", NAME)
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(lambda _: builder.runner(unit, code), range(4)))
    (path,) = paths
    assert subprocess.run([path]).returncode == 7
    assert not [p for p in path.parent.parent.iterdir() if p.name.startswith(".")]


@pytest.mark.skipif(sandbox.problem() is not None, reason="no box here")
def test_the_box_compiles_but_reads_nothing_of_ours(builder, unit, toy):
    good = Code('#include "kernel.h"\nint main() { return 3; }\n', NAME, trusted=False)
    assert subprocess.run([builder.runner(unit, good)]).returncode == 3

    secret = toy.root / "solutions/01_first/solution.cu"
    for trick in (f'#include "{secret}"', f'asm(".incbin \\"{secret}\\"");'):
        code = Code(f"{trick}\nint main() {{}}\n", NAME, trusted=False)
        with pytest.raises(Unbuilt) as caught:
            builder.runner(unit, code)
        assert "solved" not in caught.value.message


@pytest.mark.skipif(sandbox.problem() is not None, reason="no box here")
def test_a_bomb_for_the_compiler_ends(builder, unit, monkeypatch):
    monkeypatch.setattr(build, "SECONDS", 3.0)
    bomb = '#include "/dev/zero"\nint main() {}\n'
    with pytest.raises(Unbuilt):
        builder.runner(unit, Code(bomb, NAME, trusted=False))


def test_a_judge_that_does_not_compile_is_ours(builder, unit):
    from grader.errors import WorkbookError

    builder._links.__class__.judge = lambda self, test, include, output: ["false"]
    try:
        with pytest.raises(WorkbookError, match=r"test\.c does not compile"):
            builder.judge(unit)
    finally:
        del builder._links.__class__.judge
