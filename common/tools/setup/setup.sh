#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the build needs and this machine lacks. A fresh Debian has no Python, so this is a
# shell script. It looks for commands and files, never for packages: what pip or the site's own
# build has installed counts, too. Required packages come first and together. One that cannot be had
# stops nothing if it is optional: one line says what is lost.
#   setup.sh [--lint|--long]   --lint: also the tools of `make lint` and `make format`
#                              --long: also what only the long tests need
# shellcheck disable=SC2154  # versions.sh sets $compiler and $by_pip
set -u
cd "$(dirname "$0")/../../.." || exit 1
# shellcheck disable=SC1091
. common/tools/setup/folder.sh
# shellcheck disable=SC1091
. common/tools/setup/versions.sh
# The folder in which files are looked for. The tests of this script set it to an empty folder.
prefix=${SETUP_PREFIX:-}

# kind|package|probe|what is lost without it (optional), or the wrap in subprojects/ by which Meson
# gets it instead (wrapped)
packages='
required|python3|works python3|
required|python3-tomli|toml|
required|meson|works meson|
required|ninja-build|command ninja|
required|g++|works compiler|
optional|pkg-config|command pkg-config|Meson finds fewer libraries
wrapped|libcli11-dev|header CLI/CLI.hpp|cli11
wrapped|nlohmann-json3-dev|header nlohmann/json.hpp|nlohmann_json
wrapped|libgtest-dev|header gtest/gtest.h|gtest
optional|libboost-dev|header boost/polygon/voronoi.hpp|no chapter distmesh, and no Sobol numbers of cuRAND without the CUDA Toolkit
optional|ocl-icd-opencl-dev|library libOpenCL.so|no stages in OpenCL
optional|opencl-c-headers|header CL/cl.h|no stages in OpenCL
optional|opencl-clhpp-headers|header CL/opencl.hpp|no stages in OpenCL
optional|pocl-opencl-icd|platform|stages in OpenCL run nowhere
optional|gnuplot-nox|command gnuplot|no figures
optional|python3-jinja2|python jinja2|no site of the figures, no view
optional|python3-markdown|python markdown|no site of the figures
optional|fonts-dejavu-core|file /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|figures in another font
optional|bubblewrap|command bwrap|make grade needs Landlock in its place
optional|similarity-tester|command sim_c++|make grade lists equal submissions only
optional|libopenmpi-dev|command mpicxx|no stages for many GPUs
optional|openmpi-bin|command mpirun|no stages for many GPUs
optional|libopenblas0-pthread|library libopenblas.so.0|no cuBLAS in other programs on the CPU engine
optional|ccache|command ccache|slower builds'
if [ "${1:-}" = --lint ]; then
    packages="$packages
required|clang-format|command clang-format|
required|black|command black|
required|pyflakes3|command pyflakes3|
required|mypy|command mypy|
required|clang-tidy|command clang-tidy|
required|cppcheck|command cppcheck|
required|shellcheck|command shellcheck|
required|git|command git|"
elif [ "${1:-}" = --long ]; then
    packages="$packages
optional|chromium|command chromium|the site is not tried in a browser
optional|dieharder|command dieharder|random words are not tested by dieharder
optional|debootstrap|command debootstrap|the set-up is not tried in a fresh Debian"
fi

exists() {
    for candidate in "$@"; do
        [ -e "$candidate" ] && return 0
    done
    return 1
}

