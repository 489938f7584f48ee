"""Compare what the emulator counts with what a GPU counted.

    python compare.py PROGRAM DATA [CASE...]

PROGRAM is measured-emulator, DATA what measure.py wrote. Prints a line for each launch and
counter that differ; `explained()` pairs them with differ.toml.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MARK = "case_begins"
BATCH = 20  # cases a run: a record holds 256 launches
T = "l1tex__t_{}_pipe_lsu_mem_{}_op_{}.sum"
WAVES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"

# The emulator's name, the GPU's. These are the counters that carry Nsight's names.
PAIRS = {
    **{
        T.format(what, space, op): T.format(what, space, op)
        for what in ("requests", "sectors")
        for space, ops in (("global", ("ld", "st", "atom", "red")),)
        for op in ops
    },
    **{WAVES.format(op): WAVES.format(op) for op in ("ld", "st")},
    "shared_requests_ld": "smsp__inst_executed_op_shared_ld.sum",
    "shared_requests_st": "smsp__inst_executed_op_shared_st.sum",
    "local_requests_ld": T.format("requests", "local", "ld"),
    "local_requests_st": T.format("requests", "local", "st"),
    "divergent_branches_source": "smsp__sass_branch_targets_threads_divergent.sum",
}


@dataclass(frozen=True)
class Difference:
    """One counter of one launch."""

    case: str
    launch: int  # of the case, from 0
    kernel: str
    counter: str
    emulator: float
    gpu: float


def run(
    program: Path, cases: list[str], gpu: str = "H200"
) -> dict[str, list[dict[str, Any]]]:
    """The emulator's launches by case."""
    found: dict[str, list[dict[str, Any]]] = {}
    for at in range(0, len(cases), BATCH):
        batch = cases[at : at + BATCH]
        with tempfile.NamedTemporaryFile() as file:
            environment = {**os.environ, "SIMT_RECORD": file.name, "SIMT_GPU": gpu}
            done = subprocess.run(
                [str(program), "once", *batch],
                env=environment,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise RuntimeError(done.stderr)
            record = json.load(open(file.name))
        if record["dropped_launches"]:
            raise RuntimeError(f"{batch}: too many launches for one record")
        order, case = iter(batch), ""
        for launch in record["launches"]:
            if launch["kernel"] == MARK:
                case = next(order)
            elif case:
                found.setdefault(case, []).append(launch)
    return found


def differences(
    emulator: dict[str, list[dict[str, Any]]], data: dict[str, Any]
) -> Iterator[Difference]:
    """What differs, launch by launch; a launch that only one side has is an error."""
    gpu: dict[str, list[dict[str, Any]]] = {}
    for row in data["rows"]:
        gpu.setdefault(row["case"], []).append(row)
    for case, launches in emulator.items():
        if len(launches) != len(gpu[case]):
            raise RuntimeError(
                f"{case}: {len(launches)} launches, {len(gpu[case])} on the GPU"
            )
        for i, (here, there) in enumerate(zip(launches, gpu[case], strict=True)):
            for name, other in PAIRS.items():
                a = here["counters"].get(name, 0)
                b = there["counters"].get(other, 0)
                if a != b:
                    yield Difference(case, i, there["kernel"], name, a, b)


def all_cases(data: dict[str, Any]) -> list[str]:
    """Names of the cases that were measured, in order."""
    return list(dict.fromkeys(row["case"] for row in data["rows"]))


def main() -> None:
    program, path, *cases = sys.argv[1:]
    data = json.load(open(path))
    emulator = run(Path(program), cases or all_cases(data))
    found = list(differences(emulator, data))
    for d in found:
        print(f"{d.case} {d.launch} {d.counter}: {d.emulator:.0f}, GPU {d.gpu:.0f}")
    print(sum(map(len, emulator.values())), "launches,", len(found), "counters differ")


if __name__ == "__main__":
    main()
