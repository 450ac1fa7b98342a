# SPDX-License-Identifier: MIT
"""Stages that a signal ends at any moment, that write on a full disk, or beside each other.

    test_random_ends.py [--count N] [--seed S] STAGES_JSON

Each file that a stage was to write is complete or what it was before, and nothing else is left.
(The tests of the recorder and of make try do the same with these: test_interrupted_records.py,
test_try_twice.py.)
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from tests.chapters.stage_programs import load_programs
from tests.common.fuzz.rounds import cases

STAGES_JSON = Path(sys.argv.pop())
USUAL = 60
OLD = "an old file\n"
CHAPTERS = {  # with a size that takes some hundredths of a second
    "basics": 300,
    "quicksort": 3000,
    "mergesort": 3000,
    "kmeans": 3000,
    "nbody": 150,
    "floyd": 60,
    "montecarlo": 100_000,
    "storms": 2000,
    "matmul": 100,
}
FLAGS = ("--output", "--csv", "--json")
COUNTING_FLAGS = ("--counters", "--trace")
LONG_TRACES = ("floyd", "kmeans")  # millions of lines
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)


class RandomEnds(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def command(self, draw: random.Random) -> tuple[list[str], dict[str, Path]]:
        """A run of a random stage, and the files that it is to write by their flags."""
        chapter = draw.choice(sorted(CHAPTERS))
        engine = draw.choice(("emu", "emu", "count"))
        programs = load_programs(STAGES_JSON, engine, chapter)
        program = programs[draw.choice(sorted(programs))]
        flags = [*FLAGS, *(COUNTING_FLAGS if engine == "count" else ())]
        if engine == "count" and chapter in LONG_TRACES:
            flags.remove("--trace")
        flags = draw.sample(flags, draw.randint(1, len(flags)))
        n = CHAPTERS[chapter] // (10 if engine == "count" else 1)
        n = min(n, 2048) if "bitonic" in program.name else n
        files = {flag: self.folder / flag.strip("-") for flag in flags}
        words = [str(program), "--n", str(n), "--quiet", "--repeats", "2"]
        return words, files

    def prepared(self, files: dict[str, Path]) -> list[str]:
        """The flags of the files. All other files are removed."""
        for path in self.folder.iterdir():
            path.unlink()
        for path in files.values():
            path.write_text(OLD, encoding="utf-8")
        return [word for flag, path in files.items() for word in (flag, str(path))]

    def start(self, words: list[str], largest_file: int = 0) -> subprocess.Popen[str]:
        def limit() -> None:
            if largest_file:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        return subprocess.Popen(
            words,
            env={name: value for name, value in os.environ.items() if "EMULATOR_" not in name},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )

    def results(self, words: list[str], files: dict[str, Path]) -> dict[str, str]:
        """What an undisturbed run writes. Rows and reports have times, so only --output and
        counters are always the same."""
        child = self.start([*words, *self.prepared(files)])
        _, said = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 0, f"{words}\n{said}")
        return {flag: path.read_text(encoding="utf-8") for flag, path in files.items()}

    def assert_whole(self, flag: str, text: str, expected: str, told: str) -> None:
        if flag in ("--output", "--counters"):
            self.assertTrue(text == expected, told)
        elif flag == "--trace":  # the last column, a value, may be an address
            places, wanted = (
                [line.rpartition(",")[0] for line in one.split("\n")] for one in (text, expected)
            )
            self.assertTrue(places == wanted, told)
        elif flag == "--json":
            self.assertEqual(json.loads(text).keys(), json.loads(expected).keys(), told)
        else:
            rows, wanted = text.splitlines(), expected.splitlines()
            self.assertEqual((rows[0], len(rows)), (wanted[0], len(wanted)), told)
            self.assertTrue(text.endswith("\n"), told)

    def check_files(
        self, files: dict[str, Path], expected: dict[str, str], told: str, may_leave: bool = False
    ) -> int:
        """Each file is old or whole. Returns how many are whole."""
        left = set(self.folder.iterdir()) - set(files.values())
        self.assertTrue(may_leave or not left, f"{told}\n{left}")
        whole = 0
        for flag, path in files.items():
            text = path.read_text(encoding="utf-8")
            if text != OLD:
                self.assert_whole(flag, text, expected[flag], f"{told}\n{flag}")
                whole += 1
        return whole

    def test_signals(self) -> None:
        for name, draw in cases("signals", USUAL):
            words, files = self.command(draw)
            begin = time.monotonic()
            expected = self.results(words, files)
            usual = time.monotonic() - begin
            number = draw.choice(SIGNALS)
            child = self.start([*words, *self.prepared(files)])
            time.sleep(draw.uniform(0, usual))
            child.send_signal(number)
            _, said = child.communicate(timeout=120)
            told = f"{name}: {words} {files} {number.name}\n{said}"
            # An instant after the last file, the program has its status already.
            self.assertIn((child.returncode, said), ((-number, ""), (0, "")), told)
            whole = self.check_files(files, expected, told, number == signal.SIGKILL)
            self.assertTrue(child.returncode != 0 or whole == len(files), told)

    def test_full_disks(self) -> None:
        for name, draw in cases("full disks", USUAL):
            words, files = self.command(draw)
            expected = self.results(words, files)
            largest = max(len(text) for text in expected.values())
            child = self.start(
                [*words, *self.prepared(files)], draw.randint(1, largest + largest // 4)
            )
            _, said = child.communicate(timeout=120)
            told = f"{name}: {words} {files}\n{said}"
            whole = self.check_files(files, expected, told)
            if child.returncode == 0:
                self.assertEqual((whole, said), (len(files), ""), told)
            else:
                self.assertEqual(child.returncode, 1, told)
                lines = said.splitlines()  # the stage's, and the engine's about its own files
                self.assertIn(len(lines), (1, 2) if "count" in words[0] else (1,), told)
                for line in lines:
                    self.assertIn(": cannot be written: File too large", line)

    def test_two_processes(self) -> None:
        for name, draw in cases("two processes", USUAL // 2):
            words, files = self.command(draw)
            runs = [[*words, "--seed", str(seed)] for seed in draw.sample(range(100), 2)]
            expected = [self.results(run, files) for run in runs]
            flags = self.prepared(files)
            children = [self.start([*run, *flags]) for run in runs]
            for child in children:
                _, said = child.communicate(timeout=120)
                self.assertEqual((child.returncode, said), (0, ""), f"{name}: {words}")
            told = f"{name}: {words} {files}"
            self.assertEqual(set(self.folder.iterdir()), set(files.values()), told)
            for flag, path in files.items():
                text = path.read_text(encoding="utf-8")
                if flag in ("--output", "--counters", "--trace"):
                    self.assertIn(text, [one[flag] for one in expected], told)
                else:
                    self.assert_whole(flag, text, expected[0][flag], told)


if __name__ == "__main__":
    unittest.main()
