# SPDX-License-Identifier: MIT
"""The profiler run: it reads Nsight Compute's tables, and goes on without metrics that it lacks."""

import contextlib
import io
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib.columns import PROFILE_COLUMNS
from plots.records.ncu import parse_launches, parse_number
from plots.records.profiling import parse_instances
from common.tools.lib.stages import DataError
from plots.nbody import profile
from plots.nbody.profile import BEFORE_AND_AFTER
from plots.records.instructions import instructions_per, opcode_class
from plots.records.rows import Metric, read_profile
from plots.records.stages import Stages
from tests.plots.fixtures import GPU, PlotsTest, stage
from tests.plots.nbody.data import OPCODES, profile_records

BEFORE, AFTER = BEFORE_AND_AFTER

RAW_PAGE = """==PROF== Connected to process 42
"ID","Process ID","Kernel Name","sass__inst_executed_per_opcode","sm__throughput.avg.pct_of_peak_sustained_elapsed","sm__absent"
"","","","inst","%",""
"0","42","compute_accelerations_kernel(const float4 *, int)","3,500 (FADD: 1,000; FFMA: 2000; MUFU: 500)","71.5","n/a"
"""


# Behaves as ncu does: the first call refuses a metric, the second writes a report, the import
# prints it.
FAKE_NCU = r"""#!{python}
import pathlib, sys
words = sys.argv[1:]
if "--import" in words:
    print(pathlib.Path(words[words.index("--import") + 1]).read_text())
    sys.exit(0)
metrics = words[words.index("--metrics") + 1].split(",")
if "smsp__inst_executed.sum" in metrics:
    print("==ERROR== Failed to access the following 1 metrics: smsp__inst_executed.sum")
    sys.exit(0)
assert "--profile" in words and "none" == words[words.index("--clock-control") + 1]
assert "0" == words[words.index("--launch-skip") + 1]
pathlib.Path(words[words.index("--export") + 1]).write_text({page!r})
"""


STAGE = r"""#!{python}
import json
print(json.dumps(dict(rows=[dict(device="{device}")])))
"""


class ParsingTest(unittest.TestCase):
    def test_numbers(self) -> None:
        self.assertEqual(parse_number("1,234.5"), 1234.5)
        self.assertEqual(parse_number("3500 (FADD: 1)"), 3500)
        self.assertIsNone(parse_number("n/a"))
        self.assertIsNone(parse_number(""))

    def test_instances(self) -> None:
        expected = {"FADD": 1000, "FFMA": 2000, "IMAD.WIDE": 3}
        for text in (
            "9 (FADD: 1,000; FFMA: 2000; IMAD.WIDE: 3)",
            "9 (FADD: 1000, FFMA: 2000, IMAD.WIDE: 3)",
        ):
            self.assertEqual(parse_instances(text), expected)
        self.assertEqual(parse_instances("3500"), {})

    def test_raw_page(self) -> None:
        (table,) = parse_launches(RAW_PAGE)
        self.assertEqual(table["sm__throughput.avg.pct_of_peak_sustained_elapsed"], ("%", "71.5"))
        with self.assertRaisesRegex(DataError, "no table"):
            parse_launches("==ERROR== no permission")

    def test_opcode_classes(self) -> None:
        for opcode, kind in (
            ("FFMA", "fp32"),
            ("FADD.FTZ", "fp32"),
            ("MUFU.RSQ", "special"),
            ("ISETP", "integer"),
            ("LDS", "memory"),
            ("BRA", "control"),
            ("S2R", "other"),
        ):
            self.assertEqual(opcode_class(opcode), kind)


class ClassesTest(PlotsTest):
    def metrics(self, values: dict[str, float]) -> list[Metric]:
        path = self.write("nbody_profile.csv", PROFILE_COLUMNS, profile_records(values))
        return [one for one in read_profile(path) if one.stage == AFTER]

    def test_by_opcode(self) -> None:
        mix = instructions_per(self.metrics(OPCODES), 1e6)
        for kind, count in (
            ("fp32", 8),
            ("special", 2),
            ("memory", 1),
            ("integer", 3),
            ("control", 1),
            ("other", 1),
        ):
            self.assertAlmostEqual(mix[kind], count, places=6)

    def test_by_operation_when_opcodes_are_missing(self) -> None:
        pairs = 1000.0 * 1000
        prefix = "smsp__sass_thread_inst_executed_op_"
        values = {
            prefix + "fp32_pred_on.sum": 8 * pairs,
            prefix + "integer_pred_on.sum": 3 * pairs,
            prefix + "memory_pred_on.sum": pairs,
            prefix + "control_pred_on.sum": pairs,
            "smsp__inst_executed_pipe_xu.sum": 2 * pairs / 32,
            "smsp__thread_inst_executed_pred_on.sum": 16 * pairs,
        }
        mix = instructions_per(self.metrics(values), 1e6)
        self.assertAlmostEqual(mix["special"], 2)
        self.assertAlmostEqual(mix["other"], 1)
        del values[prefix + "memory_pred_on.sum"]
        with self.assertRaisesRegex(KeyError, "memory"):
            instructions_per(self.metrics(values), 1e6)


class RunTest(PlotsTest):
    def script(self, path: Path, text: str, **values: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, value in values.items():
            text = text.replace("{" + name + "!r}", repr(value)).replace("{" + name + "}", value)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def profile(self, *words: str) -> str:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said), mock.patch.object(
            sys, "argv", ["profile", *words]
        ):
            self.assertEqual(profile.main(), 0, said.getvalue())
        return said.getvalue()

    def test_goes_on_without_a_metric_that_ncu_lacks(self) -> None:
        build, data = self.folder / "build", self.folder / "data"
        self.script(self.folder / "bin" / "ncu", FAKE_NCU, python=sys.executable, page=RAW_PAGE)
        found = []
        for name in BEFORE_AND_AFTER:
            self.script(build / name, STAGE, python=sys.executable, device=GPU)
            found.append(stage(name, "before", executables={"gpu": name}))
        own = Stages("nbody", found, "x")
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        environment = {"PATH": path, "COURSE_BUILD": str(build)}
        with mock.patch.dict(os.environ, environment), mock.patch.object(profile, "STAGES", own):
            said = self.profile("--data", str(data), "--n", "1000")
            self.assertIn("trying again without smsp__inst_executed.sum", said)
            self.assertIn("no value of smsp__issue_active", said)
            made = read_profile(data / "stand-in-gpu-1" / "nbody_profile.csv")
            values = {(one.stage, one.name): one.value for one in made}
            self.assertEqual(values[AFTER, "opcode:FFMA"], 2000)
            self.assertEqual(
                values[BEFORE, "sm__throughput.avg.pct_of_peak_sustained_elapsed"], 71.5
            )
            self.assertNotIn((AFTER, "sm__absent"), values)
            # The tables that were kept give the same without ncu.
            again = self.folder / "again"
            self.profile(
                "--tables",
                str(build / "profile"),
                "--device",
                GPU,
                "--data",
                str(again),
                "--n",
                "1000",
            )
        repeated = read_profile(again / "stand-in-gpu-1" / "nbody_profile.csv")
        self.assertEqual([one.value for one in repeated], [one.value for one in made])


if __name__ == "__main__":
    unittest.main()
