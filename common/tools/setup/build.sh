#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures if necessary, and builds. It prints little unless something fails.
#   build.sh TARGET…                 builds these targets of ninja
#   build.sh --stages ENGINE NAME…   builds what these stages and chapters need, and no other stage;
#                                    without names it only configures
set -u
cd "$(dirname "$0")/../../.." || exit 1
# shellcheck disable=SC1091
. common/tools/setup/folder.sh
log=$(mktemp) || exit 1
reporter=''
trap 'rm -f "$log"; [ -z "$reporter" ] || kill "$reporter" 2>/dev/null' EXIT
trap 'exit 130' INT TERM
wait_for_others

# show_failure COMMAND… prints the log by this command. On a full disk, Meson, compilers and linkers
# fill pages: then it prints one line instead. Perhaps the log had no room for their words, either.
show_failure() {
    folder=$PWD/build room=$(room_of build) other=$(room_of "${TMPDIR:-/tmp}")
    [ "${other:-0}" -ge "${room:-0}" ] || folder=${TMPDIR:-/tmp} room=$other
    if [ "${room:-100}" -lt 100 ] || grep -q -e 'No space left on device' -e 'Disk quota exceeded' "$log"; then
        say_full "$folder"
    else
        "$@" >&2
    fi
}

configure() {
    if ! meson setup "$@" build >"$log" 2>&1; then
        show_failure cat "$log"
        rm -f build/build.ninja
        exit 1
    fi
    pwd -P >build/configured-in
    # Meson's messages name what this machine lacks. They are printed here, once.
    sed -n 's/^.*Message: //p' "$log"
}

# A build folder that was copied or moved with its checkout was configured in another folder, and
# ninja would write into that. A link to the build folder of a checkout that is still there stays that
# checkout's: tests use one in a copy of the course.
configured=$(cat build/configured-in 2>/dev/null)
physical() { (cd "$1" 2>/dev/null && pwd -P); }
if [ -n "$configured" ] && [ "$configured" != "$(pwd -P)" ]; then
    if [ "$(physical build)" = "$(physical "$configured/build")" ]; then
        echo "build/ is the build folder of $configured: what is there is built" >&2
    else
        echo "build/ was configured in $configured: it is configured and built anew here"
        configure --wipe
    fi
elif [ ! -e build/build.ninja ] && [ ! -e build/meson-private/coredata.dat ]; then
    configure
elif [ ! -e build/build.ninja ] || [ -e build/setup-changed ]; then
    configure --reconfigure # the last time it failed, or something was installed since then
fi
rm -f build/setup-changed

# If a meson.build has changed, ninja configures again. Its output is printed only if that fails.
if ! ninja -C build --quiet build.ninja >"$log" 2>&1; then
    show_failure cat "$log"
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
# shows its progress. Only compilations count: other steps are quick. A dry run always lists some of
# them, and the version, which is compiled again only if it has changed.
compiled() { grep '^\[] Compiling ' "$@" | grep -vc '/libversion\.a\.p/'; }
files=$(NINJA_STATUS='[] ' ninja -C build -n "$@" 2>/dev/null | compiled)
if [ -n "$names" ] && [ "$files" -gt 0 ]; then
    echo "building $(basename -a "$@" | paste -s -d ' '), $files files to compile"
elif [ "$files" -gt 10 ]; then
    echo "building, $files files to compile: this takes minutes"
fi
if [ "$files" -gt 10 ] && [ -t 1 ]; then
    ninja -C build "$@"
    exit
fi
# A log, such as that of CI, gets a line from time to time. sleep may outlast this script, and must
# not keep its output or the next build waiting.
report() {
    while sleep "${REPORT_SECONDS:-30}" >/dev/null 2>&1 9>&- && kill -0 $$ 2>/dev/null; do
        echo "$(compiled "$log") of $files files compiled"
    done
}
: >"$log"
if [ "$files" -gt 10 ]; then
    report 9>&- &
    reporter=$!
fi
# Of ninja's output, only warnings and failures are printed.
NINJA_STATUS='[] ' ninja -C build "$@" >"$log" 2>&1
status=$?
words() { grep -v -e '^\[] ' -e '^ninja: no work to do\.$' -e "^ninja: Entering directory \`build'$" "$log"; }
if [ "$status" -eq 0 ]; then words; else show_failure words; fi
exit "$status"
