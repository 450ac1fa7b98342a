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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.chapters.stage_programs import (
    declared_and_moved,
    execute,
    load_programs,
    sharing_a_process,
)

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


def maxima_of(size: int, waves: Sequence[Particles]) -> str:
    """As a stage prints them: one line per wave."""
    layers = [layer_of(size, waves[: i + 1]) for i in range(len(waves))]
    maxima = [[*peaks_of(layer), (0.0, 0)][0] for layer in layers]
    return "".join(f"{position} {value:.6f}\n" for value, position in maxima)


@dataclass(frozen=True)
class Case:
    """Waves for a layer of this size, and what comes out."""

    name: str
    size: int
    waves: Sequence[Sequence[tuple[int, int]]]
    layer: list[float]
    maxima: str
    every_schedule: bool = False  # whether the order of the blocks may matter


def case_of(
    name: str, size: int, *waves: Sequence[tuple[int, int]], every_schedule: bool = False
) -> Case:
    return Case(name, size, waves, layer_of(size, waves), maxima_of(size, waves), every_schedule)


def known_results() -> Iterator[Case]:
    for size, particles, said in KNOWN:
        case = case_of(f"known result, {size} cells", size, particles)
        assert case.maxima == said
        yield case


def waves_follow_one_another() -> Iterator[Case]:
    """One of them has no particles."""
    far = ((-7, 30), (400, 99), (10**12 + 1000, 1))
    yield case_of("three waves", 310, ((10, 50), (300, -20)), (), far)


def the_longest_distances_of_a_kernel() -> Iterator[Case]:
    """And the next longer ones, for which a stage may use another kernel."""
    for far in (2**20 - 1, 2**20, 2**30 - 1, 2**30, 2**31, 2**40):
        case = case_of(f"distance {far}", 300, [(far, 12_345_678), (-far, 2_000_000_000)])
        assert min(case.layer) > 0
        yield case


def the_ends_of_a_table() -> Iterator[Case]:
    """Distances of a layer's length, one less and one more, on both sides, with hard roots: 1 and
    squares."""
    size = 300
    around = [size - 1, size, size + 1, -1, -2, 0, 255, 256]
    around += [2 * size - 1, 2 * size, 1 - size, -size]
    wave = [(position, 1000 + 7 * i) for i, position in enumerate(around)]
    yield case_of("the ends of a table", size, wave)


def energies_at_the_threshold() -> Iterator[Case]:
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
    assert energy(last) == threshold > energy(last + pitch)
    # The middle of two floats lies inside the layer: some of its cells are reached, others are not.
    wave = [(last + pitch // 2 + size // 2, 1), (-last - pitch // 2 + size // 2, -1), (7, 3)]
    alone = layer_of(size, [wave[:1]])
    assert max(alone) > min(alone)
    yield case_of("energies at the threshold", size, wave)


def three_cells() -> Iterator[Case]:
    """The smallest layer: one cell has two neighbours, and the particles lie at both ends and in
    the middle."""
    for wave in ([(0, 5), (2, 5)], [(1, 9)], [(0, -5), (1, 1), (2, -5)], [(1, 0)]):
        yield case_of(f"three cells, {wave}", 3, wave, wave)


def equal_peaks(name: str, size: int, place: int, every_schedule: bool) -> Iterator[Case]:
    """Two mirrored particles make two peaks. They are equal if the relaxation rounds both in the
    same way. The first one is the maximum."""
    while True:
        case = case_of(
            name, size, [(place, 10), (size - 1 - place, 10)], every_schedule=every_schedule
        )
        first, second = peaks_of(case.layer)[:2]
        if first[0] == second[0]:
            break
        place += 1
    assert first[1] < second[1]
    yield case


def nothing_at_all() -> Iterator[Case]:
    yield case_of("nothing at all", 5, (), ())


def all_cases() -> list[Case]:
    return [
        *known_results(),
        *waves_follow_one_another(),
        *the_longest_distances_of_a_kernel(),
        *the_ends_of_a_table(),
        *energies_at_the_threshold(),
        *three_cells(),
        *nothing_at_all(),
        *equal_peaks("equal peaks in one warp", 20, 5, True),
        *equal_peaks("equal peaks in one block", 200, 20, True),
        *equal_peaks("equal peaks in two blocks", 901, 100, True),
        *equal_peaks("equal peaks in two tiles of any stage", 2000, 100, False),
    ]


class StormsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def files(self, case: Case) -> str:
        """One per wave."""
        paths = []
        for wave in case.waves:
            paths.append(self.folder / f"wave{len(list(self.folder.iterdir()))}")
            lines = [f"{len(wave)}", *(f"{position} {value}" for position, value in wave)]
            paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
        return ",".join(map(str, paths))

    def expect_right(
        self,
        stage: str,
        runs: Sequence[tuple[Case, Sequence[object]]],  # with further flags
        **settings: str,
    ) -> None:
        words = sharing_a_process(
            ["--check", "--quiet", "--n", case.size, "--input", self.files(case), *further]
            + ["--output", self.folder / f"maxima{i}", "--layer", self.folder / f"layer{i}"]
            for i, (case, further) in enumerate(runs)
        )
        result = execute(PROGRAMS[stage], *words, **settings)
        self.assertEqual((result.returncode, result.stderr), (0, ""), f"{stage} {settings}")
        for i, (case, further) in enumerate(runs):
            with self.subTest(f"{stage}, {case.name} {further} {settings}"):
                maxima = (self.folder / f"maxima{i}").read_text(encoding="utf-8")
                self.assertEqual(maxima, case.maxima)
                lines = (self.folder / f"layer{i}").read_text(encoding="utf-8").splitlines()[1:]
                layer = [single(float(line.split(",")[1])) for line in lines]
                self.assertEqual(layer, case.layer)

    def test_every_case(self) -> None:
        cases = all_cases()
        for stage in PROGRAMS:
            self.expect_right(stage, [(case, ()) for case in cases])

    @unittest.skipIf(ENGINE == "gpu", "a GPU chooses the order of its blocks itself")
    def test_every_schedule(self) -> None:
        cases = [case for case in all_cases() if case.every_schedule]
        for stage in PROGRAMS:
            for schedule in SCHEDULES:
                self.expect_right(stage, [(case, ()) for case in cases], EMULATOR_SCHEDULE=schedule)

    def test_blocks_of_any_size(self) -> None:
        """Sizes that divide the layer or do not, of whole warps or not."""
        case = case_of("blocks of any size", 310, [(10, 50), (300, 20)])
        sized = [
            stage
            for stage, program in PROGRAMS.items()
            if "--block-size" in execute(program, "--help").stdout
        ]
        # 01, 03, 04 and 05; on "count" all of them or none are among the stages of this run.
        self.assertEqual(len(sized), 4 if "05_max_reduction" in PROGRAMS else 0)
        for stage in sized:
            self.expect_right(
                stage, [(case, ("--block-size", size)) for size in (1, 31, 32, 155, 310, 1024)]
            )

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
