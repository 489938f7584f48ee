"""Measure the cases on a GPU: counters by Nsight Compute, times by events.

    python measure.py PROGRAM OUT [--runs N] [--rounds N] [--no-counters]

PROGRAM is measured-gpu. Writes OUT/counters_GPU.json and OUT/times_GPU.json; both name
the GPU, the driver, the tools and the day. Clocks are left as they are. A time is the
median over the rounds (processes) of the medians of their runs. Counters that are 0 are
left out; "seen" has the values of counters that did not repeat.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MARK = "case_begins"
UNKNOWN = re.compile(r"Failed to find metric (?:regex:)?(\S+)")


def output(*command: str) -> str:
    """What a command prints; "" if there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def about() -> dict[str, str]:
    """The GPU and the tools."""
    name, driver = output(
        "nvidia-smi",
        "--query-gpu=name,driver_version",
        "--format=csv,noheader",
        "-i",
        "0",
    ).split(", ")
    release = re.search(r"release (\S+),", output("nvcc", "--version"))
    version = re.search(r"Version (\S+)", output("ncu", "--version"))
    return {
        "gpu": name,
        "driver": driver,
        "nvcc": release[1] if release else "",
        "ncu": version[1] if version else "",
        "date": datetime.date.today().isoformat(),
    }


def wanted() -> list[str]:
    """The metrics of metrics.txt."""
    lines = (HERE / "metrics.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def profile(program: Path, metrics: list[str], cases: list[str]) -> str:
    """The profiler's table, as CSV; metrics that it does not know are taken out."""
    while True:
        done = subprocess.run(
            [
                "ncu",
                "--csv",
                "--page",
                "raw",
                "--print-units",
                "base",
                "--clock-control",
                "none",
                "--metrics",
                ",".join(metrics),
                str(program),
                "once",
                *cases,
            ],
            capture_output=True,
            text=True,
        )
        text = done.stdout + done.stderr
        unknown = set(UNKNOWN.findall(text)) & set(metrics)
        if not unknown:
            break
        print("unknown to ncu:", *sorted(unknown), file=sys.stderr)
        metrics[:] = [m for m in metrics if m not in unknown]
    if done.returncode:
        sys.exit(text[-3000:])
    return done.stdout


def launches(
    table: str, names: dict[int, str], metrics: list[str]
) -> list[dict[str, Any]]:
    """One a launch, with the case that it belongs to."""
    start = table.index('"ID"')
    rows = list(csv.DictReader(io.StringIO(table[start:])))
    case, found = "", []
    for row in rows[1:]:  # the first is the units'
        kernel = row["Kernel Name"].split("(")[0]
        grid = [int(x) for x in re.findall(r"\d+", row["Grid Size"])]
        if kernel == MARK:
            case = names[grid[0] - 1]
            continue
        values = {
            key: float(value.replace(",", ""))
            for key, value in row.items()
            if key in metrics and re.fullmatch(r"[-\d.,e+]+", value)
        }
        if case:
            block = [int(x) for x in re.findall(r"\d+", row["Block Size"])]
            found.append(
                {
                    "case": case,
                    "kernel": kernel,
                    "grid": grid,
                    "block": block,
                    "counters": values,
                }
            )
    return found


def timed(program: Path, runs: int) -> list[dict[str, Any]]:
    """A row a case and size."""
    return [
        json.loads(line)
        for line in output(str(program), "times", str(runs)).splitlines()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-counters", action="store_true", help="times alone")
    parser.add_argument(
        "--again", type=int, default=2, help="profiles that only check repeating"
    )
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    head = about()
    tag = head["gpu"].replace("NVIDIA ", "").replace(" ", "_")
    rounds = [timed(asked.program, asked.runs) for _ in range(asked.rounds)]
    rows = [
        {
            **same[0],
            "us": statistics.median(row["us"] for row in same),
            "least": min(row["least"] for row in same),
        }
        for same in zip(*rounds, strict=True)
    ]
    counts = {"runs": asked.runs, "rounds": asked.rounds}
    (asked.out / f"times_{tag}.json").write_text(dump(head | counts, rows))
    if asked.no_counters:
        return
    listed = output(str(asked.program), "once").splitlines()
    names = {int(line.split()[0]): line.split()[1] for line in listed}
    metrics = wanted()
    table = profile(asked.program, metrics, [])
    found = launches(table, names, metrics)
    for _ in range(asked.again):
        few = [m for m in metrics if m.startswith("l1tex__t_") and m.endswith(".sum")]
        for first, more in zip(
            found, launches(profile(asked.program, few, []), names, few), strict=True
        ):
            for key, value in more["counters"].items():
                seen = first.setdefault("seen", {}).setdefault(
                    key, [first["counters"].get(key, 0)]
                )
                seen += [value] if value not in seen else []
    for row in found:
        row["counters"] = {k: _plain(v) for k, v in row["counters"].items() if v}
        row["seen"] = {
            k: [_plain(v) for v in sorted(x)]
            for k, x in row.get("seen", {}).items()
            if len(x) > 1
        }
    head |= {"command": "python tests/measured/measure.py", "metrics": metrics}
    (asked.out / f"counters_{tag}.json").write_text(dump(head, found))
    print(len(rows), "times,", len(found), "launches,", len(metrics), "metrics")


def _plain(value: float) -> float:
    """Whole numbers as such."""
    return int(value) if value == int(value) else value


def dump(head: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """JSON with a row a line."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return json.dumps(head)[:-1] + ', "rows": [\n' + lines + "\n]}\n"


if __name__ == "__main__":
    main()
