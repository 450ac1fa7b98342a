# SPDX-License-Identifier: MIT
"""The stages of storms through their executables: known results, files, equal peaks, schedules,
declared work.

    test_storms.py STAGES_JSON ENGINE     ENGINE: gpu, emu (with the serial stage) or count
"""

import math
import struct
import sys
import tempfile
import unittest
from collections.abc import Iterable
from pathlib import Path

from tests.chapters.stage_programs import declared_and_moved, execute, load_programs

ENGINE = sys.argv.pop(2)
STAGES_JSON = Path(sys.argv.pop(1))
SCHEDULES = ("reversed", "shuffled:1", "shuffled:2", "shuffled:3")
KNOWN = (
    (35, ((4, 80), (8, 10), (10, 100), (15, 20), (27, 10)), "10 3639.926758\n"),
    (20, ((9, 90), (10, 100), (11, 90), (16, 110)), "10 12966.631836\n"),
    (17, ((2, 1), (5, 2), (15, 3)), "15 193.299606\n"),
)
Particles = Iterable[tuple[int, int]]
PROGRAMS = load_programs(STAGES_JSON, ENGINE, "storms")


def single(value: float) -> float:
    """Rounded to float32. A double has more than twice the digits of a float, so the sum, quotient
    or root of two floats is rounded correctly this way."""
    return struct.unpack("f", struct.pack("f", value))[0]


def layer_of(size: int, waves: Iterable[Particles]) -> list[float]:
    """The exercise word for word."""
    layer = [0.0] * size
    threshold = single(single(0.001) / size)
    for wave in waves:
        for position, value in wave:
            for k in range(size):
                e = single(
                    single(single(value * 1000.0) / size)
                    / single(math.sqrt(single(abs(position - k) + 1)))
                )
                if e >= threshold or e <= -threshold:
                    layer[k] = single(layer[k] + e)
        copy = layer[:]
        for k in range(1, size - 1):
            layer[k] = single(single(single(copy[k - 1] + copy[k]) + copy[k + 1]) / 3)
    return layer


def peaks_of(layer: list[float]) -> list[tuple[float, int]]:
    """The greatest first; of equal peaks, the first one first."""
    peaks = [
        (layer[k], k)
        for k in range(1, len(layer) - 1)
        if layer[k - 1] < layer[k] > max(layer[k + 1], 0)
    ]
    return sorted(peaks, key=lambda peak: (-peak[0], peak[1]))


class StormsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, particles: Particles) -> Path:
        particles = list(particles)
        path = self.folder / name
        path.write_text(
            "".join(
                [f"{len(particles)}\n", *(f"{position} {value}\n" for position, value in particles)]
            ),
            encoding="utf-8",
        )
        return path

    def run_right(
        self, program: Path, *arguments: object, **settings: str
    ) -> tuple[str, list[float]]:
        """The maxima as printed, and the layer."""
        path = self.folder / "layer"
        result = execute(
            program, "--check", "--quiet", "--output", "-", "--layer", path, *arguments, **settings
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout, [
            float(line.split(",")[1]) for line in path.read_text(encoding="utf-8").splitlines()[1:]
        ]

    def test_known_results(self) -> None:
        for size, particles, said in KNOWN:
            path = self.file("wave", particles)
            for stage, program in PROGRAMS.items():
                with self.subTest(f"{stage} {size}"):
                    written, layer = self.run_right(program, "--n", size, "--input", path)
                    self.assertEqual(written, said)
                    self.assertEqual([single(cell) for cell in layer], layer_of(size, [particles]))

    def test_waves_follow_one_another(self) -> None:
        """One of them has no particles."""
        waves = [((10, 50), (300, -20)), (), ((-7, 30), (400, 99), (10**12 + 1000, 1))]
        paths = [self.file(f"wave{i}", wave) for i, wave in enumerate(waves)]
        expected = layer_of(310, waves)
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                written, layer = self.run_right(
                    program, "--n", 310, "--input", ",".join(map(str, paths))
                )
                self.assertEqual([single(cell) for cell in layer], expected)
                self.assertEqual(len(written.splitlines()), 3)
                value, position = peaks_of(expected)[0]
                self.assertEqual(written.splitlines()[-1], f"{position} {value:.6f}")

    def test_the_longest_distances_of_a_kernel(self) -> None:
        """And the next longer ones, for which a stage may use another kernel."""
        for far in (2**20 - 1, 2**20, 2**30 - 1, 2**30, 2**31, 2**40):
            wave = [(far, 12_345_678), (-far, 2_000_000_000)]
            path = self.file("wave", wave)
            expected = layer_of(300, [wave])
            self.assertGreater(min(expected), 0)
            for stage, program in PROGRAMS.items():
                with self.subTest(f"{stage} {far}"):
                    _, layer = self.run_right(program, "--n", 300, "--input", path)
                    self.assertEqual([single(cell) for cell in layer], expected)

    def test_the_ends_of_a_table(self) -> None:
        """Distances of a layer's length, one less and one more, on both sides, with hard roots: 1
        and squares."""
        size = 300
        around = [
            size - 1,
            size,
            size + 1,
            -1,
            -2,
            0,
            255,
            256,
            2 * size - 1,
            2 * size,
            1 - size,
            -size,
        ]
        wave = [(position, 1000 + 7 * i) for i, position in enumerate(around)]
        path = self.file("wave", wave)
        expected = layer_of(size, [wave])
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                _, layer = self.run_right(program, "--n", size, "--input", path)
                self.assertEqual([single(cell) for cell in layer], expected)

    def test_energies_at_the_threshold(self) -> None:
        """A distance is rounded to a float. The energy of a value of 1 is the threshold at some of
        these floats, one unit above it at the next and one unit below it at the one after."""
        size = 40
        threshold = single(single(0.001) / size)

        def energy(distance: int) -> float:
            return single(single(1000.0 / size) / single(math.sqrt(single(distance))))

        pitch = 2**16  # of floats near 10^12
        last = max(
            d
            for d in range(10**12 // pitch * pitch - 40 * pitch, 10**12 + 40 * pitch, pitch)
            if energy(d) >= threshold
        )
        self.assertEqual(energy(last), threshold)
        self.assertLess(energy(last + pitch), threshold)
        # The middle of two floats lies inside the layer: some of its cells are reached, others are
        # not.
        wave = [(last + pitch // 2 + size // 2, 1), (-last - pitch // 2 + size // 2, -1), (7, 3)]
        alone = layer_of(size, [wave[:1]])
        self.assertGreater(max(alone), min(alone))
        path = self.file("wave", wave)
        expected = layer_of(size, [wave])
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                _, layer = self.run_right(program, "--n", size, "--input", path)
                self.assertEqual([single(cell) for cell in layer], expected)

    def test_three_cells(self) -> None:
        """The smallest layer: one cell has two neighbours, and the particles lie at both ends and
        in the middle."""
        for wave in ([(0, 5), (2, 5)], [(1, 9)], [(0, -5), (1, 1), (2, -5)], [(1, 0)]):
            path = self.file("wave", wave)
            expected = layer_of(3, [wave, wave])
            peaks = [*peaks_of(expected), (0.0, 0)]
            for stage, program in PROGRAMS.items():
                with self.subTest(f"{stage} {wave}"):
                    written, layer = self.run_right(program, "--n", 3, "--input", f"{path},{path}")
                    self.assertEqual([single(cell) for cell in layer], expected)
                    value, position = peaks[0]
                    self.assertEqual(written.splitlines()[-1], f"{position} {value:.6f}")

    def test_equal_peaks_in_two_tiles(self) -> None:
        """Mirrored particles in blocks of any stage; of each pair of peaks the first one is the
        maximum."""
        size = 2000
        for place in range(100, size):
            wave = [(place, 10), (size - 1 - place, 10)]
            first, second = peaks_of(layer_of(size, [wave]))[:2]
            if first[0] == second[0]:
                break
        path = self.file("wave", wave)
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                written, _ = self.run_right(program, "--n", size, "--input", path)
                self.assertEqual(written, f"{first[1]} {first[0]:.6f}\n")

    def test_blocks_of_any_size(self) -> None:
        """Sizes that divide the layer or do not, of whole warps or not."""
        path = self.file("wave", [(10, 50), (300, 20)])
        expected = layer_of(310, [[(10, 50), (300, 20)]])
        sized = {
            stage: program
            for stage, program in PROGRAMS.items()
            if "--block-size" in execute(program, "--help").stdout
        }
        # 01, 03, 04 and 05; on "count" all of them or none are among the stages of this run.
        self.assertEqual(len(sized), 4 if any(stage < "06" for stage in PROGRAMS) else 0)
        for stage, program in sized.items():
            for size in (1, 31, 32, 155, 310, 1024):
                with self.subTest(f"{stage} {size}"):
                    _, layer = self.run_right(
                        program, "--n", 310, "--input", path, "--block-size", size
                    )
                    self.assertEqual([single(cell) for cell in layer], expected)

    def test_nothing_at_all(self) -> None:
        path = self.file("wave", ())
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                self.assertEqual(
                    self.run_right(program, "--n", 5, "--input", f"{path},{path}")[0],
                    "0 0.000000\n0 0.000000\n",
                )

    def test_the_first_of_equal_peaks(self) -> None:
        """In one warp, in one block, and in two distant blocks. Two mirrored particles make two
        peaks. They are equal if the relaxation rounds both in the same way."""
        for size, place in ((20, 5), (200, 20), (901, 100)):
            while True:
                wave = [(place, 10), (size - 1 - place, 10)]
                first, second = peaks_of(layer_of(size, [wave]))[:2]
                if first[0] == second[0]:
                    break
                place += 1
            self.assertLess(first[1], second[1])
            path = self.file("wave", wave)
            for stage, program in PROGRAMS.items():
                for schedule in ("in-order", *SCHEDULES) if ENGINE != "gpu" else ("",):
                    with self.subTest(f"{stage} {size} {schedule}"):
                        settings = {"EMULATOR_SCHEDULE": schedule} if schedule else {}
                        written, _ = self.run_right(
                            program, "--n", size, "--input", path, **settings
                        )
                        self.assertEqual(written, f"{first[1]} {first[0]:.6f}\n")

    @unittest.skipIf(ENGINE != "count", "only the counting engine counts bytes")
    def test_no_stage_declares_more_than_it_moves(self) -> None:
        """Particles that reach no cell are not declared."""
        for stage, program in PROGRAMS.items():
            for words in (
                ["--n", 3],
                ["--n", 700],
                ["--n", 700, "--input", "outside"],
                ["--n", 300, "--input", "zeros"],
            ):
                with self.subTest(f"{stage} {words}"):
                    declared, moved = declared_and_moved(program, *words)
                    self.assertLessEqual(declared, moved)


if __name__ == "__main__":
    unittest.main()
