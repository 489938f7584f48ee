"""compile_commands.json: what an editor's language server needs to know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.toolchain import find_nvcc
from grader.units import every


def compile_commands(root: Path) -> str:
    """The commands in clangd's words: nvcc's own flags mean nothing to it."""
    nvcc = find_nvcc(root)
    cuda = ["clang++", "-x", "cuda", "--cuda-gpu-arch=sm_80", "-std=c++17"]
    cuda += [f"--cuda-path={nvcc.top}", "-nocudalib", f"-I{nvcc.includes}"]
    plain = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra"]
    entries: list[dict[str, Any]] = []

    def add(words: list[str], folder: Path, file: Path) -> None:
        if file.exists():
            command = [*words, f"-I{folder}", "-c", str(file)]
            entry = {"directory": str(root), "file": str(file), "arguments": command}
            entries.append(entry)

    for unit in every(root):
        for file in (unit.kernel, unit.solution):
            add(cuda, unit.folder, file)
        add([*plain, f"-I{root / 'lib/harness'}"], unit.folder, unit.folder / "test.c")
    for file in sorted((root / "lib").rglob("*.c")):
        add([*plain, f"-I{root / 'lib/simt'}", f"-I{nvcc.includes}"], file.parent, file)
    return json.dumps(entries, indent=1) + "\n"
