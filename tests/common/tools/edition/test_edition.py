# SPDX-License-Identifier: MIT
"""A student's edition, written and used as a class would: its labs are judged as here, its stages
run, its site is drawn, and no solution is in it. Only one chapter is built."""

import json
import os
import re
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from common.tools.labs.catalogue import load_labs
from tests.common.tools.course_tools import BUILD, ROOT
from tests.plots.commands.creating.copied_tree import shell

# Of each kind, and one whose solution has names of its own.
LABS = ("basics/02", "basics/11", "basics/mistake1", "basics/question1")
HIDDEN = ("basics/02_warp_per_row", "basics/05_padded_tile", "basics/11_streams")
# What `make test` runs of a chapter, and one of the libraries' tests: they are the same there.
SUITE, OF_LIBRARY = "basics", "common harness"
TOUR = """
from plots.commands.tour import Tour
from common.tools.lib.stages import load_stages
tour = Tour([one for one in load_stages() if one.chapter == "basics"])
tour.run()
print(tour.summary(), *tour.left_out, *tour.failures, sep="\\n")
"""


class EditionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        scratch = Path(tempfile.mkdtemp(prefix="für mich "))
        cls.addClassCleanup(shutil.rmtree, scratch)
        cls.root = scratch / "students"
        status, output = shell(
            ROOT, f"python3 -m common.tools.edition.write DIR='{cls.root}'", 900,
            DIR=str(cls.root), LABS=",".join(LABS), PYTHONPATH=str(ROOT), COURSE_BUILD=str(BUILD),
        )  # fmt: skip
        assert status == 0, output
        cls.said = output
        cls.labs = {name: lab for name, lab in load_labs().items() if name in LABS}

    def run_here(self, command: str, expected: int = 0) -> str:
        begun = time.monotonic()
        status, output = shell(self.root, command, 900)
        print(f"{time.monotonic() - begun:6.1f} s  {command[:100]}", flush=True)
        self.assertEqual(status, expected, f"{command}\n{output[-4000:]}")
        return output

    def test_1_no_solution_is_in_it(self) -> None:
        self.assertIn("4 labs", self.said)
        for name in HIDDEN:
            (source,) = (self.root / "chapters" / name).glob("*.cu")
            self.assertNotIn("{", source.read_text("utf-8"))
        solved = [self.labs[name].solution.text() for name in LABS if "question" not in name]
        lines = {
            line.strip()
            for text in solved
            for line in text.splitlines()
            if len(line.strip()) > 40 and not line.strip().startswith(("//", "#", "using"))
        }
        # Lines that other stages or the starts have, too, are no secret.
        sources = [*self.root.rglob("*.cu"), *self.root.rglob("*.cuh")]
        known = {line.strip() for one in sources for line in one.read_text("utf-8").splitlines()}
        secret = lines - known
        self.assertGreater(len(secret), 10)
        for path in self.root.rglob("*"):
            if path.is_file() and path.suffix in (".md", ".toml", ".json", ".py", ".build", ".txt"):
                text = path.read_text("utf-8")
                found = [line for line in secret if line in text]
                self.assertEqual(found, [], path)
                self.assertNotIn("LABS.md)", text, path)
        names = {path.name for path in self.root.rglob("*")}
        self.assertEqual(
            names & {"labs.toml", "LABS.md", "mutations.toml", "goal_programs.toml"}, set()
        )

    def test_2_starts_have_no_reasons(self) -> None:
        for lab in self.labs.values():
            folder = self.root / "labs" / lab.folder_name
            self.assertIn(f"# {lab.name}: ", (folder / "TASK.md").read_text("utf-8"))
            (source,) = folder.glob("*.cu")
            titles = 1 if lab.kind == "mistake" else 2  # a mistake's title would name its stage
            self.assertEqual(len(re.findall("//", source.read_text("utf-8"))), titles, source)

    def check(self, name: str, text: str, points: int, more: str = "") -> str:
        lab = self.labs[name]
        file = self.root / "mine" / lab.file_name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        met = points == lab.of
        said = self.run_here(
            f"make check LAB={name} FILE=mine/{lab.file_name} {more}", 0 if met else 2
        )
        self.assertIn(f"{name}: {points} of {lab.of} points", said)
        return said

    def test_3_labs_are_judged_as_here(self) -> None:
        self.run_here("make lab LAB=basics/02")
        task = (self.root / "my/basics_02/TASK.md").read_text("utf-8")
        self.assertEqual(task, (self.root / "labs/basics_02/TASK.md").read_text("utf-8"))
        for name in ("basics/02", "basics/11", "basics/mistake1"):
            lab = self.labs[name]
            self.check(name, lab.solution.text(), lab.of)
        lab = self.labs["basics/02"]
        self.check(lab.name, lab.start.text(), lab.start_points)
        self.check("basics/question1", "answer = 1e9\n", 0)
        said = self.run_here("make check LAB=basics/02 SEED=7", 2)
        self.assertIn("knows the goals of the course's own inputs only", said)
        self.assertNotIn("make grade", self.run_here("make help"))

    def test_4_stages_run_and_pass_their_tests(self) -> None:
        self.run_here("common/tools/setup/build.sh --stages '' basics")
        listed = self.run_here("meson introspect --tests build")
        tests = json.loads(listed[listed.index("[") :])
        chosen = [
            test
            for test in tests
            if test["name"] == OF_LIBRARY
            or (
                any(suite.rpartition(":")[2] == SUITE for suite in test["suite"])
                and not any(suite.endswith((":long", ":gpu")) for suite in test["suite"])
            )
        ]
        programs = {
            os.path.relpath(word, self.root / "build")
            for test in chosen
            for word in test["cmd"]
            if word.startswith(f"{self.root}/build/") and os.path.basename(word) != "venv"
        }
        targets = sorted(name for name in programs if not name.startswith(".."))
        self.run_here(f"common/tools/setup/build.sh {' '.join(targets)}")
        names = " ".join(f"'{test['name']}'" for test in chosen)
        self.run_here(f"meson test -C build --no-rebuild {names}")
        log = (self.root / "build/meson-logs/testlog.json").read_text("utf-8").splitlines()
        results = {one["name"].rpartition(" / ")[2]: one["result"] for one in map(json.loads, log)}
        self.assertEqual(results["basics/03_parts_of_columns count"], "OK")
        self.assertEqual(results["common harness"], "OK")
        for name in HIDDEN:
            self.assertEqual(results[f"{name} emu"], "SKIP")

    def test_5_its_make_leaves_solutions_out(self) -> None:
        said = self.run_here(f"PYTHONPATH=. python3 -c '{TOUR}'")
        self.assertIn(f"{len(HIDDEN)} left out", said)
        self.assertNotIn("failed", said)
        self.assertIn("make lab LAB=basics/mistake1", said)
        self.run_here("make list")
        said = self.run_here("make stage FROM=basics/02_warp_per_row NAME=14_mine", 2)
        self.assertIn("FROM=basics/02_warp_per_row: it is the solution of the lab", said)
        said = self.run_here("make run STAGE=basics/02_warp_per_row", 2)
        self.assertIn("it is the solution of a lab: `make lab LAB=basics/02` begins it\n", said)
        if shutil.which("gnuplot"):
            self.run_here(
                "PYTHONPATH=. CHAPTER=basics DATA=recorded python3 -m plots.commands.measured_figures"
            )
            page = (self.root / "build/figures/basics-02_warp_per_row.html").read_text("utf-8")
            self.assertIn("the solution of the lab", page)


if __name__ == "__main__":
    unittest.main()
