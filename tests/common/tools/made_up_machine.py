# SPDX-License-Identifier: MIT
"""A made-up machine for the set-up: an empty folder with a copy of its scripts, a few programs, and
an apt-get that installs stand-ins."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import TOOLS

# The scripts themselves need only these programs.
NEEDED = (
    "sh",
    "cat",
    "dirname",
    "env",
    "flock",
    "grep",
    "mkdir",
    "mktemp",
    "rm",
    "sleep",
    "stat",
    "tail",
)

# What a program says to the set-up's questions. The compiler finds no header.
PROGRAMS = {
    "meson": 'echo "1.4.0"',
    "ninja": "",
    "g++": 'case "$*" in *dumpversion*) echo 12 ;; *--version*) echo "g++ 12" ;; *) exit 1 ;; esac',
    "python3": 'case "$*" in *version_info*) echo 3.12.1 ;; *tomllib*) ;; *) exit 1 ;; esac',
    "pkg-config": "",
    "gnuplot": 'echo "gnuplot 5.4 patchlevel 4"',
    "ccache": "",
    "bwrap": "",
    "sim_c++": "",
    "mpicxx": "",
    "mpirun": "",
}
REQUIRED = ("meson", "ninja-build", "g++", "python3")
WRAPPED = {
    "libcli11-dev": "cli11",
    "nlohmann-json3-dev": "nlohmann_json",
    "libgtest-dev": "gtest",
}
# What each package of the made-up Debian consists of: programs and files. More than these packages
# does not exist there.
PACKAGES = {
    "meson": "meson",
    "ninja-build": "ninja",
    "g++": "g++",
    "python3": "python3",
    "pkg-config": "pkg-config",
    "libcli11-dev": "/usr/include/CLI/CLI.hpp",
    "nlohmann-json3-dev": "/usr/include/nlohmann/json.hpp",
    "libgtest-dev": "/usr/include/gtest/gtest.h",
    "libboost-dev": "/usr/include/boost/polygon/voronoi.hpp",
    "ocl-icd-opencl-dev": "/usr/lib/x86_64-linux-gnu/libOpenCL.so",
    "opencl-c-headers": "/usr/include/CL/cl.h",
    "opencl-clhpp-headers": "/usr/include/CL/opencl.hpp",
    "pocl-opencl-icd": "/etc/OpenCL/vendors/pocl.icd",
    "gnuplot-nox": "gnuplot",
    "python3-jinja2": "/usr/lib/python3/dist-packages/jinja2",
    "python3-markdown": "/usr/lib/python3/dist-packages/markdown",
    "fonts-dejavu-core": "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "bubblewrap": "bwrap",
    "similarity-tester": "sim_c++",
    "libopenmpi-dev": "mpicxx",
    "openmpi-bin": "mpirun",
    "libopenblas0-pthread": "/usr/lib/x86_64-linux-gnu/libopenblas.so.0",
    "ccache": "ccache",
}

# It installs all packages of its command line or, as the real one does, none of them.
APT_GET = r"""
echo "apt-get $*" >>"{root}/log"
[ -e "{root}/no-network" ] && echo "W: Failed to fetch http://deb.example: no network"
case " $* " in *" install "*) ;; *) exit 0 ;; esac
packages=''
for word in "$@"; do
    case $word in -* | install | *::*) ;; *) packages="$packages $word" ;; esac
done
for one in $packages; do
    if [ ! -e "{root}/packages/$one" ]; then
        echo "E: Unable to locate package $one"
        exit 100
    fi
    if [ -e "{root}/no-network" ]; then
        echo "E: Failed to fetch http://deb.example/$one.deb"
        exit 100
    fi
done
for one in $packages; do . "{root}/packages/$one"; done
"""
APT_CACHE = r"""
shift
for one in "$@"; do
    [ ! -e "{root}/packages/$one" ] || echo " $one | 1.0-1 | http://deb.example"
done
"""


class MachineTest(unittest.TestCase):
    def setUp(self) -> None:
        # With a blank, as a path of one's own may have.
        self.root = Path(tempfile.mkdtemp(prefix="set up "))
        self.addCleanup(shutil.rmtree, self.root)
        self.bin, self.log = self.root / "bin", self.root / "log"
        for name in ("bin", "tmp", "packages", "common/tools"):
            (self.root / name).mkdir(parents=True)
        for name in NEEDED:
            program = shutil.which(name)
            assert program is not None
            (self.bin / name).symlink_to(program)
        shutil.copytree(TOOLS / "setup", self.root / "common" / "tools" / "setup")
        self.command("id", "echo 0")

    def command(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def has(self, *names: str) -> None:
        """The machine has these programs."""
        for name in names:
            self.command(name, PROGRAMS[name])

    def has_apt(self, without: tuple[str, ...] = ()) -> None:
        """Debian, without some of the packages."""
        for package, content in PACKAGES.items():
            if package in without:
                continue
            made = self.root / content.lstrip("/") if content[0] == "/" else self.bin / content
            lines = [f"mkdir -p '{made.parent}'", f": >'{made}'"]
            if content[0] != "/":
                program = f"#!/bin/sh\n{PROGRAMS[content]}\n"
                lines = [f"cat >'{made}' <<'END'\n{program}END", f"chmod 755 '{made}'"]
            (self.root / "packages" / package).write_text("\n".join(lines) + "\n")
        chmod = self.bin / "chmod"
        if not chmod.exists():
            chmod.symlink_to(shutil.which("chmod") or "/bin/chmod")
        self.command("apt-get", APT_GET.replace("{root}", str(self.root)))
        self.command("apt-cache", APT_CACHE.replace("{root}", str(self.root)))

    def installs(self) -> list[list[str]]:
        """The packages of each call of `apt-get install`, in their order."""
        if not self.log.exists():
            return []
        calls = [line.split() for line in self.log.read_text().splitlines()]
        return [
            [word for word in call[1:] if word in PACKAGES or word.startswith("chromium")]
            for call in calls
            if "install" in call
        ]

    def start_setup(self, *flags: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["sh", self.root / "common" / "tools" / "setup" / "setup.sh", *flags],
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                "PATH": str(self.bin),
                "SETUP_PREFIX": str(self.root),
                "TMPDIR": str(self.root / "tmp"),
                "HOME": str(self.root),
            }
            | variables,
        )

    def run_setup(self, *flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
        with self.start_setup(*flags, **variables) as process:
            stdout, stderr = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)
