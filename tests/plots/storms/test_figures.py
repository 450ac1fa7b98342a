# SPDX-License-Identifier: MIT
"""The layer that storms draws, its times by version, its tables and its sweeps. Layers that cannot
be are refused."""

import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree

from common.tools.lib.stages import DataError
from plots.page.speed_ups import printed_speed_up
from plots.records.folders import PLOTS
from plots.records.sweeps import FILE, all_sweeps
from plots.records.source import Source
from plots.storms.block_sizes import STUDIED, prepare_block_sizes
from plots.storms.figures import CELLS, CHAPTER
from plots.storms.layers import kept_rows, read_layers
from plots.storms.stages import KERNELS, PRINTED, STAGES, WRONG
from plots.storms.versions import WORKLOADS
from tests.plots.fixtures import DrawingTest, TraceTest


def single(value: float) -> float:
    """Rounded to float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


class LayersTest(TraceTest):
    def test_the_layer_is_relaxed_and_its_greatest_peak_found(self) -> None:
        layers = read_layers(self.source)
        self.assertEqual([len(layer.relaxed) for layer in layers], [200] * 3)
        before = [0.0] * 200
        for layer in layers:
            self.assertTrue(
                all(new > old for old, new in zip(before, layer.updated))
            )  # nothing is reset
            cells = [single(cell) for cell in layer.updated]
            mean = [
                cells[0],
                *(
                    single(single(single(cells[k - 1] + cells[k]) + cells[k + 1]) / 3)
                    for k in range(1, 199)
                ),
                cells[-1],
            ]
            self.assertEqual([single(cell) for cell in layer.relaxed], mean)
            before = cells = layer.relaxed
            peaks = [k for k in range(1, 199) if cells[k - 1] < cells[k] > cells[k + 1]]
            self.assertEqual(
                (layer.peaks, layer.maximum), (peaks, max(peaks, key=cells.__getitem__))
            )
            self.assertGreater(len(peaks), 3)
        # The figure shows three maxima in three places, and a spike that loses the first place by
        # the relaxation.
        self.assertEqual(
            [(layer.tallest_before, layer.maximum) for layer in layers],
            [(11, 91), (23, 22), (161, 162)],
        )

    def test_layers_that_cannot_be_are_refused(self) -> None:
        for before, after, said in (
            ("maximum", "peak", "wave 1 has 0 maxima"),
            ("1,7,", "1,8,", "is not the next cell"),
            (",peak", ",summit", "is not the next cell"),
            ("1,9,", "one,9,", "is no cell of a wave"),
            ("wave,cell", "wave,place", "the header is not"),
        ):
            self.change("storms", before, after)
            with self.assertRaisesRegex(DataError, rf"storms\.csv.*{said}"):
                read_layers(self.source)
            self.change("storms", after, before)
        self.assertEqual(len(read_layers(self.source)), 3)

    def test_what_a_wave_stored(self) -> None:
        """Four cells, two waves of which the second has no peak."""

        def store(grid: int, kernel: str, cell: int, value: int, size: int = 4) -> dict[str, str]:
            return {
                "grid": str(grid),
                "kernel": f"{kernel}_kernel",
                "operation": "store",
                "offset": str(cell * size),
                "bytes": str(size),
                "value": str(value),
            }

        one, two, three, third = 0x3F800000, 0x40000000, 0x40400000, 0x3EAAAAAB  # as float32
        records = [store(1, "clear_layer", 0, 0), store(2, "update_layer", 0, three)]
        for grid, values, relaxed, peaks in (
            (3, (one, three, one, third), two, ((0, 0), (two, 1), (0, 0), (0, 0))),
            (9, (one, one, one, one), one, ((0, 0),) * 4),
        ):
            records += [store(grid, "copy_layer", cell, value) for cell, value in enumerate(values)]
            records += [{**store(grid, "copy_layer", 0, three), "operation": "load"}]
            records += [store(grid + 1, "relax_layer", cell, relaxed) for cell in (1, 2)]
            for cell, (value, position) in enumerate(peaks):
                records += [
                    store(grid + 2, "find_peaks", cell, value),
                    store(grid + 2, "find_peaks", cell, position, 8),
                ]
        first = next(i for i, record in enumerate(records) if record["grid"] == "9")
        records[first:first] = [store(6, "reduce_peaks", 0, two), store(6, "reduce_peaks", 0, 1, 8)]
        self.assertEqual(
            kept_rows(records),
            [
                (1, 0, "1", "1", ""),
                (1, 1, "3", "2", "maximum"),
                (1, 2, "1", "2", ""),
                (1, 3, "0.333333343", "0.333333343", ""),
                (2, 0, "1", "1", ""),
                (2, 1, "1", "1", ""),
                (2, 2, "1", "1", ""),
                (2, 3, "1", "1", ""),
            ],
        )


class FiguresTest(DrawingTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_chapter(STAGES.chapter, self.device)
        self.names = ("--only", "storms_versions", "storms_cells")

    def test_times_by_version(self) -> None:
        """Stage i takes 1/2^i of the first one's time, which is a sixteenth of a core's; three
        quarters of a run are kernels."""
        self.assertEqual(self.draw(*self.names)[0], 0)
        place = {name: i for i, name in enumerate(STAGES.names)}
        tables = (self.blocks(f"storms_versions_{name}") for name in ("serial", "whole", "inner"))
        for serial, whole, inner, seconds in zip(*tables, (3.6, 20, 0.3), strict=True):
            self.assertEqual([float(word) for word in serial[0][:2]], [0, seconds])
            self.assertEqual([int(line[0]) for line in whole], [place[name] for name in KERNELS])
            self.assertEqual([line[0] for line in inner], [line[0] for line in whole])
            for i, (line, kernels) in enumerate(zip(whole, inner, strict=True)):
                self.assertAlmostEqual(float(line[1]) / (1.02 * seconds / 16 / 2**i), 1, places=6)
                self.assertAlmostEqual(float(kernels[1]) / float(line[1]), 0.75, places=6)
                self.assertLess(float(line[2]), float(line[1]))
                self.assertGreater(float(line[3]), float(line[1]))
        printed = {
            kind: [
                (int(line[0]), float(line[1])) for line in self.blocks(f"storms_versions_{kind}")[0]
            ]
            for kind in ("theirs", "race", "bound")
        }
        expected: dict[str, list[tuple[int, float]]] = {"theirs": [], "race": [], "bound": []}
        for cell in PRINTED.cells:
            kind = "race" if cell.stage in WRONG else "bound" if cell.bound else "theirs"
            expected[kind].append((place[cell.stage], cell.value))
        self.assertEqual(printed, expected)
        self.assertEqual([value for _, value in printed["theirs"]], [95, 43.383])

    def test_times_against_cells(self) -> None:
        self.assertEqual(self.draw(*self.names)[0], 0)
        times = self.blocks("storms_cells_time")
        sizes = [[int(line[0]) for line in block] for block in (times[0], times[-1])]
        self.assertEqual(
            sizes,
            [[10**4, 10**5, 10**6, 10**7, 10**8], [10**4, 10**5, 10**6, 10**7]],
        )
        words = "".join(ElementTree.parse(self.out / "storms_cells.svg").getroot().itertext())
        self.assertNotIn("GTX 980", words)  # the thesis prints nothing

    def test_block_sizes(self) -> None:
        self.assertEqual(self.draw("--only", "storms_block_sizes")[0], 0)
        for i, n in enumerate((30_000, 10**6, 10**7)):
            for place, block in enumerate(self.numbers(f"storms_block_sizes_rate{i}")):
                sizes = [32, 64, 128, 256, 512, 1024]
                self.assertEqual([line[0] for line in block], sizes)
                for size, median, lower, upper in block:
                    expected = n * min(size, 256) * (0.9 if size > 256 else 1) / (1 + place) / 1e9
                    self.assertAlmostEqual(median / expected, 1, places=6)
                    self.assertLess(lower, median)
                    self.assertGreater(upper, median)
        drawing = prepare_block_sizes(Source("recorded", self.device, None, ()))
        self.assertIn(
            f"1 M cells, {STUDIED[0]}: best with 256 threads (256 M updates/s), worst with 32 (88 %"
            " slower)",
            drawing.ours,
        )

    def test_block_sizes_that_only_one_stage_has_are_refused(self) -> None:
        path = self.device / "storms.csv"
        kept = [
            line
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True)
            if not (STUDIED[1] in line and "block-size=64" in line)
        ]
        path.write_text("".join(kept), encoding="utf-8")
        status, _, said = self.draw("--only", "storms_block_sizes")
        self.assertEqual(status, 1)
        self.assertIn("have different values of block-size", said)

    def test_a_stage_with_other_waves_cannot_be_compared(self) -> None:
        path = self.device / "storms.csv"
        text = path.read_text(encoding="utf-8")
        changed = re.sub(rf"(,{KERNELS[-1]},.*)particles=120000", r"\1particles=60000", text)
        self.assertNotEqual(text, changed)
        path.write_text(changed, encoding="utf-8")
        status, _, said = self.draw(*self.names)
        self.assertEqual(status, 1)
        self.assertIn("input dense, n = 30000: runs of different waves", said)


class TablesTest(unittest.TestCase):
    def test_printed_speed_ups(self) -> None:
        """95 s, 62 s with its race, under 60 s, 43.383 s."""
        first, wrong, right, best = (cell.stage for cell in PRINTED.cells)
        for before, stage, value, bound, remark in (
            (first, wrong, 95 / 62, "", "with its race"),
            (first, right, 95 / 60, "more than", ""),
            (right, best, 60 / 43.383, "less than", ""),
        ):
            found = printed_speed_up(CHAPTER, before, stage)
            assert found is not None
            self.assertAlmostEqual(found.value, value)
            self.assertEqual((found.bound, found.remark), (bound, remark))


class SweepsTest(unittest.TestCase):
    def test_every_stage_runs_the_same_waves(self) -> None:
        """A workload's name tells its waves: rows of other waves at the same n would be mistaken
        for it."""
        for scope, engine in (("record", "gpu"), ("here", "gpu"), ("here", "emu")):
            runs: dict[tuple[object, str], set[tuple[int, object, object]]] = {}
            for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
                if sweep.figures == ("storms_block_sizes",):
                    # Its particles tell its rows from those of the same input.
                    self.assertNotEqual(dict(sweep.match)["particles"], CELLS.match["particles"])
                elif sweep.scope == scope and sweep.engine in (engine, "cpu"):
                    match, args = dict(sweep.match), sweep.args
                    self.assertEqual(args[:2], ("--input", match["input"]), sweep.name)
                    if "--particles" in args:
                        given = int(args[args.index("--particles") + 1])
                        self.assertEqual(given * match["waves"], match["particles"])
                    for stage in sweep.stages:
                        own = runs.setdefault((match["input"], stage), set())
                        own.update((n, match["waves"], match["particles"]) for n in sweep.sizes)
            for name in WORKLOADS:
                of_stages = {stage: runs.get((name, stage)) for stage in (STAGES.serial, *KERNELS)}
                serial = of_stages[STAGES.serial]
                self.assertEqual(len(serial or ()), 1, (scope, engine, name))
                other = [stage for stage, found in of_stages.items() if found != serial]
                self.assertEqual(other, [], (scope, engine, name))
            small = runs["small", STAGES.serial]
            for stage in KERNELS:
                found = runs["small", stage]
                self.assertGreater(len(found & small), 1, (scope, engine, stage))
                waves = {run[1:] for run in found | small}
                self.assertEqual(waves, {(CELLS.match["waves"], CELLS.match["particles"])})


if __name__ == "__main__":
    unittest.main()
