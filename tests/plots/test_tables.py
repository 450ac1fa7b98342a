# SPDX-License-Identifier: MIT
"""The READMEs' tables: filled from rows, checked, and refused where a place or data is missing."""

import unittest

from plots_data import GPU, NBODY_STAGES, PlotsTest, counter_records, write_table

import measurements
import tables


class TablesTest(PlotsTest):
    def test_ratios_have_three_digits(self) -> None:
        self.assertEqual([tables.ratio(value) for value in (1.066, 45.31, 203.9, 3731.0)],
                         ["×1.07", "×45.3", "×204", "×3730"])

    def test_the_limit_is_the_first_sentence_of_the_head_comment(self) -> None:
        source = self.folder / "stage.cu"
        source.write_text("// SPDX\n// Idea: x.\n// Limit now: loads of 4.5\n// bytes; more.\nint main;\n")
        self.assertEqual(tables.limit_now(source), "loads of 4.5 bytes")
        source.write_text("// SPDX\n\n// Limit now: too late.\n")
        with self.assertRaises(measurements.DataError):
            tables.limit_now(source)

    def test_a_table_needs_its_place(self) -> None:
        text = "before\n<!-- table:stages -->\nold\n<!-- end -->\nafter\n"
        self.assertEqual(tables.fill(text, "stages", ["new"], self.folder),
                         "before\n<!-- table:stages -->\nnew\n<!-- end -->\nafter\n")
        with self.assertRaises(measurements.DataError):
            tables.fill(text, "published", ["new"], self.folder)

    def rows(self, seconds: dict[tuple[str, int], float]) -> list[measurements.Row]:
        return [measurements.Row("2026-01-01", "1", "c", stage, "gpu", GPU, n, {}, "", 1, 0.0,
                                 1000 * time) for (stage, n), time in seconds.items()]

    def test_speed_ups_are_taken_at_the_largest_common_n(self) -> None:
        rows = self.rows({("a", 1): 8, ("a", 2): 6, ("a", 3): 9, ("b", 1): 2, ("b", 2): 3})
        self.assertEqual(tables.speed_up(rows, "a", "b"), (2.0, 2))
        self.assertEqual(tables.speed_up(rows, "a", "b", 1), (4.0, 1))
        self.assertIsNone(tables.speed_up(rows, "a", "b", 3))

    def test_counters(self) -> None:
        path = self.folder / "nbody.csv"
        write_table(path, measurements.COUNTER_COLUMNS, counter_records())
        stages = [{"chapter": "nbody", "name": name, "stage": f"nbody/{name}", "counter_unit": "body",
                   "compared_with": "before"} for name in NBODY_STAGES]
        lines = tables.counters_table(stages, measurements.read_counters(path))
        self.assertEqual(lines[0], "| kernel | stage | global loads | sectors each | global stores | sectors each | "
                         "shared loads | wavefronts each | barriers | global loads a body | shared loads a body |")
        self.assertEqual(lines[2], "| compute_accelerations_kernel | 01_float3 | 131 136 | 1 | 96 | 4 |  |  |  | 4 |  |")
        # Four stages that the counters cannot tell apart are one row.
        self.assertIn("| 03_shared_tiles, 04_soa_accelerations, 05_rsqrt, 06_flush_denormals |", lines[4])
        self.assertEqual(len(lines), 7)
        self.assertIn("`--n 1024`", lines[6])

    def test_published_values_are_compared_at_their_n(self) -> None:
        rows = self.rows({("00_cpu", 100): 10, ("x", 100): 5, ("x", 1000): 1})
        one = measurements.Published("8.2", "c", "speedup_over_cpu", "x", 100, 2.1, "8.4.2")
        lines = tables.published_table([], rows, [], [one])
        self.assertIn("| ×2.10 | ×2.00 | yes |", lines[2])
        absent = measurements.Published("8.2", "c", "time", "x", 500, 2.1, "8.4.2")
        self.assertIn("not measured", tables.published_table([], rows, [], [absent])[2])


if __name__ == "__main__":
    unittest.main()
