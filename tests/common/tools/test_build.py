# SPDX-License-Identifier: MIT
"""What build.sh configures, builds and says: nothing for little work, and the number of files for
much work."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.common.tools.course_tools import ROOT, TOOLS

# A dry run plans FILES compilations. It always lists the version and what depends on it. A build
# prints a line per file, and waits WAIT seconds after the fourth.
NINJA = r"""#!/bin/sh
case " $* " in
    *" build.ninja "*) exit 0 ;;
    *" -n "*)
        echo "${NINJA_STATUS}Generating common/version.cpp"
        echo "${NINJA_STATUS}Compiling C++ object common/libversion.a.p/meson-generated_.._version.cpp.o"
        for kind in 'Linking target Compiling_' 'Compiling C++ object '; do
            count=60
            [ "$kind" = 'Compiling C++ object ' ] && count=$FILES
            i=0
            while [ "$i" -lt "$count" ]; do i=$((i + 1)) && echo "${NINJA_STATUS}$kind$i"; done
        done
        exit 0
        ;;
esac
echo "ninja $*" >>"$LOG"
echo "ninja: Entering directory \`build'"
[ "$FILES" -gt 0 ] || echo 'ninja: no work to do.'
i=0
while [ "$i" -lt "$FILES" ]; do
    i=$((i + 1)) && echo "${NINJA_STATUS}Compiling C++ object $i"
    [ "$i" -ne 4 ] || sleep "${WAIT:-0}"
