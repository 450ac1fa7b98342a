#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures where that is due, and builds; says little unless something fails.
set -u
cd "$(dirname "$0")/../../.." || exit 1
mkdir -p build 2>/dev/null
if [ ! -d build ] || [ ! -w build ]; then
    echo "$PWD/build: cannot be written by this user; work in a clone of your own" >&2
    exit 1
fi
log=build/configure.log

configure() {
    if ! meson setup "$@" build >"$log" 2>&1; then
        cat "$log" >&2
        rm -f build/build.ninja
        exit 1
    fi
    # What this machine lacks is said here, once.
    sed -n 's/^.*Message: //p' "$log"
}

if [ ! -e build/build.ninja ]; then
    configure
elif [ -e build/setup-changed ]; then
    configure --reconfigure
fi
rm -f build/setup-changed

# Where a meson.build has changed, ninja configures anew: said only when it fails.
if ! ninja -C build --quiet build.ninja >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

# Much to compile takes minutes: that is said first, and on a terminal ninja shows how far it is. Other
# steps are quick, and a dry run plans those behind the version's header each time.
files=$(NINJA_STATUS='[] ' ninja -C build -n "$@" 2>/dev/null | grep -c '^\[] Compiling ')
if [ "$files" -gt 10 ]; then
    echo "building, $files files to compile: this takes minutes"
    [ -t 1 ] && exec ninja -C build "$@"
fi
# Warnings and failures only; ninja 1.11 says even then that there is nothing to do.
said=$(ninja -C build --quiet "$@" 2>&1)
status=$?
[ "$status" -eq 0 ] || exec >&2
[ "$said" = 'ninja: no work to do.' ] || [ -z "$said" ] || printf '%s\n' "$said"
exit "$status"
