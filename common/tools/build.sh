#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures where that is due, and builds; says little unless something fails.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build
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

case $(ninja -C build -n "$@" 2>/dev/null | tail -n 1) in
    'ninja: no work to do.') exit 0 ;;
esac
if [ -t 1 ]; then
    exec ninja -C build "$@"
fi
echo 'building'
exec ninja -C build --quiet "$@"
