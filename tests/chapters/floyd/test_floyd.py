# SPDX-License-Identifier: MIT
"""Runs the executables of Floyd-Warshall's stages: files, matrices, negative cycles, orders of
blocks, work.

    test_floyd.py STAGES_JSON ENGINE [--long]
        ENGINE: gpu, emu (also runs the serial stage) or count
"""

import itertools
import json
import random
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.stages import words_of
from tests.chapters.stage_programs import (
    declared_and_moved,
    execute,
    load_programs,
    sharing_a_process,
    with_the_same_host_code,
)

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
ENGINE = sys.argv.pop(2)
STAGES_JSON = Path(sys.argv.pop(1))
NO_COUNTERS = {
    "EMULATOR_COUNTERS": "none"
}  # without this, a run on "count" prints its counters unless it is --quiet
PROGRAMS = load_programs(STAGES_JSON, ENGINE, "floyd")
SAME_HOST_CODE = dict(with_the_same_host_code([*PROGRAMS.items()], ENGINE))
# The vertices through which a round lets paths lead; for the stages that are not blocked, a step is
# a round.
STEPS = {
    **dict.fromkeys(("blocked", "register_tiles", "tagged_keys"), 32),
    **dict.fromkeys(("deep_rounds", "async_copies", "look_ahead"), 128),
    **dict.fromkeys(("tiles_by_size", "cpu_cores", "many_gpus"), 64),
}
PIVOTS = {stage: STEPS.get(words_of(stage), 1) for stage in PROGRAMS}


def csv_of(edges: list[tuple[int, int, int]]) -> str:
    return "".join(f"{source},{target},{weight}\n" for source, target, weight in edges)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return path

    def matrices(
        self, program: Path, *runs: Sequence[object], **settings: str
    ) -> list[tuple[str, str]]:
        """Distances and next hops of each run. All must be right."""
        written = [
            (self.folder / f"distances{i}", self.folder / f"hops{i}") for i in range(len(runs))
        ]
        words = sharing_a_process(
            ["--check", "--quiet", "--output", paths[0], "--next-hop", paths[1], *run]
            for run, paths in zip(runs, written, strict=True)
        )
        result = execute(program, *words, **settings)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        texts = [
            (distances.read_text(encoding="utf-8"), hops.read_text(encoding="utf-8"))
            for distances, hops in written
        ]
        for path in itertools.chain(*written):
            path.unlink()
        return texts

    def refuse(
        self, program: Path, status: int, said: str, *arguments: object, **settings: str
    ) -> str:
        """The run must end with this status, one line that contains `said`, and no file."""
        written = [self.folder / name for name in ("distances", "hops", "rows")]
        result = execute(
            program,
            "--output",
            written[0],
            "--next-hop",
            written[1],
            "--csv",
            written[2],
            *arguments,
            **(NO_COUNTERS | settings),
        )
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(said, result.stderr)
        for path in written:
            self.assertFalse(path.exists())
        return result.stderr

    def refuse_each(self, program: Path, runs: Sequence[Sequence[object]]) -> list[str]:
        """The line of each run, in one process. All must fail, and write no file."""
        written = [
            (self.folder / f"distances{i}", self.folder / f"hops{i}") for i in range(len(runs))
        ]
        words = sharing_a_process(
            ["--check", "--output", paths[0], "--next-hop", paths[1], *run]
            for run, paths in zip(runs, written, strict=True)
        )
        result = execute(program, *words, **NO_COUNTERS)
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        for path in itertools.chain(*written):
            self.assertFalse(path.exists())
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), len(runs), result.stderr)
        return lines


