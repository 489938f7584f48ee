"""Names of the counters that the views read: Nsight Compute's, and our own."""

from __future__ import annotations

from collections.abc import Iterable

Counters = dict[str, float]

INST = "inst_executed_ptx"
LANES = "thread_inst_executed_ptx"
_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_WAVES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
_ATOMIC_WAVES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
DIVERGENT, BRANCHES = "divergent_branches_source", "branches_source"
SERIAL = "atomic_serialization"
OCCUPANCY, WAVES_PER_SM = (
    "sm__maximum_warps_per_active_cycle_pct",
    "launch__waves_per_multiprocessor",
)
REGISTERS = "launch__registers_per_thread"
LIMITS = {
    f"launch__occupancy_limit_{name}": words
    for name, words in (
        ("blocks", "blocks"),
        ("warps", "warps"),
        ("registers", "registers"),
        ("shared_mem", "shared memory"),
    )
}


def requests(op: str) -> str:
    return _GLOBAL.format("requests", op)


def sectors(op: str) -> str:
    return _GLOBAL.format("sectors", op)


def wavefronts(op: str) -> str:
    return _ATOMIC_WAVES if op == "atom" else _WAVES.format(op)


def conflicts(op: str) -> str:
    return _CONFLICTS.format(op)


def total(counters: Counters, names: Iterable[str]) -> float:
    return sum(counters.get(name, 0) for name in names)


ALL_SECTORS = (
    *(sectors(op) for op in ("ld", "st", "atom", "red")),
    "local_sectors_ld",
    "local_sectors_st",
    "texture_sectors",
    "surface_sectors",
)
ALL_REQUESTS = tuple(requests(op) for op in ("ld", "st", "atom", "red"))
_SHARED = ("ld", "st", "atom")
ALL_WAVES = tuple(wavefronts(op) for op in _SHARED)
ALL_CONFLICTS = tuple(conflicts(op) for op in _SHARED)
SHARED_REQUESTS = tuple(f"shared_requests_{op}" for op in _SHARED)
