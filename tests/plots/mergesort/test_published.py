# SPDX-License-Identifier: MIT
"""The tables of Herrero and Troiani 2024 as they were typed in: how many numbers, some of them, and
which numbers follow from others or contradict them."""

import statistics
import unittest

from plots.mergesort.published import (
    CARD,
    CELLS,
    KEY,
    cells_of,
    impossible,
    least_ms,
    merge_levels,
    moved_bytes,
    printed_copies_ms,
    varied_value,
)
from plots.mergesort.figures import CHAPTER
from plots.mergesort.stages import MERGE_PATH, MULTISORT, MULTISORT_CPU, THREAD_MERGE
from plots.page.speed_ups import NO_BREAK, printed_speed_up, speed_up_words
from plots.records.rows import read_rows
from tests.plots.fixtures import recorded_folders

COUNTS = {
    2: 36,
    3: 39,
    4: 36,
    5: 33,
    6: 39,
    8: 36,
    9: 33,
    10: 39,
    11: 39,
    12: 39,
    13: 39,
    14: 36,
    15: 30,
    16: 39,
}
INPUTS = ("sorted", "uniform", "reverse")
LISTS = [2**i for i in range(15, 28)]
N = 2**25


def value(figure: int, name: str, **where: int) -> float:
    """The number of one table, input and place: n, size_i, threads."""
    wanted = {key.replace("_", "-"): str(text) for key, text in where.items()}
    found = [
        one.value
        for one in cells_of(figure)
        if one.input == name
        and all(
            (one.parameters | {"n": str(one.n)}).get(key) == text for key, text in wanted.items()
        )
    ]
    assert len(found) == 1, (figure, name, where, found)
    return found[0]


class TypedInTest(unittest.TestCase):
    def test_counts(self) -> None:
        cells = CELLS
        self.assertEqual(
            {figure: sum(one.figure == str(figure) for one in cells) for figure in COUNTS}, COUNTS
        )
        self.assertEqual(len(cells), sum(COUNTS.values()))
        places = {(one.figure, one.input, one.n, *one.parameters.items()) for one in cells}
        self.assertEqual(len(places), len(cells))
        for one in cells:
            self.assertIn(one.input, INPUTS)
            self.assertGreater(one.value, 0)

    def test_first_middle_and_last(self) -> None:
        for figure, name, where, number in (
            (2, "sorted", {"size_i": 2}, 766.542),
            (2, "uniform", {"size_i": 64}, 4142.445),
            (2, "reverse", {"size_i": 4096}, 48488.934),
            (3, "sorted", {"n": 2**15}, 0.2392),
            (3, "uniform", {"n": 2**27}, 18299.381641),
            (4, "uniform", {"size_i": 1024}, 8436.172656),
            (5, "reverse", {"threads": 1}, 4818.79),
            (5, "sorted", {"threads": 1024}, 5289.06),
            (6, "uniform", {"n": 2**20}, 163.945514),
            (8, "sorted", {"size_i": 2}, 1.597485),
            (8, "reverse", {"size_i": 4096}, 12813.04414),
            (9, "uniform", {"threads": 32}, 1.47575),
            (10, "uniform", {"n": N}, 1.477414),
            (11, "uniform", {"n": N}, 3558.879025),
            (12, "sorted", {"n": 2**27}, 209.143976),
            (13, "uniform", {"n": N}, 2758.962344),
            (14, "uniform", {"size_i": 2}, 411.673344),
            (15, "reverse", {"threads": 32}, 422.0736),
            (16, "uniform", {"n": 2**27}, 1804.399872),
        ):
            self.assertEqual(value(figure, name, **where), number, (figure, name, where))

    def test_places(self) -> None:
        powers = {
            2: [2**i for i in range(1, 13)],
            9: [2**i for i in range(11)],
            15: [2**i for i in range(1, 11)],
        }
        for figure, places in powers.items():
            for name in INPUTS:
                key = "size-i" if figure == 2 else "threads"
                self.assertEqual(
                    sorted(
                        int(one.parameters[key]) for one in cells_of(figure) if one.input == name
                    ),
                    places,
                )
        for figure in (3, 6, 10, 11, 12, 13, 16):
            for name in INPUTS:
                self.assertEqual(
                    sorted(one.n for one in cells_of(figure) if one.input == name), LISTS
                )


