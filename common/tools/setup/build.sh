#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures if necessary, and builds. It prints little unless something fails.
#   build.sh TARGET…                 builds these targets of ninja
#   build.sh --stages ENGINE NAME…   builds what these stages and chapters need, and no other stage;
#                                    without names it only configures
set -u
cd "$(dirname "$0")/../../.." || exit 1
mkdir -p build 2>/dev/null
if [ ! -d build ] || [ ! -w build ]; then
    echo "$PWD/build: you cannot write to it; work in a clone of your own" >&2
    exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# Two builds at once would write the same files. The second one waits.
if command -v flock >/dev/null 2>&1; then
    exec 9>build/.building && flock 9
fi

configure() {
    if ! meson setup "$@" build >"$log" 2>&1; then
        cat "$log" >&2
        rm -f build/build.ninja
        exit 1
    fi
    # Meson's messages name what this machine lacks. They are printed here, once.
    sed -n 's/^.*Message: //p' "$log"
}

# The folder that Meson configured. A build folder that was copied or moved with its checkout names
# another one, and ninja would write into that.
configured=$(sed -n 's/.*"source": *"\([^"]*\)".*/\1/p' build/meson-info/meson-info.json 2>/dev/null)
if [ -n "$configured" ] && [ "$(cd "$configured" 2>/dev/null && pwd -P)" != "$(pwd -P)" ]; then
    echo "build/ was configured in $configured: it is configured and built anew here"
    configure --wipe
elif [ ! -e build/build.ninja ] && [ ! -e build/meson-private/coredata.dat ]; then
    configure
elif [ ! -e build/build.ninja ] || [ -e build/setup-changed ]; then
    configure --reconfigure # the last time it failed, or something was installed since then
fi
rm -f build/setup-changed

# If a meson.build has changed, ninja configures again. Its output is printed only if that fails.
if ! ninja -C build --quiet build.ninja >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

names=''
if [ "${1:-}" = --stages ]; then
    shift
    names=$(PYTHONPATH=$PWD python3 -m common.tools.setup.needed_targets "$@") || exit 1
    [ -n "$names" ] || exit 0
    # shellcheck disable=SC2086  # the names of targets, without blanks
    set -- $names
fi

# Many files take minutes to compile. So their number is printed first, and on a terminal ninja
# shows its progress. Only compilations count: other steps are quick, and a dry run always lists
# some.
files=$(NINJA_STATUS='[] ' ninja -C build -n "$@" 2>/dev/null | grep -c '^\[] Compiling ')
if [ -n "$names" ] && [ "$files" -gt 0 ]; then
    echo "building $(basename -a "$@" | paste -s -d ' '), $files files to compile"
elif [ "$files" -gt 10 ]; then
    echo "building, $files files to compile: this takes minutes"
fi
if [ "$files" -gt 10 ] && [ -t 1 ]; then
    ninja -C build "$@"
    exit
fi
# Prints warnings and failures only. ninja 1.11 also prints that there is no work to do.
said=$(ninja -C build --quiet "$@" 2>&1)
status=$?
[ "$status" -eq 0 ] || exec >&2
[ "$said" = 'ninja: no work to do.' ] || [ -z "$said" ] || printf '%s\n' "$said"
exit "$status"
