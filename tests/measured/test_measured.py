"""The emulator against an H200: counters equal or explained, times near.

The whole table of times takes some minutes (predict.py); here the small sizes of every
fourth case, which are enough to see a constant that has slipped.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = ROOT / "docs/measurements"
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import predict  # noqa: E402


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """measured-emulator, built once."""
    out = ROOT / "build/tests/measured"
    done = subprocess.run(
        ["make", "-s", "-j2", "-C", str(HERE), f"OUT={out}", "measured-emulator"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out / "measured-emulator"


def test_counters_are_the_gpus_or_explained(program: Path) -> None:
    """Every launch of every case, against counters_H200.json and differ.toml."""
    data = compare.load(DATA / "counters_H200.json")
    found = compare.run(program, compare.all_cases(data))
    told = {
        (key, values["emulator"], values["gpu"])
        for key, values in compare.expected().items()
    }
    seen = {
        ((d.case, d.counter), d.emulator, d.gpu)
        for d in compare.differences(found, data)
    }
    assert seen == told
    assert sum(map(len, found.values())) > 150


def test_a_wrong_counter_is_told(program: Path) -> None:
    """The comparison itself: data that is off by one."""
    data = compare.load(DATA / "counters_H200.json")
    name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    for row in data["rows"]:
        if row["case"] == "copy":
            row["counters"][name] += 1
    found = compare.run(program, ["copy"])
    assert [d.counter for d in compare.differences(found, data)] == [name]


def test_modelled_times_are_near(program: Path) -> None:
    """Median error of pairs that did not serve to fit the model: at most 25 %."""
    data = compare.load(DATA / "times_H200.json")
    names = list(dict.fromkeys(row["case"] for row in data["rows"]))
    cases = [name for i, name in enumerate(names) if predict.held(i) and i % 4 > 1]
    os.environ["MEASURED_MOST"] = str(1 << 20)
    model = predict.measured(str(program), cases)
    errors = [
        abs(model[row["case"], row["n"]] / row["us"] - 1)
        for row in data["rows"]
        if (row["case"], row["n"]) in model
    ]
    assert len(errors) >= 30
    assert statistics.median(errors) <= 0.25


def test_counters_and_times_do_not_depend_on_the_host(program: Path) -> None:
    """One worker or two, vector instructions or plain ones, once or again: the same."""
    cases = [
        "copy_runs",
        "gather",
        "bins_shared",
        "reduce_v8",
        "product_tile_16",
        "mandelbrot",
    ]
    first = compare.run(program, cases)
    for words in ({"SIMT_WORKERS": "1"}, {"SIMT_WORKERS": "2"}, {"SIMT_ISA": "base"}):
        os.environ.update(words)
        try:
            assert compare.run(program, cases) == first, words
        finally:
            for name in words:
                del os.environ[name]