class ConsistencyTest(unittest.TestCase):
    def test_the_best_of_a_table_is_what_the_next_one_is_made_with(self) -> None:
        for figure, stage, key, expected in (
            (2, 3, "size-i", (4096, 64, 8)),
            (4, 5, "size-i", (4096, 4, 4)),
            (5, 6, "threads", (1, 1, 1)),
            (8, 9, "size-i", (2, 2, 2)),
            (9, 10, "threads", (32, 32, 32)),
        ):
            for name, wanted in zip(INPUTS, expected):
                best = min(
                    (one for one in cells_of(figure) if one.input == name),
                    key=lambda one: one.value,
                )
                self.assertEqual(int(best.parameters[key]), wanted)
                following = next(one for one in cells_of(stage) if one.input == name)
                self.assertEqual(int(following.parameters[key]), wanted)

    def test_opencl_s_best_block_is_not_the_table_s_for_sorted_keys(self) -> None:
        best = [
            min(
                (one for one in cells_of(15) if one.input == name), key=lambda one: one.value
            ).parameters["threads"]
            for name in INPUTS
        ]
        self.assertEqual(best, ["32", "512", "512"])

    def test_a_run_in_two_tables_took_as_long_in_both(self) -> None:
        pairs = [
            (value(3, name, n=N), value(2, name, size_i=size))
            for name, size in zip(INPUTS, (4096, 64, 8))
        ]
        pairs += [
            (value(5, name, threads=1024), value(4, name, size_i=size))
            for name, size in zip(INPUTS, (4096, 4, 4))
        ]
        for name in INPUTS:
            pairs += [
                (value(6, name, n=N), value(5, name, threads=1)),
                (value(10, name, n=N), value(9, name, threads=32)),
                (value(15, name, threads=1024), value(14, name, size_i=2)),
                (value(16, name, n=N), value(15, name, threads=512)),
            ]
        for first, second in pairs:
            self.assertLess(abs(first / second - 1), 0.03)
        # One pair differs: two runs with blocks of 1024 threads are 6 % to 12 % apart.
        apart = [value(9, name, threads=1024) / value(8, name, size_i=2) - 1 for name in INPUTS]
        self.assertEqual([round(100 * one) for one in apart], [-6, 12, 9])

    def test_table_11_is_6_over_10(self) -> None:
        for name in INPUTS:
            for n in LISTS:
                ratio = value(6, name, n=n) / value(10, name, n=n)
                self.assertAlmostEqual(value(11, name, n=n) / ratio, 1, delta=1e-7)

    def test_table_12_counts_one_pass(self) -> None:
        for name in INPUTS:
            for n in LISTS:
                one_pass = 8 * n / value(10, name, n=n) / 1e6
                self.assertAlmostEqual(value(12, name, n=n) / one_pass, 1, delta=1e-6)
        # What its authors call 27.5 % of the card's bandwidth is 736 % of it.
        self.assertAlmostEqual(value(12, "sorted", n=2**27) / 760, 0.275, places=3)
        rate = moved_bytes(2**27, 2) / value(10, "sorted", n=2**27) / 1e6
        self.assertAlmostEqual(rate / 760, 7.36, places=2)

    def test_table_13_leaves_the_copies_a_thousandth_of_their_time(self) -> None:
        rates = [8 * n / printed_copies_ms(n, name) * 1e3 for name in INPUTS for n in LISTS]
        self.assertGreater(min(rates), 4e12)  # no bus is so fast: PCI Express 4.0 x16 has 0.03e12
        self.assertLess(max(rates), 9.4e12)
        self.assertAlmostEqual(
            statistics.median(rates) / 1000, 8.5e9, delta=0.1e9
        )  # the rate of copies from pageable memory

    def test_the_serial_times_jump_where_their_work_doubles(self) -> None:
        self.assertGreater(value(3, "uniform", n=2**16) / value(3, "uniform", n=2**15), 6)
        self.assertGreater(value(3, "reverse", n=2**17) / value(3, "reverse", n=2**16), 6)
        for name in INPUTS:
            for n in LISTS[5:-1]:
                self.assertLess(value(3, name, n=2 * n) / value(3, name, n=n), 2.5)


