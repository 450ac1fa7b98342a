# SPDX-License-Identifier: MIT
"""make prove, with a stand-in for ncu and stand-in stages."""

import csv
import json
import os
import subprocess
import sys
import unittest
from dataclasses import replace
from pathlib import Path

from tests.common.tools.course_tools import ToolTest

from plots.maintain.prove.counters import Counters, Run
from common.tools.lib.counting import kernel_key
from plots.maintain.prove.kernels import Counted, Family, compare, join_families
from plots.page.proof_page import all_instructions, all_numbers
from plots.records.proof_rows import (
    COUNTERS,
    INSTRUCTIONS,
    METRICS,
    SHARED_ATOMICS,
    Reason,
    Row,
    judge,
)

# Writes a table into the file of --log-file, as ncu does. It knows all metrics except one, and says
# which one it does not know.
NCU = r"""#!{python}
import pathlib, sys
words = sys.argv[1:]
log = pathlib.Path(words[words.index("--log-file") + 1])
metrics = words[words.index("--metrics") + 1].split(",")
program = next(word for word in words if "chapters/" in word)
assert "--profile" in words and "raw" == words[words.index("--page") + 1]
unknown = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"
if unknown in metrics:
    log.write_text("==ERROR== Failed to find metric " + unknown + "\n")
    sys.exit(1)
names = ["ID", "Process ID", "Kernel Name"] + metrics
lines = ["==PROF== Connected to process 42 (" + program + ")"]
lines.append(",".join('"' + name + '"' for name in names))
lines.append(",".join('""' for name in names))
VALUES = dict({values})
for launch in range(2):
    row = [str(launch), "42", "void kick_kernel<(int)256>(float *, int)"]
    row += [VALUES.get(metric, "0") for metric in metrics]
    lines.append(",".join('"' + cell + '"' for cell in row))
log.write_text("\n".join(lines) + "\n==PROF== Disconnected\n")
"""

LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
VALUES = {
    LOADS: "1,000",
    SECTORS: "4000",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": "3",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": "5",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "10",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "10",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": "10",
    "smsp__inst_executed_op_shared_atom.sum": "2",
}


def stand_in_ncu() -> str:
    text = NCU.replace("{values}", repr(VALUES))
    return text.partition("\n")[2]


def totals(**counted: dict[str, int]) -> dict[str, dict[str, int]]:
    nothing = {"requests": 0, "sectors": 0, "wavefronts": 0, "lanes": 0}
    groups = (
        "global_load",
        "global_store",
        "global_atomic",
        "shared_load",
        "shared_store",
        "shared_atomic",
    )
    return {group: nothing | counted.get(group, {}) for group in groups}


def document(load_requests: int) -> dict[str, object]:
    counted = totals(
        global_load={"requests": load_requests, "sectors": 8000},
        global_atomic={"sectors": 16},
        shared_load={"wavefronts": 20},
        shared_store={"wavefronts": 21},
        shared_atomic={"wavefronts": 20},
    )
    return {
        "schema": 1,
        "program": "sums_01_plain.count",
        "device": "h200",
        "kernels": [
            {
                "name": "kick_kernel<256>",
                "launches": 2,
                "blocks": 4,
                "warps": 16,
                "totals": counted | {"barriers": 32, "collectives": 16},
            }
        ],
    }


class NamesTest(unittest.TestCase):
    def test_as_both_compilers_write_them(self) -> None:
        for theirs, ours in (
            ("kick_kernel(float3 *, const float3 *, float, int)", "kick_kernel"),
            ("void tiled<(int)16>(const float *, int)", "tiled<16>"),
            (
                "void a::b::scan<(unsigned int)256, unsigned int>(unsigned int *)",
                "a::b::scan<256u, unsigned>",
            ),
            (
                "void <unnamed>::sum<float, (bool)1>(float *)",
                "(anonymous namespace)::sum<float, 1>",
            ),
            ("<unnamed>::fill(int *)", "(anonymous namespace)::fill"),
            ("void shift<(int)-1>(int)", "shift<-1>"),
        ):
            self.assertEqual(kernel_key(theirs), kernel_key(ours), theirs)
        self.assertEqual(kernel_key("void scan<unsigned int>(int)"), "scan<unsigned>")
        self.assertNotEqual(kernel_key("void tiled<(int)16>(int)"), kernel_key("tiled<8>"))


