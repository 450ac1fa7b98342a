# SPDX-License-Identifier: MIT
"""The map of the course: an arrow only where one folder needs another one, as wide as it is used."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from plots.maintain import map as course_map


class MapTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.write("common/base/text.hpp", "")
        self.write("common/tools/lib/files.py", "")
        self.write("common/harness/run.cpp", '#include "common/base/text.hpp"\n')

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def arrows(self) -> list[str]:
        return [line for line in self.drawn() if line.startswith("<path stroke-width")]

    def drawn(self) -> list[str]:
        return course_map.drawn_map(self.root).splitlines()

    def test_an_arrow_for_each_need(self) -> None:
        self.assertEqual(len(self.arrows()), 1)  # harness needs base
        self.write("plots/page/site.py", "from common.tools.lib import files\n")
        self.write("plots/nbody/figures.py", "from common.tools.lib import files\n")
        self.assertEqual(len(self.arrows()), 3)
        # A folder's own files and lists of headers draw none.
        self.write("plots/page/parts.py", "from plots.page import site\n")
        self.write("common/precompiled/all.hpp", '#include "common/harness/run.cpp"\n')
        self.assertEqual(len(self.arrows()), 3)
        self.write("chapters/nbody/01/nbody.cu", '#include "common/harness/run.cpp"\n')
        self.assertEqual(len(self.arrows()), 4)

    def test_width(self) -> None:
        for count, width in ((9, "1.3"), (10, "3.5"), (99, "3.5"), (100, "7")):
            for i in range(count):
                self.write(f"tests/test_{i}.py", "import common.tools.lib.files\n")
            self.assertEqual(
                sum(f'stroke-width="{width}" ' in line for line in self.arrows()),
                1 + (width == "1.3"),
                count,
            )

    def test_folders_stand_below_those_that_need_them(self) -> None:
        self.write("common/cuda/a.hpp", '#include "common/harness/run.cpp"\n')
        texts = [line for line in self.drawn() if line.startswith("<text x")]
        names = [line.split(">")[1].split("<")[0] for line in texts]
        self.assertEqual(names[-3:], ["cuda", "harness", "base"])
        self.assertEqual(names[:2], ["tests", "plots/commands"])


if __name__ == "__main__":
    unittest.main()
