#!/bin/sh
# SPDX-License-Identifier: MIT
# What setup.sh and build.sh share: they source this file in the course's root. It sees that build/
# can be written and has room, and finds the programs of build/venv.

# Meson, ninja and tomli from PyPI, for who may not install packages or whose own are too old.
PATH=$PWD/build/venv/bin:$PATH

[ -d build ] || mkdir build 2>/dev/null
if [ ! -d build ] || [ ! -w build ]; then
    echo "$PWD/build: you cannot write to it; work in a clone of your own" >&2
    exit 1
fi

# The room on a folder's disk, in KiB, if df can say it.
room_of() { df --output=avail "$1" 2>/dev/null | tail -n 1; }
say_full() { echo "$1: the disk is full; make room there, then try again" >&2; }
# On a full disk, each program fails in words of its own, and Debian's packages break.
room=$(room_of build)
if [ "${room:-100}" -lt 100 ]; then
    say_full "$PWD/build"
    exit 1
fi

# Without these words, ccache keeps nothing that uses a precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros
# A precompiled header knows its headers by their text. Without comments, ccache would give one for another text.
export CCACHE_COMMENTS=1
# What one checkout has compiled is taken from the cache in another one, and in the tests' copies.
export CCACHE_NOHASHDIR=1
export CCACHE_BASEDIR="$PWD"
# ccache compiles nothing where it cannot keep its files: without a home, or in one that is not
# one's own.
if [ -z "${CCACHE_DIR:-}${XDG_CACHE_HOME:-}" ] && { [ ! -d "${HOME:-}" ] || [ ! -w "$HOME" ]; }; then
    export CCACHE_DIR="$PWD/build/ccache"
fi

# Two commands at once would install the same packages or write the same files. The second one waits.
wait_for_others() {
    command -v flock >/dev/null 2>&1 || return 0
    exec 9>build/.building
    flock --nonblock 9 && return 0
    echo 'another command sets up or builds this folder: waiting for it'
    flock 9
}
