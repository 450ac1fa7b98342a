# SPDX-License-Identifier: MIT
"""Plans of a session: what a step runs and depends on, and mistakes, each in one line with its
place."""

import tempfile
import unittest
from pathlib import Path

from common.tools.lib.errors import DataError
from common.tools.lib.stages import load_stages
from plots.maintain.session.plan import KINDS, new_step, plan_text, read_plan
from plots.maintain.session.running import in_order
from plots.maintain.session.sources import digest_of, source_of

PLAN = """# the first line
[[step]]
name = "build"
kind = "build"
chapter = "nbody"

[[step]]
name = "times"
kind = "record"
chapter = "nbody"
sweeps = ["force", "serial"]
limit = 90.5
priority = 2

[[step]]
name = "checks"
kind = "sanitize"
chapter = "nbody"
stages = ["float3..float4", "shared_tiles"]

[[step]]
name = "own"
command = "echo a  b | cat"
sources = ["common/cuda"]
"""


class PlanTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "plan.toml")
        self.stages = load_stages()

    def read(self, text: str):
        self.path.write_text(text, encoding="utf-8")
        return read_plan(self.path, self.stages)

    def test_what_the_steps_run(self) -> None:
        steps = self.read(PLAN)
        self.assertEqual(
            [one.line for one in steps],
            [
                "common/tools/setup/build.sh --stages gpu nbody",
                "make record CHAPTER=nbody SWEEPS=force,serial",
                "make sanitize STAGE=nbody/01_float3,nbody/02_float4,nbody/03_shared_tiles",
                "echo a  b | cat",
            ],
        )
        self.assertEqual([one.quiet for one in steps], [True, True, False, False])
        self.assertEqual([one.limit for one in steps], [900, 90.5, 600, 600])
        self.assertEqual([one.may_be_cut for one in steps], [True, True, False, False])
        self.assertEqual([one.name for one in in_order(steps)], ["times", "build", "checks", "own"])
        profile = new_step("profile", "profile", chapter="nbody")
        self.assertEqual(
            profile.line,
            "common/tools/setup/build.sh --stages gpu nbody && python3 -m plots.nbody.profile",
        )
        self.assertEqual(new_step("all", "build").line, "common/tools/setup/build.sh stages")
        self.assertEqual(
            [new_step("all", kind).line for kind in ("test", "record", "prove", "instructions")],
            ["make test", "make record", "make prove", "make instructions"],
        )

    def test_a_printed_plan_is_a_plan(self) -> None:
        steps = self.read(PLAN)
        self.assertEqual(self.read(plan_text(steps)), steps)

    def test_mistakes_are_one_line_with_the_place(self) -> None:
        for old, new, said in (
            (
                'kind = "build"',
                'kind = "biuld"',
                ":4: step build: kind = 'biuld'; did you mean 'build'?",
            ),
            ('name = "times"', "", ":7: 'name' is missing"),
            ('name = "times"', 'name = "build"', ":8: two steps have the name 'build'"),
            ('name = "times"', 'name = "../times"', ":8: name = ../times: it must be a word"),
            (
                "limit = 90.5",
                "limt = 9",
                ":12: step times: there is no key 'limt'; did you mean 'limit'?",
            ),
            (
                "limit = 90.5",
                "limit = 0",
                ":12: step times: limit = 0: it must be a number of seconds",
            ),
            ("limit = 90.5", "limit = nan", ":12: step times: limit = nan: it must be"),
            ("limit = 90.5", "limit = ", "at line 12"),
            (
                "priority = 2",
                'priority = "2"',
                ":13: step times: priority = 2: it must be an integer",
            ),
            (
                "priority = 2",
                'stages = ["rsqrt"]',
                ":13: step times: a step of kind 'record' has no 'stages'",
            ),
            (
                '"force", ',
                '"forse", ',
                ":11: step times: there is no sweep 'forse'; did you mean 'force'?",
            ),
            (
                'sweeps = ["force", "serial"]',
                "sweeps = []",
                ":11: step times: sweeps = []: it must be a list",
            ),
            ('chapter = "nbody"\nsweeps', "sweeps", ":10: step times: 'sweeps' needs a 'chapter'"),
            (
                '"float3..',
                '"float33..',
                ":19: 'float33' is no stage of nbody; did you mean 'float3'?",
            ),
            (
                'kind = "sanitize"',
                'kind = "command"',
                "step checks: a step of kind 'command' has no",
            ),
            (
                'command = "echo a  b | cat"',
                'kind = "command"',
                ":23: step own: 'command' is missing",
            ),
            ("common/cuda", "common/kuda", ":24: step own: there is no 'common/kuda'"),
            (
                '[[step]]\nname = "own"',
                '[[stpe]]\nname = "own"',
                "there is no key 'stpe'; did you mean",
            ),
        ):
            self.assertIn(old, PLAN)
            with self.subTest(new), self.assertRaises(DataError) as raised:
                self.read(PLAN.replace(old, new))
            message = str(raised.exception)
            self.assertEqual((message.count("\n"), str(self.path) in message), (0, True), message)
            self.assertIn(said, message)
        for text, said in (
            ("", "has no step"),
            ("step = 3\n", "has no step"),
            ("step = [3]\n", "a step begins with"),
            (
                '[[step]]\nname="a"\nkind="build"\nchapter="nbodi"\n',
                ":4: step a: chapter = 'nbodi'",
            ),
            (
                '[[step]]\nname="a"\nkind="profile"\nchapter="basics"\n',
                ":4: step a: there is no plots/b",
            ),
        ):
            with self.subTest(text), self.assertRaisesRegex(DataError, said):
                self.read(text)
        with self.assertRaisesRegex(DataError, "plan.toml is missing"):
            self.path.unlink()
            read_plan(self.path, self.stages)


class SourcesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.addCleanup(digest_of.cache_clear)
        self.stages = load_stages()

    def write(self, name: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.read_text() + "x" if path.exists() else "x", encoding="utf-8")
        digest_of.cache_clear()

    def test_what_each_step_depends_on(self) -> None:
        steps = {
            kind: new_step(kind, kind, chapter="nbody")
            for kind in KINDS
            if kind not in ("test", "command")
        }
        steps["one"] = new_step("one", "sanitize", chapter="nbody", stages=["01_float3"])
        steps["test"] = new_step("test", "test")
        steps["own"] = new_step("own", "command", command="true", sources=["a"])
        checks, counts = {"build", "record", "profile", "sanitize"}, {"prove", "instructions"}
        every = checks | counts | {"test"}
        for name, changed in (
            ("chapters/nbody/01_float3/nbody.cu", every | {"one"}),
            ("chapters/nbody/problem/nbody.cpp", every | {"one"}),
            ("common/harness/run_stage.hpp", every | {"one"}),
            ("chapters/nbody/02_float4/nbody.cu", every),
            ("chapters/floyd/problem/floyd.cpp", {"test"}),
            ("chapters/nbody/README.md", {"test"}),
            ("chapters/nbody/02_float4/README.md", {"test"}),
            ("common/emulator/engine/warp.cpp", counts | {"test"}),
            ("plots/maintain/record.py", {"test"}),
            ("plots/nbody/sweep.toml", {"record", "profile", "test"}),
            ("plots/data/nvidia-h200/nbody.csv", set()),
            ("a/b.txt", {"own"}),
        ):
            before = {key: source_of(one, self.stages, self.root) for key, one in steps.items()}
            self.write(name)
            after = {key: source_of(one, self.stages, self.root) for key, one in steps.items()}
            found = {key for key in steps if before[key] != after[key]}
            self.assertEqual(found, changed, name)


if __name__ == "__main__":
    unittest.main()
