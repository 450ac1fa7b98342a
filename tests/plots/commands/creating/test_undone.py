# SPDX-License-Identifier: MIT
"""make stage and make chapter leave nothing behind if they fail or are interrupted anywhere."""

import contextlib
import io
import linecache
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from unittest import mock

from plots.commands import creation, new_chapter, new_stage
from common.tools.lib.stages import ToolError
from tests.common.tools.course_tools import BUILD
from tests.plots.commands.creating.copied_tree import copy_tree, files_of, make, restore
from tests.plots.commands.creating.test_new_stage import FIRST, RECORDS, SOURCE, STAGES

CODE = (new_chapter, new_stage, creation)
LIST = "chapter_names = ['sums']\n"
COUNTERS = "plots/data/counters/sums.csv"


class EveryLineTest(unittest.TestCase):
    """In a small tree, with a signal before each line that these tools execute, and with a disk
    that is full at each write. Commands only write the files that the real ones write."""

    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in (
            ("chapters/meson.build", LIST),
            ("chapters/sums/meson.build", RECORDS),
            ("chapters/sums/01_first/sums.cu", SOURCE),
            ("chapters/sums/01_first/more.cuh", "// more\n"),
            (COUNTERS, "a,b\n"),
            ("README.md", "| [sums](chapters/sums/README.md) | to add | 3 |\n"),
            ("tests/mine.txt", "not yet committed\n"),
        ):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for module, name, value in (
            (new_chapter, "ROOT", self.root),
            (new_stage, "ROOT", self.root),
            (new_stage, "load_stages", lambda: STAGES),
            (new_stage, "find_stage", lambda *_: FIRST),
            (creation.Creation, "run", self.command),
            (os, "fsync", self.fsync),
        ):
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.writes_left = -1

    def command(self, _made: creation.Creation, *words: str) -> None:
        if words[-2] != "plots.maintain.record_counters":
            return
        chapter = words[-1].partition("/")[0]
        for folder in ("counters", "lines"):
            path = self.root / "plots" / "data" / folder / f"{chapter}.csv"
            path.parent.mkdir(exist_ok=True)
            path.write_text("changed\n", encoding="utf-8")

    def fsync(self, _file: int) -> None:
        self.writes_left -= 1
        if self.writes_left == 0:
            raise OSError(28, "No space left on device")

    def create(self, tool: Callable[[], None]) -> None:
        name = "my_problem" if tool == new_chapter.main else "03_my_idea"
        with mock.patch.dict(os.environ, NAME=name), contextlib.redirect_stdout(io.StringIO()):
            tool()

    def test_nothing_is_left_by_a_signal_before_any_line(self) -> None:
        before = files_of(self.root)
        for tool in (new_chapter.main, new_stage.main):
            self.create(tool)
            complete = files_of(self.root)
            restore(self.root, before)
            for count in range(1, 1000):
                with self.subTest(tool=tool.__module__, line=count), interrupted_at(count) as at:
                    with contextlib.suppress(KeyboardInterrupt):
                        self.create(tool)
                if files_of(self.root) == complete:
                    break  # the signal came when all was done
                self.assertEqual(files_of(self.root), before, at.place)
            self.assertGreater(count, 100)  # so many lines were tried
            self.assertIn("with Creation", at.text)
            restore(self.root, before)

    def test_nothing_is_left_by_a_full_disk(self) -> None:
        before = files_of(self.root)
        for tool, writes in ((new_chapter.main, 11), (new_stage.main, 3)):
            for count in range(1, writes + 1):
                self.writes_left = count
                with self.subTest(tool=tool.__module__, write=count):
                    with self.assertRaisesRegex(ToolError, "cannot be written: No space left"):
                        self.create(tool)
                    self.assertEqual(files_of(self.root), before)

    def test_what_cannot_be_restored_is_named(self) -> None:
        def fail(*_: str) -> None:
            (self.root / "chapters/sums/meson.build").unlink()
            (self.root / "chapters/sums/meson.build").mkdir()  # nothing can be written there
            raise ToolError("failed: a build")

        with mock.patch.object(creation.Creation, "run", fail):
            with self.assertRaisesRegex(ToolError, "not restored: .*chapters/sums/meson.build"):
                self.create(new_stage.main)
        self.assertFalse((self.root / "chapters/sums/03_my_idea").exists())
        self.assertEqual((self.root / COUNTERS).read_text(encoding="utf-8"), "a,b\n")


class At:
    """Where the signal came."""

    passed, place, text = 0, "", ""


