#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged records: each reader reads them or raises a DataError of one line that names the file.

    test_fuzzed_records.py [--count N] [--seed S]
"""

import random
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

# pylint: disable=wrong-import-position
from plots.records.proof_data import read_proof_data
from plots.records.proof_rows import Reason, read_reasons
from common.tools.lib.stages import ToolError
from plots.records.counters import read_counters
from plots.records.limits import read_limits
from plots.records.rows import read_profile, read_reports, read_rows
from plots.records.sweeps import all_sweeps
from tests.common.fuzz.rounds import COUNT, cases

RECORDED = ROOT / "plots" / "data" / "nvidia-h200"
LARGEST_BYTES = 4000  # of a file: the readers treat all lines alike
ROUNDS = 300
PIECES = (
    b"",
    b"\n",
    b"\r",
    b"\0",
    b",",
    b";",
    b"=",
    b'"',
    b"#",
    b"[[",
    b"-1",
    b"1e400",
    b"nan",
    b"inf",
    b"9" * 5000,
    b"x" * 5000,
    b"\xff\xfe",
    "٣".encode(),
    b"true",
    b"{}",
)


def damaged(text: bytes, draw: random.Random) -> bytes:
    """One to three pieces of the text replaced, doubled or cut."""
    for _ in range(draw.randint(1, 3)):
        begin = draw.randrange(len(text) + 1)
        end = min(len(text), begin + draw.choice((0, 1, 3, 20, 200)))
        kind = draw.randrange(4)
        if kind == 0:
            text = text[:begin] + draw.choice(PIECES) + text[end:]
        elif kind == 1:
            text = text[:begin] + text[begin:end] * 2 + text[end:]
        elif kind == 2:
            text = text[:begin] + bytes(draw.randrange(256) for _ in range(4)) + text[end:]
        else:
            text = text[:begin]
    return text


class DamagedRecords(unittest.TestCase):
    def check(self, read: Callable[[Path], object], source: Path) -> None:
        whole = source.read_bytes()[:LARGEST_BYTES]
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "nbody", source.name)  # a sweep's folder has its chapter's name
            path.parent.mkdir()
            for name, draw in cases(f"{read.__name__} {source.name}", ROUNDS):
                path.write_bytes(damaged(whole, draw))
                try:
                    read(path)
                except ToolError as error:
                    refused += 1
                    said = str(error)
                    self.assertIn(source.name, said)
                    self.assertEqual(len(said.splitlines()), 1, repr(said))
                    self.assertLess(len(said), 1000, said[:200])
                except Exception as error:  # pylint: disable=broad-exception-caught
                    kept = Path(tempfile.gettempdir(), f"damaged-{source.name}")
                    kept.write_bytes(path.read_bytes())
                    self.fail(f"{name}, kept as {kept}: {error!r}")
        self.assertGreater(refused, (COUNT or ROUNDS) // 20)

    def test_rows(self) -> None:
        self.check(read_rows, RECORDED / "nbody.csv")

    def test_reports(self) -> None:
        self.check(read_reports, RECORDED / "kmeans_report.csv")

    def test_profile(self) -> None:
        self.check(read_profile, RECORDED / "nbody_profile.csv")

    def test_limits(self) -> None:
        self.check(read_limits, RECORDED / "limits.csv")

    def test_counters(self) -> None:
        self.check(read_counters, ROOT / "plots" / "data" / "counters" / "nbody.csv")

    def test_sweeps(self) -> None:
        self.check(all_sweeps, ROOT / "plots" / "nbody" / "sweep.toml")

    def test_mutations(self) -> None:
        self.check(read_proof_data, ROOT / "tests/common/emulator/mutations/mutations.toml")

    def test_reasons(self) -> None:
        self.check(
            lambda path: read_reasons(path, Reason), ROOT / "plots/maintain/prove/hardware.toml"
        )


if __name__ == "__main__":
    unittest.main()
