#!/bin/sh
# Install the Debian packages that are missing, or print the one command that does.
#
# What is looked for is what is used (a header, a program), so it also works where the
# packages have other names; only the installing is Debian's and Ubuntu's.
set -eu

missing=
need() { # package, then a command that succeeds if it is there
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
header() {
    echo "#include <$1>" | gcc -E -x c - -o /dev/null
}
program() {
    command -v "$1"
}
venv() {
    /usr/bin/python3 -c 'import ensurepip, venv' || python3 -c 'import ensurepip, venv'
}

need gcc program gcc
need g++ program g++
need patch program patch
need check header check.h
need libffi-dev header ffi.h
need libjansson-dev header jansson.h
need libzstd-dev header zstd.h
need bubblewrap program bwrap
need python3-venv venv

[ -z "$missing" ] && exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
    echo "workbook: missing:$missing. Install them with your system's package manager." >&2
    exit 2
fi
if [ "$(id -u)" = 0 ]; then
    sudo=
elif sudo -n true 2>/dev/null; then
    sudo='sudo -n '
else
    echo 'workbook: some packages are missing. Run this once, then try again:' >&2
    echo "    sudo $install" >&2
    exit 2
fi

echo "Installing$missing"
log=build/packages.log
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a command in words
if ! $sudo $install >$log 2>&1; then
    $sudo apt-get update >>$log 2>&1 || true
    # shellcheck disable=SC2086
    if ! $sudo $install >>$log 2>&1; then
        tail -5 $log >&2
        echo "workbook: that failed (all of it: $log). By hand: sudo $install" >&2
        exit 2
    fi
fi
