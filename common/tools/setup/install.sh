#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the CPU engine and its commands below PREFIX (default: /usr/local), or removes them. DESTDIR
# goes before PREFIX, for packages.
#   install.sh install|uninstall
set -u
cd "$(dirname "$0")/../../.." || exit 1
prefix=${PREFIX:-/usr/local}
# Not every shell replaces a tilde behind an equals sign.
# shellcheck disable=SC2088  # the tilde itself is meant
case $prefix in
    '~' | '~/'*) prefix=${HOME:-}${prefix#?} ;;
esac
case $prefix in
    *"
"*)
        echo "PREFIX has a line break" >&2
        exit 2
        ;;
    /*) ;;
    *)
        echo "PREFIX=$prefix: must be an absolute path" >&2
        exit 2
        ;;
esac
case ${DESTDIR:-/} in
    /*) ;;
    *)
        echo "DESTDIR=$DESTDIR: must be an absolute path" >&2
        exit 2
        ;;
esac
while [ "$prefix" != / ] && [ "${prefix%/}" != "$prefix" ]; do prefix=${prefix%/}; done
target=${DESTDIR:-}$prefix
name=gpu-algorithms
root=$target/lib/$name

# The first folder above that exists is where something is created.
existing=$target
while [ ! -e "$existing" ] && [ "$existing" != "${existing%/*}" ]; do existing=${existing%/*}; done
if [ -e "$existing" ] && { [ ! -d "$existing" ] || [ ! -w "$existing" ]; }; then
    echo "PREFIX=$prefix: you cannot write to $existing; choose another one, such as PREFIX=~/.local" >&2
    exit 1
fi

remove() {
    for link in bin/cuda-explain bin/cuda-try bin/cuda-view bin/emucc share/emucc/toolchain.cmake; do
        case $(readlink "$target/$link") in
            *"/lib/$name/"*) rm -f "$target/$link" || return 1 ;;
        esac
    done
    rm -rf "$root" || return 1
    [ ! -d "$target/share/emucc" ] || rmdir "$target/share/emucc"
}

case ${1:-} in
    install)
        common/tools/setup/build.sh --stages '' || exit 1 # configures only
        if [ ! -e build/emulator.json ]; then
            echo "the CPU engine cannot be built on this machine" >&2
            exit 77
        fi
        said=$(python3 -c 'import json
options = json.load(open("build/meson-info/intro-buildoptions.json"))
print(*(one["value"] for one in options if one["name"] == "prefix"))')
        if [ "$said" != "$prefix" ] && ! said=$(meson configure build "-Dprefix=$prefix" 2>&1); then
            printf '%s\n' "$said" >&2
            exit 1
        fi
        common/tools/setup/build.sh installed || exit 1
        # Files of another version must not stay between the new ones.
        remove || exit 1
        if ! said=$(meson install -C build --no-rebuild --tags engine 2>&1); then
            printf '%s\n' "$said" >&2
            remove
            exit 1
        fi
        echo "$target/bin: cuda-try, cuda-explain, cuda-view, emucc; with $root $(du -sh "$root" | cut -f 1)"
        case ":$PATH:" in
            *":$prefix/bin:"*) ;;
            *) [ -n "${DESTDIR:-}" ] || echo "PATH does not have $prefix/bin yet" ;;
        esac
        ;;
    uninstall)
        if [ ! -e "$root/common/tools/commands/emucc" ]; then
            echo "PREFIX=$prefix: nothing is installed there" >&2
            exit 1
        fi
        remove
        ;;
    *)
        echo "install.sh install|uninstall" >&2
        exit 2
        ;;
esac
