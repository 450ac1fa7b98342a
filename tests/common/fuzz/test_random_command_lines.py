# SPDX-License-Identifier: MIT
"""Random command lines and input files for every stage that this machine can run.

    test_random_command_lines.py [--count N] [--seed S] STAGES_JSON

Each run ends within a minute, with a status of error.hpp. A right stage is never accused: there is
no wrong result. Without success it says why in one short line, and leaves no file.
(fuzz_stages.cpp tries far more command lines in one process, with the sanitizers, but with stages
that compute nothing.)
"""

import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.chapters.stage_programs import execute, load_programs
from tests.common.fuzz.rounds import cases

STAGES_JSON = Path(sys.argv.pop())
USUAL = 60  # cases of each chapter
CHAPTERS = ("basics", "quicksort", "mergesort", "kmeans", "nbody", "floyd", "montecarlo", "storms")
CHAPTERS += ("distmesh", "matmul")
# Small, or larger than any machine: what lies between would take its time.
NUMBERS = ("0", "1", "2", "3", "7", "31", "33", "64", "1e2", "0.5", "1e-9", "-1", "1e18", "1e30")
NUMBERS += ("nan", "-inf", "1,2", "2,,3", " 7", "+5", "0x10", "1e400", "9223372036854775808", "")
WORDS = ("input", "-", "missing.txt", ".", "none", "random", "uniform", "first", "a\nb", "\x1b[2J")
WORDS += ("all-equal", "grid", "plummer", "signed", "circle", "square:0,0,1", "0,1", "x" * 5000)
TEXTS = (
    "1 2 3 4 5 6 7\n2 3 4 5 6 7 8\n",
    "from,to,weight\n0,1,5\n1,2,7\n",
    "1.5,2.5\n-3,4e2\n0,0\n",
    "2\n0 10\n5 20\n",
    "7 -2147483648 2147483647 0\n",
    "3 2 1\n1 2 5\n2 3 6\n",
    "p sp 3 2\na 1 2 5\na 2 3 6\n",
    "0 0\n1 0\n1 1\n0 1\n0 0\n",
)
PIECES = (
    "",
    "\n",
    "\r\n",
    "\0",
    " ",
    ",",
    "-",
    "1e400",
    "nan",
    "9" * 30,
    "#",
    "\ufeff",
    "x" * 3000,
)
OUTPUTS = ("--output", "--csv", "--json")


def flags_of(program: Path) -> list[str]:
    """Those of --help, without --force, which lets a run take hours."""
    found = re.findall(r"^ +(--[a-z0-9-]+)", execute(program, "--help").stdout, re.MULTILINE)
    return [flag for flag in found if flag not in ("--help", "--version", "--force")]


def damaged(text: str, draw: random.Random) -> str:
    for _ in range(draw.randrange(3)):
        begin = draw.randrange(len(text) + 1)
        end = begin + draw.choice((0, 1, 5))
        text = text[:begin] + draw.choice(PIECES) + text[end:]
    return text


def arguments(flags: list[str], draw: random.Random) -> list[str]:
    words = ["--n", draw.choice(NUMBERS) if draw.random() < 0.2 else str(draw.randint(1, 150))]
    if draw.random() < 0.4:
        words.append("--check")
    for _ in range(draw.randrange(4)):
        flag = draw.choice(flags)
        value = draw.choice(NUMBERS if draw.random() < 0.6 else WORDS)
        words += [f"{flag}={value}"] if draw.random() < 0.3 else [flag, value][: draw.randint(1, 2)]
    if draw.random() < 0.3:
        words += ["--input", "input"]
    for flag in OUTPUTS:
        if draw.random() < 0.2:
            words += [flag, f"file{flag}"]
    return words


class RandomCommandLines(unittest.TestCase):
    def check(self, program: Path, words: list[str], told: str) -> int:
        """The status of a run, whose messages must be short lines."""
        try:
            result = subprocess.run(
                [str(program.resolve()), *words],
                cwd=self.folder,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                stdin=subprocess.DEVNULL,
                check=False,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            self.fail(f"{told}: longer than a minute")
        told += f"\n{result.stderr[:3000]}"
        self.assertIn(result.returncode, (0, 1, 2, 77), told)
        self.assertNotIn("WRONG RESULT", result.stderr, told)
        lines = [line for line in re.split("[\r\n]", result.stderr) if line]
        # CLI11's message of a wrong flag is followed by where to read more.
        if result.returncode != 0:
            self.assertIn(len(lines), (1, 2), told)
            left = [path.name for path in self.folder.iterdir() if path.name != "input"]
            self.assertEqual(left, [], told)
        for line in lines:
            self.assertLess(len(line), 1200, told)
            self.assertFalse(set("\x1b\x7f\0") & set(line), told)
        return result.returncode

    def test_command_lines(self) -> None:
        for chapter in CHAPTERS:
            with self.subTest(chapter):
                self.check_chapter(chapter)

    def check_chapter(self, chapter: str) -> None:
        programs = load_programs(STAGES_JSON, "emu", chapter)
        flags: dict[str, list[str]] = {}
        statuses = {0: 0, 1: 0, 2: 0, 77: 0}
        for name, draw in cases(f"command lines of {chapter}", USUAL):
            stage = draw.choice(sorted(programs))
            if stage not in flags:
                flags[stage] = flags_of(programs[stage])
            with tempfile.TemporaryDirectory() as folder, self.subTest(name):
                self.folder = Path(folder)
                text = damaged(draw.choice(TEXTS), draw)
                (self.folder / "input").write_text(text, encoding="utf-8")
                words = arguments(flags[stage], draw)
                told = f"{programs[stage]} {words} with {text[:300]!r}"
                statuses[self.check(programs[stage], words, told)] += 1
        self.assertGreater(statuses[0], sum(statuses.values()) // 20, f"{chapter}: {statuses}")
        self.assertGreater(statuses[2], sum(statuses.values()) // 20, f"{chapter}: {statuses}")


if __name__ == "__main__":
    unittest.main()
