"""Figures of a GPU run, as data for the documentation.

A row a step: its bandwidth and its ratio to every ceiling that was measured in turns
with it, with the day, the GPU, the driver and the compiler beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.desk import write_atomically
from grader.errors import WorkbookError
from grader.result import StepResult, UnitResult


def figures(result: UnitResult) -> dict[str, Any]:
    """What one GPU run measured; GB/s are 10^9 bytes a second."""
    measured = [step for step in result.steps if step.gbs is not None]
    if not measured:
        raise WorkbookError(
            f"{result.unit} measured nothing.", "run it with --device gpu on a GPU"
        )
    return {
        "unit": result.unit,
        "title": result.title,
        "date": result.at[:10],
        "gpu": result.gpu,
        "driver": result.driver,
        "nvcc": result.toolchain,
        "command": f"python -m grader measure {int(result.unit.split('/')[1][:2])}",
        "rows": [_row(step) for step in measured],
    }


def _row(step: StepResult) -> dict[str, Any]:
    ceilings = {
        rate.ceiling: {"gbs": round(rate.gbs, 1), "ratio": round(rate.ratio, 4)}
        for rate in step.rates
    }
    return {
        "step": step.name,
        "title": step.title,
        "gbs": round(step.gbs or 0, 1),
        "ceilings": ceilings,
    }


def write_figures(result: UnitResult, folder: Path) -> Path:
    """Write the figures of one GPU run; return the file."""
    gpu = result.gpu.replace("NVIDIA ", "").replace(" ", "_")
    path = folder / f"{result.unit.split('/')[1]}_{gpu}.json"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(figures(result), indent=1) + "\n").encode())
    return path
