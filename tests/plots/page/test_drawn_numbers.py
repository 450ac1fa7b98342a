# SPDX-License-Identifier: MIT
"""The tables behind drawings that name none themselves."""

import unittest
from dataclasses import replace

from plots.drawing.figure import Block, Drawing
from plots.commands.figures import make_source, parse_arguments
from plots.page.chapters import all_figures
from plots.page.drawn_numbers import is_diagram, numbers_of

FIGURE = next(one for one in all_figures() if one.name == "nbody_beyond")


def drawing(tables: dict[str, list[Block]], **variables: object) -> Drawing:
    return Drawing(tables, "", "", "", variables)


class NumbersTest(unittest.TestCase):
    def test_series_share_their_first_column(self) -> None:
        blocks = [
            Block("one", [(1024, 0.5), (2048, 12345.6)]),
            Block("two", [(2048, 3.0, 2.0, 4.0), (4096, 7.0, 7.0, 7.0)]),
        ]
        self.assertEqual(
            numbers_of(FIGURE, drawing({"rate": blocks})),
            [
                [
                    ["rate; bodies", "one", "two"],
                    ["1024", "0.5", ""],
                    ["2048", "12 346", "3 (2 to 4)"],
                    ["4096", "", "7"],
                ]
            ],
        )

    def test_words_keep_their_order(self) -> None:
        tables = {"mix": [Block("a", [("z", 1.0), ("b", 2.0)])]}
        (table,) = numbers_of(FIGURE, drawing(tables))
        self.assertEqual(table, [["mix", "a"], ["z", "1"], ["b", "2"]])

    def test_panels_with_the_same_series_are_numbered(self) -> None:
        tables = {"ours": [Block("here", [(1, 1.0)]), Block("here", [(1, 2.0)])]}
        (table,) = numbers_of(FIGURE, drawing(tables))
        self.assertEqual(table[0], ["ours; bodies", "here, panel 1", "here, panel 2"])

    def test_stages_by_number_and_shares_from_and_to(self) -> None:
        tables = {
            "names": [Block("stages", [(0, "00_cpu"), (1, "01_x")])],
            "shares": [Block("kernels", [(0, 0.0, 25.0), (1, 10.0, 15.5)])],
        }
        (table,) = numbers_of(FIGURE, drawing(tables))
        self.assertEqual(table, [["shares", "kernels"], ["00_cpu", "25"], ["01_x", "5.5"]])

    def test_several_values_at_one_place(self) -> None:
        tables = {"error": [Block("seeds", [(10, 0.5), (20, 1.0), (10, 0.1), (20, 3.0)])]}
        (table,) = numbers_of(FIGURE, drawing(tables))
        self.assertEqual(table[1:], [["10", "0.1 to 0.5"], ["20", "1 to 3"]])

    def test_lanes_of_time(self) -> None:
        tables = {
            "lanes": [Block("lanes", [(0, "copies"), (1, "kernels")])],
            "sort": [Block("sorts", [(1.5, 2.0, 1)])],
        }
        (table,) = numbers_of(FIGURE, drawing(tables))
        self.assertEqual(table[1:], [["sorts", "kernels", "1.5", "2"]])

    def test_scatter_and_diagrams_have_none(self) -> None:
        scatter = {"points": [Block("1", [(5, 1), (3, 2), (4, 2)])]}
        self.assertEqual(numbers_of(FIGURE, drawing(scatter)), [])
        scene = replace(FIGURE, script="scene", folder="drawing")
        self.assertFalse(numbers_of(scene, drawing({"left": [Block("1", [(5, 1)])]})))

    def test_own_tables_come_first(self) -> None:
        own = replace(drawing({"rate": [Block("one", [(1, 2.0)])]}), numbers=[[["a"], ["b"]]])
        self.assertEqual(numbers_of(FIGURE, own), [[["a"], ["b"]]])

    def test_every_recorded_figure_with_axes_has_a_table(self) -> None:
        source = make_source(parse_arguments([]))
        for figure in all_figures():
            if is_diagram(figure):
                continue
            with self.subTest(figure.name):
                tables = numbers_of(figure, figure.drawing(source.afresh()))
                self.assertTrue(tables)
                for table in tables:
                    self.assertGreater(len(table), 1)
                    self.assertEqual({len(row) for row in table}, {len(table[0])})
                    self.assertEqual(len(set(table[0])), len(table[0]), table[0])


if __name__ == "__main__":
    unittest.main()
