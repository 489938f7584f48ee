"""Tables of the documentation, each made from the file that the workbook itself reads.

`python docs/tables.py` writes the table of chapters into README.md, between its two
marks; `--check` only says whether it is up to date. The pages call the functions.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests/simt/faults")]

from cases import Case, cases  # noqa: E402

from grader.rules import CHAPTERS, RULES  # noqa: E402
from grader.units import Unit, load, names  # noqa: E402

SIMT = ROOT / "lib/simt/src"
BEGIN = "<!-- chapters: made by `python docs/tables.py` -->"
END = "<!-- end of chapters -->"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of a Markdown table; a bar inside a cell stays one."""

    def line(cells: Iterable[Any]) -> str:
        return "| " + " | ".join(str(c).replace("|", r"\|") for c in cells) + " |"

    body = [line(row) for row in rows]
    if not body:
        raise ValueError(f"no rows for the table of {head[0]}")
    return [line(head), "|" + "---|" * len(head), *body]


def points(unit: Unit) -> str:
    """Points of a unit without a GPU: tests and budgets."""
    steps = unit.steps
    tests = sum(sum(step.tests.values()) for step in steps)
    return f"{tests + sum(b.points for step in steps for b in step.budgets):g}"


def chapters(link: Callable[[Unit], str]) -> list[str]:
    """One row a chapter; `link` says where a unit's page is."""
    rows = []
    exercises = names(ROOT, "exercise")
    for name in names(ROOT, "chapter"):
        unit = load(ROOT, "chapter", name)
        exercise = "-"
        if name in exercises:
            other = load(ROOT, "exercise", name)
            exercise = f"[{other.title}]({link(other)})"
        title = f"[{unit.title}]({link(unit)})"
        needs = ", ".join(str(int(need[:2])) for need in unit.needs) or "-"
        rows.append(
            (unit.number, title, len(unit.steps), points(unit), needs, exercise)
        )
    head = ("", "chapter", "steps", "points", "after", "its exercise, for marks")
    return table(head, rows)


def counters() -> list[str]:
    """Every counter of the record, and what it counts (counters.toml)."""
    text = (SIMT / "record.h").read_text()
    found = re.findall(r'^\s+C\(\w+, "([^"]+)"\)', text, re.M)
    meanings = tomllib.loads((ROOT / "docs/counters.toml").read_text())
    if set(found) != set(meanings) or not found:
        differ = sorted(set(found) ^ set(meanings))
        raise ValueError(f"docs/counters.toml and record.h differ: {differ}")
    return table(
        ("counter", "counts"), [(f"`{name}`", meanings[name]) for name in found]
    )


def rules() -> list[str]:
    """What a profile looks for, and where it is explained."""
    rows = [
        (f"`{r.name}`", r.title, r.advice, f"{r.chapter}, {CHAPTERS[r.chapter]}")
        for r in RULES
    ]
    return table(("rule", "finds", "advice", "chapter"), rows)


def classes() -> list[str]:
    """Instruction classes, each a counter, with the opcodes that count as it."""
    words = _class_words()
    opcodes: dict[str, list[str]] = {word: [] for word in words.values()}
    for line in (SIMT / "ops.def").read_text().splitlines():
        if match := re.match(r"OP\((\w+), \w+, (\w+),", line):
            opcodes[words[match[2]]].append(f"`{match[1]}`")
    rows = [(f"`inst_{word}_ptx`", " ".join(ops)) for word, ops in opcodes.items()]
    return table(("counter", "opcodes, where their type does not say otherwise"), rows)


def instructions() -> list[str]:
    """The opcodes of ops.def, under its headings."""
    words = _class_words()
    lines: list[str] = []
    rows: list[tuple[str, str, str]] = []
    title = ""

    def flush() -> None:
        if rows:
            lines.extend(
                ["", f"**{title}**", "", *table(("opcode", "meaning", "class"), rows)]
            )
            rows.clear()

    for line in (SIMT / "ops.def").read_text().splitlines():
        if match := re.match(r'OP\((\w+), \w+, (\w+), "(.*)"\)', line):
            rows.append((f"`{match[1]}`", f"`{match[3]}`", words[match[2]]))
        elif line.startswith("// "):
            flush()
            title = line[3:]
    flush()
    return lines


FORMS = ROOT / "tests/simt/forms"


