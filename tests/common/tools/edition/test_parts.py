# SPDX-License-Identifier: MIT
"""Parts of `make student-edition`: what is hidden, and folders in which nothing is written."""

import errno
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.edition import write
from common.tools.edition.hiding import (
    head_of,
    makefile_of_students,
    unused_headers,
    with_solution_keys,
    without_code,
)
from common.tools.edition.starts import vocabulary_of, without_reasons
from common.tools.labs.tokens import BadText
from common.tools.lib.stages import DataError
from tests.common.tools.course_tools import ROOT, run_tool

SOURCE = """// SPDX-License-Identifier: MIT
// Sums, stage 02: tiles.
// Idea: two barriers per tile.
// Compared with 01_plain: the barriers,
// and the tile.
// Limit now: shared memory.
#include <cstdio>  // printf
/* of the first barrier
   only */
constexpr long kMany = 1'000'000;  // it's many
    // The barrier keeps tiles apart.
const char* kUrl = "http://x//y" /* a word */;
const char* kRaw = R"x(// stays )" "
/* too */)x";
char quote = '"';  // "
__global__ void f() { __syncthreads(); }
int main(int argc, char** argv) { return sums::run(argc, argv, f); }
"""
BARE = """// SPDX-License-Identifier: MIT
// Sums, stage 02: tiles.
#include <cstdio>
constexpr long kMany = 1'000'000;
const char* kUrl = "http://x//y"  ;
const char* kRaw = R"x(// stays )" "
/* too */)x";
char quote = '"';
__global__ void f() { __syncthreads(); }
int main(int argc, char** argv) { return sums::run(argc, argv, f); }
"""


class Texts(unittest.TestCase):
    def test_comments_go_and_code_stays(self) -> None:
        self.assertEqual(without_reasons(SOURCE), BARE)
        self.assertEqual(without_reasons("int i;\n"), "int i;\n")
        with self.assertRaises(BadText):
            without_reasons("int i; /* open\n")

    def test_a_vocabulary_has_no_order(self) -> None:
        words = vocabulary_of(SOURCE)
        before, _, main = words.rpartition("int main (")
        self.assertEqual(before.splitlines()[:1], ["# include < cstdio >"])
        names = before.splitlines()[1:-1]
        self.assertEqual(names, sorted(names))
        self.assertIn("sums::run;", names)
        self.assertIn("__syncthreads();", names)
        self.assertIn("return sums :: run", main)

    def test_a_head_says_nothing_of_the_code(self) -> None:
        head = head_of(SOURCE, "sums/02")
        self.assertIn("\n// Idea: two barriers per tile.\n// Limit now: shared memory.\n", head)
        self.assertNotIn("Compared", head)
        self.assertNotIn("and the tile", head)
        self.assertTrue(head.endswith("solution of the lab sums/02.\n"))

    def test_the_code_of_pages(self) -> None:
        page = Path("chapters/sums/03_more/README.md")
        text = (
            "a\n<!-- code:../02_tiles/sums.cu `f` -->\n```cpp\nsecret\n```\n<!-- end -->\n"
            "<!-- code:sums.cu `g` -->\n```cpp\nopen\n```\n<!-- end --> `<!-- code:x -->`\n"
        )
        shown = without_code(text, page, {Path("chapters/sums/02_tiles"): "sums/02"})
        self.assertNotIn("secret", shown)
        self.assertIn("a\n```cpp\n// 02_tiles/sums.cu: the lab sums/02 asks for it\n```\n", shown)
        self.assertTrue(shown.endswith(text[text.index("<!-- code:sums.cu") :]))

    def test_headers_that_only_solutions_include(self) -> None:
        room, later = Path("c/02_tiles"), Path("c/03_more")
        sources = {
            room / "used.cuh": '#include "02_tiles/inner.cuh"\n',
            room / "inner.cuh": "",
            room / "own.cuh": '#include "02_tiles/own_too.cuh"\n',
            room / "own_too.cuh": "",
            room / "of_start.cuh": "",
            later / "c.cu": '#include "02_tiles/used.cuh"\n',
        }
        found = unused_headers([room], sources, ['#include "02_tiles/of_start.cuh"\n'])
        self.assertEqual(found, [room / "own.cuh", room / "own_too.cuh"])

    def test_stages_name_their_labs(self) -> None:
        text = "        {\n            'name': '02_tiles',\n            'technique': 'x',\n"
        made = with_solution_keys(text, {"02_tiles": "sums/02"}, Path("p"))
        self.assertIn("'02_tiles',\n            'solution_of': 'sums/02',\n", made)
        with self.assertRaisesRegex(DataError, "p: 0 lines"):
            with_solution_keys(text, {"04": "sums/04"}, Path("p"))

    def test_the_makefile_keeps_what_students_need(self) -> None:
        text = makefile_of_students((ROOT / "Makefile").read_text("utf-8"))
        for target in ("lab", "check", "run", "test", "setup", "clean", "build-long"):
            self.assertRegex(text, rf"(?m)^{target}:")
        for target in ("record", "lint", "format", "grade", "student-edition"):
            self.assertNotRegex(text, rf"(?m)^{target}:")
        self.assertNotIn("To maintain the course", text)


class Refusals(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def refuse(self, place: str, said: str) -> None:
        before = sorted(self.folder.rglob("*"))
        result = run_tool("edition.write", DIR=place, LABS="basics/02")
        self.assertIn(result.returncode, (1, 2), result)
        self.assertRegex(result.stderr, said)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_folders_where_nothing_is_written(self) -> None:
        file = self.folder / "file"
        file.write_text("mine", "utf-8")
        self.refuse("", "DIR is missing")
        self.refuse(str(self.folder), "is not empty")
        self.refuse(str(file), "is no folder")
        self.refuse(str(file / "x"), "there is no folder|is no folder|Not a directory")
        self.refuse(str(self.folder / "none" / "x"), "there is no folder")
        self.refuse(str(ROOT / "students"), "inside of this checkout")
        self.refuse(str(ROOT.parent), "or around it|is not empty")
        self.refuse("/proc/students", "cannot be written")
        self.refuse("x\ny", "line break")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written(self) -> None:
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        self.refuse(str(self.folder / "students"), "cannot be written")

    def test_a_full_disk_leaves_nothing(self) -> None:
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch.object(write.shutil, "copy2", side_effect=full):
            with self.assertRaises(OSError), write.whole(self.folder / "students") as partial:
                write.write_files(partial, [Path("README.md")], {Path("labs/a"): "a"})
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
