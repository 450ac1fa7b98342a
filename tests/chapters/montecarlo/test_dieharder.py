# SPDX-License-Identifier: MIT
"""Tests of the random words by dieharder (Brown's collection, Debian's package dieharder), which
reads them from the stages' own functions on the CPU engine.

    test_dieharder.py FOLDER        the folder of the programs montecarlo_words_*

The words of 1024 streams take turns; for a linear generator, this also tests the streams against
each other. The words of a program are the same each time, so its results are, too. A generator
is drawn anew each time (tests/drawn.py).
"""

import re
import shutil
import subprocess
import sys
import unittest
from collections.abc import Collection
from pathlib import Path

from tests.drawn import drawn

FOLDER = Path(sys.argv.pop(1))
GENERATORS = ("xorwow", "philox", "xoroshiro", "four_tap")
STREAMS = 1024
# One test of each kind, as often as takes about a second: dieharder's number of a test, and its
# flags. With fewer than some 20 repetitions, dieharder's test of their p-values is not exact, and
# calls good generators bad.
TESTS = {
    "birthdays": (0, "-p", "50"),
    "rank of 6 x 8 bits": (3, "-p", "15"),
    "bitstream": (4, "-p", "20"),
    "count of ones": (8, "-p", "50"),
    "minimum distance": (11, "-p", "50"),
    "runs": (15, "-p", "50"),
    "bytes": (205, "-t", "1000000"),
    "filling trees": (207, "-t", "1000000"),
}
RESULT = re.compile(r"\|\s*([\d.]+)\|\s*(PASSED|WEAK|FAILED)")
# dieharder calls a p-value WEAK outside 0.005 to 0.995, and FAILED outside 1e-6. Of n good results,
# about n / 100 are weak, and a few more, because its test of few p-values is not exact.
MOST_WEAK = 2


def results_of(
    generator: str, names: Collection[str], streams: int = STREAMS, *words: str
) -> list[tuple[str, str]]:
    """Each p-value's test and what dieharder says about it."""
    found = []
    for name in names:
        number, *flags = TESTS[name]
        with subprocess.Popen(
            [FOLDER / f"montecarlo_words_{generator}", str(streams), *words], stdout=subprocess.PIPE
        ) as program:
            said = subprocess.run(
                ["dieharder", "-g", "200", "-d", str(number), *flags],
                stdin=program.stdout,
                stderr=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                check=False,
                timeout=120,
            ).stdout
            program.stdout.close()
        verdicts = [verdict for _, verdict in RESULT.findall(said)]
        if not verdicts:
            raise AssertionError(f"dieharder has no result for {name}:\n{said}")
        found += [(name, verdict) for verdict in verdicts]
    return found


@unittest.skipIf(shutil.which("dieharder") is None, "dieharder is missing (package dieharder)")
class DieharderTest(unittest.TestCase):
    def test_no_generator_fails(self) -> None:
        for generator in drawn(GENERATORS, 1, "generators"):
            with self.subTest(generator=generator):
                results = results_of(generator, TESTS)
                weak = sum(verdict == "WEAK" for _, verdict in results)
                print(f"{generator}: {len(results)} results, {weak} weak", flush=True)
                self.assertEqual([one for one in results if one[1] == "FAILED"], [])
                self.assertLessEqual(weak, MOST_WEAK)

    def test_no_stream_alone_fails(self) -> None:
        for generator in ("xoroshiro", "four_tap"):
            with self.subTest(generator=generator):
                results = results_of(generator, ("birthdays", "bitstream", "runs"), 1)
                self.assertEqual([one for one in results if one[1] == "FAILED"], [])

    def test_streams_that_begin_at_the_same_place_fail(self) -> None:
        for generator in drawn(GENERATORS, 1, "generators"):
            with self.subTest(generator=generator):
                verdicts = {
                    verdict
                    for _, verdict in results_of(generator, ("runs", "bytes"), STREAMS, "broken")
                }
                self.assertIn("FAILED", verdicts)


if __name__ == "__main__":
    unittest.main()
