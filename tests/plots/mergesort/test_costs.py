# SPDX-License-Identifier: MIT
"""The table of what merges cost: limits for other numbers of keys, and what follows from them."""

import unittest

from common.tools.lib.columns import COST_COLUMNS
from plots.mergesort.costs import OPEN, QUESTIONS, costs_table
from tests.plots.fixtures import PlotsTest

ROWS = [
    ("a", "serial 512 x 16", 0.04, "ms per level", "<= 0.33"),
    ("d", "serial 512 x 16", 0.36, "ms for 8192-key tiles", "<= 2.8"),
    ("b", "gather 256 x 32", 0.05, "ms per level", "<= 0.24"),
    ("c", "8 runs of 131072 keys: 4160 boundaries", 0.1, "ms", "<= 0.15"),
    ("e", "14 1 blocks per multiprocessor", 100, "Gkey/s", "15 over 14: 8 %"),
    ("e", "15 1 blocks per multiprocessor", 110, "Gkey/s", "15 over 14: 8 %"),
    ("e", "14 3 blocks per multiprocessor", 100, "Gkey/s", "15 over 14: 8 %"),
    ("e", "15 3 blocks per multiprocessor", 95, "Gkey/s", "15 over 14: 8 %"),
    ("f", "to the host in 1 pieces", 56, "GB/s", ">= 55"),
    ("f", "to the host in 64 pieces", 54, "GB/s", ">= 55"),
    ("f", "the merge stores in pinned memory", 52, "GB/s", ">= 53"),
]


class CostsTest(PlotsTest):
    def table(self, rows: list = ROWS, keys: object = 2**25, verified: object = 1) -> list[str]:
        records = [
            [question, variant, keys, 3, 1, value, unit, limit, verified]
            for question, variant, value, unit, limit in rows
        ]
        return costs_table(self.write("mergesort_costs.csv", COST_COLUMNS, records))

    def test_limits_are_scaled(self) -> None:
        lines = self.table()
        self.assertEqual(len(lines), 2 + len(ROWS) - 2 + 2)
        for line in (
            "| key by key: 512 threads of 16 keys | 0.04 ms | at most 0.0413 ms | merge in shared",
            "| 0.36 ms | at most 0.35 ms | a cheaper sort, or tiles of 4096 keys |",
            "| 0.05 ms | at most 0.03 ms | it gains too little |",
            f"| 8 runs of 131 072 keys: 4160 boundaries | 0.1 ms | at most 0.15 ms | {OPEN} |",
            "| 14, then 15, 1 block per multiprocessor | 100, then 110 G keys/s (+10.0 %) | 15 is 8 %"
            " faster | asynchronous copies |",
            "|  | 14, then 15, 3 blocks per multiprocessor | 100, then 95 G keys/s (−5.0 %) | 15 is 8"
            " % faster | plain loads |",
            "| to the host in 1 piece | 56 GB/s | at least 55 GB/s | pieces of this size |",
            "|  | to the host in 64 pieces | 54 GB/s | at least 55 GB/s | larger pieces |",
            "| 52 GB/s | at least 53 GB/s | slices and copies |",
            "2²⁵ keys, one level",
        ):
            self.assertIn(line, "\n".join(lines))
        for question in QUESTIONS.values():
            self.assertEqual(sum(question in line for line in lines), 1)

    def test_limits_of_as_many_keys(self) -> None:
        lines = "\n".join(self.table(keys=2**28))
        self.assertIn("| 0.1 ms | at most 0.15 ms | eight lanes per boundary |", lines)
        self.assertIn("| 0.36 ms | at most 2.8 ms | tiles of 8192 keys |", lines)
        self.assertNotIn("scaled", lines)

    def test_other_tables_are_refused(self) -> None:
        with self.refuses(r"mergesort_costs\.csv:2: 'g' is no question"):
            self.table([("g", *ROWS[0][1:])])
        with self.refuses(r"mergesort_costs\.csv:2: the result was wrong"):
            self.table(verified=0)
        with self.refuses(r"mergesort_costs\.csv:2: .*keys"):
            self.table(keys="many")
        with self.refuses(r"mergesort_costs\.csv:2: keys and value must be above 0"):
            self.table(keys=0)
        with self.refuses("'8' is no limit"):
            self.table([(*ROWS[0][:4], "8")])
        with self.refuses("not both passes with 1 blocks"):
            self.table(ROWS[:5])
        with self.refuses("rows of one number of keys"):
            self.table([])


if __name__ == "__main__":
    unittest.main()
