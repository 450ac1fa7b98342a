#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The model of several GPUs: its data, its limits, and the predictions that the READMEs print."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from common.tools.explain.rank_model import (
    LINKS,
    STAGES,
    predict,
    read_links,
    search_rounds,
    speed_up,
)

MODEL = read_links()
BY_NAME = {stage.chapter: stage for stage in STAGES}


class ModelTest(unittest.TestCase):
    def test_one_rank_is_what_was_recorded(self) -> None:
        for stage in STAGES:
            self.assertEqual(predict(stage, 1, MODEL), stage.seconds)

    def test_no_speed_up_is_above_the_number_of_ranks(self) -> None:
        for stage in STAGES:
            for ranks in (2, 4, 8, 64):
                self.assertLess(speed_up(stage, ranks, MODEL), ranks)

    def test_the_predictions_of_the_chapters(self) -> None:
        for chapter, expected in {"montecarlo": 1.99, "nbody": 1.99, "storms": 1.75}.items():
            self.assertAlmostEqual(speed_up(BY_NAME[chapter], 2, MODEL), expected, delta=0.01)
        self.assertGreater(speed_up(BY_NAME["floyd"], 2, MODEL), 1.95)
        for chapter, expected in {"quicksort": 1.89, "mergesort": 1.90, "kmeans": 1.63}.items():
            self.assertAlmostEqual(speed_up(BY_NAME[chapter], 2, MODEL), expected, delta=0.01)

    def test_messages_cost_what_the_sort_does_not_hide(self) -> None:
        fast, slow = (
            MODEL | {"host": replace(MODEL["host"], messages=rate)} for rate in (1e15, 1e9)
        )
        sort = BY_NAME["quicksort"]
        self.assertLess(predict(sort, 2, fast), predict(sort, 2, MODEL))
        half_of_a_half = 4 * 2**30 / 4  # bytes
        samples = 2 * 131072 / 512  # of a part; its region has room for six times its deviation
        self.assertAlmostEqual(
            predict(sort, 2, slow) - predict(sort, 2, MODEL),
            half_of_a_half * (1 + 6 / samples**0.5) / 1e9,
            delta=0.01,
        )

    def test_a_search_ends_sooner_with_fewer_keys(self) -> None:
        self.assertEqual([search_rounds(keys, 2) for keys in (0, 512, 513, 2**29)], [0, 1, 2, 5])

    def test_a_slow_link_limits_what_cannot_be_hidden(self) -> None:
        host = MODEL["host"]
        slow = MODEL | {"host": replace(host, broadcast=host.broadcast / 1000)}
        floyd = BY_NAME["floyd"]
        self.assertGreater(predict(floyd, 2, slow), 256 * 128 * 32768 * 4 / slow["host"].broadcast)
        self.assertEqual(predict(BY_NAME["nbody"], 2, slow), predict(BY_NAME["nbody"], 2, MODEL))

    def test_the_network_is_an_assumption(self) -> None:
        self.assertTrue(MODEL["host"].measured)
        self.assertFalse(MODEL["network"].measured)


class DataTest(unittest.TestCase):
    def refused(self, old: str, new: str) -> None:
        text = LINKS.read_text(encoding="utf-8")
        self.assertIn(old, text)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "links.toml"
            path.write_text(text.replace(old, new), encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "links.toml"):
                read_links(path)

    def test_wrong_data(self) -> None:
        self.refused("latency_us = 8.0", 'latency_us = "8"')
        self.refused("broadcast = 369e9", "broadcast = -369e9")
        self.refused("all_gather = 292e9\n", "")
        self.refused("all_gather = 292e9", "gather = 292e9")


if __name__ == "__main__":
    unittest.main()