def forms() -> list[str]:
    """Every register-only form that ran on a GPU, by class and opcode (forms/*.txt)."""
    (path,) = FORMS.glob("*.txt")
    head, *lines = path.read_text().splitlines()
    differ = set(re.findall(r'^"(.+)",$', (FORMS / "differ.def").read_text(), re.M))
    classes: dict[str, dict[str, list[str]]] = {}
    rough: dict[str, list[tuple[str, str, str]]] = {}
    rows_of = [line.split(" | ") for line in lines if " | " in line]
    for name, kind, _, _, _, found in rows_of:
        worst, _, bound = found.partition(" of ")
        if bound:
            how, size = bound.split()
            words = {"ulp": f"{size} ulp", "rel": f"2<sup>{size}</sup>, relative"}
            limit = words.get(how, f"2<sup>{size}</sup>")
            rough.setdefault(kind, []).append((f"`{name}`", limit, worst))
        elif (found == "exact") == (name in differ):
            raise ValueError(f"{path.name} and differ.def disagree about {name}")
        opcode, _, rest = name.partition(".")
        rest += " differs" if name in differ else ""
        classes.setdefault(kind, {}).setdefault(opcode, []).append(rest)
    text = [f"{len(rows_of)} forms on an {head.removeprefix('# ')}.", ""]
    for kind, opcodes in classes.items():
        rows = [
            (f"`{opcode}`", len(some), " ".join(f"`.{one}`" for one in some))
            for opcode, some in opcodes.items()
        ]
        count = sum(len(some) for some in opcodes.values())
        text += [f"**{kind}**, {count} forms", ""]
        text += [*table(("opcode", "forms", "which"), rows), ""]
        if kind in rough:
            columns = ("approximated", "bound", "the GPU's largest error, in bounds")
            text += [*table(columns, rough[kind]), ""]
    return text


def runtime() -> list[str]:
    """The entry points of entries.def, under its headings."""
    text = (SIMT.parent / "front/entries.def").read_text()
    parts = re.findall(r"^// (.+)\n((?:ENTRY\(.*\n(?: .*\n)*)+)", text, re.M)
    entry = re.compile(r'^ENTRY\((\w+), (\w+), (\w+),\s+"(.*)"\)', re.M)
    states = {"HERE": "yes", "REFUSED": "refused"}
    found = [row for _, part in parts for row in entry.findall(part)]
    here = sum(row[0] == "HERE" for row in found)
    lines = [f"{len(found)} functions: {here} supported, {len(found) - here} refused."]
    for title, part in parts:
        rows = []
        for state, twin, name, about in entry.findall(part):
            suffix = "" if twin == "NONE" else f"`_{twin.lower()}`"
            rows.append((f"`{name}`", about, states[state], suffix))
        lines += ["", f"**{title}**", ""]
        lines += table(("function", "about", "supported", "twin"), rows)
    if len(found) != text.count("\nENTRY("):
        raise ValueError("entries.def has lines that are not understood")
    return lines


