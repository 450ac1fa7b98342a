# SPDX-License-Identifier: MIT
"""The set-up on made-up machines: with nothing installed, with and without root."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import TOOLS

# The script itself needs only these programs.
NEEDED = ("sh", "cat", "dirname", "grep", "mkdir", "mktemp", "rm", "tail", "touch", "env")


class SetupTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        (self.root / "tmp").mkdir()
        self.log = self.root / "log"
        for name in NEEDED:
            program = shutil.which(name)
            assert program is not None
            (self.bin / name).symlink_to(program)
        # A copy, because the script writes into the folder that it lies in.
        (self.root / "common" / "tools" / "setup").mkdir(parents=True)
        self.script = shutil.copy(
            TOOLS / "setup" / "setup.sh", self.root / "common" / "tools" / "setup"
        )

    def command(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def file(self, name: str) -> str:
        path = self.root / name.lstrip("/")
        return f"mkdir -p '{path.parent}'; : > '{path}'"

    def apt_installs(self, required: bool, optional: bool) -> None:
        """A stand-in for apt-get that installs these kinds of packages."""
        body = [
            f'echo "apt-get $*" >> "{self.log}"',
            'case "$*" in *install*) ;; *) exit 0 ;; esac',
        ]
        if required:
            body += [
                f"ln -sf {shutil.which('true')} '{self.bin}/{name}'"
                for name in ("meson", "ninja", "g++", "python3", "pkg-config")
            ]
            body += [
                self.file(f"usr/include/{name}")
                for name in (
                    "CLI/CLI.hpp",
                    "nlohmann/json.hpp",
                    "gtest/gtest.h",
                )
            ]
        if optional:
            body += [
                f"ln -sf {shutil.which('true')} '{self.bin}/{name}'"
                for name in ("gnuplot", "ccache")
            ]
            body += [
                self.file("usr/include/boost/polygon/voronoi.hpp"),
                self.file("usr/lib/x86_64-linux-gnu/libOpenCL.so"),
                self.file("usr/include/CL/cl.h"),
                self.file("usr/include/CL/opencl.hpp"),
                self.file("etc/OpenCL/vendors/any.icd"),
                self.file("usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
            ]
        if not (required and optional):
            body.append("exit 100")
        (self.bin / "ln").symlink_to(shutil.which("ln") or "/bin/ln")
        self.command("apt-get", "\n".join(body))

    def run_setup(self, *flags: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", self.script, *flags],
            text=True,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=60,
            env={
                "PATH": str(self.bin),
                "SETUP_PREFIX": str(self.root),
                "TMPDIR": str(self.root / "tmp"),
            },
        )

    def test_without_root_it_prints_the_command_to_run(self) -> None:
        self.command("id", "echo 1000")
        self.apt_installs(required=True, optional=True)
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        commands = [line for line in result.stderr.splitlines() if "apt-get install" in line]
        self.assertEqual(len(commands), 1, result.stderr)
        self.assertEqual(result.stderr.splitlines()[-1], commands[0])
        for package in (
            "meson",
            "ninja-build",
            "g++",
            "python3",
            "libboost-dev",
        ):
            self.assertIn(f" {package}", commands[0])
        self.assertFalse(self.log.exists(), "nothing may be installed")

    def test_a_sudo_that_asks_for_a_password_is_not_used_without_a_terminal(self) -> None:
        self.command("id", "echo 1000")
        self.command("sudo", "exit 1")
        self.apt_installs(required=True, optional=True)
        self.assertEqual(self.run_setup().returncode, 1)
        self.assertFalse(self.log.exists())

    def test_by_sudo(self) -> None:
        self.command("id", "echo 1000")
        self.command("sudo", f'[ "$1" = -n ] && exit 0; echo sudo >> "{self.log}"; exec "$@"')
        self.apt_installs(required=True, optional=True)
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("sudo\n", self.log.read_text())
        self.assertIn("install", self.log.read_text())

    def test_as_root_it_installs_once_and_is_silent_from_then_on(self) -> None:
        self.command("id", "echo 0")
        self.apt_installs(required=True, optional=True)
        self.assertEqual(self.run_setup().returncode, 0)
        calls = self.log.read_text()
        self.assertIn("update", calls)
        again = self.run_setup()
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))
        self.assertEqual(self.log.read_text(), calls)

    def test_only_the_long_tests_need_a_browser(self) -> None:
        self.command("id", "echo 0")
        self.apt_installs(required=True, optional=True)
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertNotIn("chromium", self.log.read_text())
        result = self.run_setup("--long")
        self.assertIn("chromium", self.log.read_text())
        self.assertEqual(result.returncode, 0)
        self.assertIn("chromium is missing: the site is not tried in a browser\n", result.stdout)
        self.assertEqual(self.run_setup("--long").stdout, "")

    def test_missing_optional_packages_are_tried_once_and_named_once(
        self,
    ) -> None:
        self.command("id", "echo 0")
        self.apt_installs(required=True, optional=False)
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("gnuplot-nox is missing: no figures\n", result.stdout)
        self.assertIn("ocl-icd-opencl-dev is missing: no stages in OpenCL\n", result.stdout)
        self.assertIn("pocl-opencl-icd is missing: stages in OpenCL run nowhere\n", result.stdout)
        calls = self.log.read_text()
        again = self.run_setup()
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))
        self.assertEqual(self.log.read_text(), calls)

    def test_a_missing_required_package_is_named(self) -> None:
        self.command("id", "echo 0")
        self.apt_installs(required=False, optional=True)
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr.splitlines()[-1], r"^set-up: missing: .*libcli11-dev")

    def test_a_failure_shows_its_first_cause_and_the_command_to_repeat(
        self,
    ) -> None:
        self.command("id", "echo 1000")
        self.command("sudo", '[ "$1" = -n ] && exit 0; exec "$@"')
        self.command(
            "apt-get",
            'case "$*" in *install*) i=0; while [ $i -lt 9 ]; do i=$((i + 1)); '
            'echo "E: Unable to locate package $i"; done; exit 100 ;; '
            '*) echo "W: Failed to fetch: no network" ;; esac',
        )
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        lines = result.stderr.splitlines()
        self.assertEqual(
            lines[:2], ["W: Failed to fetch: no network", "E: Unable to locate package 1"]
        )
        self.assertRegex(
            lines[5],
            "^set-up: apt-get failed. To try again, run: "
            "sudo sh -c 'apt-get update && apt-get install .* meson .*'$",
        )
        self.assertEqual(list(Path(self.root / "tmp").iterdir()), [])

    def test_without_apt_the_packages_are_named(self) -> None:
        self.command("id", "echo 0")
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("g++", result.stderr)


if __name__ == "__main__":
    unittest.main()
