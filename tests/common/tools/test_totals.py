# SPDX-License-Identifier: MIT
"""The last line of `make test`."""

import json
import tempfile
import unittest
from pathlib import Path

import course_tools  # noqa: F401  (puts the tools on the path)
from common.tools import run_tests


class TotalsTest(unittest.TestCase):
    def count(self, *results: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "testlog.json"
            log.write_text("".join(json.dumps({"name": "x", "result": result}) + "\n"
                                   for result in results), encoding="utf-8")
            return run_tests.last_line(run_tests.count_results(log))

    def test_counts(self) -> None:
        self.assertEqual(self.count("OK", "OK", "EXPECTEDFAIL"), "3 passed, 0 failed")
        self.assertEqual(self.count("OK", "SKIP"), "1 passed, 0 failed, 1 skipped")

    def test_whatever_is_not_known_to_be_good_has_failed(self) -> None:
        self.assertEqual(
            self.count("FAIL", "TIMEOUT", "ERROR", "UNEXPECTEDPASS", "INTERRUPT", "NEW"),
            "0 passed, 6 failed")


if __name__ == "__main__":
    unittest.main()