SOURCE = Counters()
RUN = Run("sums/01_plain", "--n 1000", None, None)
BASE = Row("now", RUN.program, RUN.arguments, "", 0, "", 0, 0)
NAME = "kick_kernel<256>"


def counted(*kernels: dict, families: tuple[Family, ...] = ()) -> dict[str, Counted]:
    joined = join_families(RUN.program, {one["name"]: one for one in kernels}, families)
    return {
        name: Counted(one["launches"], SOURCE.values(RUN, one, Path()), one.get("family"))
        for name, one in joined.items()
    }


class CompareTest(unittest.TestCase):
    def launch(self, **values: str) -> dict:
        metrics = {metric: VALUES.get(metric, "0") for metric in METRICS} | values
        return {"Kernel Name": ("", NAME)} | {key: ("", one) for key, one in metrics.items()}

    def compare(
        self, said: dict[str, Counted], measured: dict[str, list[dict]], *reasons: Reason
    ) -> tuple[dict[str, Row], list[str]]:
        rows, troubles = compare(BASE, said, measured, SOURCE.measured, reasons)
        return {row.counter: row for row in rows}, troubles

    def rows(self, load_requests: int = 2000, **values: str) -> dict[str, Row]:
        said = counted(*document(load_requests)["kernels"])
        rows, troubles = self.compare(said, {NAME: [self.launch(**values)] * 2})
        self.assertEqual(troubles, [])
        return rows

    def test_sums_over_launches_and_metrics(self) -> None:
        rows = self.rows()
        self.assertEqual(list(rows), [counter.name for counter in COUNTERS])
        self.assertEqual((rows["load requests"].measured, rows["load requests"].ratio), (2000, "1"))
        self.assertEqual(rows["atomic sectors"].measured, 16)
        self.assertEqual(rows["shared atomic wavefronts"].measured, 20)

    def test_other_work_of_the_pipe_is_no_atomic(self) -> None:
        """A kernel without shared atomics may have their wavefronts, from a barrier of the grid."""
        rows = self.rows(**{SHARED_ATOMICS: "0"})
        self.assertEqual(rows["shared atomic wavefronts"].measured, 0)

    def test_asynchronous_copies_are_loads(self) -> None:
        """ncu counts them among the loads from global memory."""
        counted = totals(global_load={"requests": 3}) | {"global_async_copy": {"requests": 4}}
        loads = next(one for one in COUNTERS if one.name == "load requests")
        self.assertEqual(loads.emulated(counted), 7)
        self.assertEqual(loads.emulated(totals(global_load={"requests": 3})), 3)

    def test_the_bar(self) -> None:
        rows = self.rows(load_requests=2041)
        self.assertEqual(rows["shared store wavefronts"].ratio, "1.0500")
        self.assertTrue(rows["shared store wavefronts"].within_bar)
        self.assertTrue(self.rows(2040)["load requests"].within_bar)
        off = SOURCE.off(list(rows.values()))
        self.assertEqual(off, [rows["load requests"]])
        reason = Reason("sums/*", "kick_kernel*", "load *", "merged")
        stale = Reason("sums/*", "kick_kernel*", "store *", "hoisted")
        unseen = Reason("sums/*", "kick_kernel*", "launches", "launched by a kernel")
        self.assertEqual(judge(off, []), (off, []))
        self.assertEqual(judge(off, [reason, stale, unseen]), ([], [stale]))

    def test_what_cannot_be_compared_is_said(self) -> None:
        said = counted(*document(2000)["kernels"])
        unseen = Reason("sums/*", "kick_kernel*", "launches", "launched by a kernel")
        library = Reason("sums/*", "other", "launches", "a kernel of a library")
        twice = {NAME: Counted(2, None)}
        for kernels, measured, reasons, troubles in (
            (said, {NAME: 1}, [], [f"{NAME}: 2 launches emulated, 1 measured"]),
            (said, {}, [unseen], []),
            (
                said,
                {"other": 1},
                [],
                [
                    f"{NAME} was not measured (ncu does not see launches by kernels)",
                    "other was not emulated",
                ],
            ),
            (said, {"other": 1}, [unseen, library], []),
            (twice, {NAME: 2}, [], [f"{NAME}: no machine code"]),
        ):
            launches = {name: [self.launch()] * number for name, number in measured.items()}
            rows, found = self.compare(kernels, launches, *reasons)
            self.assertEqual((rows, found), ({}, [f"{RUN}: {trouble}" for trouble in troubles]))

    def test_template_arguments_may_be_written_differently(self) -> None:
        for names, is_found in (
            (["kick_kernel<(Mode)256>"], True),
            (["kick_kernel<1>", "kick_kernel<2>"], False),
        ):
            said = counted(*document(2000)["kernels"])
            rows, _ = self.compare(said, {name: [self.launch()] * 2 for name in names})
            self.assertEqual(bool(rows), is_found, names)

    def test_a_family_is_compared_as_one_kernel(self) -> None:
        """ncu adds a launched kernel to its launcher; the engine has separate counters."""
        [parent] = document(1500)["kernels"]
        child = parent | {
            "name": "leaf_kernel",
            "launches": 7,
            "totals": totals(global_load={"requests": 500}) | {"barriers": 0, "collectives": 0},
        }
        family = Family("sums/*", ("kick_kernel*", "leaf_kernel"), "what it launches")
        said = counted(parent, child, families=(family,))
        self.assertEqual(list(said), [family.name])
        measured = {NAME: [self.launch()], "leaf_kernel": [self.launch()]}
        rows, troubles = self.compare(said, measured)
        self.assertEqual(troubles, [])
        loads = rows["load requests"]
        self.assertEqual(
            (loads.kernel, loads.emulated, loads.measured, loads.launches),
            (family.name, 2000, 2000, 2),
        )
        # make instructions leaves families out.
        left_out = {family.name: Counted(9, None, family)}
        self.assertEqual(self.compare(left_out, measured), ({}, []))
        self.assertIn("was not measured", self.compare(said, {})[1][0])
        other = Family("other/*", family.kernels, family.name)
        self.assertEqual(list(counted(parent, child, families=(other,))), [NAME, "leaf_kernel"])

    def test_a_metric_that_ncu_lacks_is_no_zero(self) -> None:
        said = counted(*document(2000)["kernels"])
        launches = [self.launch(**{LOADS: "n/a"}), self.launch()]
        rows, troubles = self.compare(said, {NAME: launches})
        self.assertEqual(troubles, [f"{RUN}: {NAME}: ncu has no load requests"])
        self.assertEqual(len(rows), len(COUNTERS) - 1)