def gpus() -> list[str]:
    """The GPUs of gpus.def, a column each."""
    rows = [
        "name",
        "compute capability",
        "multiprocessors",
        "clock, MHz",
        "memory, GiB",
        "L2 cache, MiB",
        "threads a multiprocessor",
        "blocks a multiprocessor",
        "shared memory a multiprocessor, KiB",
        "shared memory a block, KiB",
        "memory bandwidth, GB/s",
    ]
    columns: list[list[Any]] = [rows]
    for line in (SIMT / "gpus.def").read_text().splitlines():
        if not (match := re.match(r'GPU\((\w+), "(.*?)", (.*)\)', line)):
            continue
        major, minor, *rest = map(_number, match[3].split(",")[:14])
        sms, clock, _, _, memory, l2, threads, blocks, _, shared, most, gbs = rest
        column: list[Any] = [match[2], f"{major}.{minor}", sms, clock // 1000]
        column += [memory >> 30, l2 >> 20, threads, blocks, shared >> 10, most >> 10]
        columns.append([*column, gbs])
    keys = re.findall(r"^GPU\((\w+)", (SIMT / "gpus.def").read_text(), re.M)
    head = ["`GPU=`", *(f"`{key}`" for key in keys)]
    return table(head, zip(*columns, strict=True))


def measurements() -> list[str]:
    """Every file that `python -m grader measure` has written."""
    lines: list[str] = []
    for path in sorted((ROOT / "docs/measurements").glob("*.json")):
        data = json.loads(path.read_text())
        if "rows" not in data:  # the sanitizers': checks()
            facts = f"{len(data['cases'])} cases, {data['gpu']}, {data['driver']}"
            lines += ["", f"`{path.name}`: {facts}, {data['date']}."]
            continue
        if any("ceilings" in row for row in data["rows"]):
            lines += ["", *measurement(data, path.name)]
        else:
            facts = f"{len(data['rows'])} rows, {data['gpu']}, driver {data['driver']}"
            lines += ["", f"`{path.name}`: {facts}, {data['date']}."]
    return lines or ["No measurement is on record yet."]


def differences() -> list[str]:
    """Where the emulator's counters differ from the H200's: differ.toml."""
    path = ROOT / "docs/measurements/counters_H200.json"
    data = json.loads(path.read_text())
    cases_ = len({row["case"] for row in data["rows"]})
    known = tomllib.loads((ROOT / "tests/measured/differ.toml").read_text())
    lines = [
        f"{len(data['rows'])} launches of {cases_} cases on an {data['gpu']}, "
        f"driver {data['driver']}, ncu {data['ncu']}, {data['date']} "
        f"(`{path.relative_to(ROOT)}`). "
        "All counters that are not in this table are equal.",
    ]
    for group in known["difference"]:
        lines += ["", group["because"], ""]
        lines += table(
            ("case", "counter", "emulator", "H200"),
            [
                (f"`{case}`", f"`{name}`", f"{v['emulator']:,}", f"{v['gpu']:,}")
                for case, counters in group["cases"].items()
                for name, v in counters.items()
            ],
        )
    return lines


def measurement(data: dict[str, Any], name: str) -> list[str]:
    """One run: each step's bandwidth, and its ratio to each ceiling."""
    rows = data["rows"]
    ceilings = list(dict.fromkeys(key for row in rows for key in row["ceilings"]))
    title = " on ".join(filter(None, (data.get("title"), data["gpu"])))
    facts = {
        "measured": data["date"],
        "driver": data["driver"],
        "compiler": data["nvcc"],
        "elements": f"{data['n']:,}" if "n" in data else "",
        "made by": f"`{data['command']}`" if "command" in data else "",
        "data": f"`docs/measurements/{name}`",
    }
    said = ", ".join(f"{key} {value}" for key, value in facts.items() if value)

    def ratio(row: dict[str, Any], ceiling: str) -> str:
        found = row["ceilings"].get(ceiling)
        return f"{found['ratio']:.3f} ({found['gbs']:,.0f})" if found else "-"

    return [
        f"**{title}**",
        "",
        said[0].upper() + said[1:] + ".",
        "",
        *table(
            ("step", "", "GB/s", *(f"of `{c}` (GB/s)" for c in ceilings)),
            [
                (
                    f"`{row['step']}`",
                    row.get("title", ""),
                    f"{row['gbs']:,.0f}",
                    *(ratio(row, c) for c in ceilings),
                )
                for row in rows
            ],
        ),
    ]


_FAMILIES = {
    "global": "Global memory",
    "align": "Alignment",
    "inside": "Shared and local memory, ends, the heap of kernels",
    "calls": "Calls of the runtime",
    "shared": "Races on shared memory",
    "grid": "Races on global memory",
    "fresh": "Bytes that nobody wrote",
    "sync": "Barriers and warps",
    "wait": "Waiting without end",
}


def checks() -> list[str]:
    """The planted faults: what the emulator finds, and what compute-sanitizer said."""
    path = ROOT / "docs/measurements/faults_H200.json"
    data = json.loads(path.read_text()) if path.exists() else {}
    seen = data.get("cases", {})
    alone = sum(name in seen and not _said(seen[name]["fault"]) for name in seen)
    head = ["compute-sanitizer was not run yet."]
    if data:
        head = [
            f"compute-sanitizer {data['compute_sanitizer']} on an {data['gpu']}, "
            f"driver {data['driver']}, {data['date']} "
            f"(`docs/measurements/{path.name}`): {alone} of {len(seen)} "
            "only the emulator finds."
        ]
    lines = head
    known = cases()
    for program in sorted({case.program for case in known}, key=list(_FAMILIES).index):
        rows = [_fault_row(c, seen.get(c.name)) for c in known if c.program == program]
        lines += ["", f"**{_FAMILIES[program]}** (`{program}.cu`)", ""]
        lines += table(
            ("case", "fault", "the emulator", "line", "compute-sanitizer"), rows
        )
    return lines


def _said(runs: dict[str, Any]) -> list[str]:
    """The tools that found something, and their first words."""
    return [
        f"{tool}: {run['first']}".replace("__", r"\_\_")
        + (f" (line {', '.join(map(str, run['lines']))})" if run["lines"] else "")
        for tool, run in runs.items()
        if run["count"]
    ]


def _fault_row(case: Case, seen: dict[str, Any] | None) -> tuple[Any, ...]:
    kinds = ", ".join(f"`{kind}`" for kind in case.kinds)
    lines = " and ".join(str(n) for n in dict.fromkeys(case.here + case.and_here))
    if seen is None:
        said = "not run yet"
    else:
        late = any(run.get("late") for run in seen["fault"].values())
        said = "<br>".join(_said(seen["fault"])) or "nothing" + ", it hangs" * late
    return (f"`{case.name}`", case.says, kinds, lines or "-", said)


def _class_words() -> dict[str, str]:
    """FP32 to "fp32", ..., from the CLASSES of exec.h."""
    text = (SIMT / "exec.h").read_text()
    part = text[text.index("#define CLASSES(C)") : text.index("enum inst_class")]
    return dict(re.findall(r'C\((\w+), "(\w+)"\)', part))


def _number(cell: str) -> int:
    """A number of gpus.def: 108, 80ull << 30."""
    value, _, shift = cell.replace("ull", "").partition("<<")
    return int(value) << int(shift or 0)


def readme(text: str) -> str:
    """README.md with the table of chapters made anew."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError("README.md lacks the marks of its table")
    made = chapters(lambda unit: f"{unit.id}/")
    return "\n".join([head + begin, "", *made, "", end + tail])


def main() -> int:
    path = ROOT / "README.md"
    old = path.read_text()
    new = readme(old)
    if old == new:
        return 0
    if "--check" in sys.argv[1:]:
        print("README.md: its table of chapters is old: python docs/tables.py")
        return 1
    path.write_text(new)
    print("README.md: the table of chapters is made anew.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
