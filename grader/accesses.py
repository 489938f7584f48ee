"""Watched accesses: what a warp's lanes touch, read from a device record.

A Picture is the same in cells: 128-byte lines of four sectors for global and local
memory, banks by wavefronts for shared memory. Terminal and page only draw it.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.records import Record
from grader.result import Access
from grader.score import Source

SECTOR, LINE, BANKS = 32, 128, 32
MOST = 2  # accesses kept with a step's result


def accesses(record: Record, source: Source) -> list[Access]:
    """All accesses of a device record."""
    return [_access(entry, source) for entry in record.get("accesses") or ()]


def worst(record: Record, source: Source) -> tuple[Access, ...]:
    """Those of the learner's file that cost most over what they need."""
    found = [one for one in accesses(record, source) if one.file == source.file]
    found = [one for one in found if one.cost > one.ideal]
    found.sort(key=lambda one: one.ideal / one.cost)
    return tuple(found[:MOST])


def _access(entry: Record, source: Source) -> Access:
    place = source.place(str(entry["file"]), int(entry["line"]))
    return Access(
        kernel=str(entry["kernel"]),
        file=place.file,
        line=place.line,
        block=tuple(entry["block"]),
        warp=int(entry["warp"]),
        space=str(entry["space"]),
        op=str(entry["op"]),
        bytes=int(entry["bytes"]),
        cost=int(entry.get("wavefronts") or entry.get("sectors") or 0),
        ideal=int(entry["ideal"]),
        addresses=tuple(entry["addresses"]),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A line of memory, or a wavefront; the cell of each sector or bank holds lanes."""

    label: str
    cells: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    access: Access
    unit: str  # what a cell is: sector, bank
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    title: str
    words: str  # for those who do not see it


def picture(access: Access) -> Picture:
    rows = _wavefronts(access) if access.space == "shared" else _lines(access)
    shared = access.space == "shared"
    unit, what = ("bank", "wavefront") if shared else ("sector", "sector")
    columns = range(BANKS) if shared else range(0, LINE, SECTOR)
    lanes = sum(address is not None for address in access.addresses)
    block = ",".join(map(str, access.block))
    title = f"{access.kernel}, line {access.line}: a {access.space} {access.op} of"
    title += f" {_count(access.bytes, 'byte')} a lane by warp {access.warp} of block"
    title += f" ({block})"
    words = f"{lanes} lanes touch {_count(access.cost, what)}"
    words += "." if access.cost <= access.ideal else f"; {access.ideal} would do."
    if not shared:
        words += f" They lie in {_count(len(rows), 'line')} of 128 bytes."
    else:
        words += f" {_busiest(rows)}"
    return Picture(access, unit, tuple(map(str, columns)), rows, title, words)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def _lanes(access: Access) -> list[tuple[int, int]]:
    pairs = enumerate(access.addresses)
    return [(lane, address) for lane, address in pairs if address is not None]


def _lines(access: Access) -> tuple[Row, ...]:
    """The lines that are touched, each with the lanes at its sectors."""
    found: dict[int, list[list[int]]] = {}
    for lane, address in _lanes(access):
        for sector in range(
            address // SECTOR, (address + access.bytes - 1) // SECTOR + 1
        ):
            cells = found.setdefault(sector // 4, [[] for _ in range(4)])
            cells[sector % 4].append(lane)
    first = min(found, default=0)
    return tuple(
        Row(f"+{(line - first) * LINE:,}", tuple(map(tuple, found[line])))
        for line in sorted(found)
    )


def _groups(access: Access) -> list[range]:
    """Lanes that are served together: 32 of up to 4 bytes, 16 of 8, 8 of 16."""
    size = 32 if access.bytes <= 4 else 16 if access.bytes == 8 else 8
    return [range(first, first + size) for first in range(0, 32, size)]


def _wavefronts(access: Access) -> tuple[Row, ...]:
    """One word a bank in each; equal words are served together."""
    where = dict(_lanes(access))
    rows: list[Row] = []
    for group in _groups(access):
        words: dict[int, dict[int, list[int]]] = {}  # bank: word: lanes
        for lane in group:
            if lane not in where:
                continue
            last = (where[lane] + access.bytes - 1) // 4
            for word in range(where[lane] // 4, last + 1):
                words.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        for turn in range(max(map(len, words.values()), default=0)):
            cells = [list(words.get(bank, {}).values()) for bank in range(BANKS)]
            row = tuple(tuple(c[turn]) if turn < len(c) else () for c in cells)
            rows.append(Row(str(len(rows) + 1), row))
    return tuple(rows)


def _busiest(rows: tuple[Row, ...]) -> str:
    used = [sum(bool(row.cells[bank]) for row in rows) for bank in range(BANKS)]
    most = max(used, default=0)
    banks = [bank for bank, count in enumerate(used) if count == most]
    if len(banks) == BANKS:
        return f"Every bank is asked {_count(most, 'time')}."
    name = f"Bank {banks[0]} is" if len(banks) == 1 else f"{len(banks)} banks are"
    return f"{name} asked {_count(most, 'time')}, {sum(not n for n in used)} are idle."
