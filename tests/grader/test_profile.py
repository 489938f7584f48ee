"""The profile of real runs: kernels that are slow in one way each, and what is said."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from grader.accesses import picture
from grader.check import Options
from grader.profile_page import console, kernel_block
from grader.profiling import profile, to_json
from grader.timeline import to_svg, to_trace
from grader.units import find


def run(slow, **options):
    unit = find(slow.root, "chapter", 1)
    text = unit.solution.read_text()
    made = Options(untouched=True, **options)
    name = "chapters/01_slow/solution.cu"
    return profile(unit, slow.builder(slow.root, "emulator"), text, name, made)


@pytest.fixture(scope="module")
def a100(slow):
    return {step.result.name: step for step in run(slow).steps}


FIRST = {
    "strided_copy": ("uncoalesced", "32.0 sectors"),
    "shifted_copy": ("misaligned", "5.00 sectors, and 4.00 would do"),
    "transpose": ("bank_conflicts", "32.0 wavefronts, 31.0 of them conflicts"),
    "both_ways": ("divergent", "8,192 of 8,192 branches"),
    "hot_spot": ("serial_atomics", "32.0 lanes"),
    "local_array": ("local_memory", "262,144 loads and stores"),
    "remainders": ("division", "131,072 divisions"),
    "big_blocks": ("low_occupancy", "limited by shared memory: 3 blocks of 64 threads"),
    "one_block": ("small_launch", "1 block for 108 multiprocessors"),
    "last_wave": ("tail", "1.00 waves: in the last of 2 only 0.1%"),
    "odd_blocks": ("odd_block", "blocks of 33 threads fill 2 warps to 52%"),
    "many_barriers": ("barriers", "64 barriers a block"),
    "many_launches": ("many_launches", "20 launches, 20 of them"),
    "loads_again": (
        "redundant_loads",
        "16,777,216 bytes are loaded, where 1,048,576 do",
    ),
}


@pytest.mark.parametrize("step", FIRST)
def test_the_first_finding_is_what_makes_it_slow(slow, a100, step):
    rule, words = FIRST[step]

    first = a100[step].findings[0]

    assert (first.rule, first.place.line) == (rule, slow.line(rule))
    assert words in first.says
    assert 0.02 <= first.cost <= 1


def test_a_good_copy_has_nothing_that_matters(a100):
    assert all(finding.cost < 0.1 for finding in a100["good_copy"].findings)


def test_few_lanes_are_told_with_the_branch_that_sent_the_rest_away(slow, a100):
    branch, few = a100["few_lanes"].findings[:2]

    assert (branch.rule, few.rule) == ("divergent", "few_lanes")
    assert few.place.line == slow.line("few_lanes")
    assert "8.0 of 32 lanes active" in few.says


def test_doubles_cost_where_there_are_few_lanes_for_them(slow, a100):
    (t4,) = run(slow, gpu="T4", step="doubles").steps

    assert (t4.findings[0].rule, t4.findings[0].place.line) == (
        "slow_f64",
        slow.line("slow_f64"),
    )
    assert "T4 has 2 lanes" in t4.findings[0].says
    assert "slow_f64" not in [finding.rule for finding in a100["doubles"].findings]


def test_occupancy_is_from_the_machine_code_and_names_its_limit(a100):
    (kernel,) = a100["big_blocks"].kernels
    found = kernel.occupancy

    assert found["launch__occupancy_limit_shared_mem"] == 3
    assert found["sm__maximum_warps_per_active_cycle_pct"] == 100 * 6 / 64
    assert found["launch__waves_per_multiprocessor"] == pytest.approx(4096 / 324)
    assert 8 <= found["launch__registers_per_thread"] <= 40


def test_the_worst_access_of_a_line_is_kept_and_drawn(slow, a100):
    (load,) = [one for one in a100["transpose"].accesses if one.cost > one.ideal]
    seen = picture(load)

    assert (load.line, load.warp) == (slow.line("bank_conflicts"), 0)
    assert len(seen.rows) == 32  # wavefronts
    assert [sum(map(bool, row.cells)) for row in seen.rows] == [1] * 32
    assert "Bank 0 is asked 32 times, 31 are idle." in seen.words


def test_a_strided_warp_touches_32_lines(slow):
    line = slow.line("uncoalesced")
    (step,) = run(slow, step="strided_copy", watch=f"{line}:1:2").steps
    load = next(one for one in step.accesses if one.op == "load")
    seen = picture(load)

    assert (load.block, load.warp, load.cost, load.ideal) == ((1, 0, 0), 2, 32, 4)
    assert len(seen.rows) == 32
    assert all(row.cells[0] and not any(row.cells[1:]) for row in seen.rows)
    assert load.addresses[1] - load.addresses[0] == 128


def test_the_json_holds_what_the_page_shows(slow):
    made = to_json(run(slow, step="transpose"))
    (step,) = json.loads(json.dumps(made))["steps"]

    assert made["schema"] == 1
    assert step["kernels"][0]["kernel"] == "tiles"
    assert step["kernels"][0]["occupancy_limiter"].startswith("warps")
    assert step["findings"][0]["rule"] == "bank_conflicts"
    assert step["accesses"]


def call(slow, *words):
    done = slow.run(*words)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_profile_reads_without_colour(slow):
    page = call(slow, "profile", "1", "--solution", "--step", "transpose")

    assert "tiles: 256 blocks of 32x8 threads" in page
    assert "limited by warps" in page
    assert "1. Bank conflicts" in page
    assert f"solution.cu:{slow.line('bank_conflicts')}" in page
    assert "Chapter 8 explains it." in page
    assert max(map(len, page.splitlines())) <= 88
    assert "\x1b" not in page


def test_the_picture_reads_without_colour(slow, tmp_path):
    line = str(slow.line("bank_conflicts"))
    words = ["picture", "1", "--solution", "--step", "transpose", "--line", line]
    page = call(slow, *words, "--svg", str(tmp_path / "p.svg"))

    assert "32 lanes touch 32 wavefronts; 1 would do." in page
    assert re.search(r"turn 32 +v ·", page)
    svg = (tmp_path / "p.svg").read_text()
    assert svg.count('class="touched"') == 32
    assert "<title>" in svg and "<desc" in svg


def test_modelled_times_take_the_place_of_estimates(a100):
    """One place knows where times come from."""
    (kernel,) = a100["strided_copy"].kernels
    launch = replace(kernel.launches[0], ns=50_000.0)
    timed = replace(
        kernel,
        launches=(launch,),
        bounds={"latency": 45_000.0, "dram": 40_000.0, "issue": 10_000.0},
        modelled=True,
    )
    page = io.StringIO()
    kernel_block(console(page), timed)

    assert (timed.ns, timed.memory, timed.compute) == (50_000, 0.8, 0.2)
    assert "dram: 40,000 ns" in page.getvalue()
    assert "of 50,000 ns, the modelled time; the longest bound is latency" in (
        page.getvalue()
    )


def test_a_range_is_drawn_below_those_inside_it(slow):
    """A range is told when it ends, so the inner one comes first."""
    made = run(slow, step="many_launches")
    row = {"ph": "X", "cat": "range", "pid": 0, "tid": 1}
    events = (
        {
            "ph": "M",
            "name": "thread_name",
            "pid": 0,
            "tid": 1,
            "args": {"name": "host"},
        },
        {**row, "name": "inner", "ts": 1.0, "dur": 2.0},
        {**row, "name": "outer", "ts": 0.0, "dur": 5.0},
    )
    svg = to_svg(replace(made, steps=(replace(made.steps[0], events=events),)))

    assert 0 < svg.index("outer") < svg.index("inner")


def test_the_timeline_has_every_launch_in_order(slow):
    made = run(slow, step="many_launches")

    trace = to_trace(made)["traceEvents"]
    spans = [e for e in trace if e["ph"] == "X" and e["cat"] == "kernel"]

    assert len(spans) == 20
    for before, after in pairwise(spans):  # one stream: one after the other
        assert after["ts"] >= before["ts"] + before["dur"]
    launches = [one for kernel in made.steps[0].kernels for one in kernel.launches]
    total = sum(one.ns for one in launches) / 1000
    assert sum(e["dur"] for e in spans) == pytest.approx(total, rel=1e-3)
    assert {"process_name", "thread_name"} <= {e["name"] for e in trace}
    assert "<svg" in to_svg(made)
