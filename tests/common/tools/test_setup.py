# SPDX-License-Identifier: MIT
"""The set-up on made-up machines: what it installs and says, with and without root, apt or a
network."""

import fcntl
import subprocess
import unittest

from tests.common.tools.made_up_machine import PACKAGES, REQUIRED, WRAPPED, MachineTest

SUDO = '[ "$1" = -n ] && exit 0; echo sudo >>"{log}"; exec "$@"'
NO_NETWORK = "set-up: apt-get failed (W: Failed to fetch http://deb.example: no network)"


class SetupTest(MachineTest):
    def has_wraps(self) -> None:
        (self.root / "subprojects").mkdir()
        for name in WRAPPED.values():
            (self.root / "subprojects" / f"{name}.wrap").touch()

    def assert_silent(self, *flags: str) -> None:
        """Another call does nothing and says nothing."""
        calls = self.installs()
        again = self.run_setup(*flags)
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))
        self.assertEqual(self.installs(), calls)

    def test_required_packages_come_first_and_together(self) -> None:
        self.has_apt()
        result = self.run_setup()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        first, others = self.installs()
        self.assertEqual(sorted(first), sorted([*REQUIRED, *WRAPPED]))
        self.assertEqual(sorted(others), sorted(set(PACKAGES) - set(first)))
        self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
        self.assert_silent()

    def test_a_package_that_does_not_exist_costs_one_line(self) -> None:
        # Debian 13 has no similarity-tester. Where apt-cache cannot say so, apt-get refuses all.
        for apt_cache in (True, False):
            with self.subTest(apt_cache=apt_cache):
                self.tearDown()
                self.doCleanups()
                self.setUp()
                self.has_apt(without=("similarity-tester",))
                if not apt_cache:
                    (self.bin / "apt-cache").unlink()
                result = self.run_setup()
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual(
                    result.stdout.splitlines()[1:],
                    ["similarity-tester is missing: make grade lists equal submissions only"],
                )
                self.assert_silent()

    def test_each_loss_is_named_once(self) -> None:
        self.has_apt(without=tuple(set(PACKAGES) - {*REQUIRED, *WRAPPED}))
        result = self.run_setup()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        losses = result.stdout.splitlines()[1:]
        self.assertEqual(len(losses), len(PACKAGES) - len(REQUIRED) - len(WRAPPED))
        self.assertIn("gnuplot-nox is missing: no figures", losses)
        self.assertIn("pocl-opencl-icd is missing: stages in OpenCL run nowhere", losses)
        self.assert_silent()

    def test_only_the_long_tests_need_a_browser(self) -> None:
        self.has_apt()
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertNotIn("chromium", self.log.read_text())
        result = self.run_setup("--long")
        self.assertEqual(result.returncode, 0)
        self.assertIn("chromium is missing: the site is not tried in a browser\n", result.stdout)
        self.assert_silent("--long")

    def test_a_missing_required_package_stops_it(self) -> None:
        self.has_apt(without=("ninja-build",))
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        cause, missing = result.stderr.splitlines()
        self.assertRegex(
            cause,
            r"^set-up: apt-get failed \(E: Unable to locate package ninja-build\); "
            r"to try again, run: apt-get update && apt-get install .* ninja-build ",
        )
        self.assertRegex(missing, "^set-up: missing: .*ninja-build.*build/venv/bin/pip install")
        self.assertEqual(list((self.root / "tmp").iterdir()), [])

    def test_without_a_network(self) -> None:
        self.has_apt()
        (self.root / "no-network").touch()
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 2)
        self.assertTrue(result.stderr.startswith(NO_NETWORK), result.stderr)
        # What is needed is there: each loss is one line, and no package waits for the network.
        self.has("meson", "ninja", "g++", "python3")
        self.has_wraps()
        result = self.run_setup()
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertTrue(result.stderr.startswith(NO_NETWORK), result.stderr)
        self.assertLessEqual(len(self.installs()), 3)
        self.assertIn("gnuplot-nox is missing: no figures\n", result.stdout)
        self.assert_silent()

    def test_without_root_it_prints_the_command_to_run(self) -> None:
        self.command("id", "echo 1000")
        self.has_apt()
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        commands = [line for line in result.stderr.splitlines() if "apt-get install" in line]
        self.assertEqual(len(commands), 1, result.stderr)
        for package in PACKAGES:
            self.assertIn(f" {package}", commands[0])
        self.assertIn("build/venv/bin/pip install meson ninja", result.stderr.splitlines()[-1])
        self.assertEqual(self.installs(), [])

    def test_the_administrator_s_command_does_it_also_if_a_package_does_not_exist(self) -> None:
        self.command("id", "echo 1000")
        self.command("su", '[ "$1" = -c ] && exec sh -c "$2"')
        self.has_apt(without=("similarity-tester",))
        command = next(line for line in self.run_setup().stderr.splitlines() if "su -c" in line)
        subprocess.run(
            ["sh", "-c", command],
            env={"PATH": str(self.bin)},
            stdout=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        lost = ["similarity-tester is missing: make grade lists equal submissions only"]
        self.assertEqual(result.stdout.splitlines(), lost)

    def test_a_sudo_that_asks_for_a_password_is_not_used_without_a_terminal(self) -> None:
        self.command("id", "echo 1000")
        self.command("sudo", "exit 1")
        self.has_apt()
        self.assertEqual(self.run_setup().returncode, 1)
        self.assertEqual(self.installs(), [])

    def test_by_sudo(self) -> None:
        self.command("id", "echo 1000")
        self.command("sudo", SUDO.replace("{log}", str(self.log)))
        self.has_apt()
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("sudo\n", self.log.read_text())
        self.assertEqual(len(self.installs()), 2)

    def test_without_apt_the_packages_are_named(self) -> None:
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(
            result.stderr,
            "^set-up: missing: .* g\\+\\+.*; install what these Debian packages contain, or for "
            "Meson, ninja and tomli: python3 -m venv build/venv.*\n$",
        )

    def test_wraps_take_the_place_of_packages(self) -> None:
        self.has("meson", "ninja", "g++", "python3")
        result = self.run_setup()
        self.assertRegex(result.stderr, "set-up: missing: libcli11-dev .*-dev libgtest-dev; ")
        self.has_wraps()
        result = self.run_setup()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(
            result.stdout.splitlines()[-1],
            "libcli11-dev nlohmann-json3-dev libgtest-dev: missing, so Meson takes the sources that "
            "subprojects/*.wrap name, from subprojects/packagecache or the network",
        )
        self.assert_silent()

    def test_programs_of_a_venv_below_build(self) -> None:
        self.has_apt()
        self.run_setup()
        programs = self.root / "build" / "venv" / "bin"
        programs.mkdir(parents=True)
        for name in ("meson", "ninja"):
            (self.bin / name).rename(programs / name)
        self.assert_silent()

    def test_two_at_once_install_once(self) -> None:
        self.has_apt()
        (self.root / "build").mkdir()
        with open(self.root / "build" / ".building", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            both = [self.start_setup() for _ in range(2)]
            for one in both:
                assert one.stdout is not None
                self.assertEqual(
                    one.stdout.readline(),
                    "another command sets up or builds this folder: waiting for it\n",
                )
        said = [one.communicate() for one in both]
        self.assertEqual([one.returncode for one in both], [0, 0], said)
        self.assertEqual(len(self.installs()), 2)
        self.assertIn(("", ""), said)

    def test_what_apt_starts_keeps_nobody_waiting(self) -> None:
        self.has_apt()
        text = (self.bin / "apt-get").read_text()
        (self.bin / "apt-get").write_text(f"{text}\nsleep 5 >/dev/null 2>&1 &\n")
        self.run_setup()
        lock = self.root / "build" / ".building"
        self.assertTrue(lock.exists())
        subprocess.run(["flock", "--nonblock", lock, "true"], check=True)

    def test_packages_are_for_all_users(self) -> None:
        self.has_apt()
        script = self.root / "common" / "tools" / "setup" / "setup.sh"
        text = script.read_text()
        script.write_text(text.replace("set -u\n", "set -u\numask 077\n", 1))
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertEqual((self.bin / "ninja").stat().st_mode & 0o777, 0o755)
        header = self.root / "usr/include/CL/cl.h"
        self.assertEqual(header.stat().st_mode & 0o777, 0o644)
        self.assertEqual((self.root / "build" / "setup-versions").stat().st_mode & 0o777, 0o600)

    def test_packages_do_not_see_make_s_python(self) -> None:
        """Else their bytecode would lie in build/, and a full disk there would break them."""
        self.has_apt()
        apt_get, said = self.bin / "apt-get", self.root / "python"
        shown = f'echo "${{PYTHONPYCACHEPREFIX-none}} ${{PYTHONPATH-none}}" >>"{said}"'
        apt_get.write_text(apt_get.read_text().replace("\n", f"\n{shown}\n", 1))
        self.assertEqual(self.run_setup(PYTHONPYCACHEPREFIX="/a", PYTHONPATH="/b").returncode, 0)
        self.assertEqual(set(said.read_text().splitlines()), {"none none"})

    def test_a_checkout_that_cannot_be_written(self) -> None:
        self.has_apt()
        (self.root / "build").touch()  # a file: even root cannot write into it
        result = self.run_setup()
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(
            result.stderr,
            f"{self.root}/build: you cannot write to it; work in a clone of your own\n",
        )
        self.assertEqual(self.installs(), [])


class VersionTest(MachineTest):
    """Programs that are there, but too old."""

    def setUp(self) -> None:
        super().setUp()
        self.has_apt()
        self.assertEqual(self.run_setup().returncode, 0)
        self.log.unlink()

    def said(self, **variables: str) -> tuple[int, str]:
        result = self.run_setup(**variables)
        self.assertEqual(result.stdout, "")
        return result.returncode, result.stderr

    def test_meson(self) -> None:
        venv = "python3 -m venv build/venv && build/venv/bin/pip install meson ninja tomli"
        for version in ("0.61.2", "0.9"):
            self.command("meson", f"echo {version}")
            status, line = self.said()
            self.assertEqual(status, 1)
            self.assertTrue(
                line.startswith(f"set-up: meson is version {version}, but the course needs 1.0 or"),
                line,
            )
            self.assertEqual(line.count("\n"), 1)
            self.assertIn(venv, line)
            self.assertIn("pipx install meson", line)
        for version in ("1.0.0", "1.10.1", "2.0rc1"):
            self.command("meson", f"echo {version}")
            self.assertEqual(self.said(), (0, ""), version)

    def test_a_meson_that_does_not_run_is_missing(self) -> None:
        self.command("meson", "echo 'Traceback (most recent call last):' >&2; exit 1")
        self.run_setup()
        self.assertEqual(self.installs(), [["meson"]])

    def test_python(self) -> None:
        self.command("python3", "echo 3.9.18")
        status, line = self.said()
        self.assertEqual(status, 1)
        self.assertRegex(
            line, "^set-up: python3 is version 3.9.18, but .* 3.10 or newer: .* uv .*\n$"
        )

    def test_python_without_tomllib(self) -> None:
        old = 'case "$*" in *version_info*) echo 3.10.12 ;; *tomli{}) ;; *) exit 1 ;; esac'
        self.command("python3", old.format("_is_missing"))
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(
            result.stderr.splitlines()[-1], "missing: python3-tomli; .*bin/pip install"
        )
        self.command("python3", old.format(""))
        self.assertEqual(self.said(), (0, ""))

    def test_compilers(self) -> None:
        gcc = 'case "$*" in *dumpversion*) echo {0} ;; *--version*) echo "g++ {0}" ;; esac'
        self.command("g++", gcc.format(10))
        status, line = self.said()
        self.assertEqual(status, 1)
        self.assertRegex(
            line, r"^set-up: g\+\+ is version 10, .* 11 or newer: .* CXX=g\+\+-12 make\n$"
        )
        self.command("g++-12", gcc.format(12))
        self.assertEqual(self.said(CXX="g++-12"), (0, ""))
        self.assertEqual(self.said(CXX="env g++-12"), (0, ""))
        clang = gcc.replace('"g++ ', '"clang version ')
        self.command("clang++", clang.format("14.0.6"))
        status, line = self.said(CXX="clang++")
        self.assertEqual(status, 1)
        self.assertRegex(
            line, r"^set-up: clang\+\+ is version 14.0.6, .* 16 or newer: .*clang\+\+-16"
        )
        # A folder that is configured keeps its compiler.
        (self.root / "build" / "build.ninja").touch()
        self.assertEqual(self.said(), (0, ""))

    def test_what_is_optional_is_said_once(self) -> None:
        for name, old, new, said in (
            (
                "nvcc",
                "release 11.8, V11.8.89",
                "release 13.0, V13.0.88",
                "11.8, .* CPU engine only",
            ),
            (
                "gnuplot",
                "gnuplot 5.2 patchlevel 8",
                "gnuplot 6.0 patchlevel 0",
                "5.2, .* no figures",
            ),
        ):
            self.command(name, f"echo '{old}'")
            status, line = self.said()
            self.assertEqual(status, 0)
            self.assertRegex(line, f"^set-up: {name} is version {said}.*\n$")
            self.assertEqual(self.said(), (0, ""))
            self.command(name, f"echo '{new}'")
            self.assertEqual(self.said(), (0, ""))

    def test_versions_are_asked_only_if_a_program_has_changed(self) -> None:
        asked = self.root / "asked"
        self.command("meson", f"echo 1 >>'{asked}'; echo 1.4.0")
        self.said()
        first = asked.read_text()
        self.said()
        self.assertEqual(asked.read_text(), first)
        self.command("gnuplot", "echo 'gnuplot 6.1 patchlevel 0'")
        self.said()
        self.assertGreater(len(asked.read_text()), len(first))


if __name__ == "__main__":
    unittest.main()
