#!/bin/sh
# Run the suites that are named, add up what they count, and print the sum.
#
# A suite is a function below. It prints what it likes, and among it a line
# `N passed, N failed`; the last such line counts. A suite that prints none, passes
# nothing, or ends badly without a failure is one failure itself.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
python=$root/.venv/bin/python
log=build/check
mkdir -p $log
unset MAKEFLAGS MAKELEVEL MFLAGS
# The suites that call nvcc themselves find the one that the grader found.
nvcc=$(PYTHONPATH=$root "$python" -c 'from pathlib import Path
from grader.toolchain import find_nvcc
print(find_nvcc(Path.cwd()).program.parent)') || exit 2
PATH=$PATH:$nvcc

pytest_of() { # folder: pytest's own words for its counts, in ours
    PYTHONPATH=$root "$python" -m pytest -p grader.counts -q "$@"
}

suite_lint() {
    passed=0 failed=0
    try() { if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }
    try "$python" -m ruff check grader tests
    try "$python" -m ruff format --check grader tests
    try "$python" -m mypy
    if command -v shellcheck >/dev/null; then
        try shellcheck mk/*.sh .ci/run
    else
        echo 'shellcheck is not installed: skipped'
    fi
    echo "$passed passed, $failed failed"
}
suite_simt() {
    make -s -C tests/simt OUT="$root/build/tests/simt" test
}
suite_harness() {
    pytest_of tests/harness
}
suite_grader() {
    pytest_of tests/grader
}
suite_content() { # most of it compiles wrong answers, one at a time: two such runs at once
    units=tests/content/test_units.py
    pytest_of $units -k chapters >$log/content.chapters 2>&1 &
    pytest_of $units -k 'not chapters' >$log/content.others 2>&1
    wait $!
    pytest_of tests/content --ignore=$units >$log/content.rest 2>&1
    cat $log/content.chapters $log/content.others $log/content.rest
    awk '/[0-9]+ passed, [0-9]+ failed/ {n[FILENAME] = $0} END {
        for (i = 1; i < ARGC; i++) {
            if (!(ARGV[i] in n)) {f++; continue}
            split(n[ARGV[i]], w, /[^0-9]+/); p += w[1]; f += w[2]}
        print p + 0 " passed, " f + 0 " failed"; exit f > 0}' \
        $log/content.chapters $log/content.others $log/content.rest
}
suite_measured() {
    pytest_of tests/measured
}
suite_docs() {
    pytest_of tests/docs
}

run() { { "suite_$1"; echo "status $?"; } >"$log/$1" 2>&1; }

# The emulator's suite is as long as the shorter ones together, and each of them keeps one
# core busy: side by side. The content suite uses all cores by itself.
for suite in "$@"; do
    if [ "$suite" = simt ]; then run simt & fi
done
for suite in "$@"; do
    case $suite in simt | content) ;; *) run "$suite" ;; esac
done
wait
for suite in "$@"; do
    if [ "$suite" = content ]; then run content; fi
done

passed=0 failed=0
for suite in "$@"; do
    echo "== $suite"
    status=$(sed -n 's/^status //p' "$log/$suite" | tail -1)
    counts=$(grep -oE '[0-9]+ passed, [0-9]+ failed' "$log/$suite" | tail -1)
    good=${counts%% *}
    bad=$(echo "$counts" | sed -n 's/.*, \([0-9]*\) failed/\1/p')
    good=${good:-0} bad=${bad:-0}
    if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
    if [ "$good" = 0 ] && [ "$bad" = 0 ]; then
        echo "$suite: an empty suite"
        bad=1
    fi
    if [ "$bad" != 0 ]; then grep -v '^status ' "$log/$suite" | tail -150; fi
    echo "$suite: $good passed, $bad failed"
    passed=$((passed + good)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
