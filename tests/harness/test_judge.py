"""The judge's own behaviour: options, records, seeds, the sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from building import HERE, Built, read_program
from test_harness import judge


@pytest.fixture(scope="module")
def right(built: Built) -> Path:
    return built.runner(read_program(HERE / "programs/right.cu"))


@pytest.fixture(scope="module")
def wrong(built: Built) -> Path:
    return built.runner(read_program(HERE / "programs/wrong_value.cu"))


def run(built: Built, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = list(map(str, [built.judge, *words]))
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_lists_steps_and_tests(built: Built) -> None:
    listed = json.loads(run(built, "--list").stdout)
    assert [step["name"] for step in listed["steps"]] == [
        "twice",
        "fill",
        "api",
        "device",
    ]
    assert listed["steps"][0]["tests"] == [
        {"name": "doubles_every_element", "cases": 6}
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "--device is missing"),
        (["--device", "gpu"], "--step is missing"),
        (["--device", "gpu", "--step", "twice"], "--runner is missing"),
        (["--step", "none", "--device", "gpu", "--runner", "x"], "has no test"),
        (["--step", "twice", "--device", "tpu"], "neither emulator nor gpu"),
        (
            ["--step", "twice", "--device", "gpu", "--runner", "x", "--speed"],
            "ceilings",
        ),
        (["--step", "twice", "--seconds", "soon"], "not a number"),
        (["--frobnicate"], "usage"),
    ],
)
def test_bad_options_are_the_callers(built: Built, words: list[str], says: str) -> None:
    done = run(built, *words)
    assert done.returncode == 2
    assert says in done.stderr


def test_a_full_disk_is_ours(built: Built, right: Path) -> None:
    words = ["--step", "twice", "--device", "emulator", "--records", "/dev/full"]
    done = run(built, *words, "--runner", right, "--simt-device", built.device)
    assert done.returncode == 2
    assert "cannot write the records" in done.stderr


def test_a_missing_runner_is_ours(built: Built) -> None:
    records = judge(built, Path("/nowhere"), "--step", "twice")
    assert {r["outcome"] for r in records if r["record"] == "test"} == {"ours"}
    assert "cannot start /nowhere" in records[1]["message"]


def test_records_go_to_a_descriptor(built: Built, right: Path, tmp_path: Path) -> None:
    out = tmp_path / "records"
    with out.open("w") as file:
        fd = file.fileno()
        command = [built.judge, "--step", "twice", "--device", "emulator"]
        command += ["--simt-device", built.device, "--runner", right]
        done = subprocess.run(
            [*map(str, command), "--records", f"fd:{fd}"],
            pass_fds=[fd],
            capture_output=True,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert json.loads(out.read_text().splitlines()[-1])["record"] == "end"


def test_a_seed_repeats_its_data(built: Built, wrong: Path) -> None:
    def first_want(*words: str) -> list[str]:
        records = judge(built, wrong, "--step", "twice", *words)
        return [r["mismatch"]["want"] for r in records if "mismatch" in r]

    assert first_want("--seed", "11") == first_want("--seed", "11")
    assert first_want("--seed", "11") != first_want("--seed", "12")


def test_one_test_can_be_named(built: Built, right: Path) -> None:
    words = ("--step", "twice", "--test", "doubles_every_element")
    assert judge(built, right, *words)[-1]["tests"] == 6


def test_a_budget_is_counted_on_fixed_data(built: Built, right: Path) -> None:
    def totals() -> object:
        records = judge(built, right, "--step", "twice", "--budget")
        found = [r for r in records if r["record"] == "budget"]
        assert [r["outcome"] for r in found] == ["measured"]
        return found[0]["device_record"]["totals"]

    assert totals() == totals()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap")
@pytest.mark.parametrize("name", ["right.cu", "exit_zero.c", "segfault.c", "abort.c"])
def test_a_sandbox_changes_no_verdict(built: Built, name: str) -> None:
    program = read_program(HERE / "programs" / name)
    runner = built.runner(program)
    box = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
    box += ["--proc", "/proc", "--dev", "/dev"]
    wrap = [word for part in box for word in ("--wrap", part)]

    records = judge(built, runner, "--step", "twice", *wrap)

    tests = [r for r in records if r["record"] == "test"]
    assert {r["outcome"] for r in tests} == {program.said["outcome"]}, tests[0]
    assert program.said.get("words", "") in tests[0]["message"]


def test_a_sandbox_that_does_not_start_is_ours(built: Built, right: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("no bubblewrap")
    records = judge(built, right, "--step", "twice", "--wrap=bwrap", "--wrap=--nothing")
    assert records[1]["outcome"] == "ours"
    assert "the sandbox does not start" in records[1]["message"]
