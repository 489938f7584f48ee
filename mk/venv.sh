#!/bin/sh
# Install a lock file into the workbook's own Python environment, making that first.
#
# usage: venv.sh PYTHON FOLDER LOCK
set -eu
python=$1 folder=$2 lock=$3
mkdir -p build

make_venv() {
    "$python" -m venv "$folder" || {
        # Debian's python3 without python3-venv: a venv without pip, and pip from outside.
        rm -rf "$folder"
        "$python" -m venv --without-pip "$folder"
    }
}

if ! "$folder/bin/python" -c '' 2>/dev/null; then
    rm -rf "$folder"
    echo 'Making .venv, the workbook'\''s own Python environment.'
    make_venv >build/venv.log 2>&1 || {
        cat build/venv.log >&2
        echo 'workbook: sudo apt-get install -y python3-venv, then try again.' >&2
        exit 2
    }
fi

if "$folder/bin/python" -m pip --version >/dev/null 2>&1; then
    set -- "$folder/bin/python" -m pip
elif "$python" -m pip --version >/dev/null 2>&1; then
    set -- "$python" -m pip --python "$folder/bin/python"
else
    echo 'workbook: there is no pip: sudo apt-get install -y python3-venv' >&2
    exit 2
fi

if ! "$@" install -q --disable-pip-version-check --no-deps --require-hashes \
    -r "$lock" >build/pip.log 2>&1; then
    tail -5 build/pip.log >&2
    echo "workbook: the Python packages of $lock did not install (build/pip.log)." >&2
    echo 'workbook: is there a network? pip'\''s own settings are respected.' >&2
    exit 2
fi