class BoundsTest(unittest.TestCase):
    def test_levels_and_bytes(self) -> None:
        self.assertEqual(merge_levels(N, 2), 24)
        self.assertEqual(merge_levels(N, 4096), 13)
        self.assertEqual([merge_levels(n, 2) for n in (1, 2, 3, 4, 5, 8, 9)], [0, 0, 1, 1, 2, 2, 3])
        # Of two keys an insertion sort reads both and writes one.
        self.assertEqual(moved_bytes(N, 2), 4 * N * (1.5 + 2 * 24))
        self.assertEqual(moved_bytes(N, 1), 8 * N * 25)
        self.assertEqual(moved_bytes(10, 4), 4 * (2 * 7 + 3 + 2 * 10 * 2))

    def test_recorded_rows_declare_the_same_bytes(self) -> None:
        for folder in recorded_folders("mergesort"):
            for row in read_rows(folder / "mergesort.csv"):
                if row.stage in MULTISORT[1:]:
                    self.assertEqual(
                        row.bytes, moved_bytes(row.n, int(row.parameters["size-i"])), row
                    )

    def test_the_least_time_on_the_card(self) -> None:
        # 6.64 GB at 760 GB/s are 8.74 ms; 5 MB of the 268 may be in the L2.
        self.assertAlmostEqual(moved_bytes(N, 2) / 760e9 * 1e3, 8.74, places=2)
        self.assertAlmostEqual(least_ms(CARD, N, 2), 8.57, places=2)

    def test_which_published_times_are_impossible(self) -> None:
        expected = {
            8: {(name, size) for name in INPUTS for size in (2, 4, 8)},
            9: {
                (name, threads)
                for name in INPUTS
                for threads in (4, 8, 16, 32, 64, 128, 256, 512, 1024)
            }
            - {("uniform", 4)},
            10: {(name, n) for name in INPUTS for n in LISTS if n >= 2**21},
        }
        for figure, wanted in expected.items():
            key = {8: "size-i", 9: "threads", 10: "n"}[figure]
            self.assertEqual(
                {(one.input, varied_value(one, key)) for one in impossible(figure)}, wanted
            )
        for figure in (4, 5, 6, 14, 15, 16):
            self.assertEqual(impossible(figure), [])

    def test_where_all_stays_in_a_cache_there_is_no_least_time(self) -> None:
        self.assertEqual(least_ms(CARD, 2**15, 2), 0.0)


class SpeedUpTest(unittest.TestCase):
    def test_the_times_give_the_speed_up_that_is_printed(self) -> None:
        found = printed_speed_up(CHAPTER, THREAD_MERGE, MERGE_PATH)
        assert found is not None
        printed = next(
            cell.value for cell in cells_of(11) if (cell.input, cell.n) == ("uniform", found.n)
        )
        self.assertAlmostEqual(found.value / printed, 1, places=4)
        self.assertEqual((found.n, found.card, found.remark), (2**27, KEY, "beyond its reach"))
        # One thread per merge is slower than the CPU, which is within reach.
        found = printed_speed_up(CHAPTER, MULTISORT_CPU, THREAD_MERGE)
        assert found is not None
        self.assertEqual(
            speed_up_words(found, MULTISORT_CPU).replace(NO_BREAK, " "),
            f"×0.86 at 134 217 728 ({KEY})",
        )
        said = f"sections 3.2.2 and 3.3.3: {MULTISORT_CPU} 18299 ms, {THREAD_MERGE} 21198 ms"
        self.assertEqual(found.where, said)


if __name__ == "__main__":
    unittest.main()
