#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh sources this file. check_versions prints one line for each program that is too old, and
# fails if the build cannot go on with it. Asking all of them takes half a second, so it is done anew
# only if one of them has changed; build/setup-versions has their paths, sizes and times.

versions=build/setup-versions
by_pip="python3 -m venv build/venv && build/venv/bin/pip install meson ninja tomli jinja2 markdown"
compiler=${CXX:-}
for name in c++ g++ clang++; do # in Meson's order
    [ -n "$compiler" ] || ! command -v "$name" >/dev/null 2>&1 || compiler=$name
done
compiler=${compiler:-g++}

# at_least VERSION MAJOR.MINOR
at_least() {
    major=${1%%.*} minor=0
    case $1 in *.*) minor=${1#*.} minor=${minor%%[!0-9]*} ;; esac
    [ "$major" -gt "${2%.*}" ] || { [ "$major" -eq "${2%.*}" ] && [ "$minor" -ge "${2#*.}" ]; }
}

# The version that a command prints, or nothing if it does not run: a script whose Python is gone
# exists, too.
version_of() {
    # shellcheck disable=SC2086  # CXX may have several words, as in "ccache g++-12"
    case $1 in
        compiler) said=$($compiler -dumpversion 2>/dev/null) ;;
        python3) said=$(python3 -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) ;;
        nvcc) said=$(nvcc --version 2>/dev/null) && said=${said##*release } ;;
        gnuplot) said=$(gnuplot --version 2>/dev/null) && said=${said#gnuplot } ;;
        *) said=$("$1" --version 2>/dev/null) ;;
    esac || return 0
    said=${said%%[!0-9.]*}
    case $said in [0-9]*) echo "$said" ;; esac
}

# Which programs these are: their paths, sizes and times.
identity() {
    set -- "${CXX:-}"
    for name in meson python3 nvcc gnuplot "${compiler%% *}" "${compiler##* }"; do
        set -- "$@" "$(command -v "$name")"
    done
    printf '%s\n' "$@"
    shift
    stat -L -c '%s %y' "$@" 2>/dev/null
}

versions_are_known() {
    programs=$(identity)
    [ -e "$versions" ] && [ "$(cat "$versions")" = "$programs" ]
}

# too_old PROGRAM VERSION WANTED CURE
too_old() { echo "set-up: $1 is version $2, but the course needs $3 or newer: $4" >&2; }

check_versions() {
    versions_are_known && return 0
    usable=true
    found=$(version_of python3)
    if ! at_least "${found:-3.10}" 3.10; then
        too_old python3 "$found" 3.10 "python3 -m pip install --user uv && python3 -m uv venv --seed --python 3.12 \
build/venv && ${by_pip#*&& }"
        usable=false
    fi
    found=$(version_of meson)
    if ! at_least "${found:-1.0}" 1.0; then
        too_old meson "$found" 1.0 "$by_pip (or pipx install meson)"
        usable=false
    fi
    # A folder that is configured keeps its compiler, whatever CXX says later.
    found=$(version_of compiler)
    if [ -n "$found" ] && [ ! -e build/build.ninja ]; then
        # shellcheck disable=SC2086
        case $($compiler --version 2>/dev/null) in
            *clang*) wanted=16.0 newer='clang-16, then CXX=clang++-16 make' ;;
            *) wanted=11.0 newer='g++-12, then CXX=g++-12 make' ;;
        esac
        if ! at_least "$found" "$wanted"; then
            too_old "$compiler" "$found" "${wanted%.0}" "install $newer"
            usable=false
        fi
    fi
    found=$(version_of nvcc)
    if ! at_least "${found:-12.0}" 12.0; then
        too_old nvcc "$found" 12.0 "kernels run on the CPU engine only; https://developer.nvidia.com/cuda-downloads"
    fi
    found=$(version_of gnuplot)
    if ! at_least "${found:-5.4}" 5.4; then
        too_old gnuplot "$found" 5.4 'no figures; conda install -c conda-forge gnuplot'
    fi
    if $usable && [ -n "$(version_of meson)" ] && [ -n "$(version_of python3)" ]; then
        printf '%s\n' "$programs" >"$versions"
    fi
    $usable
}
