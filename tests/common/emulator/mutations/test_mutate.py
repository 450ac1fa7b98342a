# SPDX-License-Identifier: MIT
"""The mutation proof, with a stand-in for a counting executable."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from tests.common.tools.course_tools import ToolTest

SOURCE = """__global__ void sum_kernel(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();  // all must be there
    __syncwarp();  // orders nothing here
    *out = s[0] + s[1];
}
"""

# Reports the mutations in `found`: place -> line of the finding.
STAND_IN = """#!{python}
import json, os, pathlib, sys
assert sys.argv[1:4] == ["--check", "--quiet", "--n"], sys.argv
found = {found!r} if sys.argv[4] == os.environ.get("EMULATOR_DEVICE", "64") else dict()
lines = [("store", 3), ("barrier", 4), ("collective", 5), ("load", 6), ("store", 6), ("block", 1)]
lines = [dict(file="sums.cu", line=line, operation=operation)
         for operation, line in lines if line not in {unreached!r}]
lines.append(dict(file="curand_kernel.h", line=7, operation="load"))
at = [found.get(kind + os.environ.get(name, ""))
      for kind, name in (("-", "EMULATOR_SKIP"), ("+", "EMULATOR_SHIFT"))]
findings = [dict(kind={kind!r}, actors=[dict(file="sums.cu", line=line)]) for line in at if line]
findings.append(dict(kind="same_value_writes", actors=[dict(file="sums.cu", line=6)]))
document = dict(kernels=[dict(lines=lines)], findings=findings)
pathlib.Path(os.environ["EMULATOR_COUNTERS"]).write_text(json.dumps(document))
sys.exit(1 if any(at) else {status!r}.get(os.environ.get("EMULATOR_SKIP", ""), 0))
"""

# Reaches `lines`, and reports each access that is moved.
REPORTS_ALL = """#!{python}
import json, os, pathlib
lines = [dict(file=file, line=line, operation="load") for file, line in {lines!r}]
file, _, line = os.environ.get("EMULATOR_SHIFT", "").partition(":")
findings = [dict(kind="out_of_bounds", actors=[dict(file=file, line=int(line))])] if file else []
document = dict(kernels=[dict(lines=lines)], findings=findings)
pathlib.Path(os.environ["EMULATOR_COUNTERS"]).write_text(json.dumps(document))
raise SystemExit(1 if file else 0)
"""

ALL = {"-sums.cu:4": 6, "+sums.cu:3": 3, "+sums.cu:6": 6}
DATA = """
[runs]
default = "--n 64"
[[harmless]]
stage = "sums/*"
mutation = "barrier"
code = "__syncwarp();  // orders nothing"
reason = "one warp"
"""


class MutateTest(ToolTest):
    def mutate(
        self,
        found: dict[str, int],
        data: str = DATA,
        unreached: tuple[int, ...] = (),
        status: dict[str, int] | None = None,
        kind: str = "race_in_block",
        flags: tuple[str, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        record = self.stand_in("sums", "01_plain", "count", 0.01)
        source = self.folder / "sums" / "01_plain" / "sums.cu"
        source.write_text(SOURCE, encoding="utf-8")
        record["source"] = str(source)
        (self.build / "stages.json").write_text(json.dumps([record]), encoding="utf-8")
        program = self.build / record["executables"]["count"]
        program.write_text(
            STAND_IN.format(
                python=sys.executable,
                found=found,
                unreached=unreached,
                status=status or {},
                kind=kind,
            ),
            encoding="utf-8",
        )
        table = self.folder / "mutations.toml"
        table.write_text(data, encoding="utf-8")
        return self.run_mutate("sums/01_plain", table, *flags)

    def run_mutate(self, stage: str, table: Path, *flags: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                sys.executable,
                str(Path(__file__).with_name("mutate.py")),
                stage,
                "--data",
                str(table),
                *flags,
            ],
            env=os.environ | {"COURSE_BUILD": str(self.build)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def assert_wrong(self, result: subprocess.CompletedProcess[str], *said: str) -> None:
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        wrong = [
            line.partition("WRONG: ")[2] for line in result.stdout.splitlines() if "WRONG" in line
        ]
        self.assertEqual(len(wrong), len(said), wrong)
        for line, part in zip(wrong, said, strict=True):
            self.assertIn(part, line)

    def test_all_reported_or_explained(self) -> None:
        result = self.mutate(ALL)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("4 mutations, 0 wrong", result.stdout)
        self.assertIn("barrier sums.cu:5: harmless: one warp", result.stdout)

    def test_a_sample(self) -> None:
        """The seed draws the mutations. A harmless one is known though it was not drawn."""
        made = set()
        for seed in range(1, 5):
            flags = ("--sample", "1", "--seed", str(seed))
            result = self.mutate(ALL, flags=flags)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn(f"1 of 4 mutations, by seed {seed}", result.stdout)
            self.assertIn("1 mutations, 0 wrong", result.stdout)
            self.assertEqual(result.stdout, self.mutate(ALL, flags=flags).stdout)
            made |= {line for line in result.stdout.splitlines() if line.startswith("sums/")}
        self.assertGreater(len(made), 1)
        self.assert_wrong(
            self.mutate(
                ALL,
                DATA.replace("orders nothing", "is gone"),
                flags=("--sample", "1", "--seed", "2"),
            ),
            "no barrier at `__syncwarp();  // is gone`",
        )

    def test_one_that_is_not_reported(self) -> None:
        self.assert_wrong(
            self.mutate({"-sums.cu:4": 6, "+sums.cu:3": 3}), "sums.cu:6: shift: no finding"
        )

    def test_a_shift_reported_at_another_line(self) -> None:
        self.assert_wrong(
            self.mutate(ALL | {"+sums.cu:3": 6}), "sums.cu:3: shift: no finding, exit status 1"
        )
        # Another line reads the value that the moved store did not write.
        moved = self.mutate(ALL | {"+sums.cu:3": 6}, kind="uninitialised_shared")
        self.assertEqual(moved.returncode, 0, moved.stdout + moved.stderr)

    def test_runs_of_a_stage(self) -> None:
        """Runs follow one another until one reports. They may have settings, or be for some lines
        only."""
        for runs, said in (
            ('"sums/0[12]_*" = ["--n 1", "--n 32 EMULATOR_DEVICE=32"]', ""),
            ('sums = "--n 64"\n"sums/*" = "--n 1"', ""),
            ('"other/*" = "--n 1"', ""),
            ('"sums/*" = "--n 1"\nsums = "--n 64"', "no finding"),
            ('sums = ["--n 1", "ONLY=__sync,s[ --n 64"]', ""),
            ('sums = ["--n 1", "ONLY=__sync,s[0] --n 64"]', "sums.cu:3: shift: no finding"),
            ('sums = "ONLY=__sync,s[0] --n 64"', "sums.cu:3: shift: no run"),
        ):
            with self.subTest(runs):
                result = self.mutate(ALL, DATA.replace("[runs]", f"[runs]\n{runs}"))
                self.assertEqual(result.returncode, 1 if said else 0, result.stdout + result.stderr)
                self.assertIn(said, result.stdout)

    def test_a_wrong_result_is_no_report(self) -> None:
        found = {key: line for key, line in ALL.items() if key != "-sums.cu:4"}
        self.assert_wrong(
            self.mutate(found, status={"sums.cu:4": 1}),
            "sums.cu:4: barrier: no finding, exit status 1",
        )

    def test_harmless_entries_that_are_not(self) -> None:
        self.assert_wrong(self.mutate(ALL | {"-sums.cu:5": 6}), "though listed as harmless")
        self.assert_wrong(
            self.mutate(ALL, DATA.replace("orders nothing", "is gone")),
            "sums.cu:5: barrier: no finding",
            "no barrier at `__syncwarp();  // is gone`",
        )

    def test_a_barrier_that_no_run_reaches(self) -> None:
        self.assert_wrong(
            self.mutate(ALL, unreached=(4,)), "sums.cu:4: this barrier was never reached"
        )

    def test_headers_of_the_stage_before(self) -> None:
        """A line of a header belongs to the first stage of a ladder that reaches it, unless its
        mutation is harmless only there."""
        both, own = ("tree.cuh", 1), ("tree.cuh", 2)
        records = []
        for name, before, reached in (
            ("01_first", "", [("sums.cu", 1), both]),
            ("02_second", "01_first", [("sums.cu", 1), both, own]),
        ):
            record = self.stand_in("sums", name, "count", 0.01)
            folder = self.folder / "sums" / name
            folder.mkdir(exist_ok=True)
            (folder / "sums.cu").write_text("*out = s[0];\n", encoding="utf-8")
            record |= {"source": str(folder / "sums.cu"), "compared_with": before}
            program = self.build / record["executables"]["count"]
            program.write_text(
                REPORTS_ALL.format(python=sys.executable, lines=reached), encoding="utf-8"
            )
            records.append(record)
        device = self.folder / "sums" / "device"
        device.mkdir()
        (device / "tree.cuh").write_text("left = s[0];\nright = s[1];\n", encoding="utf-8")
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        table = self.folder / "mutations.toml"
        unused = DATA.replace('"sums/*"', '"other/*"')
        table.write_text(unused, encoding="utf-8")
        for stage, places in (
            ("sums/01_first", ["sums.cu:1", "tree.cuh:1"]),
            ("sums/02_second", ["sums.cu:1", "tree.cuh:2"]),
        ):
            with self.subTest(stage):
                result = self.run_mutate(stage, table)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                for file in ("sums.cu:1", "tree.cuh:1", "tree.cuh:2"):
                    self.assertEqual(f"shift   {file}: reported" in result.stdout, file in places)
        first = unused.replace("other/*", "sums/01_*").replace('"barrier"', '"shift"')
        table.write_text(first.replace("__syncwarp();  // orders nothing", "left"), "utf-8")
        result = self.run_mutate("sums/02_second", table)
        self.assertIn("shift   tree.cuh:1: reported", result.stdout)

    def test_a_stage_that_is_wrong_to_begin_with(self) -> None:
        result = self.mutate({"-": 3})
        self.assert_refused(result, 1, "wrong without a mutation")


if __name__ == "__main__":
    unittest.main()
