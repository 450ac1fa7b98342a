#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures if necessary, and builds. It prints little unless something fails.
set -u
cd "$(dirname "$0")/../../.." || exit 1
mkdir -p build 2>/dev/null
if [ ! -d build ] || [ ! -w build ]; then
    echo "$PWD/build: you cannot write to it; work in a clone of your own" >&2
    exit 1
fi
log=build/configure.log

configure() {
    if ! meson setup "$@" build >"$log" 2>&1; then
        cat "$log" >&2
        rm -f build/build.ninja
        exit 1
    fi
    # Meson's messages name what this machine lacks. They are printed here, once.
    sed -n 's/^.*Message: //p' "$log"
}

if [ ! -e build/build.ninja ]; then
    configure
elif [ -e build/setup-changed ]; then
    configure --reconfigure
fi
rm -f build/setup-changed

# If a meson.build has changed, ninja configures again. Its output is printed only if that fails.
if ! ninja -C build --quiet build.ninja >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

# Many files take minutes to compile. So their number is printed first, and on a terminal ninja
# shows its progress. Only compilations count: other steps are quick, and a dry run always lists
# some.
files=$(NINJA_STATUS='[] ' ninja -C build -n "$@" 2>/dev/null | grep -c '^\[] Compiling ')
if [ "$files" -gt 10 ]; then
    echo "building, $files files to compile: this takes minutes"
    [ -t 1 ] && exec ninja -C build "$@"
fi
# Prints warnings and failures only. ninja 1.11 also prints that there is no work to do.
said=$(ninja -C build --quiet "$@" 2>&1)
status=$?
[ "$status" -eq 0 ] || exec >&2
[ "$said" = 'ninja: no work to do.' ] || [ -z "$said" ] || printf '%s\n' "$said"
exit "$status"
