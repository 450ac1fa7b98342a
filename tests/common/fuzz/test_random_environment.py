#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random EMULATOR_* settings, alone and in combination, for a program on each engine.

    test_random_environment.py [--count N] [--seed S] EMU_PROGRAM COUNT_PROGRAM

EMU_PROGRAM is built from environment_program.cu, COUNT_PROGRAM from timeline_program.cu. If all
settings are right, the program prints its result and ends with 0. Otherwise it ends with 1 before
it prints anything, and one line names a wrong setting. Either way the files that were named are
complete or what they were before.
"""

import csv
import io
import json
import os
import random
import string
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.common.fuzz.rounds import cases

COUNT_PROGRAM, EMU_PROGRAM = Path(sys.argv.pop()).resolve(), Path(sys.argv.pop()).resolve()
USUAL = 400  # cases per engine
OLD = "an old file\n"
LINES = ("timeline_program.cu:22", "file.cu:1", "a:b:7")
NO_LINES = ("nowhere", "file.cu:", ":3", "file.cu:0", "file.cu:-1", "file.cu:3x", "f:99999999999")
# Of each setting: right values, wrong ones, and whether only the counting engine reads it.
SETTINGS: dict[str, tuple[Sequence[str], Sequence[str], bool]] = {
    "SCHEDULE": (
        ("in-order", "reversed", "shuffled:0", "shuffled:18446744073709551615"),
        ("random", "shuffled", "shuffled:", "shuffled:-1", "shuffled:18446744073709551616", " "),
        False,
    ),
    "DEVICE": (("h200", "gtx980"), ("a100", "H200", "h200 ", "0"), False),
    "DEVICES": (("1", "2", "16"), ("0", "17", "-1", "1.5", "two", "99999999999999999999"), False),
    "TIME_LIMIT": (("0", "60", "1e3", "inf"), ("-1", "nan", "1e999", "60s", "0x10"), False),
    "APPROXIMATIONS": (
        ("exact", "bounded", "bounded:1", "bounded:18446744073709551615"),
        ("none", "bounded:", "bounded:0", "bounded:-1", "exact:1"),
        False,
    ),
    "WORKERS": (("1", "2", "7", "1024"), ("0", "1025", "-3", "two", "1e2", "4294967297"), False),
    "RACES": (("on", "off"), ("maybe", "ON", "1"), True),
    "BUDGET": (("0", "1", "100000"), ("-1", "1e9", "x", "18446744073709551616"), True),
    "TRACE_SPACES": (("global", "warp,shared", "constant,texture"), ("global,", ",", "heap"), True),
    "SKIP": (LINES, NO_LINES, True),
    "SHIFT": (LINES, NO_LINES, True),
}
# Settings that name a file, with a test of what a program without a mistake writes.
FILES = {"COUNTERS": True, "TRACE": True, "TIMELINE": False}  # whether only `count` reads it


def is_whole(setting: str, text: str) -> bool:
    if setting == "COUNTERS":
        return "kernels" in json.loads(text)
    header, *rows = csv.reader(io.StringIO(text))
    return text.endswith("\n") and len(header) > 10 and {len(row) for row in rows} <= {len(header)}


def noise(draw: random.Random) -> str:
    """Text that no setting takes: control characters, other alphabets, or very long."""
    letters = string.printable + "äλ\x1b\x7f\U0001f600"
    length = draw.choice((1, 3, 20, 3000))
    return "~" + "".join(draw.choice(letters) for _ in range(length))


class RandomEnvironment(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def drawn(self, draw: random.Random, counts: bool) -> tuple[dict[str, str], set[str]]:
        """Some settings, and which of them the program must refuse."""
        values: dict[str, str] = {}
        wrong: set[str] = set()
        names = [*SETTINGS, *FILES]
        for name in draw.sample(names, draw.choice((1, 2, 2, 3, 5, len(names)))):
            kind = draw.random()
            if name in FILES:
                places = (self.folder / name, self.folder, "/no/such/folder/x", "x" * 300)
                place = places[0 if kind < 0.6 else draw.randrange(len(places))]
                is_wrong, only_counts = place != places[0], FILES[name]
                values[name] = str(place)
            else:
                right, refused, only_counts = SETTINGS[name]
                is_wrong = kind > 0.8
                values[name] = draw.choice(refused if is_wrong else (*right, ""))
                if is_wrong and draw.random() < 0.2:
                    values[name] = noise(draw)
            if is_wrong and (counts or not only_counts):
                wrong.add(name)
        return values, wrong

    def run_program(
        self, program: Path, values: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        environment = {key: one for key, one in os.environ.items() if "EMULATOR_" not in key}
        environment |= {f"EMULATOR_{name}": value for name, value in values.items()}
        return subprocess.run(
            [str(program)],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=60,
        )

    def check(self, program: Path, counts: bool, draw: random.Random) -> None:
        values, wrong = self.drawn(draw, counts)
        named = {name for name in FILES if values.get(name) == str(self.folder / name)}
        for path in self.folder.iterdir():
            path.unlink()
        for name in named:
            (self.folder / name).write_text(OLD, encoding="utf-8")
        result = self.run_program(program, values)
        told = f"{values}\n{result}"
        left = {path.name: path.read_text(encoding="utf-8") for path in self.folder.iterdir()}
        self.assertEqual(set(left), named, told)
        lines = result.stderr.splitlines()
        if wrong:
            self.assertEqual((result.returncode, len(lines), result.stdout), (1, 1, ""), told)
            self.assertLess(len(lines[0]), 1200, told)
            self.assertFalse(set("\x1b\x7f\t") & set(lines[0]), told)
            begins = [
                f"emulator: EMULATOR_{name}={values[name][:1]}" for name in wrong - set(FILES)
            ]
            begins += [f"emulator: {values[name]}: cannot be" for name in wrong & set(FILES)]
            self.assertTrue(lines[0].startswith(tuple(begin[:60] for begin in begins)), told)
            self.assertEqual(left, dict.fromkeys(named, OLD), told)
            return
        # A line that is skipped or shifted on purpose may be a mistake that is found.
        chosen = counts and any(values.get(name) == LINES[0] for name in ("SKIP", "SHIFT"))
        self.assertIn(result.returncode, (0, 1) if chosen else (0,), told)
        self.assertGreater(len(result.stdout.splitlines()), 0, told)
        self.assertNotIn("Exception", result.stderr, told)
        read = named if counts else named - {name for name in FILES if FILES[name]}
        for name in named:
            self.assertTrue(
                left[name] == OLD if name not in read else is_whole(name, left[name]), told
            )

    def test_settings_of_the_fast_engine(self) -> None:
        for name, draw in cases("settings of emu", USUAL):
            with self.subTest(name):
                self.check(EMU_PROGRAM, False, draw)

    def test_settings_of_the_counting_engine(self) -> None:
        for name, draw in cases("settings of count", USUAL):
            with self.subTest(name):
                self.check(COUNT_PROGRAM, True, draw)


if __name__ == "__main__":
    unittest.main()