probe() {
    # shellcheck disable=SC2086  # CXX may have several words
    case $1 in
        command) command -v "$2" >/dev/null 2>&1 ;;
        works) $known || [ -n "$(version_of "$2")" ] ;;
        # From Python 3.11 on, it is a part of Python.
        toml) $known || ! command -v python3 >/dev/null 2>&1 ||
            python3 -c 'import tomllib' >/dev/null 2>&1 || python3 -c 'import tomli' >/dev/null 2>&1 ;;
        # The compiler knows more folders (CPATH, the site's own), but asking it is slower.
        header) exists "$prefix/usr/include/$2" "$prefix/usr/local/include/$2" ||
            echo "#include <$2>" 2>/dev/null | $compiler -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
        library) exists "$prefix"/usr/lib/*/"$2" "$prefix/usr/lib/$2" "$prefix/usr/lib64/$2" \
            "$prefix"/usr/local/lib/"$2" ;;
        file) exists "$prefix$2" ;;
        python) exists "$prefix/usr/lib/python3/dist-packages/$2" || python3 -c "import $2" >/dev/null 2>&1 ;;
        # Any OpenCL platform is enough, a GPU's or PoCL.
        platform) exists "$prefix"/etc/OpenCL/vendors/*.icd ;;
    esac
}

# Sets `required` and `others`, the packages that are missing, and `losses`, which has one line for
# each of the others.
look() {
    required='' others='' losses='' wrapped=''
    known=false
    versions_are_known && known=true
    while IFS='|' read -r kind package how loss; do
        [ -n "$kind" ] || continue
        # shellcheck disable=SC2086  # the probe is one word or two
        probe $how && continue
        if [ "$kind" = required ] || { [ "$kind" = wrapped ] && [ ! -e "subprojects/$loss.wrap" ]; }; then
            required="$required $package"
            continue
        fi
        others="$others $package"
        if [ "$kind" = wrapped ]; then
            wrapped="$wrapped $package"
        else
            losses="$losses$package is missing: $loss
"
        fi
    done <<EOF
$packages
EOF
    [ -z "$wrapped" ] || losses="$losses${wrapped# }: missing, so Meson takes the sources that subprojects/*.wrap name, \
from subprojects/packagecache or the network
"
}

# A package that could not be installed is not tried again, and the loss is printed only once.
tried=build/setup-tried
nothing_to_do() {
    [ -z "$required$others" ] && return 0
    [ -z "$required" ] && [ -e "$tried" ] || return 1
    while IFS= read -r line; do
        [ "$line" = "$others" ] && return 0
    done <"$tried"
    return 1
}

apt() {
    # The system's files are for all users, whatever one's umask is, and make's variables would put
    # the packages' bytecode into build/. What a package starts may go on running, and must not keep
    # others waiting.
    (umask 022 && $as_root env -u PYTHONPATH -u PYTHONPYCACHEPREFIX DEBIAN_FRONTEND=noninteractive \
        apt-get -q -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@") >>"$log" 2>&1 9>&-
}

# Installs these packages. If that fails, `cause` is the reason.
install() {
    apt install -y --no-install-recommends "$@" && return 0
    # Without a network, `apt-get update` only warns.
    cause=$(grep -m 1 '^W: Failed to fetch' "$log" || grep -m 1 '^E: ' "$log" || tail -n 1 "$log")
    return 1
}

# All of these packages that exist, and if that fails, one after the other.
install_others() {
    exist=$(apt-cache madison "$@" 2>/dev/null | while read -r name _; do printf ' %s ' "$name"; done)
    for name in "$@"; do
        shift
        case ${exist:- $name } in *" $name "*) set -- "$@" "$name" ;; esac
    done
    [ $# -eq 0 ] || install "$@" && return
    for name in "$@"; do
        : >"$log"
        install "$name" || ! grep -q '^E: Failed to fetch' "$log" || return # each would wait for the network
    done
}

look
if nothing_to_do; then
    check_versions
    exit
fi
wait_for_others
look
if nothing_to_do; then
    check_versions
    exit
fi

missing=$required$others
as_root=''
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        as_root=none
    fi
fi
# Not every Debian has each optional package, and one that does not exist would stop them all.
install='apt-get install -y --no-install-recommends'
command="apt-get update${required:+ && $install$required}"
[ -z "$others" ] || command="$command && for p in$others; do $install \$p; done"
cause='' cure=''
if ! command -v apt-get >/dev/null 2>&1; then
    cure='install what these Debian packages contain'
elif [ "$as_root" = none ]; then
    by=su
    command -v sudo >/dev/null 2>&1 && by='sudo sh'
    echo "set-up: packages are missing, and you may not install them; an administrator must run this once:" >&2
    echo "    $by -c '$command'" >&2
else
    echo "set-up: installing these packages, which may take minutes:$missing"
    [ -z "$as_root" ] || command="$as_root sh -c '$command'"
    log=$(mktemp) || exit 1
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' INT TERM
    apt update
    # Only Python's version tells whether tomli is needed: so there is a second round.
    # shellcheck disable=SC2086  # lists of packages
    { [ -z "$required" ] || install $required; } && look && { [ -z "$required" ] || install $required; } &&
        { [ -z "$others" ] || install_others $others; }
fi

failed=$cause
look
if [ -n "$required" ]; then
    if [ -n "$failed" ]; then
        echo "set-up: apt-get failed ($failed); to try again, run: $command" >&2
    fi
    case $required in *' meson'* | *' ninja-build'* | *' python3-tomli'*)
        cure="${cure:+$cure, or }for Meson, ninja and tomli: $by_pip"
        ;;
    esac
    echo "set-up: missing:$required${cure:+; $cure}" >&2
    exit 1
fi
if [ -n "$others" ]; then
    case $failed in *'Failed to fetch'*) echo "set-up: apt-get failed ($failed); to try again, run: $command" >&2 ;; esac
    printf '%s\n' "$others" >>"$tried"
    printf '%s' "$losses"
fi
# Meson must look again for what has just been installed.
[ ! -e build/meson-private/coredata.dat ] || : >build/setup-changed
check_versions
