#!/bin/sh
# Make the lock files anew: exact versions, with the hashes of their files.
#
# usage: lock.sh PYTHON
set -eu
python=$1
uv=build/lock/bin/uv
[ -x $uv ] || { "$python" -m venv build/lock && build/lock/bin/pip install -q uv; }
set -- --generate-hashes --no-emit-index-url --no-emit-find-links --no-header \
    --no-annotate --python-version 3.11
rm -f requirements.lock requirements-dev.lock requirements-cuda.lock
$uv pip compile -q pyproject.toml "$@" -o requirements.lock
$uv pip compile -q pyproject.toml --extra dev -c requirements.lock "$@" \
    -o requirements-dev.lock
sed -n 's/^cuda = \["\(.*\)"\]$/\1/p' pyproject.toml |
    $uv pip compile -q - "$@" -o requirements-cuda.lock