done
[ "${STATUS:-0}" -eq 0 ] || echo "FAILED: a file"
exit "${STATUS:-0}"
"""


# It records the folder in which it is called, and its arguments. A folder that is configured stays
# as it is, without a failure, unless it is told to configure again.
MESON = r"""#!/bin/sh
echo "meson $*" >>"$LOG"
[ "${MESON_STATUS:-0}" -eq 0 ] || { echo 'ERROR: a mistake'; exit 1; }
[ "$*" = 'setup build' ] && [ -e build/meson-private/coredata.dat ] && exit 0
mkdir -p build/meson-private && : >build/build.ninja && : >build/meson-private/coredata.dat
"""
STAGES = """[
 {"stage": "sums/00_cpu", "chapter": "sums", "executables": {"cpu": "chapters/sums/sums_00_cpu"}},
 {"stage": "sums/01_one", "chapter": "sums",
  "executables": {"emu": "chapters/sums/sums_01_one.emu", "count": "chapters/sums/sums_01_one.count"}}
]
"""


class BuildTest(unittest.TestCase):
    def setUp(self) -> None:
        # With a blank and an umlaut, as a folder of one's own may have.
        self.root = Path(tempfile.mkdtemp(prefix="für mich "))
        self.addCleanup(shutil.rmtree, self.root)
        tools, self.bin = self.root / "common" / "tools" / "setup", self.root / "bin"
        tools.mkdir(parents=True)
        self.bin.mkdir()
        # A copy, because the script builds the repository that it lies in.
        for name in ("build.sh", "folder.sh"):
            shutil.copy(TOOLS / "setup" / name, tools)
        self.script = tools / "build.sh"
        self.log = self.root / "log"
        for name, text in (
            ("ninja", NINJA),
            ("meson", MESON),
        ):
            (self.bin / name).write_text(text, encoding="utf-8")
            (self.bin / name).chmod(0o755)

    @unittest.skipUnless(shutil.which("flock"), "flock is missing")
    def test_two_builds_run_one_after_the_other(self) -> None:
        text = NINJA.replace(
            'echo "ninja $*" >>"$LOG"', 'echo + >>"$LOG"; sleep 0.5; echo - >>"$LOG"'
        )
        (self.bin / "ninja").write_text(text, encoding="utf-8")
        with ThreadPoolExecutor(3) as pool:
            results = list(pool.map(self.build, [3, 3, 3]))
        self.assertEqual([one.returncode for one in results], [0, 0, 0])
        lines = [line for line in self.log.read_text().splitlines() if line in "+-"]
        self.assertEqual(lines, ["+", "-"] * 3)

    @unittest.skipUnless(shutil.which("flock"), "flock is missing")
    def test_it_says_that_it_waits(self) -> None:
        self.build(3)
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log)}
        with open(self.root / "build" / ".building", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with subprocess.Popen(
                ["sh", self.script, "stages"],
                stdout=subprocess.PIPE,
                text=True,
                env=environment | {"FILES": "3", "HOME": str(self.root)},
            ) as waiting:
                assert waiting.stdout is not None
                self.assertEqual(
                    waiting.stdout.readline(),
                    "another command sets up or builds this folder: waiting for it\n",
                )
                fcntl.flock(lock, fcntl.LOCK_UN)
                self.assertEqual(waiting.stdout.read(), "")
        self.assertEqual(waiting.returncode, 0)

    def build(
        self,
        files: int,
        status: int = 0,
        arguments: tuple[str, ...] = ("stages",),
        meson_status: int = 0,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", self.script, *arguments],
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
            env={
                "PATH": f"{self.bin}:{os.environ['PATH']}",
                "LOG": str(self.log),
                "FILES": str(files),
                "STATUS": str(status),
                "MESON_STATUS": str(meson_status),
                "HOME": str(self.root),
            }
            | variables,
        )

    def test_the_number_of_files_is_printed_if_it_is_large(self) -> None:
        # The second time, the folder has been built before.
        for files in (245, 300):
            result = self.build(files)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(
                result.stdout, f"building, {files} files to compile: this takes minutes\n"
            )
        self.assertEqual(self.log.read_text(encoding="utf-8").count("stages"), 2)

    def test_a_small_build_prints_nothing(self) -> None:
        for files in (3, 0):
            result = self.build(files)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_a_long_build_says_how_far_it_is(self) -> None:
        result = self.build(230, REPORT_SECONDS="0.2", WAIT="0.7")
        self.assertEqual(result.returncode, 0, result.stderr)
        first, *reports = result.stdout.splitlines()
        self.assertEqual(first, "building, 230 files to compile: this takes minutes")
        self.assertGreaterEqual(len(reports), 2)
        self.assertIn("4 of 230 files compiled", reports)
        # The script does not wait for the next report, and a short build has none.
        self.assertEqual(len(self.build(230, REPORT_SECONDS="50").stdout.splitlines()), 1)
        self.assertEqual(self.build(9, REPORT_SECONDS="0.2", WAIT="0.7").stdout, "")

    def test_ccache_has_a_folder_without_a_home(self) -> None:
        ninja = NINJA.replace('echo "ninja $*"', 'echo "ccache in ${CCACHE_DIR:-its own folder}"')
        (self.bin / "ninja").write_text(ninja, encoding="utf-8")
        file = self.root / "file"
        file.touch()
        for home in (str(self.root), "", f"{self.root}/none", str(file)):
            self.build(3, HOME=home)
        self.build(3, HOME="", CCACHE_DIR="/mine")
        own = f"{self.root}/build/ccache"
        self.assertEqual(
            [line.removeprefix("in ") for line in self.said_to("ccache")],
            ["its own folder", own, own, own, "/mine"],
        )

    def test_a_failure_is_printed_as_an_error(self) -> None:
        for files in (3, 245):
            result = self.build(files, status=1)
            self.assertEqual((result.returncode, result.stderr), (1, "FAILED: a file\n"))
            self.assertNotIn("FAILED", result.stdout)

    def said_to(self, program: str) -> list[str]:
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line.removeprefix(f"{program} ") for line in lines if line.startswith(program)]

    def test_a_copied_checkout_is_configured_anew(self) -> None:
        self.build(0)
        self.build(0)
        self.assertEqual(self.said_to("meson"), ["setup build"])
        # By another path it is the same folder.
        link = self.root.with_name(self.root.name + "-link")
        link.symlink_to(self.root)
        self.addCleanup(link.unlink)
        original, self.script = self.script, link / "common" / "tools" / "setup" / "build.sh"
        self.build(0)
        self.assertEqual(self.said_to("meson"), ["setup build"])
        # A copy, while the original is still there, and then a copy that was moved.
        copy = self.root.with_name(self.root.name + "-copy")
        moved = self.root.with_name(self.root.name + "-moved")
        self.addCleanup(shutil.rmtree, moved)
        shutil.copytree(self.root, copy)
        for folder, before in ((copy, self.root), (moved, copy)):
            if folder == moved:
                copy.rename(moved)
            self.script = folder / "common" / "tools" / "setup" / "build.sh"
            result = self.build(0)
            self.assertEqual(
                result.stdout,
                f"build/ was configured in {before}: it is configured and built anew here\n",
            )
            self.assertEqual(self.said_to("meson")[-1], "setup --wipe build")
            self.assertEqual(self.build(0).stdout, "")
        # A copy that uses the original's build folder.
        linked = self.root.with_name(self.root.name + "-linked")
        self.addCleanup(shutil.rmtree, linked)
        shutil.copytree(self.root, linked, ignore=shutil.ignore_patterns("build"))
        (linked / "build").symlink_to(self.root / "build")
        self.script = linked / "common" / "tools" / "setup" / "build.sh"
        calls = self.said_to("meson")
        result = self.build(0)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn(f"build/ is the build folder of {self.root}", result.stderr)
        self.assertEqual(self.said_to("meson"), calls)
        self.script = original

    def test_after_a_failure_it_is_configured_again(self) -> None:
        self.build(0)
        (self.root / "build" / "setup-changed").touch()
        result = self.build(0, meson_status=1)
        self.assertEqual((result.returncode, result.stderr), (1, "ERROR: a mistake\n"))
        self.assertEqual(self.build(0).returncode, 0)
        again = "setup --reconfigure build"
        self.assertEqual(self.said_to("meson"), ["setup build", again, again])
        self.assertTrue((self.root / "build" / "build.ninja").exists())

    def test_only_what_stages_need_is_built(self) -> None:
        setup = self.root / "common" / "tools"
        shutil.copytree(TOOLS / "lib", setup / "lib")
        shutil.copy(TOOLS / "setup" / "needed_targets.py", setup / "setup")
        self.build(0)
        stages = json.loads(STAGES)
        for stage in stages:
            stage["name"] = stage["stage"].partition("/")[2]
            unused = dict.fromkeys(("technique", "compared_with", "counter_unit"), "")
            unused |= dict.fromkeys(("cuda_args", "emu_args", "more_checks", "counter_args"), [])
            source = "sums.cpp" if stage["name"] == "00_cpu" else "sums.cu"
            stage |= unused | {"source": source} | stage
        (self.root / "build" / "stages.json").write_text(json.dumps(stages), encoding="utf-8")
        for words, targets in (
            (("count", "sums/01_one"), "sums_01_one.count"),
            (("emu", "sums/01_one"), "sums_01_one.emu"),
            (("count", "sums/01_one", "sums/00_cpu"), "sums_00_cpu sums_01_one.count"),
            (("emu", "sums"), "sums_00_cpu sums_01_one.emu"),
            (("emu", "sums/all"), "sums_00_cpu sums_01_one.emu"),
        ):
            result = self.build(3, arguments=("--stages", *words))
            self.assertEqual(result.stderr, "")
            self.assertEqual(result.stdout, f"building {targets}, 3 files to compile\n")
            wanted = " ".join(f"chapters/{name}" for name in targets.split())
            self.assertEqual(self.said_to("ninja")[-1], f"-C build {wanted}")
        self.build(3, arguments=("--stages", "count", "sums/01_one", "my.cu"))
        self.assertEqual(self.said_to("ninja")[-1], "-C build engine chapters/sums_01_one.count")
        before = len(self.said_to("ninja"))
        for words in (("",), ("count", "sums/02_none"), ("tpu", "sums/01_one")):
            result = self.build(3, arguments=("--stages", *words))
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertEqual(len(self.said_to("ninja")), before)

    def test_a_folder_that_cannot_be_written(self) -> None:
        (self.root / "build").touch()  # a file: even root cannot write into it
        result = self.build(3)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(
            result.stderr,
            f"{self.root}/build: you cannot write to it; work in a clone of your own\n",
        )

    def test_a_full_disk_is_one_line(self) -> None:
        """A disk of 1 MB, which ninja's first compilation fills."""
        mounted = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=1m none "$0" && exec "$@"']
        build = self.root / "build"
        build.mkdir()
        if subprocess.run([*mounted, build, "true"], capture_output=True, check=False).returncode:
            self.skipTest("this machine permits no mounts")
        fails = 'i=0\nwhile ! cat /dev/zero >>build/a.o; do i=$((i + 1)) && [ "$i" -lt 40 ] || exit 1; done\n'
        (self.bin / "ninja").write_text(
            NINJA.replace("i=0\nwhile", f"{fails}i=0\nwhile"), encoding="utf-8"
        )
        # The second one begins on a full disk.
        twice = ["sh", "-c", '"$@"; echo "exit status $?"; "$@"', "sh", "sh", self.script, "stages"]
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log)}
        result = subprocess.run(
            [*mounted, build, *twice],
            text=True,
            capture_output=True,
            check=False,
            env=environment | {"FILES": "3", "HOME": str(self.root)},
        )
        self.assertEqual((result.returncode, result.stdout), (1, "exit status 1\n"), result.stderr)
        line = f"{build}: the disk is full; make room there, then try again\n"
        self.assertEqual(result.stderr, 2 * line)
        self.assertEqual(len(self.said_to("ninja")), 1)


class CompileCommandsTest(unittest.TestCase):
    """clang-tidy reads sources one by one, also those that are compiled together."""

    def test_each_source_has_a_command_of_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([TOOLS / "setup" / "compile_commands.py", folder], check=True, cwd=ROOT)
            written = json.loads((Path(folder) / "compile_commands.json").read_text("utf-8"))
        self.assertEqual([one["file"] for one in written if "-unity" in one["file"]], [])
        for source in ("stream", "graph", "event"):
            file = f"../common/emulator/runtime/{source}.cpp"
            commands = [one["command"] for one in written if one["file"] == file]
            self.assertEqual(len(commands), 1, file)
            self.assertTrue(commands[0].endswith(f" -c {file}"), commands[0])


if __name__ == "__main__":
    unittest.main()