@unittest.skipIf(LONG, "the long tests")
class FloydTest(Case):
    def test_files(self) -> None:
        files = {
            "a.gr": (
                "p sp 4 5\na 1 2 7\na 2 3 -1\na 1 3 9\na 1 2 8\na 3 1 0\n",
                "0,7,6,inf\n-1,0,-1,inf\n0,7,0,inf\ninf,inf,inf,0\n",
                "1,2,2,-1\n3,2,3,-1\n1,1,3,-1\n-1,-1,-1,4\n",
            ),
            "pmed": (
                "3 3 1\n1 2 5\n2 3 4\n2 1 7\n",
                "0,7,11\n7,0,4\n11,4,0\n",
                "1,2,2\n1,2,3\n2,2,3\n",
            ),
            "e.csv": (
                "from,to,weight\n0,1,3\n1,2,-2\n",
                "0,3,1\ninf,0,-2\ninf,inf,0\n",
                "0,1,1\n-1,1,2\n-1,-1,2\n",
            ),
        }
        runs = [["--input", self.file(name, content)] for name, (content, _, _) in files.items()]
        expected = [(distances, hops) for _, distances, hops in files.values()]
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                self.assertEqual(self.matrices(program, *runs), expected)

    def test_a_path(self) -> None:
        path = self.file("a.gr", "p sp 4 3\na 1 2 7\na 2 3 -1\na 3 1 0\n")
        for stage, program in SAME_HOST_CODE.items():
            for ends, said in (
                ("1,3", "1 -> 2 -> 3"),
                ("3,2", "3 -> 1 -> 2"),
                ("4,1", "none"),
                ("2,2", "2"),
            ):
                with self.subTest(f"{stage} {ends}"):
                    result = execute(
                        program, "--input", path, "--path", ends, "--repeats", 1, **NO_COUNTERS
                    )
                    read_as = f"{path}: read as DIMACS: its name ends in .gr\n"
                    self.assertEqual((result.returncode, result.stderr), (0, read_as))
                    self.assertIn(f"  path            {said}\n", result.stdout)

    def test_all_stages_agree_cell_by_cell(self) -> None:
        """In all distances; and in the next hops, also where paths tie, if they have rounds of the
        same length: of equal sums the first pivot's counts."""
        graphs = (
            ["--n", 65],
            ["--n", 50, "--density", 0.05, "--max-weight", 2, "--negative"],
            ["--n", 150, "--max-weight", 1, "--density", 0.2],
            ["--n", 40, "--input", "grid", "--max-weight", 0],
        )
        all_results = {stage: self.matrices(PROGRAMS[stage], *graphs) for stage in PROGRAMS}
        for i, words in enumerate(graphs):
            with self.subTest(" ".join(map(str, words))):
                results = {stage: matrices[i] for stage, matrices in all_results.items()}
                self.assertEqual(len({distances for distances, _ in results.values()}), 1)
                hops = {(PIVOTS[stage], hops) for stage, (_, hops) in results.items()}
                self.assertEqual(len(hops), len(set(PIVOTS.values())))

    @unittest.skipIf(ENGINE == "gpu", "a GPU chooses its own order")
    def test_every_order(self) -> None:
        graphs = (
            ["--n", 70, "--max-weight", 1, "--negative"],
            ["--n", 35, "--input", "complete"],
        )
        for stage, program in PROGRAMS.items():
            expected = self.matrices(program, *graphs)
            for schedule in ("reversed", "shuffled:1", "shuffled:2", "shuffled:3"):
                with self.subTest(f"{stage} {schedule}"):
                    self.assertEqual(
                        self.matrices(program, *graphs, EMULATOR_SCHEDULE=schedule), expected
                    )

    @unittest.skipIf(ENGINE == "gpu", "only the CPU engine has a GPU with less shared memory")
    def test_a_block_with_too_little_shared_memory(self) -> None:
        said = "(emulated) a block can have 49152; stages limit/01 to limit/03 need less"
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                if PIVOTS[stage] == 128:
                    self.refuse(program, 77, said, "--n", 40, EMULATOR_DEVICE="gtx980")
                else:
                    self.matrices(program, ["--n", 40], EMULATOR_DEVICE="gtx980")

    def test_negative_cycles(self) -> None:
        """Cycles that the first step closes, the last, or one between; and weights that would
        double beyond 32 bits."""
        chance = random.Random(5)
        large = 3_800_000  # nearly the largest weight that "last" may have
        ring = [(v, v + 1, large) for v in range(69)]
        graphs = {
            "first": [(0, 1, 1), (1, 0, -2)] + [(v, v + 1, 1) for v in range(1, 60)],
            "last": [(69, 0, -69 * large - 1), *ring],
            "hub": [edge for v in range(1, 50) for edge in ((0, v, large), (v, 0, -large - 1))],
            "many": [
                (a, b, chance.randint(-large, large))
                for a in range(60)
                for b in range(60)
                if a != b
            ],
            # With rounds of several steps: within one round, across two, and through the last
            # vertex.
            "in a round": [(v, v + 1, 1) for v in range(139)] + [(135, 130, -6)],
            "across rounds": [(v, v + 1, 1) for v in range(139)] + [(131, 60, -72)],
            "through the last": [(v, 139, v) for v in range(139)] + [(139, 7, -8)],
            "apart": [(0, 1, 5), (1, 0, 5), (31, 32, 0), (32, 33, -1), (33, 31, 0)],
        }
        paths = {name: self.file(f"{name}.csv", csv_of(edges)) for name, edges in graphs.items()}
        for stage, program in PROGRAMS.items():
            said = self.refuse_each(program, [["--input", path] for path in paths.values()])
            for (name, edges), line in zip(graphs.items(), said, strict=True):
                with self.subTest(f"{stage} {name}"):
                    self.assertIn(f"{paths[name]}: a cycle has negative length ", line)
                    length, cycle = line.split("negative length ")[1].split(": ")
                    hops = [int(vertex) for vertex in cycle.split(" -> ")]
                    self.assertEqual(hops[0], hops[-1])
                    weights = {(source, target): weight for source, target, weight in edges}
                    self.assertEqual(
                        sum(weights[hop] for hop in zip(hops, hops[1:], strict=False)), int(length)
                    )
                    self.assertLess(int(length), 0)
        nothing = self.file("zero.csv", csv_of([(69, 0, -69 * large), *ring]))
        for stage, program in PROGRAMS.items():
            with self.subTest(f"{stage} a cycle of length 0"):
                self.assertEqual(
                    self.matrices(program, ["--input", nothing])[0][0]
                    .splitlines()[69]
                    .split(",")[69],
                    "0",
                )

    @unittest.skipIf(ENGINE != "count", "only the engine with counters counts stores")
    def test_nothing_is_stored_after_a_negative_cycle(self) -> None:
        """Otherwise each step could double the values, until they exceed 32 bits."""
        n = 150  # more than one round
        path = self.file(
            "first.csv", csv_of([(0, 1, 1), (1, 0, -2), *((v, v + 1, 1) for v in range(1, n - 1))])
        )
        counters = self.folder / "counters.json"
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                result = execute(
                    program, "--check", "--quiet", "--input", path, "--counters", counters
                )
                self.assertEqual(result.returncode, 1)
                kernels = json.loads(counters.read_text(encoding="utf-8"))["kernels"]
                stored, launches = {}, {}
                for kernel in kernels:
                    name = kernel["name"].split("::")[-1].partition("<")[0]
                    launches[name] = kernel["launches"]
                    stored[name] = sum(
                        line["lanes"]
                        for line in kernel["lines"]
                        if line["operation"] == "store" and line["space"] == "global"
                    )
                if PIVOTS[stage] == 1:
                    self.assertEqual(launches, {"relax_through_kernel": n})
                    # The first step stores a distance and a next hop; each later step hands on the
                    # flag.
                    self.assertEqual(stored, {"relax_through_kernel": 2 + n - 1})
                    continue
                # Only what leads to other cells of the matrices matters. Rounds hand on the flag:
                # in stages that look ahead, the kernel of the tiles does.
                rounds = -(-n // PIVOTS[stage])
                self.assertEqual(launches["relax_columns_kernel"], rounds)
                self.assertEqual(stored["relax_columns_kernel"], 0)
                looks_ahead = words_of(stage) in ("look_ahead", "tiles_by_size")
                self.assertEqual(stored["relax_tiles_kernel"], rounds - 1 if looks_ahead else 0)

    def test_faults_in_files(self) -> None:
        for name, content, said in (
            ("e.csv", "", "e.csv: holds no data"),
            ("e.csv", "0,1,2\n1,2\n", "e.csv:2: "),
            ("e.csv", "0,1,2\n1,1,-2\n", "e.csv:2: "),
            ("e.csv", "0,1,0.5\n", "e.csv:1: "),
            ("e.csv", "0,1,1\n\n0,1000000,1\n", "e.csv:3: "),
            ("a.gr", "p sp 3 2\na 1 2 3\n", "a.gr:2: "),
            ("pmed", "3 1 1\n1 4 3\n", "pmed:2: "),
            ("e.csv", "0,1,500000000\n1,2,500000000\n", "e.csv: a path may be 1000000000 long"),
            ("e.csv", "0,999999,1\n", "e.csv: n = 1000000 needs"),
        ):
            path = self.file(name, content)
            for stage, program in SAME_HOST_CODE.items():
                with self.subTest(f"{stage} {content!r}"):
                    self.refuse(program, 1, said, "--input", path)

    @unittest.skipIf(ENGINE != "count", "only the engine with counters counts bytes")
    def test_no_stage_declares_more_than_it_moves(self) -> None:
        """No matter how few paths there are."""
        for stage, program in PROGRAMS.items():
            for words in (
                ["--n", 2],
                ["--n", 37],
                ["--n", 37, "--density", 0],
                ["--n", 64, "--input", "complete"],
            ):
                with self.subTest(f"{stage} {words}"):
                    declared, moved = declared_and_moved(program, *words)
                    self.assertGreater(declared, 0)
                    self.assertLessEqual(declared, moved)


@unittest.skipIf(not LONG, "the short tests")
class BlockedTest(Case):
    """Graphs that are hard for rounds of several steps."""

    def test_hard_graphs(self) -> None:
        for words in (
            "--n 300 --max-weight 0",  # all paths tie
            "--n 260 --input grid --max-weight 0",
            "--n 290 --density 0.02 --max-weight 1",  # cycles of length 0
            "--n 300 --density 0.01 --negative",  # disconnected
            "--n 260 --density 0",
            "--n 128 --negative",
            "--n 129 --density 1 --max-weight 1",
            # Distances that do not fit a key, up to kMaxDistance.
            "--n 130 --input cycle --max-weight 4161000",
            "--n 100 --max-weight 5000000",
            "--n 60 --max-weight 4000000 --negative",
            "--n 300 --input longest-path",
            "--n 2 --input complete --max-weight 536870911",
            "--n 3 --input cycle --max-weight 268435455",
            "--n 300 --input negative-cycle",
            "--n 385",
        ):
            for stage, program in PROGRAMS.items():
                with self.subTest(f"{stage} {words}"):
                    result = execute(program, "--check", *words.split(), **NO_COUNTERS)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_zero_cycles_across_rounds(self) -> None:
        """Two-cycles of weight 0 and ties between all vertices whose numbers differ by the length
        of a round: the published form of the blocked algorithm makes loops of next hops here."""
        chance = random.Random(19)
        for n in (70, 200, 300):
            for _ in range(3):
                edges = []
                for _ in range(4 * n):
                    a, b = chance.randrange(n), chance.randrange(n)
                    if a == b:
                        continue
                    if chance.random() < 0.5:
                        edges += [(a, b, 0), (b, a, 0)]
                    else:
                        edges.append((a, b, chance.randrange(3)))
                path = self.file("ties.csv", csv_of(edges))
                for stage, program in PROGRAMS.items():
                    with self.subTest(f"{stage} n={n}"):
                        result = execute(
                            program, "--check", "--quiet", "--input", path, "--n", n, **NO_COUNTERS
                        )
                        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
