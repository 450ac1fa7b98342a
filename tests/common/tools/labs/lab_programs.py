# SPDX-License-Identifier: MIT
"""Shared by the tests of labs: checking a text as if a student had written it."""

import hashlib
import shutil
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from common.tools.labs.catalogue import load_labs
from common.tools.labs.checking import check
from common.tools.labs.counted_run import solution_values
from common.tools.labs.lab import Lab
from common.tools.labs.result import Result
from common.tools.labs.running import Finished, Limits, run_program
from common.tools.labs.symbols import TABLE
from common.tools.lib.stages import ROOT, executable, load_stages

SEED = 4711


def digest(path: Path) -> str:
    """Of a file's content; empty without the file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def built_stages() -> dict[str, Path]:
    """The executables that count, as far as they are newer than their stage's file, by the digest
    of this file. Those with flags of their own are left out: how a lab is compiled must be seen."""
    found = {}
    for stage in load_stages():
        source = ROOT / stage.source
        if "count" in stage.executables and not stage.device_launches and not stage.emu_args:
            program = executable(stage, "count")
            if program.is_file() and program.stat().st_mtime > source.stat().st_mtime:
                found[digest(source)] = program.resolve()
    return found


class RunOnce:
    """A runner that runs each command once, and that compiles no stage which is built. The labs of
    a chapter share most of their programs: the solution of one is the start of the next. Two
    commands are the same if their words are, where a file in the folder counts by what it holds,
    and a file that is not there yet by its place. The name of the stage, which a program only
    prints, does not count."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.finished: dict[str, Finished] = {}
        self.built = built_stages()

    def __call__(self, command: Sequence[str | Path], *, folder: Path, limits: Limits) -> Finished:
        files = [Path(word) for word in command if str(word).startswith(f"{folder}/")]
        contents = {str(path): digest(path) for path in files}
        words = [str(word) for word in command if not str(word).startswith("-DSTAGE_NAME=")]
        key = digest_of("\0".join(contents.get(word, word) for word in words))
        made = [path for path in files if not contents[str(path)]]
        if key not in self.finished:
            known = [self.built[one] for one in contents.values() if one in self.built]
            if known:
                self.finished[key] = Finished(0, "", "")
                for program in made[:1]:  # none is for nvcc, which compiles the stages elsewhere
                    program.symlink_to(known[0])
                for table in made[1:]:  # of the linker's names: a stage uses none that it may not
                    table.write_text(TABLE, encoding="utf-8")
            else:
                self.finished[key] = run_program(command, folder=folder, limits=limits)
            for number, path in enumerate(made):
                if path.is_file():
                    shutil.copy(path, self.kept / f"{key}.{number}", follow_symlinks=False)
        else:
            for number, path in enumerate(made):
                if (self.kept / f"{key}.{number}").is_file():
                    path.symlink_to((self.kept / f"{key}.{number}").resolve())
        return self.finished[key]


class LabTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.labs = load_labs()
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.run_once = RunOnce(Path(scratch.name))

    def check_text(self, lab: Lab, text: str, seed: int | None = SEED) -> Result:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = folder / "given" / lab.file_name
            source.parent.mkdir()
            source.write_text(text, encoding="utf-8")
            made = folder / "made"
            made.mkdir()
            # Counted here, and kept in the build folder: check() finds it there.
            solution_values(lab, None if lab.is_question else seed, self.run_once)
            return check(lab, source, seed=seed, folder=made, run=self.run_once)

    def assert_marks(self, lab: Lab) -> None:
        """The start gets the published points, the solution all."""
        start, solution = lab.start.text(), lab.solution.text()
        if lab.is_question:
            values = solution_values(lab, None, self.run_once)
            start, solution = "answer = ?\n", f"answer = {values[0]!r}\n"
        for text, points in ((start, lab.start_points), (solution, lab.of)):
            result = self.check_text(lab, text)
            said = f"{lab.name}: {result.to_json()}"
            self.assertEqual(result.points, points, said)
            self.assertTrue(result.compiles, said)
        self.assertLess(lab.start_points, lab.of, lab.name)
