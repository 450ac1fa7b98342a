# SPDX-License-Identifier: MIT
"""Every figure from made-up measurements: pictures that are not empty, with the expected series."""

import contextlib
import html
import io
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock
from unittest import mock

from plots_data import (BIG_STAGES, BITONIC_STAGES, DISTMESH_STAGES, FLOYD_STAGES, GPU, HOST, KMEANS_STAGES, MERGESORT_STAGES,
                        MONTECARLO_STAGES, NBODY_STAGES, PLOTS, SMALL_STAGES, PlotsTest, distmesh_rows, row, storms_rows,
                        storms_stages, write_table)

import animate
import drawing
import figures
import measurements
import montecarlo
import storms

EMULATED = "CPU engine (emulated; not a GPU's time)"
LABELS = {
    "figure_6_4": (GPU, "04_soa_accelerations", "fp32 arithmetic", "special function", "issue slots",
                   "GTX 980, 2016: 65 %"),
    "figure_6_5": (GPU, "05_rsqrt", "FMA pipe", "GTX 980, 2016: 90 %"),
    "nbody_counters": ("04_soa_accelerations", "05_rsqrt", "barriers", "0.0078", *NBODY_STAGES,
                       "Counted for --n 1024, no GPU needed", "(CPU engine, emulated)"),
    "figure_6_6": (*NBODY_STAGES, GPU, "GTX 980, 2016 (3.2 M bodies)", "2.25", "bodies"),
    "figure_6_7": (*NBODY_STAGES, GPU, "100 leapfrog steps"),
    "nbody_cpu_gpu": ("00_cpu", "01_float3", "06_flush_denormals", GPU, HOST, "GTX 980, 2016"),
    "figure_8_1": (*MONTECARLO_STAGES, GPU, "GTX 980, 2016", "8.3: 2", "8.4.2: 6.4 G", "8.4.1: up to 2",
                   "80 G points a second"),
    "figure_8_2": ("00_cpu", "01_shared_reduction", "03_64bit_counts", GPU, HOST, "GTX 980, 2016",
                   "GTX 980, 2016, and its CPU"),
    "figure_3_2": ("block 0", "block 3", "gap for the pivot: 3020", "block 3: left 0 + 768, right 0 + 1258", "each tile"),
    "figure_3_6": ("step 1", "10", "input", "output", "keys exchanged", "compared, left in place"),
    "figure_3_9": (*BITONIC_STAGES[:3], GPU, "GTX 980, 2016 (2048 keys)", "2048 keys, µs", "2.00"),
    "figure_3_10": (*BITONIC_STAGES[2:], GPU, "GTX 980, 2016 (2048 keys)", "10.00"),
    "figure_3_11": (*SMALL_STAGES, GPU, "GTX 980, 2016 (6080 keys)", "28 992 keys, µs", "1.26", "1.77"),
    "figure_3_12": (*BIG_STAGES, "12 over 10", GPU, "GTX 980, 2016 (160 M keys)", "1.76", "2.10", "160 M"),
    "figure_3_13": ("00_cpu", "10_big", "12_big_lazy_streams", GPU, HOST, "GTX 980, 2016"),
    "figure_4_5": ("left run", "right run", "(a) 1: the left key is greater", "0", "1"),
    "figure_4_9": ("05_merge_path", "chunk 0", "chunk 2", "copy to the GPU", "selection sort", "320 M keys", GPU),
    "figure_4_10": (*MERGESORT_STAGES, "06 over 01", GPU, "GTX 980, 2016 (320 M keys)", "1.20", "1.40", "320 M"),
    "figure_4_11": ("00_cpu", "01_selection_and_search", "06_overlap_copy", GPU, HOST, "GTX 980, 2016"),
    "multisort_opencl": ("CUDA", "OpenCL", "here", "seed 003 (RTX 3080)", "Time of OpenCL over CUDA", "Merges, ms"),
    **{f"figure_5_{1 + i}": (*KMEANS_STAGES, GPU, "GTX 980, 2016 (320 M points)", f"k = {4 * 2**i}", then, "320 M",
                             f"{4 / 2**i:.2f}") for i, then in enumerate(("1.13", "1.28", "1.57", "0.89"))},
    **{f"figure_5_{5 + i}": ("00_cpu", "01_separate_lists", "05_device_loop", GPU, HOST, "GTX 980, 2016",
                             f"k = {4 * 2**i}") for i in range(4)},
    "kmeans_clusters": ("gaussians, k = 9", "rings, k = 6", "uniform, k = 16", "clouds: each is a cluster", "1800 points each"),
    "figure_7_3": (*FLOYD_STAGES, GPU, "GTX 980, 2016 (20 k vertices)", "1.14", "1.06", "1.20", "20 k vertices"),
    "figure_7_4": ("00_cpu", "01_thread_per_cell", "03_column_reuse", GPU, HOST, "GTX 980, 2016", "vertices"),
    "floyd_bandwidth": (*FLOYD_STAGES, GPU, "vertices", "Distances read by the kernels, GB/s"),
    "storms_versions": ("00_cpu", *storms_stages(), "02_relax_with_race", "no times: wrong on purpose", "dense", "30 k cells,",
                        "6 waves of 20 k particles", "long", "sparse", "3 waves of 1 particle", GPU, HOST, "seed 002, 2018", "95 s",
                        "62 s, with its race", "under 60 s", "43.4 s", "its own inputs and GPU,", "published; a scale of its own"),
    "storms_cells": ("00_cpu", *storms_stages(), "03 over 01", GPU, HOST, "100 M cells", "2.00"),
    "storms_layers": ("wave 1: 660.4 in cell 91", "wave 3: 1404.1 in cell 162", "thin: before its relaxation", "peaks", "maximum"),
    "distmesh_mesh": ("circle", "square with hole, graded", "ring", "ellipse minus wing, graded", "wing", "least 0.83, mean 0.964",
                      "Share of the triangles, %", "quality; below 0.5 as 0.5", "1105 triangles"),
    "distmesh_table_1": ("00_cpu", *DISTMESH_STAGES, GPU, HOST, "seed 004: its CPU", "seed 004: version 1", "seed 004: version 2",
                         "Whole runs, triangulations included, s", "Speed-up over 00_cpu", "31 409", "points"),
    "distmesh_table_2": ("00_cpu", *DISTMESH_STAGES, GPU, HOST, "seed 004: version 2", "Kernels alone, s"),
    "distmesh_counts": ("00_cpu", "02_shared_atomics", GPU, HOST, "seed 004: its CPU", "seed 004: version 2", "Iterations",
                        "Triangulations"),
    "distmesh_copies": ("00_cpu", *DISTMESH_STAGES, GPU, HOST, "kernels", "copies", "set-up", "host: triangulations",
                        "seed 004, version 2", "5.7 %", "2.70 %", "31 409 points"),
    "montecarlo_error": ("one standard error, 1.642/√N", "two standard errors", "(4 seeds)", GPU),
}

