# SPDX-License-Identifier: MIT
"""Pages have no number that was typed where a mark should fill it."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from tests.lint import numbers

PAGE = """# A page of 3 bodies
It gains ×1.5 and takes
3.2 ms, at 14 Gkey/s or 1.6 T pairs/s: 40 % more, 2 times as much.
A block has 256 threads and 16x16 cells of 4 bytes, on 132 multiprocessors; 2 times in 3 it is `×2`.
Marked: <!-- measured:gain 02_tiles 1k -->×1.07<!-- end --> and <!-- hardware:H200 -->4.8
TB/s<!-- end -->, [here](a/05ms/s).

```
make run ARGS="--n 3 ms"
```

<!-- table:path -->
| ×3 | 4 ms |
<!-- end -->
"""


class NumbersTest(unittest.TestCase):
    def test_what_has_no_mark_is_found(self) -> None:
        self.assertEqual(
            list(numbers.unmarked(PAGE)),
            [
                (2, "×1.5"),
                (3, "3.2 ms"),
                (3, "14 Gkey/s"),
                (3, "1.6 T pairs/s"),
                (3, "40 %"),
                (3, "2 times as"),
            ],
        )

    def test_the_command_names_page_and_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("# Title\n\nIt takes 5 µs.\n", encoding="utf-8")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(numbers.main([str(page)]), 1)
            self.assertIn(f"{page}:3: '5 µs' has no mark", said.getvalue())

    def test_pages_of_the_course(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = numbers.main([])
        self.assertEqual((status, said.getvalue()), (0, ""))


if __name__ == "__main__":
    unittest.main()
