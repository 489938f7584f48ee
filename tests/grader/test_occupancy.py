"""The emulator's occupancy against what Nsight Compute said of an H200's launches."""

from __future__ import annotations

import ctypes
import json
import math
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MEASURED = ROOT / "docs/measurements/counters_H200.json"
SMS, WARPS, RESERVED = 132, 64, 1024
LIMITS = [
    f"launch__occupancy_limit_{name}"
    for name in ("blocks", "warps", "registers", "shared_mem")
]
C = """#include "wire/occupancy.h"
void limits(int threads, int registers, int shared, int *found)
{
    const multiprocessor h200 = {9, 2048, 32, 65536, 228 << 10, 227 << 10};
    block_limits b = occupancy_of(&h200, threads, registers, (size_t)shared, 228 << 10);
    found[0] = b.by_blocks, found[1] = b.by_warps, found[2] = b.by_registers;
    found[3] = b.by_shared, found[4] = b.blocks;
}
"""


@pytest.fixture(scope="module")
def limits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("occupancy")
    (folder / "limits.c").write_text(C)
    words = ["gcc", "-shared", "-fPIC", f"-I{ROOT}/lib/simt", "-o", "limits.so"]
    subprocess.run([*words, "limits.c"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "limits.so"))

    def ask(threads, registers, shared):
        found = (ctypes.c_int * 5)()
        library.limits(threads, registers, shared, found)
        return list(found)

    return ask


def launches():
    """Those that were profiled; some are only timed."""
    rows = json.loads(MEASURED.read_text())["rows"]
    return [row for row in rows if LIMITS[0] in row["counters"]]


def test_every_launch_has_the_limits_that_nsight_compute_shows(limits):
    rows = launches()
    assert len(rows) >= 40
    for row in rows:
        shown, threads = row["counters"], math.prod(row["block"])
        shared = int(shown["launch__shared_mem_per_block"]) - RESERVED
        registers = int(shown["launch__registers_per_thread"])
        *found, resident = limits(threads, registers, shared)
        wanted = [shown[name] for name in LIMITS]

        assert found[:3] == wanted[:3], row["case"]
        # Nsight Compute shows the carve-out that the driver chose, which never limits
        # where a larger one would not; here it is the whole.
        assert found[3] >= wanted[3] >= resident, row["case"]
        warps = resident * -(-threads // 32)
        pct = shown["sm__maximum_warps_per_active_cycle_pct"]
        assert 100 * warps / WARPS == pytest.approx(pct, abs=0.01), row["case"]
        waves = shown.get("launch__waves_per_multiprocessor")
        if waves is not None:
            here = math.prod(row["grid"]) / SMS / resident
            assert here == pytest.approx(waves, abs=0.006), row["case"]
