"""What the emulator counted, by kernel: the model behind every view of it.

A Kernel is all launches of one kernel with one block size in a counted run. Its bounds
are how long it must take at least, by what it waits for: those of the launch's modelled
time where the record has one, else estimates from the counts. Nothing else in the
grader knows which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grader.nsight import ALL_SECTORS, ALL_WAVES, INST, LIMITS, SERIAL, Counters, total
from grader.records import Record
from grader.result import Place
from grader.score import Source

START_NS = 2000.0  # about what the smallest launch takes
# Bounds of memory; those that are of neither kind; all others are of computing.
MEMORY = ("dram", "l2", "l1", "lsu", "shared", "atomics", "local")
NEITHER = ("latency", "blocks", "launch")


def computes(bound: str) -> bool:
    return bound not in (*MEMORY, *NEITHER)


@dataclass(frozen=True, slots=True)
class Gpu:
    """The pretended GPU, as far as costs depend on it."""

    key: str
    sms: int
    clock_khz: float
    dram_gbs: float
    capability: tuple[int, int]

    @property
    def fp64_lanes(self) -> int:
        """Of a multiprocessor; fp32 has 64 or 128."""
        return {(8, 0): 32, (9, 0): 64}.get(self.capability, 2)


@dataclass(frozen=True, slots=True)
class Line:
    file: str
    line: int
    counters: Counters
    text: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    grid: tuple[int, ...]
    blocks: int
    occupancy: Counters  # by Nsight's names
    ns: float | None  # modelled
    least: float  # ns: its longest bound
    warp_instructions: float  # of one warp

    @property
    def weight(self) -> float:
        """Its time, or what that may be."""
        return self.least + START_NS if self.ns is None else self.ns


@dataclass(frozen=True, slots=True)
class Kernel:
    name: str
    block: tuple[int, ...]
    shared: int
    gpu: Gpu
    launches: tuple[Launch, ...]  # the one of most blocks first
    counters: Counters
    lines: tuple[Line, ...]  # those with most instructions first
    bounds: dict[str, float] = field(default_factory=dict)  # ns, the longest first
    modelled: bool = False  # bounds and times are the time model's
    place: Place | None = None  # where the kernel is written
    needed: float = 0  # bytes that the step must load, where its budget says so

    @property
    def threads(self) -> int:
        x, y, z = (*self.block, 1, 1)[:3]
        return x * y * z

    @property
    def occupancy(self) -> Counters:
        return self.launches[0].occupancy

    @property
    def limiter(self) -> str:
        """What limits the blocks on a multiprocessor, in words."""
        found = {name: self.occupancy.get(name, 0) for name in LIMITS}
        least = min(found.values())
        return " and ".join(LIMITS[n] for n, value in found.items() if value == least)

    @property
    def resident(self) -> int:
        """Blocks on a multiprocessor."""
        return int(min(self.occupancy.get(name, 0) for name in LIMITS))

    @property
    def ns(self) -> float:
        """Modelled time of all launches, or the longest bound."""
        times = [launch.ns for launch in self.launches if launch.ns is not None]
        return sum(times) if times else max(self.bounds.values(), default=0)

    def share(self, *bounds: str) -> float:
        """How near the kernel is to the nearest of these bounds, 0 to 1."""
        longest = max((self.bounds.get(name, 0) for name in bounds), default=0)
        return min(1.0, longest / self.ns) if self.ns else 0.0

    @property
    def memory(self) -> float:
        return self.share(*MEMORY)

    @property
    def compute(self) -> float:
        return self.share(*filter(computes, self.bounds))


def kernels(record: Record, source: Source) -> list[Kernel]:
    """The kernels of a device record, in the order of their first launch."""
    groups: dict[Any, list[Record]] = {}
    for launch in record.get("launches") or ():
        if "occupancy" in launch:
            key = (launch["kernel"], *launch["block"], launch["shared"])
            groups.setdefault(key, []).append(launch)
    gpu = _gpu(record)
    return [_kernel(group, gpu, source) for group in groups.values()]


def _gpu(record: Record) -> Gpu:
    about = record.get("device") or {}
    return Gpu(
        key=str(record.get("gpu", "")),
        sms=int(about.get("sms", 1)),
        clock_khz=float(about.get("clock_khz", 1)),
        dram_gbs=float(about.get("dram_gbs", 1)),
        capability=(int(about.get("major", 0)), int(about.get("minor", 0))),
    )


def _kernel(group: list[Record], gpu: Gpu, source: Source) -> Kernel:
    counters: Counters = {}
    lines: dict[tuple[str, int], Counters] = {}
    bounds: Counters = {}
    for launch in group:
        _add(counters, launch.get("counters") or {})
        _add(bounds, launch.get("bounds") or {})
        for entry in launch.get("lines") or ():
            key = (str(entry.get("file", "")), int(entry.get("line", 0)))
            _add(lines.setdefault(key, {}), entry.get("counters") or {})
    launches = [_launch(launch, gpu) for launch in group]
    modelled = bool(bounds)
    bounds = bounds or estimates(counters, gpu)
    order = sorted(lines, key=lambda key: -lines[key].get(INST, 0))
    name = str(group[0]["kernel"])
    made = tuple(
        _line(source, file, number, lines[file, number]) for file, number in order
    )
    return Kernel(
        name=name,
        block=_sizes(group[0]["block"]),
        shared=int(group[0]["shared"]),
        gpu=gpu,
        launches=tuple(sorted(launches, key=lambda one: -one.blocks)),
        counters=counters,
        lines=made,
        bounds=dict(sorted(bounds.items(), key=lambda pair: -pair[1])),
        modelled=modelled,
        place=source.home(name),
    )


def _launch(launch: Record, gpu: Gpu) -> Launch:
    grid = _sizes(launch["grid"])
    x, y, z = launch["grid"]
    ns = launch.get("ns")
    counters = launch.get("counters") or {}
    bounds = launch.get("bounds") or estimates(counters, gpu)
    threads = launch["block"][0] * launch["block"][1] * launch["block"][2]
    warps = -(-threads // 32) * x * y * z
    return Launch(
        grid,
        x * y * z,
        launch["occupancy"],
        None if ns is None else float(ns),
        max(bounds.values(), default=0),
        counters.get(INST, 0) / warps,
    )


def _line(source: Source, file: str, number: int, counters: Counters) -> Line:
    place = source.place(file, number)
    return Line(place.file, number, counters, place.text)


def _sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    found = [int(size) for size in sizes]
    while len(found) > 1 and found[-1] == 1:
        found.pop()
    return tuple(found)


def _add(into: Counters, more: Counters) -> None:
    for name, value in more.items():
        into[name] = into.get(name, 0) + value


def estimates(counters: Counters, gpu: Gpu) -> dict[str, float]:
    """Least times in ns, by what is asked of the GPU, as if nothing were cached."""
    cycle = 1e6 / gpu.clock_khz / gpu.sms  # of all multiprocessors together
    touched = total(counters, ALL_SECTORS)
    bounds = {
        "issue": counters.get(INST, 0) / 4 * cycle,
        "fp64": counters.get("inst_fp64_ptx", 0) * 32 / gpu.fp64_lanes * cycle,
        "shared": total(counters, ALL_WAVES) * cycle,
        "l1": touched / 4 * cycle,
        "dram": touched * 32 / gpu.dram_gbs,
        "atomics": counters.get(SERIAL, 0) * cycle,
    }
    return {name: value for name, value in bounds.items() if value}
