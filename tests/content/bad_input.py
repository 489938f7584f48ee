"""Broken and hostile versions of chapter 11's reduce_v0, as edits of its solution.

Each is (what it must come to, the line it must name or "", how the text is edited).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

STEP = "reduce_v0"
UNIT = "chapters/11_reduction"
HEAD = "int reduce_v0(const unsigned *d_in, unsigned *d_partial, size_t n)\n{\n"


@dataclass(frozen=True)
class Bad:
    verdicts: set[str]
    at: str  # words of the line that must be named; "" if there is none
    edit: Callable[[str], str]


def kernel(old: str, new: str) -> Callable[[str], str]:
    """Replace in the answer of the step's kernel."""

    def edit(text: str) -> str:
        start = text.index(f"// BEGIN {STEP}")
        end = text.index(f"// END {STEP}")
        answer = text[start:end]
        assert old in answer
        return text[:start] + answer.replace(old, new, 1) + text[end:]

    return edit


def host(statement: str, before: str = "") -> Callable[[str], str]:
    """Put a statement at the head of the step's host function."""

    def edit(text: str) -> str:
        assert HEAD in text
        text = text.replace(HEAD, f"{before}{HEAD}    {statement}\n")
        return "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n" + text

    return edit


def header(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def last_barrier(text: str) -> str:
    start = text.index(f"// BEGIN {STEP}")
    end = text.index(f"// END {STEP}")
    answer = text[start:end]
    at = answer.rindex("__syncthreads();")
    answer = answer[:at] + answer[at + len("__syncthreads();") :]
    return text[:start] + answer + text[end:]


FORGED = """\
struct liar {
    liar() { puts("100% passed"); fflush(stdout); }
} teller;
"""
OWN_FRONT = """\
extern "C" cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
"""
SCRIBBLE = """\
extern "C" char __bss_start, _end;
"""

BAD = {
    "a syntax error": Bad(
        {"unbuilt"}, "sum[t] = ;", kernel("sum[t] = i < n ? in[i] : 0;", "sum[t] = ;")
    ),
    "a missing function": Bad(
        {"refused", "wrong", "crashed", "unbuilt"},
        "",
        header("int reduce_v0(const", "int reduce_zero(const"),
    ),
    "a wrong signature": Bad(
        {"unbuilt", "wrong"},
        "int reduce_v0",
        header(HEAD, HEAD.replace("size_t n", "float n")),
    ),
    "a write out of bounds": Bad(
        {"crashed"},
        "partial[blockIdx.x + gridDim.x]",
        kernel("partial[blockIdx.x]", "partial[blockIdx.x + gridDim.x]"),
    ),
    "a missing barrier": Bad({"wrong"}, "sum[t", last_barrier),
    "an endless kernel": Bad(
        {"hung"},
        "while (true)",
        kernel(
            "__syncthreads();",
            "__syncthreads();\n    while (true) *(volatile unsigned *)sum = t;",
        ),
    ),
    "an endless host loop": Bad(
        {"hung"}, "", host("for (volatile int i = 0;; i = i + 1);")
    ),
    "exit(0) before the answer": Bad({"crashed", "refused"}, "", host("exit(0);")),
    "_exit(0) before the answer": Bad({"crashed", "refused"}, "", host("_exit(0);")),
    "a host segfault": Bad({"crashed"}, "", host("*(volatile int *)8 = 1;")),
    "abort()": Bad({"crashed"}, "", host("abort();")),
    "2048 threads": Bad(
        {"wrong", "crashed"},
        "",
        header(
            "tree_modulo<<<ceil_div(n, BLOCK), BLOCK>>>", "tree_modulo<<<1, 2048>>>"
        ),
    ),
    "no launch": Bad({"wrong"}, "", host("return 0;")),
    "100 MB of printf": Bad(
        {"wrong", "hung", "crashed", "refused", "slow"},
        "",
        host(
            'for (int i = 0; i < 100000; i++) printf("%1000d", i);\n    return 0;',
        ),
    ),
    "its own runtime functions": Bad(
        {"wrong", "refused", "crashed", "slow", "unbuilt"},
        "",
        lambda text: OWN_FRONT + host("return 0;")(text),
    ),
    "a memory scribble": Bad(
        {"wrong", "refused", "crashed", "hung"},
        "",
        host("for (char *p = &__bss_start; p < &_end; p++) *p = 0;", SCRIBBLE),
    ),
    "an output left unwritten": Bad(
        {"wrong"}, "", kernel("partial[blockIdx.x] = sum[0];", "(void)partial;")
    ),
    "an input overwritten": Bad(
        {"wrong", "crashed"},
        "",
        kernel("if (t == 0)", "if (i < n) ((unsigned *)in)[i] = 7;\n    if (t == 0)"),
    ),
    "a constructor that says 100% passed": Bad(
        {"wrong"}, "", host("return 0;", FORGED)
    ),
}


def line_of(text: str, words: str) -> int:
    """The first line with these words in the step's part of the file."""
    from_ = max(text.find("tree_modulo("), 0)
    match = re.compile(re.escape(words)).search(text, from_)
    assert match, words
    return text[: match.start()].count("\n") + 1
