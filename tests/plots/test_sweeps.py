# SPDX-License-Identifier: MIT
"""Each sweep definition is what plots/sweeps/README says, and holds the sizes that the figures need."""

import itertools
import re
import tomllib
import unittest

from plots_data import (BIG_STAGES, BITONIC_STAGES, DISTMESH_STAGES, FLOYD_STAGES, KMEANS_STAGES, MERGESORT_STAGES, MONTECARLO_STAGES,
                        NBODY_STAGES, PLOTS, ROOT, SMALL_STAGES, storms_stages)

import distmesh
import figures
import measurements
import mergesort
import storms

KEYS = {"name": str, "scope": str, "engine": str, "figures": list, "stages": list, "n": list,
        "args": list, "vary": dict, "match": dict, "seeds": list, "repeats": int, "long_run_seconds": (int, float),
        "optional": bool}
REQUIRED = {"name", "scope", "engine", "figures", "stages", "n"}


def sweeps() -> list[tuple[str, dict]]:
    found = []
    for path in sorted((PLOTS / "sweeps").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        assert document["chapter"] == path.stem
        found += [(path.stem, sweep) for sweep in document["sweep"]]
    return found


def sizes(chapter: str, scope: str, engine: str, stage: str, **match: object) -> set[int]:
    return {n for name, sweep in sweeps() for n in sweep["n"]
            if (name, sweep["scope"], sweep["engine"]) == (chapter, scope, engine)
            and stage in sweep["stages"]
            and all(sweep.get("match", {}).get(key) == value for key, value in match.items())}


KMEANS_RUN = {"input": "uniform", "init": "random", "max-iterations": 20, "all-iterations": 1}


def kmeans_sizes(scope: str, engine: str, stage: str, k: int) -> set[int]:
    """The n of the sweeps that make this k, which some vary and others give."""
    return {n for name, sweep in sweeps() for n in sweep["n"]
            if (name, sweep["scope"], sweep["engine"]) == ("kmeans", scope, engine) and stage in sweep["stages"]
            and k in sweep.get("vary", {}).get("k", [sweep.get("match", {}).get("k")])}


class SweepsTest(unittest.TestCase):
    def test_format(self) -> None:
        self.assertTrue(sweeps())
        for chapter, sweep in sweeps():
            with self.subTest(chapter=chapter, sweep=sweep.get("name")):
                self.assertLessEqual(REQUIRED, set(sweep))
                for key, value in sweep.items():
                    self.assertIn(key, KEYS)
                    self.assertIsInstance(value, KEYS[key])
                self.assertIn(sweep["scope"], ("record", "here"))
                self.assertIn(sweep["engine"], ("gpu", "cpu", "opencl") if sweep["scope"] == "record"
                              else ("gpu", "cpu", "opencl", "emu"))
                for values in sweep.get("vary", {}).values():
                    self.assertEqual(len(values), len(set(values)))
                # A flag given twice would say one thing and be recognised by the other.
                flags = [word for word in sweep.get("args", []) if word.startswith("--")]
                self.assertEqual(len(flags), len(set(flags)))
                self.assertFalse({word.removeprefix("--") for word in flags} & set(sweep.get("vary", {})))
                self.assertFalse(set(sweep.get("match", {})) & set(sweep.get("vary", {})))
                self.assertEqual(sweep["n"], sorted(set(sweep["n"])))
                self.assertTrue(all(isinstance(n, int) and n > 0 for n in sweep["n"]))
                self.assertTrue(all(isinstance(word, str) for word in sweep.get("args", [])))
                for stage in sweep["stages"]:
                    self.assertTrue((ROOT / "chapters" / chapter / stage).is_dir(), stage)

    def test_names_are_unique(self) -> None:
        names = [(chapter, sweep["name"]) for chapter, sweep in sweeps()]
        self.assertEqual(len(names), len(set(names)))

    def test_what_reads_the_rows_exists(self) -> None:
        for chapter, sweep in sweeps():
            if figures.chapter_module(chapter) is None:
                continue
            readme = (ROOT / "chapters" / chapter / "README.md").read_text(encoding="utf-8")
            known = {f"table:{name}" for name in re.findall("<!-- table:(.*?) -->", readme)}
            known |= {one.name.removeprefix("figure_").replace("_", ".") if one.name.startswith("figure_") else one.name
                      for one in figures.all_figures() if one.chapter == chapter}
            with self.subTest(chapter=chapter, sweep=sweep["name"]):
                self.assertTrue(sweep["figures"])
                self.assertLessEqual(set(sweep["figures"]), known)

    def test_record_scope_has_the_thesis_sizes(self) -> None:
        for stage in NBODY_STAGES:
            self.assertLessEqual({100_000 * 2**i for i in range(6)},
                                 sizes("nbody", "record", "gpu", stage, steps=0))
            self.assertEqual({10_000 * 2**i for i in range(6)},
                             sizes("nbody", "record", "gpu", stage, steps=100))
        self.assertLessEqual({160_000, 320_000}, sizes("nbody", "record", "cpu", "00_cpu"))
        self.assertLessEqual({10**10 * 2**i for i in range(7)},
                             sizes("montecarlo", "record", "gpu", MONTECARLO_STAGES[-1]))
        for stage in MONTECARLO_STAGES[:-1]:
            self.assertLess(max(sizes("montecarlo", "record", "gpu", stage)), 2**32)
        self.assertIn(6_400_000_000, sizes("montecarlo", "record", "cpu", "00_cpu"))
        for stage in BITONIC_STAGES:
            self.assertEqual({2048}, sizes("quicksort", "record", "gpu", stage, input="uniform"))
        for stage in SMALL_STAGES:
            self.assertEqual({6080, 28_992}, sizes("quicksort", "record", "gpu", stage, input="uniform"))
        for stage in BIG_STAGES:
            self.assertLessEqual({10**7 * 2**i for i in range(5)},
                                 sizes("quicksort", "record", "gpu", stage, input="uniform"))
            for name in ("uniform", "sorted", "all-equal", "few-unique"):
                self.assertIn(2**20, sizes("quicksort", "record", "gpu", stage, input=name))
        for stage in MERGESORT_STAGES:
            self.assertLessEqual({10**7 * 2**i for i in range(6)},
                                 sizes("mergesort", "record", "gpu", stage, input="uniform"))
        self.assertIn(10**9, sizes("mergesort", "record", "gpu", MERGESORT_STAGES[-1], input="uniform"))
        self.assertLessEqual({10**7 * 2**i for i in range(6)}, sizes("mergesort", "record", "cpu", "00_cpu"))
        self.assertIn(10**9, sizes("quicksort", "record", "gpu", "12_big_lazy_streams", input="uniform"))
        for stage in FLOYD_STAGES:
            self.assertLessEqual({1000, 2000, 3000, 4000, 5000, 20_000}, sizes("floyd", "record", "gpu", stage, input="random"))
        self.assertEqual({1000, 2000, 3000, 4000, 5000}, sizes("floyd", "record", "cpu", "00_cpu", input="random"))
        self.assertLessEqual({80_000_000, 160_000_000}, sizes("quicksort", "record", "cpu", "00_cpu"))
        for k in (4, 8, 16, 32):
            for stage in KMEANS_STAGES:
                self.assertLessEqual({2 * 10**7, 4 * 10**7, 16 * 10**7, 32 * 10**7}, kmeans_sizes("record", "gpu", stage, k))
            self.assertLessEqual({80_000_000, 160_000_000}, kmeans_sizes("record", "cpu", "00_cpu", k))

    def test_record_scope_has_every_size_of_seed_004_s_tables(self) -> None:
        printed = {cell.n for cell in distmesh.seed_cells()} - {0}
        self.assertEqual(len(printed), 13)
        for engine, stages in (("cpu", ("00_cpu",)), ("gpu", DISTMESH_STAGES)):
            for stage in stages:
                found = sizes("distmesh", "record", engine, stage, **{"input": "circle", "max-iterations": 10_000})
                self.assertEqual(found, printed)
        serial = sizes("distmesh", "here", "cpu", "00_cpu", input="circle")
        for engine in ("gpu", "emu"):
            for stage in DISTMESH_STAGES:
                found = sizes("distmesh", "here", engine, stage, input="circle")
                self.assertTrue(len(found) > 1 and found <= serial, (engine, stage))

    def test_kmeans_always_does_the_same_iterations(self) -> None:
        for chapter, sweep in sweeps():
            if chapter == "kmeans":
                with self.subTest(sweep=sweep["name"]):
                    self.assertEqual(sweep["args"][-3:], ["--all-iterations", "--max-iterations", "20"])
                    self.assertLessEqual(KMEANS_RUN.items(), sweep["match"].items())
                    self.assertEqual(sweep.get("vary", {"k": [sweep["match"].get("k")]}).keys(), {"k"})
                    if "vary" not in sweep:
                        self.assertEqual(sweep["args"][:2], ["--k", str(sweep["match"]["k"])])

    def test_a_race_on_purpose_is_not_measured(self) -> None:
        stages = measurements.read_stages(measurements.stages_file())
        racing = [stage["stage"] for stage in stages if stage.get("race_on_purpose")]
        self.assertEqual(racing, ["storms/02_relax_with_race"])
        for chapter, sweep in sweeps():
            self.assertFalse({f"{chapter}/{stage}" for stage in sweep["stages"]} & set(racing), sweep["name"])

    def test_here_scope_has_the_serial_times_beside_the_kernels(self) -> None:
        for k in (4, 8, 16, 32):
            serial = kmeans_sizes("here", "cpu", "00_cpu", k)
            for engine in ("gpu", "emu"):
                for stage in KMEANS_STAGES:
                    found = kmeans_sizes("here", engine, stage, k)
                    self.assertTrue(len(found) > 1 and found <= serial, (engine, stage, k))

    def test_storms_every_stage_runs_the_same_waves(self) -> None:
        """A workload's name says which: a row of other waves at the same n would be taken for one of them."""
        for scope, engine in (("record", "gpu"), ("here", "gpu"), ("here", "emu")):
            runs: dict[tuple[str, str], set[tuple[int, int, int]]] = {}
            for chapter, sweep in sweeps():
                if chapter == "storms" and sweep["scope"] == scope and sweep["engine"] in (engine, "cpu"):
                    match, args = sweep["match"], sweep["args"]
                    self.assertEqual(args[:2], ["--input", match["input"]], sweep["name"])
                    if "--particles" in args:
                        self.assertEqual(int(args[args.index("--particles") + 1]) * match["waves"], match["particles"])
                    for stage in sweep["stages"]:
                        runs.setdefault((match["input"], stage), set()).update(
                            (n, match["waves"], match["particles"]) for n in sweep["n"])
            for name in storms.WORKLOADS:
                of_stages = {stage: runs.get((name, stage)) for stage in ("00_cpu", *storms_stages())}
                self.assertEqual(len(of_stages["00_cpu"] or ()), 1, (scope, engine, name))
                self.assertEqual([stage for stage, found in of_stages.items() if found != of_stages["00_cpu"]], [],
                                 (scope, engine, name))
            serial = runs["small", "00_cpu"]
            for stage in storms_stages():
                found = runs["small", stage]
                self.assertGreater(len(found & serial), 1, (scope, engine, stage))
                self.assertEqual({run[1:] for run in found | serial}, {(storms.CELLS.match["waves"], storms.CELLS.match["particles"])})

    def test_record_scope_has_every_place_of_seed_003_s_tables(self) -> None:
        recorded = set()
        for chapter, sweep in sweeps():
            if chapter != "mergesort" or sweep["scope"] != "record":
                continue
            names, lists = list(sweep.get("vary", {})), list(sweep.get("vary", {}).values())
            for n, *values in itertools.product(sweep["n"], *lists):
                run = {"input": "uniform"} | sweep.get("match", {}) | dict(zip(names, values))
                given = dict(zip(sweep.get("args", [])[::2], sweep.get("args", [])[1::2]))
                for key, value in run.items():  # what rows are recognised by is what the run is told
                    if key not in names and f"--{key}" in given:
                        self.assertEqual(given[f"--{key}"], str(value), sweep["name"])
                if sweep.get("seeds") == [21364]:
                    recorded |= {(stage, n, *sorted((key, str(value)) for key, value in run.items()))
                                 for stage in sweep["stages"]}
        for cell in mergesort.seed_cells():
            place = (cell.stage, cell.n, *sorted((cell.parameters | {"input": cell.input}).items()))
            self.assertIn(place, recorded, cell)
        for n in (2**15, 2**27):  # CUDA's block, for the comparison
            self.assertIn(("10_multisort_opencl", n, ("input", "uniform"), ("size-i", "2"), ("threads", "32")), recorded)

    def test_record_scope_repeats_enough(self) -> None:
        for chapter, sweep in sweeps():
            if sweep["scope"] == "record" and "seeds" not in sweep:
                with self.subTest(chapter=chapter, sweep=sweep["name"]):
                    # To make and verify k-means' points takes longer than their clusters do.
                    few = 5 if chapter != "kmeans" else 3 if max(sweep["n"]) <= 80_000_000 else 1
                    self.assertGreaterEqual(sweep.get("repeats", 5), few)
                    limit = sweep.get("long_run_seconds", 5)  # 0: whatever a run takes
                    self.assertTrue(limit == 0 or limit >= 1)


if __name__ == "__main__":
    unittest.main()