class RunTest(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        records = [self.stand_in("sums", "01_plain", "gpu", 0.01)]
        records[0]["executables"]["count"] = "chapters/sums/count"
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        self.script(
            self.build / "chapters/sums/count",
            "import json, os, pathlib, sys\n"
            "assert '--profile' in sys.argv and os.environ['EMULATOR_RACES'] == 'off'\n"
            f"pathlib.Path(os.environ['EMULATOR_COUNTERS']).write_text("
            f"{json.dumps(document(2041))!r})\n",
        )
        self.script(self.folder / "bin/ncu", stand_in_ncu())
        (self.build / "data").mkdir()

    def script(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
        path.chmod(0o755)

    def prove(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "COURSE_BUILD": str(self.build),
            "CHAPTER": "sums",
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "plots.maintain.prove.counters",
                "--data",
                str(self.build / "data"),
                *words,
            ],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def recorded(self, device: str) -> list[dict[str, str]]:
        with (self.build / "data" / device / "counters.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_measures_and_compares(self) -> None:
        result = self.prove("--device", "Stand-In 1")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(
            "sums/01_plain --n 1000: kick_kernel<256>: load requests: 2041 emulated, 2000 measured",
            result.stdout,
        )
        rows = self.recorded("stand-in-1")
        self.assertEqual({row["arguments"] for row in rows}, {"--n 1000", "--n 4097"})
        self.assertEqual(
            next(row["ratio"] for row in rows if row["counter"] == "load requests"), "1.0205"
        )

    def test_both_halves_apart_and_compared_again(self) -> None:
        kept, tables = self.folder / "kept", self.folder / "tables"
        result = self.prove("--count-into", str(kept))
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        (self.build / "chapters/sums/count").unlink()
        self.prove("--emulated", str(kept), "--device", "First")
        result = self.prove("--measure-into", str(tables))
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        (self.folder / "bin/ncu").unlink()
        self.prove("--emulated", str(kept), "--measured", str(tables), "--device", "Second")
        for row in (first := self.recorded("first")):
            row["date"] = ""
        for row in (second := self.recorded("second")):
            row["date"] = ""
        self.assertEqual(first, second)

    def test_rows_of_other_programs_stay(self) -> None:
        self.prove("--device", "Stand-In 1")
        path = self.build / "data" / "stand-in-1" / "counters.csv"
        other = (
            path.read_text(encoding="utf-8")
            .splitlines()[1]
            .replace("sums/01_plain", "examples/other")
        )
        path.write_text(path.read_text(encoding="utf-8") + other + "\n", encoding="utf-8")
        before = len(self.recorded("stand-in-1"))
        self.prove("--device", "Stand-In 1")
        self.assertEqual(len(rows := self.recorded("stand-in-1")), before)
        self.assertEqual(rows[-1]["program"], "examples/other")

    def test_programs_of_other_devices_complete_a_device(self) -> None:
        self.prove("--device", "Stand-In 1")
        path = self.build / "data" / "stand-in-1" / "counters.csv"
        text = path.read_text(encoding="utf-8")
        other = self.build / "data" / "another" / "counters.csv"
        other.parent.mkdir()
        other.write_text(text + text.splitlines()[1].replace("01_plain", "02_wide") + "\n")
        tables = SOURCE.recorded(path.parent)
        self.assertEqual(list(tables), [path, other])
        self.assertEqual({row.program for row in tables[path]}, {"sums/01_plain"})
        self.assertEqual([row.program for row in tables[other]], ["sums/02_wide"])

    def test_one_failure_does_not_stop_the_others(self) -> None:
        self.script(
            self.build / "chapters/sums/count", "import sys\nsys.exit('stand-in: broken')\n"
        )
        result = self.prove("--device", "Stand-In 1")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(
            result.stdout.count("ended with 1 on the CPU engine:\nstand-in: broken"), 2
        )

    def test_counts_again(self) -> None:
        self.prove("--device", "Stand-In 1")
        result = self.prove("--recount", "--recorded", "stand-in-1")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.script(
            self.build / "chapters/sums/count",
            "import os, pathlib\n"
            f"pathlib.Path(os.environ['EMULATOR_COUNTERS']).write_text("
            f"{json.dumps(document(2000))!r})\n",
        )
        result = self.prove("--recount", "--recorded", "stand-in-1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("load requests: 2041 recorded, 2000 now", result.stdout)


class PageTest(unittest.TestCase):
    """The sections on the site. The tests of the page compare its tables."""

    def test_sections(self) -> None:
        rows = [
            Row("2026-01-02T", "sums/01_plain", "--n 33", "kick", 2, "load requests", 40, 40),
            Row("2026-01-02T", "sums/01_plain", "--n 33", "kick", 2, "load sectors", 90, 80),
            Row("2026-01-02T", "examples/scan", "", "scan<256>", 1, "store sectors", 101, 100),
        ]
        reasons = [Reason("sums/*", "kick", "load sectors", "nvcc merges two loads.")]
        numbers = {name: "\n".join(one) for name, one in all_numbers(rows, reasons).items()}
        self.assertIn(
            "| sums/01_plain `--n 33` | `kick` | 2 | 40 | 90 / 80 [1] |", numbers["Every stage"]
        )
        self.assertEqual(numbers["Every reason"], "1. sums/01_plain `kick`: nvcc merges two loads.")
        self.assertRegex(numbers["Every example"], r"\| scan \| `scan<256>` \| 1 \|.* 101 / 100 \|")
        self.assertIn("90 / 80 **?**", "\n".join(all_numbers(rows, [])["Every stage"]))
        executed = replace(rows[0], counter=INSTRUCTIONS, emulated=95, measured=100)
        self.assertEqual(
            all_instructions([executed], [])["Every stage's instructions"][-1],
            "| sums/01_plain `--n 33` | `kick` | 2 | 95 / 100 | not known | not known |",
        )


if __name__ == "__main__":
    unittest.main()
