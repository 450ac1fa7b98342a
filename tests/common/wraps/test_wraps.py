# SPDX-License-Identifier: MIT
"""The build on a machine without CLI11, nlohmann-json, GoogleTest and Boost: Meson takes the first
three from subprojects/, without a network, and nothing else is lost but the chapter distmesh."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.errors import ToolError
from tests.common.tools.course_tools import ROOT
from tests.common.wraps import debian_sources

# Where packages put what finds these libraries.
HIDDEN = ("include/CLI", "include/nlohmann", "include/gtest", "include/gmock", "include/boost")
HIDDEN += (
    "src/gtest",
    "src/gmock",
    "src/googletest",
    "lib/cmake",
    "share/cmake",
    "share/pkgconfig",
)
HIDDEN += ("local/include", "local/lib/cmake")
FOUND = {"CLI11": "2.4.1", "nlohmann_json": "3.11.3", "gtest": "1.16.0"}
NO_BOOST = "boost/polygon/voronoi.hpp is missing (package libboost-dev)"
STAGES = ("basics_00_cpu", "basics_01_thread_per_line.emu")
TARGETS = [*(f"chapters/{name}" for name in STAGES), "tests/common/test_harness"]


def hiding() -> list[str]:
    """The words of a command whose program does not see the system's copies."""
    folders = [path for name in HIDDEN if (path := Path("/usr") / name).is_dir()]
    words = ["bwrap", "--dev-bind", "/", "/"]
    return words + [word for one in folders for word in ("--tmpfs", str(one))]


class WrapsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "apt").mkdir()
        try:
            archives = debian_sources.download(cls.folder / "apt")
        except (ToolError, FileNotFoundError) as error:
            raise unittest.SkipTest(str(error)) from error
        # The course, but with wraps of its own, into which Meson may extract.
        cls.course = cls.folder / "course"
        cls.course.mkdir()
        for path in ROOT.iterdir():
            if path.name not in ("build", ".git", "subprojects"):
                (cls.course / path.name).symlink_to(path)
        for name in ("packagefiles", *(f"{wrap}.wrap" for wrap in archives)):
            copy = shutil.copytree if name == "packagefiles" else shutil.copy
            (cls.course / "subprojects").mkdir(exist_ok=True)
            copy(ROOT / "subprojects" / name, cls.course / "subprojects" / name)
        changed = debian_sources.fill_cache(archives, cls.course / "subprojects")
        # Debian's copy of the release of nlohmann-json is upstream's.
        assert "nlohmann_json" not in changed, changed

    def run_here(
        self, *words: str, before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        nowhere = {"PKG_CONFIG_LIBDIR": str(self.folder), "CPATH": ""}
        return subprocess.run(
            [*before, *words],
            cwd=self.folder,
            env=os.environ | (nowhere if before else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=1500,
        )

    def configure(self, mode: str, before: tuple[str, ...] = (), *options: str) -> tuple[int, str]:
        words = ["meson", "setup", mode, "course", f"--wrap-mode={mode}", *options]
        made = self.run_here(*words, before=before)
        return made.returncode, made.stdout

    def assert_wrapped(self, said: str) -> None:
        for name, version in FOUND.items():
            self.assertRegex(said, f"Dependency {name} from subproject .* found: YES {version}")

    def test_wraps_replace_the_systems_libraries_if_they_are_asked_for(self) -> None:
        status, said = self.configure("forcefallback")
        self.assertEqual(status, 0, said)
        self.assert_wrapped(said)

    def test_without_these_libraries(self) -> None:
        before = tuple(hiding())
        if shutil.which("bwrap") is None or self.run_here("true", before=before).returncode != 0:
            self.skipTest("bubblewrap cannot hide the system's headers here")
        status, said = self.configure("nofallback", before)
        self.assertEqual(status, 1, said)
        self.assertIn("Dependency 'CLI11' is required but not found", said)
        # What is in packagecache/ counts as downloaded, but Meson may not ask the network.
        # Meson finds GoogleTest by its libraries, which bubblewrap cannot hide one by one.
        status, said = self.configure(
            "default", (*before, "--unshare-net"), "--force-fallback-for=gtest"
        )
        self.assertEqual(status, 0, said)
        self.assert_wrapped(said)
        self.assertIn(f"{NO_BOOST}: the chapter distmesh is not built", said)
        stages = json.loads((self.folder / "default" / "stages.json").read_text(encoding="utf-8"))
        for stage in stages:
            if stage["chapter"] == "distmesh":
                self.assertEqual(stage["executables"], {}, stage["stage"])
                self.assertEqual(set(stage["skipped"].values()), {NO_BOOST})
            elif not stage["opencl"] and not stage["libraries"]:
                self.assertTrue(stage["executables"], stage["stage"])
        built = self.run_here("ninja", "-C", "default", *TARGETS, before=before)
        self.assertEqual(built.returncode, 0, built.stdout)
        for name in TARGETS:
            words = ["--check", "--n", "33"] if "chapters" in name else []
            ended = self.run_here(f"default/{name}", *words)
            self.assertEqual(ended.returncode, 0, f"{name}\n{ended.stdout}")


if __name__ == "__main__":
    unittest.main()
