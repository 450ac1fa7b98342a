# SPDX-License-Identifier: MIT
"""Which device's rows a figure of many stages takes."""

import tempfile
import unittest
from pathlib import Path

from common.tools.lib.columns import ROW_COLUMNS
from plots.records.complete import complete_rows
from plots.records.source import Source

STAGES = ("01_a", "02_b")
MATCH = {"input": "uniform", "k": 4}


def row(stage: str, engine: str = "gpu", k: int = 4) -> str:
    values = {
        "date": "2026-01-01T00:00:00Z",
        "version": "abc",
        "chapter": "x",
        "stage": stage,
        "engine": engine,
        "device": "a GPU",
        "n": "1000",
        "parameters": f"k={k}",
        "input": "uniform",
        "verified": "1",
    }
    return ",".join(values.get(name, "1") for name in ROW_COLUMNS)


class CompleteTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = Path(folder.name)

    def write(self, device: str, *rows: str) -> Path:
        folder = self.data / device
        folder.mkdir()
        text = "\n".join([",".join(ROW_COLUMNS), *rows, ""])
        (folder / "x.csv").write_text(text, encoding="utf-8")
        return folder

    def found(self, own: Path) -> str:
        return complete_rows(own, "x", STAGES, MATCH).parent.name

    def test_the_folder_s_own_rows_come_first(self) -> None:
        own = self.write("own", row("01_a"), row("02_b"))
        self.write("another", row("01_a"), row("02_b"))
        self.assertEqual(self.found(own), "own")

    def test_another_device_has_all_stages(self) -> None:
        own = self.write("own", row("01_a"), row("02_b", engine="emu"), row("02_b", k=5))
        self.write("also_incomplete", row("02_b"))
        self.write("counters", row("01_a"), row("02_b"))  # no device
        self.write("whole", row("01_a"), row("02_b"))
        self.assertEqual(self.found(own), "whole")

    def test_no_device_has_all_stages(self) -> None:
        own = self.write("own", row("01_a"))
        self.write("another", row("02_b"))
        self.assertEqual(self.found(own), "own")

    def test_a_source_notes_the_file_that_it_read(self) -> None:
        own = self.write("own", row("01_a"))
        whole = self.write("whole", row("01_a"), row("02_b"))
        source = Source("recorded", own, None, ())
        self.assertEqual(len(source.with_all("x", STAGES, MATCH).rows("x")), 2)
        self.assertEqual(list(source.read), [whole / "x.csv"])
        here = Source("here", own, None, ())
        self.assertIs(here.with_all("x", STAGES, MATCH), here)


if __name__ == "__main__":
    unittest.main()
