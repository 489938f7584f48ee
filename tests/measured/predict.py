"""How well the time model predicts an H200.

    python predict.py PROGRAM TIMES [CASE...]

PROGRAM is measured-emulator, TIMES what measure.py wrote. The program times its cases
by events on the emulator, as it did on the GPU. Every second of the first cases served
to fit the model's constants (lib/simt/src/duration.c); the others are held out, and
proof.cu was written and measured when the model was there. Prints the error of each
part, rank correlations of the ladders, and the ten worst. limiter.py has the limiters.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

LADDERS = {
    "reduction": "reduce_",
    "arg-max": "argmax_",
    "addition": "add_v",
    "grey": "grey_",
    "copies": "copy",
    "strided loads": "read_stride",
    "strided stores": "write_stride",
    "bank conflicts": "load_stride",
    "products": "product_",
    "transposes": "transpose_",
}
FITTED_FROM = 156  # cases; those after it were measured when the model was there
CLEAR = 1.10  # pairs of a ladder that differ by less have no order to be got right


def measured(program: str, cases: list[str]) -> dict[tuple[str, int], float]:
    """Microseconds by case and size, as the emulator's events tell."""
    environment = {**os.environ, "SIMT_GPU": "H200"}
    done = subprocess.run(
        [program, "times", "1", *cases], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    rows = map(json.loads, done.stdout.splitlines())
    return {(row["case"], row["n"]): row["us"] for row in rows}


def order(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Pairs of one size class whose order is clear on the GPU; those that are right."""
    clear = right = 0
    for a, b in combinations(rows, 2):
        if a["n"] != b["n"] or max(a["us"], b["us"]) < CLEAR * min(a["us"], b["us"]):
            continue
        clear += 1
        right += (a["us"] < b["us"]) == (a["model"] < b["model"])
    return clear, right


def ranks(values: list[float]) -> list[float]:
    """Places in rising order; equal values share theirs."""
    return [
        sum(b < a for b in values) + (sum(b == a for b in values) - 1) / 2
        for a in values
    ]


def spearman(rows: list[dict[str, Any]]) -> float:
    """Spearman's rank correlation of the measured and the modelled times."""
    return statistics.correlation(
        ranks([r["us"] for r in rows]), ranks([r["model"] for r in rows])
    )


def held(place: int) -> int:
    """0: the case served to fit the constants; 1: it did not; 2: came afterwards."""
    return 2 if place >= FITTED_FROM else place % 2


def summary(name: str, rows: list[dict[str, Any]]) -> str:
    """Median and mean error, and how many are within a factor of two."""
    errors = [abs(row["model"] / row["us"] - 1) for row in rows]
    twice = sum(0.5 <= row["model"] / row["us"] <= 2 for row in rows)
    return (
        f"{name}: {len(rows)} pairs, "
        f"median error {100 * statistics.median(errors):.1f} %, "
        f"mean {100 * statistics.mean(errors):.1f} %, {twice} within a factor of two"
    )


def main() -> None:
    program, path, *cases = sys.argv[1:]
    data = json.loads(Path(path).read_text())
    names = list(dict.fromkeys(row["case"] for row in data["rows"]))
    model = measured(program, cases)
    rows = [
        {
            **row,
            "model": model[row["case"], row["n"]],
            "held": held(names.index(row["case"])),
        }
        for row in data["rows"]
        if (row["case"], row["n"]) in model
    ]
    for name, kept in (("fitted", 0), ("held out", 1), ("measured afterwards", 2)):
        half = [row for row in rows if row["held"] == kept]
        if half:
            print(summary(name, half))
            print(
                summary(f"{name}, longer than 12 us", [r for r in half if r["us"] > 12])
            )
    for name, prefix in LADDERS.items():
        ladder = [row for row in rows if row["case"].startswith(prefix)]
        clear, right = order(ladder)
        if clear:
            rho = "".join(
                f", {spearman(same):.2f} at {n}"
                for n in sorted({row["n"] for row in ladder})
                if len(same := [row for row in ladder if row["n"] == n]) > 3
            )
            tau = (2 * right - clear) / clear
            pairs = f"{right} of {clear} clear pairs in order (tau {tau:.2f})"
            print(f"{name}: {pairs}{rho and f'; rank correlation of all{rho[1:]}'}")
    print("the worst:")
    for row in sorted(
        rows, key=lambda row: -max(row["model"] / row["us"], row["us"] / row["model"])
    )[:10]:
        print(
            f"  {row['case']} {row['n']}: {row['us']:.1f} us, model {row['model']:.1f}"
        )


if __name__ == "__main__":
    main()
