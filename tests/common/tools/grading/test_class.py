# SPDX-License-Identifier: MIT
"""A class of generated submissions, graded twice: in another order, once after an interruption. The
tables must be equal, and each time must stay below ten minutes on two cores. The page for teachers
speaks of STUDENTS=30, which takes minutes; a smaller class shows the same."""

import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

from common.tools.labs.catalogue import load_labs
from common.tools.labs.lab import Lab
from tests.common.tools.grading.attacks import RIGHT, need_cage, with_code

need_cage()
ROOT = Path(__file__).resolve().parents[4]
LAB = load_labs()[RIGHT]
STUDENTS = int(os.environ.get("STUDENTS", "12"))
LONGEST = 600  # seconds
SEED = "20160630"
# make grade, with less patience for the student whose program never ends.
GRADE = """
from common.tools.grading import grade, judge
from common.tools.lib.stages import run_tool
judge.SECONDS = 5
run_tool(grade.guarded)
"""


def renamed(text: str, number: int) -> str:
    return text.replace("kBlockSize", f"kThreads{number}")


def texts(lab: Lab) -> list[tuple[str, int | None]]:
    """What students hand in, and the points that some of them must get (None: any)."""
    start, solution = lab.start.text(), lab.solution.text()
    kinds: list[tuple[str, int | None]] = [
        (start, lab.start_points),
        (solution, lab.of),
        (solution.replace("sum +=", "sum -="), 0),
        (with_code(lab, inside="for (volatile int i = 1; i;) {}"), 0),
        (with_code(lab, inside='system("rm -rf /");'), 0),
        (with_code(lab, before="this is no program"), 0),
        (with_code(lab, inside="cuda_check(cudaErrorUnknown);"), 0),
        (solution.replace("__shfl_down_sync", "__shfl_xor_sync"), None),
        ("", 0),
    ]
    more = STUDENTS - len(kinds)
    kinds += [(renamed(start if i % 2 else solution, i), None) for i in range(more)]
    return kinds


def write_class(folder: Path, lab: Lab, order: list[int]) -> None:
    """Folders and archives, made in this order."""
    place = f"my/{lab.folder_name}/{lab.file_name}"
    all_texts = texts(lab)
    for i in order:
        name, data = f"student{i:02}", all_texts[i][0].encode()
        if i % 3 == 0:
            path = folder / name / place
            path.parent.mkdir(parents=True)
            path.write_bytes(data)
        elif i % 3 == 1:
            with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
                archive.writestr(place, data)
        else:
            with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as tar:
                info = tarfile.TarInfo(place)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))


class ClassTest(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.home)

    def start(self, folder: Path) -> subprocess.Popen[str]:
        environment = dict(os.environ, DIR=str(folder), LABS=LAB.name, SEED=SEED)
        return subprocess.Popen(
            [sys.executable, "-c", GRADE],
            cwd=ROOT,
            env=environment | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def grade(self, folder: Path) -> str:
        """Returns what was printed on stderr."""
        begin = time.monotonic()
        process = self.start(folder)
        said, errors = process.communicate(timeout=2 * LONGEST)
        seconds = time.monotonic() - begin
        print(f"{folder.name}: {seconds:.0f} s", file=sys.stderr)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn(f"{STUDENTS} students", said)
        self.assertLess(seconds, LONGEST)
        return errors

    def tables(self, folder: Path) -> tuple[str, ...]:
        grades = folder.with_name(f"{folder.name}-grades")
        pages = sorted((grades / "reports").iterdir())
        self.assertEqual(len(pages), STUDENTS)
        files = [grades / "grades.csv", grades / "similar.csv", *pages]
        return tuple(path.read_text(encoding="utf-8") for path in files)

    def interrupt(self, folder: Path) -> int:
        """Ends a grading after its first grades. Returns how many were kept."""
        kept = folder.with_name(f"{folder.name}-grades") / "kept"
        process = self.start(folder)
        while process.poll() is None and len(list(kept.glob("*/*.json"))) < 3:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("interrupted: `make grade` with the same DIR goes on", errors)
        self.assertFalse((kept.parent / "grades.csv").exists())
        return len(list(kept.glob("*/*.json")))

    def test_twice(self) -> None:
        order = list(range(STUDENTS))
        first, second = self.home / "first", self.home / "second"
        for folder in (first, second):
            folder.mkdir()
            write_class(folder, LAB, order)
            random.Random(7).shuffle(order)
        self.grade(first)
        kept = self.interrupt(second)
        self.assertIn(f"{kept} of {STUDENTS} files were graded before", self.grade(second))
        tables = self.tables(first)
        self.assertEqual(tables, self.tables(second))
        rows = tables[0].splitlines()[1:]
        for i, (_, points) in enumerate(texts(LAB)):
            if points is not None:
                self.assertTrue(rows[i].startswith(f"student{i:02},{points},"), rows[i])
        self.assertEqual(self.count_refused(rows), 2)  # the call of system(), and the empty file
        # Nothing is left to do.
        self.assertIn(f"{STUDENTS} of {STUDENTS} files were graded before", self.grade(first))

    @staticmethod
    def count_refused(rows: list[str]) -> int:
        return sum("refused" in row for row in rows)


if __name__ == "__main__":
    unittest.main()