INPUTS = ("sorted", "random (seed 21364)", "reversed", "RTX 3080, 2024")
TIMES = (GPU, *INPUTS, f"least, {GPU}", "least, RTX 3080", "kernels, ms")
for table, words in {2: (HOST, "one core, ms", "its CPU, 2024"), 3: (HOST, "one core, ms", "its CPU, 2024"), 4: TIMES, 5: TIMES,
                     6: TIMES, 8: TIMES, 9: TIMES, 10: TIMES, 11: (GPU, *INPUTS, "speed-up of 09 over 08, kernels"),
                     12: (GPU, *INPUTS[:3], "RTX 3080, 2024, as printed", "RTX 3080, 2024, all passes", "most, RTX 3080", f"most, {GPU}"),
                     13: (GPU, *INPUTS[:3], "its copies 1000 times as long", f"against one core of {HOST}"),
                     14: TIMES, 15: TIMES, 16: TIMES}.items():
    LABELS[f"multisort_{table:02}"] = (*words, f"Seed 003, table {table}.")

# The same on every machine and every day.
COUNTED = ("nbody_counters", "figure_3_2", "figure_3_6", "figure_4_5", "kmeans_clusters", "storms_layers", "distmesh_mesh")
SEED_FIGURES = (*(f"multisort_{table:02}" for table in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16)), "multisort_opencl",
                "storms_versions", "distmesh_table_1", "distmesh_table_2", "distmesh_counts", "distmesh_copies")  # that show numbers of a seed
