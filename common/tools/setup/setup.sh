#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the build needs and this machine lacks. A fresh Debian has no Python, so this is a
# shell script. It looks for commands and files, never for packages: what pip or the site's own
# build has installed counts, too.
#   setup.sh [--lint|--long]   --lint: also the tools of `make lint` and `make format`
#                              --long: also what only the long tests need
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
# The folder in which files are looked for. The tests of this script set it to an empty folder.
prefix=${SETUP_PREFIX:-}

# kind|package|probe|what is lost without it (optional packages only)
packages='
required|meson|command meson|
required|ninja-build|command ninja|
required|g++|command g++|
required|python3|command python3|
required|pkg-config|command pkg-config|
required|libcli11-dev|header CLI/CLI.hpp|
required|nlohmann-json3-dev|header nlohmann/json.hpp|
required|libgtest-dev|header gtest/gtest.h|
optional|libboost-dev|header boost/polygon/voronoi.hpp|no chapter distmesh, and no Sobol numbers of cuRAND without the CUDA Toolkit
optional|ocl-icd-opencl-dev|library libOpenCL.so|no stages in OpenCL
optional|opencl-c-headers|header CL/cl.h|no stages in OpenCL
optional|opencl-clhpp-headers|header CL/opencl.hpp|no stages in OpenCL
optional|pocl-opencl-icd|platform|stages in OpenCL run nowhere
optional|gnuplot-nox|command gnuplot|no figures
optional|python3-jinja2|python jinja2|no site of the figures, no view
optional|python3-markdown|python markdown|no site of the figures
optional|fonts-dejavu-core|file /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|figures in another font
optional|bubblewrap|command bwrap|make grade confines submissions by Landlock and limits only
optional|similarity-tester|command sim_c++|make grade lists equal submissions only
optional|libopenmpi-dev|command mpicxx|no stages for many GPUs
optional|openmpi-bin|command mpirun|no stages for many GPUs
optional|ccache|command ccache|slower builds'
if [ "${1:-}" = --lint ]; then
    packages="$packages
required|clang-format|command clang-format|
required|black|command black|
required|pyflakes3|command pyflakes3|
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
    case $1 in
        command) command -v "$2" >/dev/null 2>&1 ;;
        # The compiler knows more folders (CPATH, the site's own), but asking it is slower.
        header) exists "$prefix/usr/include/$2" "$prefix/usr/local/include/$2" ||
            echo "#include <$2>" 2>/dev/null | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
        library) exists "$prefix"/usr/lib/*/"$2" "$prefix/usr/lib/$2" "$prefix/usr/lib64/$2" \
            "$prefix"/usr/local/lib/"$2" ;;
        file) exists "$prefix$2" ;;
        python) exists "$prefix/usr/lib/python3/dist-packages/$2" || python3 -c "import $2" >/dev/null 2>&1 ;;
        # Any OpenCL platform is enough, a GPU's or PoCL.
        platform) exists "$prefix"/etc/OpenCL/vendors/*.icd ;;
    esac
}

# Sets `missing`, `missing_required` and `losses`, which has one line per missing optional package.
look() {
    missing='' missing_required='' losses=''
    while IFS='|' read -r kind package how loss; do
        [ -n "$kind" ] || continue
        # shellcheck disable=SC2086  # the probe is one word or two
        probe $how && continue
        missing="$missing $package"
        if [ "$kind" = required ]; then
            missing_required="$missing_required $package"
        else
            losses="$losses$package is missing: $loss
"
        fi
    done <<EOF
$packages
EOF
}

look
[ -z "$missing" ] && exit 0

# A package that could not be installed is not tried again, and the loss is printed only once.
tried=$root/build/setup-tried
if [ -z "$missing_required" ] && [ -e "$tried" ]; then
    while IFS= read -r line; do
        [ "$line" = "$missing" ] && exit 0
    done <"$tried"
fi

install="apt-get update && apt-get install -y --no-install-recommends$missing"
as_root=''
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        as_root=none
    fi
fi

if ! command -v apt-get >/dev/null 2>&1; then
    [ -n "$missing_required" ] && echo "set-up: install what these Debian packages contain:$missing" >&2
elif [ "$as_root" = none ]; then
    by=su
    command -v sudo >/dev/null 2>&1 && by='sudo sh'
    echo "set-up: packages are missing, and you may not install them; an administrator must run this once:" >&2
    echo "    $by -c '$install'" >&2
    [ -z "$missing_required" ] || exit 1
else
    echo "set-up: installing these packages, which may take minutes:$missing"
    [ -z "$as_root" ] || install="$as_root sh -c '$install'"
    apt() {
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q \
            -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1
    }
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' INT TERM
    # shellcheck disable=SC2086  # a list of packages
    if ! { apt update && apt install -y --no-install-recommends $missing; }; then
        # Without a network, `apt update` prints the error but succeeds.
        grep -m 5 '^[EW]: ' "$log" >&2 || tail -n 5 "$log" >&2
        if [ -n "$missing_required" ]; then
            echo "set-up: apt-get failed. To try again, run: $install" >&2
        fi
    fi
fi

look
if [ -n "$missing_required" ]; then
    echo "set-up: missing:$missing_required" >&2
    exit 1
fi
mkdir -p "$root/build"
if [ -n "$missing" ]; then
    printf '%s\n' "$missing" >>"$tried"
    printf '%s' "$losses"
fi
# Meson must look again for what has just been installed.
if [ -e "$root/build/meson-private/coredata.dat" ]; then
    touch "$root/build/setup-changed"
fi
exit 0
