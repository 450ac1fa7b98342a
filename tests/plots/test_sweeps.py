# SPDX-License-Identifier: MIT
"""Each sweep definition is what plots/sweeps/README says, and holds the sizes that the figures need."""

import tomllib
import unittest

from plots_data import (BIG_STAGES, BITONIC_STAGES, MONTECARLO_STAGES, NBODY_STAGES, PLOTS, ROOT,
                        SMALL_STAGES)

KEYS = {"name": str, "scope": str, "engine": str, "figures": list, "stages": list, "n": list,
        "args": list, "match": dict, "seeds": list, "repeats": int, "long_run_seconds": (int, float),
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
                self.assertIn(sweep["engine"], ("gpu", "cpu") if sweep["scope"] == "record"
                              else ("gpu", "cpu", "emu"))
                self.assertEqual(sweep["n"], sorted(set(sweep["n"])))
                self.assertTrue(all(isinstance(n, int) and n > 0 for n in sweep["n"]))
                self.assertTrue(all(isinstance(word, str) for word in sweep.get("args", [])))
                for stage in sweep["stages"]:
                    self.assertTrue((ROOT / "chapters" / chapter / stage).is_dir(), stage)

    def test_names_are_unique(self) -> None:
        names = [(chapter, sweep["name"]) for chapter, sweep in sweeps()]
        self.assertEqual(len(names), len(set(names)))

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
        self.assertIn(10**9, sizes("quicksort", "record", "gpu", "12_big_lazy_streams", input="uniform"))
        self.assertLessEqual({80_000_000, 160_000_000}, sizes("quicksort", "record", "cpu", "00_cpu"))

    def test_record_scope_repeats_five_times(self) -> None:
        for chapter, sweep in sweeps():
            if sweep["scope"] == "record" and "seeds" not in sweep:
                with self.subTest(chapter=chapter, sweep=sweep["name"]):
                    self.assertGreaterEqual(sweep.get("repeats", 5), 5)
                    limit = sweep.get("long_run_seconds", 5)  # 0: whatever a run takes
                    self.assertTrue(limit == 0 or limit >= (1 if sweep["engine"] == "cpu" else 5))


if __name__ == "__main__":
    unittest.main()