# Of the CPU alone, and of OpenCL, which is another device's.
NOT_EMULATED = {"multisort_02": HOST, "multisort_03": HOST, **{f"multisort_{table}": GPU for table in (14, 15, 16)}}


def svg_text(path: Path) -> str:
    """All words of an SVG, one text element a line."""
    root = ElementTree.parse(path).getroot()
    return "\n".join("".join(element.itertext()).strip() for element in root.iter()
                     if element.tag.endswith("}text"))


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


class FiguresTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        self.recorded = self.folder / "recorded"
        self.device = self.recorded / "stand-in-gpu-1"
        self.here = self.folder / "here"
        self.out = self.folder / "out"
        self.chapters = self.folder / "chapters"

    def draw(self, *words: str) -> tuple[int, str, str]:
        printed, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            status = figures.main(["--recorded", str(self.recorded), "--here-data", str(self.here),
                                   "--out", str(self.out), "--chapters", str(self.chapters),
                                   "--no-animation", *words])
        return status, printed.getvalue(), said.getvalue()

    def check_pictures(self, name: str, labels: tuple[str, ...]) -> None:
        self.assertEqual(png_size(self.out / f"{name}.png"), (1600, 900))
        # An empty picture of this size has some 5 kB.
        self.assertGreater((self.out / f"{name}.png").stat().st_size, 20_000)
        words = svg_text(self.out / f"{name}.svg")
        for label in labels:
            self.assertIn(label, words)

    def test_every_figure_is_covered(self) -> None:
        self.assertEqual({figure.name for figure in figures.all_figures()}, set(LABELS))
        for figure in figures.all_figures():
            self.assertTrue(figure.script_path.is_file())

    def test_recorded(self) -> None:
        self.write_measurements(self.device)
        status, printed, said = self.draw("--publish")
        self.assertEqual((status, said), (0, ""))
        self.check_page()
        self.check_published()
        for name, labels in LABELS.items():
            with self.subTest(figure=name):
                self.assertIn(f"{name}.{{png,svg}}", printed)
                date = () if name in COUNTED else ("recorded 2026-02-03",)
                self.check_pictures(name, (*labels, *date))

    def test_here_on_the_cpu_engine(self) -> None:
        self.write_measurements(self.device)
        self.write_measurements(self.here, engine="emu", profile=False)
        status, printed, said = self.draw("--data", "here")
        self.assertEqual((status, said), (0, ""))
        for name in LABELS:
            with self.subTest(figure=name):
                if name in ("figure_6_4", "figure_6_5"):
                    self.check_pictures(name, ("Recorded data: this machine gives no profiler counters",))
                elif name in COUNTED:
                    self.check_pictures(name, LABELS[name])
                elif name in NOT_EMULATED:
                    self.check_pictures(name, (NOT_EMULATED[name], "measured here 2026-02-03"))
                else:
                    self.check_pictures(name, (EMULATED, "measured here 2026-02-03"))
        self.assertEqual(printed.count("recorded data"), 2)

    def test_here_on_a_gpu(self) -> None:
        self.write_measurements(self.here)
        status, _, said = self.draw("--data", "here")
        self.assertEqual((status, said), (0, ""))
        for name in LABELS:
            self.assertNotIn(EMULATED, svg_text(self.out / f"{name}.svg"))

    def test_subtitles_fit(self) -> None:
        self.write_measurements(self.device)
        self.write_measurements(self.here, engine="emu", profile=False)
        published = measurements.read_published(PLOTS / "published" / "thesis.csv")
        for kind, folder in (("recorded", self.device), ("here", self.here)):
            source = drawing.Source(kind, folder, self.device, published, self.recorded / "counters")
            for figure in figures.all_figures():
                self.assertLessEqual(len(figure.prepare(source).subtitle), 165, figure.name)

    def test_missing_data_is_an_error_that_names_the_file(self) -> None:
        self.write_measurements(self.device)
        names = ("--only", "figure_6_6", "figure_8_1")
        self.assertEqual(self.draw(*names)[0], 0)
        (self.device / "nbody.csv").unlink()
        status, printed, said = self.draw(*names)
        self.assertEqual(status, 1)
        self.assertIn(f"Figure 6.6. N-body, one force evaluation: {self.device / 'nbody.csv'}", said)
        # The picture of the earlier run is gone, and what has its data is drawn.
        self.assertFalse((self.out / "figure_6_6.svg").exists())
        self.assertIn("figure_8_1", printed)
        self.assertNotIn("figure_6_6", printed)
        self.assertNotIn("Figure 6.6", (self.out / "index.html").read_text(encoding="utf-8"))

    def test_a_chapter_that_is_not_recorded_yet_is_left_out(self) -> None:
        few = tuple(one for one in figures.all_figures() if one.chapter == "storms" or one.name == "figure_6_6")
        patch = mock.patch.object(figures, "all_figures", return_value=few)
        patch.start()
        self.addCleanup(patch.stop)
        self.write_measurements(self.device)
        self.assertEqual(self.draw()[0], 0)
        (self.device / "storms.csv").unlink()
        status, printed, said = self.draw()
        self.assertEqual((status, said), (0, ""))
        self.assertIn(f"Storms, time by version: left out, {self.device} has no rows of storms", printed)
        self.assertFalse((self.out / "storms_versions.svg").exists())
        self.assertIn("storms_layers.{png,svg}", printed)  # of no measurement
        self.assertIn("figure_6_6.{png,svg}", printed)
        self.assertNotIn('<figure id="storms_cells">', (self.out / "index.html").read_text(encoding="utf-8"))
        for words in (("--chapter", "storms"), ("--only", "storms_cells")):
            status, _, said = self.draw(*words)
            self.assertEqual(status, 1)
            self.assertIn(f"{self.device / 'storms.csv'}: No such file", said)
        # A stage without rows is no chapter without rows.
        rows = [one for one in storms_rows("gpu") if one[3] != "06_fused"]
        write_table(self.device / "storms.csv", measurements.ROW_COLUMNS, rows)
        status, _, said = self.draw()
        self.assertEqual(status, 1)
        self.assertIn("Storms, time by version: ", said)
        self.assertIn("no rows of 06_fused", said)

    def test_no_recorded_data_at_all(self) -> None:
        status, _, said = self.draw()
        self.assertEqual(status, 1)
        self.assertIn(str(self.recorded), said)
        self.write_measurements(self.here, engine="emu", profile=False)
        status, _, said = self.draw("--data", "here", "--chapter", "nbody")
        self.assertEqual(status, 1)
        self.assertIn("nbody_profile.csv", said)

    def test_a_stage_without_rows_is_an_error(self) -> None:
        self.write_measurements(self.device)
        path = self.device / "nbody.csv"
        lines = [line for line in path.read_text().splitlines() if "03_shared_tiles" not in line]
        path.write_text("\n".join(lines) + "\n")
        status, _, said = self.draw("--only", "figure_6_6")
        self.assertEqual(status, 1)
        self.assertIn("no rows of 03_shared_tiles", said)

    def test_rows_that_cannot_be_trusted_are_an_error(self) -> None:
        for bad in (row("nbody", "05_rsqrt", "gpu", 100_000, "nan"),
                    row("nbody", "05_rsqrt", "gpu", 100_000, 1.0, verified="false")):
            self.write_measurements(self.device)
            with (self.device / "nbody.csv").open("a") as file:
                file.write(",".join(str(value) for value in bad) + "\n")
            status, _, said = self.draw("--only", "figure_6_6")
            self.assertEqual(status, 1)
            self.assertRegex(said, r"nbody\.csv:\d+: ")

    def test_an_estimate_that_is_no_number_is_an_error(self) -> None:
        self.write_measurements(self.device)
        with (self.device / "montecarlo_report.csv").open("a") as file:
            file.write(f"montecarlo,03_64bit_counts,gpu,{GPU},1000,blocks=8,9,estimate,nan\n")
        status, _, said = self.draw("--only", "montecarlo_error")
        self.assertEqual(status, 1)
        self.assertIn("montecarlo_report.csv", said)

    def test_speed_ups(self) -> None:
        self.write_measurements(self.device)
        self.draw("--only", "figure_6_6", "nbody_cpu_gpu")
        table = (self.out / "data" / "figure_6_6_gain.dat").read_text().splitlines()
        self.assertEqual(table[0], f'"{GPU}"')
        # Stage i takes 1/i of the first one's time: 2/1, 3/2, 4/3, 5/4, 6/5.
        gains = [float(line.split()[1]) for line in table[1:]]
        for gain, i in zip(gains, range(2, 7), strict=True):
            self.assertAlmostEqual(gain, i / (i - 1), places=6)
        self.assertEqual([float(line.split()[2]) for line in table[1:]], [1.12, 1.1, 1.04, 2.25, 1.23])
        self.assertAlmostEqual(montecarlo.SAMPLE_DEVIATION, 1.642, places=3)

    def test_bandwidth_of_floyd_warshall(self) -> None:
        """4 n^3 bytes at 5 GB/s and a fifth more each stage; 50 GB/s of L2 up to 1 MB, then less."""
        self.write_measurements(self.device)
        self.draw("--only", "floyd_bandwidth", "figure_7_3")
        blocks = (self.out / "data" / "floyd_bandwidth_rate.dat").read_text().split("\n\n\n")
        for i, block in enumerate(blocks):
            lines = [[float(word) for word in line.split()] for line in block.splitlines()[1:]]
            self.assertEqual([line[0] for line in lines], [200, 1000, 5000, 20_000])
            for line in lines:
                self.assertAlmostEqual(line[1], 5 * 1.2**i / 1.02, places=6)
                self.assertTrue(line[2] < line[1] < line[3])
        reach = [[float(word) for word in line.split()]
                 for line in (self.out / "data" / "floyd_bandwidth_reach.dat").read_text().splitlines()[1:]]
        self.assertTrue(all(abs(rate - 50) < 1e-6 for n, rate in reach if n <= 512))
        self.assertIn(512, [n for n, _ in reach])
        n, rate = reach[-1]
        share = 2**20 / (4 * n * n)
        self.assertAlmostEqual(rate, 1 / (share / 50 + (1 - share) / 10), places=4)
        # What is smaller than the thesis' sizes is left out where its numbers stand beside.
        times = (self.out / "data" / "figure_7_3_time.dat").read_text().split("\n\n\n")[0].splitlines()[1:]
        self.assertEqual([line.split()[0] for line in times], ["1000", "5000", "20000"])

    def test_storms_by_version(self) -> None:
        """Stage i takes 1/2^i of the first one's time, which is a sixteenth of a core's; three quarters of it kernels."""
        self.write_measurements(self.device)
        names = ("--only", "storms_versions", "storms_cells")
        self.assertEqual(self.draw(*names)[0], 0)

        def blocks(name: str) -> list[list[list[str]]]:
            return [[line.split() for line in block.splitlines()[1:]]
                    for block in (self.out / "data" / f"storms_{name}.dat").read_text(encoding="utf-8").split("\n\n\n")]

        place = {"00_cpu": 0, "01_update_kernel": 1, "03_copy_kernel": 3, "04_max_reduction": 4}
        for serial, whole, inner, seconds in zip(blocks("versions_serial"), blocks("versions_whole"), blocks("versions_inner"),
                                                 (3.6, 20, 0.3), strict=True):
            self.assertEqual([float(word) for word in serial[0][:2]], [0, seconds])
            self.assertEqual([int(line[0]) for line in whole[:3]], [place[name] for name in list(place)[1:]])
            self.assertEqual([line[0] for line in inner], [line[0] for line in whole])
            for i, (line, kernels) in enumerate(zip(whole, inner, strict=True)):
                self.assertAlmostEqual(float(line[1]) / (1.02 * seconds / 16 / 2**i), 1, places=6)
                self.assertAlmostEqual(float(kernels[1]) / float(line[1]), 0.75, places=6)
                self.assertLess(float(line[2]), float(line[1]))
                self.assertGreater(float(line[3]), float(line[1]))
        self.assertEqual([[(int(line[0]), float(line[1])) for line in blocks(f"versions_{kind}")[0]] for kind in ("seed", "race", "bound")],
                         [[(1, 95), (4, 43.383)], [(2, 62)], [(3, 60)]])
        times = blocks("cells_time")
        self.assertEqual([[int(line[0]) for line in block] for block in (times[0], times[-1])],
                         [[10**4, 10**5, 10**6, 10**7, 10**8], [10**4, 10**5, 10**6, 10**7]])
        self.assertNotIn("GTX 980", svg_text(self.out / "storms_cells.svg"))  # of which nothing is printed
        # One stage that had other waves to do is no comparison.
        path = self.device / "storms.csv"
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"(,04_max_reduction,.*)particles=120000", r"\1particles=60000", text), encoding="utf-8")
        status, _, said = self.draw(*names)
        self.assertEqual(status, 1)
        self.assertIn("input dense, n = 30000: runs of different waves", said)

    def test_distmesh_beside_the_seed_s_tables(self) -> None:
        """Kernels of stage i take 1/2^i of the serial loops, which are a quarter of a run; copies and set-up a tenth each."""
        self.write_measurements(self.device)
        names = ("--only", "distmesh_table_1", "distmesh_table_2", "distmesh_counts", "distmesh_copies")
        self.assertEqual(self.draw(*names), (0, mock.ANY, ""))

        def blocks(name: str) -> list[list[list[float]]]:
            return [[[float(word) for word in line.split() if not word.startswith('"')] for line in block.splitlines()[1:]]
                    for block in (self.out / "data" / f"distmesh_{name}.dat").read_text(encoding="utf-8").split("\n\n\n")]

        sizes = [1261, 1452, 20_109, 31_409]
        for i, (whole, kernels) in enumerate(zip(blocks("table_1_time"), blocks("table_2_time"), strict=True)):
            self.assertEqual([[line[0] for line in whole], [line[0] for line in kernels]], [sizes, sizes])
            for line, inner in zip(whole, kernels):
                part = 1.02e-5 * line[0]
                self.assertAlmostEqual(inner[1] / (part / 2**i), 1, places=6)
                self.assertAlmostEqual(line[1] / (part * (3 + 1 / 2**i + (0.2 if i else 0))), 1, places=6)
                self.assertTrue(line[2] < line[1] < line[3] and inner[2] < inner[1] < inner[3])
        for i, gains in enumerate(blocks("table_2_gain"), 1):
            for line, n in zip(gains, sizes, strict=True):
                self.assertEqual(line[0], n)
                self.assertAlmostEqual(line[1], 2**i, places=6)
        self.assertEqual(blocks("table_1_seed")[1][0], [1452, 0.13])
        self.assertEqual([blocks("table_1_printed")[0][-1], blocks("table_2_printed")[0][-1]], [[20_109, 6.28], [31_409, 53.38]])
        self.assertEqual(blocks("counts_iterations"), [[[n, 1000 + n % 100 + more] for n in sizes] for more in (0, 1)])
        self.assertEqual(blocks("counts_seedtriangulations")[1][-1], [31_409, 719])
        shares = blocks("copies_shares")
        self.assertEqual([len(block) for block in shares], [6] * 4)
        for i in range(6):
            parts = [1 / 2**i, 0.1 * bool(i), 0.1 * bool(i), 3]
            for place, block in enumerate(shares):
                for end, many in zip(block[i], (None, place, place + 1), strict=True):
                    self.assertAlmostEqual(end, i if many is None else 100 * sum(parts[:many]) / sum(parts), places=6)

    def test_distmesh_that_cannot_be_compared(self) -> None:
        self.write_measurements(self.device)
        path = self.device / "distmesh_report.csv"
        text = path.read_text(encoding="utf-8")
        for change, words in ((lambda line: re.sub("iterations,.*", "iterations,many", line), "iterations of 00_cpu is 'many', no count"),
                              (lambda line: line if ",04_resident," not in line else "", "no iterations of 04_resident")):
            path.write_text("".join(map(change, text.splitlines(keepends=True))), encoding="utf-8")
            status, _, said = self.draw("--only", "distmesh_counts")
            self.assertEqual(status, 1)
            self.assertIn(f"distmesh_report.csv: {words}", said)
        rows = [one for one in distmesh_rows("gpu") if (one[3] == "00_cpu") == (one[6] == 1261)]
        write_table(self.device / "distmesh.csv", measurements.ROW_COLUMNS, rows)
        status, _, said = self.draw("--only", "distmesh_table_1")
        self.assertEqual(status, 1)
        self.assertIn("distmesh.csv: no n of both 00_cpu and the stages with kernels", said)

    def test_cuda_beside_opencl_on_the_same_keys(self) -> None:
        """Reports do not name their input: those of sorted and reversed keys are seven times as long."""
        self.write_measurements(self.device)
        status, _, said = self.draw("--only", "multisort_opencl")
        self.assertEqual((status, said), (0, ""))
        for part, ms in (("insertion", 1e-6), ("merges", 1e-5)):
            blocks = (self.out / "data" / f"multisort_opencl_{part}.dat").read_text().split("\n\n\n")
            for block, factor in zip(blocks, (1, 2), strict=True):
                for n, value in (map(float, line.split()) for line in block.splitlines()[1:]):
                    self.assertAlmostEqual(value, factor * ms * n)
        reports = self.device / "mergesort_report.csv"
        lines = [line for line in reports.read_text().splitlines() if ",merge_ms," in line]
        reports.write_text(reports.read_text().replace(lines[0] + "\n", "", 1))
        status, _, said = self.draw("--only", "multisort_opencl")
        self.assertEqual(status, 1)
        self.assertIn("merge_ms of 09_multisort_merge_path, n = 33554432: 2 reports of 3 runs", said)

    def check_page(self) -> None:
        """Every figure is in it, and nothing beside it is needed."""
        text = (self.out / "index.html").read_text(encoding="utf-8")
        self.assertEqual(text.count("<img "), len(LABELS))
        self.assertEqual(len(re.findall(r'src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]{1000,}"', text)), len(LABELS))
        for name in LABELS:
            self.assertIn(f'<figure id="{name}">', text)
            self.assertIn(f'<a href="#{name}">', text)
        for figure in figures.all_figures():
            begin = text.index(f'<figure id="{figure.name}">')
            said = text[begin:text.index("</figure>", begin)]
            self.assertIn('<p class="from">From <code>', said, figure.name)
            if figure.name in SEED_FIGURES:
                file = "multisort" if figure.chapter == "mergesort" else figure.chapter
                self.assertIn(f"<code>plots/published/{file}.csv</code>", said, figure.name)
        for alt in re.findall(r'alt="([^"]*)"', text):
            self.assertGreater(len(alt), 60)
        for word in (GPU, "2026-02-03", "Thesis", "Here", "365 times", "3 runs each: medians and quartiles",
                     f"From <code>{self.device / 'nbody.csv'}</code>"):
            self.assertIn(word if word.startswith("From") else html.escape(word), text)

    def check_published(self) -> None:
        """What the READMEs show is copied to them."""
        published = sorted(path.relative_to(self.chapters) for path in self.chapters.rglob("*.*"))
        expected = sorted(Path(figure.chapter) / "figures" / f"{figure.name}.svg"
                          for figure in figures.all_figures() if figure.in_readme)
        self.assertEqual(published, expected)
        for path in published:
            self.assertLess((self.chapters / path).stat().st_size, 200_000)

    def test_animations_are_of_their_chapters(self) -> None:
        self.write_measurements(self.device)

        def moving(build: Path, output: Path) -> animate.Animation:
            (output / "moving.gif").write_bytes(b"GIF89a")
            return animate.Animation("distmesh", output / "moving.gif", "It moves", "a caption", "what moves")

        def failing(build: Path, output: Path) -> animate.Animation:
            raise measurements.DataError("nothing moves")

        words = ["--recorded", str(self.recorded), "--out", str(self.out)]
        with mock.patch.dict(animate.MAKERS, {"distmesh": moving, "nbody": failing}, clear=True):
            for chapter, status, said in (("distmesh", 0, ""), ("nbody", 1, "figures.py: animation of nbody: nothing moves\n")):
                errors = io.StringIO()
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
                    self.assertEqual(figures.main([*words, "--chapter", chapter]), status)
                self.assertEqual(errors.getvalue(), said)
                text = (self.out / "index.html").read_text(encoding="utf-8")
                self.assertEqual('<figure id="moving">' in text[text.index(f'<section id="{chapter}">'):], chapter == "distmesh")

    def test_unknown_names(self) -> None:
        self.write_measurements(self.device)
        for words in (("--only", "figure_9_9"), ("--chapter", "alchemy"), ("--device", "gtx-1")):
            status, _, said = self.draw(*words)
            self.assertEqual(status, 1)
            self.assertIn(words[1], said)

    def test_quotes_in_names_do_no_harm(self) -> None:
        path = self.folder / "it's a folder"
        self.recorded, self.device, self.out = path, path / "gpu-1", path / "out"
        self.write_measurements(self.device)
        self.assertEqual(self.draw("--device", "gpu-1", "--only", "figure_6_6")[0], 0)