@contextlib.contextmanager
def interrupted_at(count: int) -> Iterator[At]:
    """Raises KeyboardInterrupt before this line of the tools' own code, and of no clean-up."""
    at = At()
    files = {module.__file__ for module in CODE}

    def trace(frame: FrameType, event: str, _argument: object) -> object:
        code = frame.f_code
        if code.co_filename not in files or code.co_name in ("__exit__", "_undo", "_end"):
            return None
        if event == "line":
            at.passed += 1
            if at.passed == count:
                at.place = f"{code.co_filename}:{frame.f_lineno}"
                at.text = linecache.getline(code.co_filename, frame.f_lineno)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield at
    finally:
        sys.settrace(before)


# Stand-ins in a copy of the tree. The build says that it has begun, and its child would change the
# tree long after the tool has ended.
BUILD_SH = r"""#!/bin/sh
[ "$1" = --stages ] && [ -n "$2$3" ] || exit 0
case $STAND_IN in
    build-fails) exit 1 ;;
    build-waits) (sleep 2; echo late >>README.md) & echo >build/begun; wait ;;
esac
"""
RECORD = r"""
import os, sys, time
from pathlib import Path
chapter, _, stage = sys.argv[1].partition("/")
folder = Path("plots/data/counters")
(folder / f"{chapter}.csv").write_text("half\n")
if os.environ["STAND_IN"] == "record-fails":
    sys.exit("record: a failure")
(folder.parent / "lines" / f"{chapter}.csv").write_text("half\n")
if os.environ["STAND_IN"] == "record-waits":
    Path("build/begun").touch()
    time.sleep(60)
"""


class MakeTest(unittest.TestCase):
    """The commands themselves, in a copy of the course."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.root = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        copy_tree(
            cls.root, "Makefile", "README.md", "chapters", "common/tools", "plots", "tests/chapters"
        )
        for name, text in (
            ("common/tools/setup/build.sh", BUILD_SH),
            ("common/tools/setup/setup.sh", "#!/bin/sh\n"),
            ("plots/maintain/record_counters.py", RECORD),
        ):
            (cls.root / name).write_text(text, encoding="utf-8")
        (cls.root / "build").mkdir()
        shutil.copy(BUILD / "stages.json", cls.root / "build")
        cls.before = files_of(cls.root)

    def begin(self, target: str, stand_in: str) -> "subprocess.Popen[str]":
        name = "zz_problem" if target == "chapter" else "98_idea"
        words = [target, f"NAME={name}", "FROM=nbody/03_shared_tiles"]
        (self.root / "build/begun").unlink(missing_ok=True)
        return make(self.root, *words, STAND_IN=stand_in)

    def assert_nothing_is_left(self) -> None:
        after = files_of(self.root)
        changed = {
            name
            for name in after.keys() | self.before.keys()
            if after.get(name) != self.before.get(name)
        }
        self.assertEqual(changed, set())

    def test_a_failure_leaves_nothing(self) -> None:
        for target in ("chapter", "stage"):
            for stand_in, said in (
                ("build-fails", "failed: common/tools/setup/build.sh --stages"),
                ("record-fails", "failed: .*plots.maintain.record_counters "),
            ):
                with self.subTest(target=target, stand_in=stand_in):
                    child = self.begin(target, stand_in)
                    _, errors = child.communicate(timeout=60)
                    self.assertNotEqual(child.returncode, 0)
                    self.assertRegex(errors, said)
                    self.assertNotIn("Traceback", errors)
                    self.assert_nothing_is_left()

    def test_a_signal_leaves_nothing(self) -> None:
        for target, stand_in, number, to_all in (
            ("chapter", "build-waits", signal.SIGINT, True),  # Ctrl-C: all processes get it
            ("chapter", "record-waits", signal.SIGTERM, False),  # only make gets it
            ("stage", "build-waits", signal.SIGTERM, False),
            ("stage", "record-waits", signal.SIGINT, True),
            ("stage", "build-waits", signal.SIGHUP, True),
        ):
            with self.subTest(target=target, stand_in=stand_in, number=number):
                child = self.begin(target, stand_in)
                end = time.monotonic() + 60
                while not (self.root / "build/begun").exists() and time.monotonic() < end:
                    time.sleep(0.02)
                self.assertNotEqual(files_of(self.root), self.before)
                (os.killpg if to_all else os.kill)(child.pid, number)
                _, errors = child.communicate(timeout=60)
                self.assertNotEqual(child.returncode, 0)
                self.assertNotIn("Traceback", errors)
                if stand_in == "build-waits":
                    time.sleep(2.2)  # then a child that still lived would have changed a file
                self.assert_nothing_is_left()

    def test_without_a_failure_all_is_there(self) -> None:
        child = self.begin("chapter", "")
        output, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, errors)
        made = files_of(self.root).keys() - self.before.keys()
        for name in new_chapter.PLACES.values():
            self.assertIn(new_chapter.filled(name, "zz_problem"), made)
            self.assertIn(new_chapter.filled(name, "zz_problem"), output.splitlines())
        restore(self.root, self.before)
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main()
