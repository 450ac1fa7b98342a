# SPDX-License-Identifier: MIT
"""A class of generated submissions with ten hostile ones, graded twice: in another order, after an
interruption, and with a disk that is full for a while. The tables must be equal, and each time must
stay below ten minutes on two cores. The page for teachers speaks of STUDENTS=30, which takes
minutes; a smaller class shows the same."""

import bz2
import csv
import io
import lzma
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
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
FULL_SECONDS = 20
HOSTILE = 10  # beside these students
READ = 2  # of the hostile ones, whose file is read: it is no program, or refused
SEED = "20160630"
# make grade, with less patience for the student whose program never ends, and for archives. While
# there is a file FULL, the disk has no room.
GRADE = """
import collections, os, pathlib, shutil
from common.tools.grading import grade, judge, sandbox, submissions
from common.tools.lib.stages import run_tool
judge.SECONDS = 5
submissions.SECONDS = 3
usage = shutil.disk_usage
Full = collections.namedtuple("Full", "free")
sandbox.shutil.disk_usage = lambda path: (
    Full(0) if pathlib.Path(os.environ["FULL"]).exists() else usage(path))
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


def zip_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def hostile(place: str) -> dict[str, bytes]:
    """Archives that must not harm the others, and give no points."""
    good = zip_of({place: b"text"})
    packed = lzma.compress(bytes(9000))
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1_000_000
    return {
        "=1+1.zip": b"PK\3\4 no archive",
        "＝cut.zip": good[:40],
        "h2.tar.xz": packed[:50] + b"\xff" + packed[51:],
        "h3.tar": header.tobuf(tarfile.USTAR_FORMAT) + b"1" * 1_000_000 + bytes(1024),
        "h4.zip": zip_of({f"{i}": b"" for i in range(20_001)}),
        "h5.tar.bz2": bz2.compress(bytes(300 << 20)),
        "h6.zip": zip_of({place: bytes(64 << 20)}),
        "h7.tar.gz": b"\x1f\x8b\x08",
        "h8.zip": zip_of({place: b'R"(' * 80_000}),
        "h9\n.zip": good,
    }


def write_class(folder: Path, lab: Lab, order: list[int]) -> None:
    """Folders and archives, made in this order."""
    place = f"my/{lab.folder_name}/{lab.file_name}"
    (folder / "readme.txt").write_text("no submission", encoding="utf-8")
    for name, data in hostile(place).items():
        (folder / name).write_bytes(data)
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
        self.full = self.home / "full"
        self.addCleanup(shutil.rmtree, self.home)

    def start(self, folder: Path) -> subprocess.Popen[str]:
        environment = dict(os.environ, DIR=str(folder), LABS=LAB.name, SEED=SEED)
        environment["FULL"] = str(self.full)
        return subprocess.Popen(
            [sys.executable, "-c", GRADE],
            cwd=ROOT,
            env=environment | {"PYTHONPATH": str(ROOT), "FORMAT": "moodle"},
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
        self.assertIn(f"{STUDENTS + HOSTILE} students", said)
        self.assertIn("left out, neither a folder nor an archive: readme.txt", errors)
        self.assertLess(seconds, LONGEST)
        return errors

    def tables(self, folder: Path) -> tuple[str, ...]:
        grades = folder.with_name(f"{folder.name}-grades")
        pages = sorted((grades / "reports").iterdir())
        self.assertEqual(len(pages), STUDENTS + HOSTILE)
        files = [grades / "grades.csv", grades / "similar.csv", grades / "moodle.csv", *pages]
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
        self.full.touch()
        threading.Timer(FULL_SECONDS, self.full.unlink).start()
        files = STUDENTS + READ
        self.assertIn(f"{kept} of {files} files were graded before", self.grade(second))
        self.assertFalse(self.full.exists())
        tables = self.tables(first)
        self.assertEqual(tables, self.tables(second))
        rows = [row for row in tables[0].splitlines() if row.startswith("student0")]
        rows += [row for row in tables[0].splitlines() if re.match("student[1-9]", row)]
        for i, (_, points) in enumerate(texts(LAB)):
            if points is not None:
                self.assertTrue(rows[i].startswith(f"student{i:02},{points},"), rows[i])
        self.assertEqual(self.count_refused(rows), 2)  # the call of system(), and the empty file
        self.check_hostile(tables[0])
        # Nothing is left to do.
        self.assertIn(f"{files} of {files} files were graded before", self.grade(first))

    def check_hostile(self, table: str) -> None:
        others = [row for row in csv.reader(io.StringIO(table)) if not row[0].startswith("student")]
        self.assertEqual(len(others), HOSTILE)
        for row in others:
            self.assertEqual(row[1], "0", row)
            self.assertRegex(row[0], r"^('[=＝]|h\d)")
            if row[0] not in ("h8", "h9\\n"):
                self.assertIn("not readable: ", row[-1])

    @staticmethod
    def count_refused(rows: list[str]) -> int:
        return sum("refused" in row for row in rows)


if __name__ == "__main__":
    unittest.main()