class TextTest(unittest.TestCase):
    def test_counts(self) -> None:
        for n, text in ((3_200_000, "3.2 M"), (160_000, "160 k"), (512, "512"), (1250, "1250"), (6080, "6080"),
                        (9000, "9 k"), (640_000_000_000, "640 G"), (540_672, "540 672")):
            self.assertEqual(drawing.short_count(n), text)

    def test_three_digits(self) -> None:
        for value, text in ((0.03149, "0.0315"), (1.0, "1"), (999.6, "1000"), (1053, "1050"), (20_812, "20 800"),
                            (-1234.0, "-1230")):
            self.assertEqual(drawing.three_digits(value), text)

    def test_marks_of_an_axis_of_seconds(self) -> None:
        for low, high, marks in ((0.01, 100, "0.1 s, 1 s, 10 s"), (1e-4, 1e3, "1 ms, 0.1 s, 10 s"), (0.5, 5, "1 s, 3 s"),
                                 (0.0021, 0.021, "3 ms, 10 ms"), (0.0036, 0.036, "5 ms, 10 ms, 20 ms")):
            self.assertEqual(", ".join(re.findall("'(.*?)'", storms.time_marks(low, high))), marks)
        for step in range(1000):
            low = 10 ** (-6 + step / 150)
            for decades in (1, 1.7, 4.2, 8):
                self.assertIn(storms.time_marks(low, low * 10**decades).count("' "), range(2, 6))

    def test_room_above(self) -> None:
        low, high = drawing.log_range([1.6, 62.5], 0.5)
        self.assertAlmostEqual(low, 1)
        self.assertAlmostEqual(high, 10_000)


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing")
        sys.exit(77)
    unittest.main()
