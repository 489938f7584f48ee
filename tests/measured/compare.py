"""Compare what the emulator counts with what a GPU counted.

    python compare.py PROGRAM DATA [CASE...]

PROGRAM is measured-emulator, DATA what measure.py wrote. Prints each counter that
differs, and ends with 1 if differ.toml does not explain it with both values.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MARK = "case_begins"
BATCH = 20  # cases a run: a record holds 256 launches
T = "l1tex__t_{}_pipe_lsu_mem_{}_op_{}.sum"
WAVES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
RAW_WAVES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"

# Counters that carry Nsight Compute's names: equal, or explained in differ.toml.
COUNTERS = [
    *(
        T.format(what, "global", op)
        for what in ("requests", "sectors")
        for op in ("ld", "st", "atom", "red")
    ),
    *(WAVES.format(op) for op in ("ld", "st")),
    RAW_WAVES.format("atom"),
    *(CONFLICTS.format(op) for op in ("ld", "st", "atom")),
]


def counted(row: dict[str, Any], name: str, ideal: float) -> list[float]:
    """What the GPU showed for a counter, by definition; several if it did not repeat.

    Nsight Compute's conflict counters hold what warps lose to each other as well, which
    changes from run to run; the exact part is wavefronts beyond the ideal. The exact
    wavefronts leave ldmatrix out, the others hold it.
    """
    c = row["counters"]
    if name in row["seen"]:
        return list(row["seen"][name])
    for op in ("ld", "st"):
        waves = c.get(WAVES.format(op), 0)
        if op == "ld" and c.get("smsp__inst_executed_op_ldsm.sum"):
            waves = c.get(RAW_WAVES.format(op), 0)
        if name == WAVES.format(op):
            return [waves]
        if name == CONFLICTS.format(op):
            return [waves - ideal]
    return [c.get(name, 0)]


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
            record = json.loads(Path(file.name).read_text())
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
            c = here["counters"]
            for name in COUNTERS:
                op = name.removesuffix(".sum").rsplit("_", 1)[1]
                ideal = c.get(WAVES.format(op), 0) - c.get(CONFLICTS.format(op), 0)
                values = counted(there, name, ideal)
                if c.get(name, 0) not in values:
                    yield Difference(
                        case, i, there["kernel"], name, c.get(name, 0), values[0]
                    )


def load(path: Path) -> dict[str, Any]:
    """What measure.py wrote."""
    data: dict[str, Any] = json.loads(path.read_text())
    return data


def expected() -> dict[tuple[str, str], dict[str, Any]]:
    """differ.toml's differences by case and counter."""
    table = tomllib.loads((HERE / "differ.toml").read_text())
    return {
        (case, counter): {"because": group["because"], **values}
        for group in table["difference"]
        for case, counters in group["cases"].items()
        for counter, values in counters.items()
    }


def all_cases(data: dict[str, Any]) -> list[str]:
    """Names of the cases that were measured, in order."""
    return list(dict.fromkeys(row["case"] for row in data["rows"]))


def main() -> None:
    program, path, *cases = sys.argv[1:]
    data = load(Path(path))
    emulator = run(Path(program), cases or all_cases(data))
    found = list(differences(emulator, data))
    known = expected()
    wrong = 0
    for d in found:
        told = known.pop((d.case, d.counter), {})
        right = (told.get("emulator"), told.get("gpu")) == (d.emulator, d.gpu)
        wrong += not right
        why = told["because"].split(".")[0] if right else "NOT EXPLAINED"
        print(f"{d.case} {d.counter}: {d.emulator:.0f}, GPU {d.gpu:.0f}: {why}")
    gone = [key for key in known if key[0] in emulator]
    for case, counter in gone:
        print(f"{case} {counter}: differ.toml says that it differs, but it does not")
    launches = sum(map(len, emulator.values()))
    print(
        f"{launches} launches, {launches * len(COUNTERS) - len(found)} counters equal, "
        f"{len(found) - wrong} differ as explained, {wrong + len(gone)} do not"
    )
    sys.exit(wrong + len(gone) > 0)


if __name__ == "__main__":
    main()
