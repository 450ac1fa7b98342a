# SPDX-License-Identifier: MIT
"""make instructions: what it reads from ncu's tables, what it compares, and its page."""

import contextlib
import io
import shutil
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from plots.maintain.prove import instructions as prove_instructions
from common.tools.lib.counting import Kernel
from plots.maintain.prove.kernels import Family
from plots.page.proof_page import all_instructions
from plots.records.proof_rows import (
    INSTRUCTIONS,
    INTEGER_INSTRUCTIONS,
    SPECIAL_INSTRUCTIONS,
    Reason,
    Row,
    judge,
    read_rows,
    write_rows,
)
from common.tools.lib.files import read_text
from plots.records.profiling import OPCODE_METRIC
from plots.maintain.prove.counters import Run
from plots.maintain.prove.instructions import (
    TOTAL,
    Counted,
    by_class,
    compare,
    measured_classes,
    profile_run,
)
from common.tools.lib.stages import DataError, ROOT
from common.tools.machine_code.compiled import NoMachineCode

LISTED = ROOT / "tests" / "common" / "tools" / "machine_code"
MEASURED = {"add_rows_kernel": 63648, "add_columns_kernel": 125408}  # by ncu
RUN = Run("nbody/03_shared_tiles", "--n 1000", None, None)


def launch(opcodes: str, total: str = "") -> dict[str, tuple[str, str]]:
    return {OPCODE_METRIC: ("inst", opcodes), TOTAL: ("inst", total)}


def row(counter: str, emulated: int, measured: int) -> Row:
    return Row("2026-01-01", "nbody/03_x", "--n 1", "kernel", 1, counter, emulated, measured)


class MeasuredTest(unittest.TestCase):
    def test_opcodes_are_added_up(self) -> None:
        launches = [
            launch("1,030 (FADD: 1,000; IADD3: 20; MUFU: 10)"),
            launch("7 (FADD: 4; ISETP: 3)"),
        ]
        self.assertEqual(
            measured_classes(launches),
            {INSTRUCTIONS: 1037, INTEGER_INSTRUCTIONS: 23, SPECIAL_INSTRUCTIONS: 10},
        )

    def test_without_opcodes_the_sum_is_left(self) -> None:
        self.assertEqual(
            measured_classes([launch("", "1,200"), launch("", "3")]), {INSTRUCTIONS: 1203}
        )
        self.assertEqual(measured_classes([launch("", "n/a")]), {})

    def test_modifiers_do_not_matter(self) -> None:
        found = by_class({"FADD.FTZ": 5.0, "ISETP.GE.AND": 2.0, "MUFU.RSQ": 1.0})
        self.assertEqual(found, {INSTRUCTIONS: 8, INTEGER_INSTRUCTIONS: 2, SPECIAL_INSTRUCTIONS: 1})

    def test_what_cannot_be_patched_is_counted_as_a_sum(self) -> None:
        asked = []

        def profile(ncu: str, run: Run, path: Path, metrics: tuple[str, ...], *_: object) -> None:
            asked.append(metrics)
            if OPCODE_METRIC in metrics:
                raise DataError("ncu failed")

        with mock.patch.object(prove_instructions, "profile", profile):
            profile_run("ncu", RUN, Path("table"))
        self.assertEqual(asked, [(OPCODE_METRIC,), (TOTAL,)])


class CompareTest(unittest.TestCase):
    def compared(self, names: list[str], *families: Family) -> list[tuple[str, int, int]]:
        names_of_both = ("kick_kernel", "a::drift_kernel<4>")
        emulated = {name: Counted(1, by_class({"FADD": 100.4})) for name in names_of_both}
        measured = {name: [launch("90 (FADD: 90)")] for name in names}
        rows, self.troubles = compare(RUN, emulated, measured, "2026-01-01", families)
        return [
            (one.kernel, one.emulated, one.measured) for one in rows if one.counter == INSTRUCTIONS
        ]

    def test_kernels_are_paired(self) -> None:
        both = [("kick_kernel", 100, 90), ("a::drift_kernel<4>", 100, 90)]
        self.assertEqual(self.compared(["kick_kernel", "drift_kernel<4>"]), both)
        self.assertEqual(self.compared(["kick_kernel", "drift_kernel<(Mode)4>"]), both)
        self.assertEqual(self.troubles, [])
        self.assertEqual(self.compared(["kick_kernel"]), both[:1])
        (trouble,) = self.troubles
        self.assertIn("a::drift_kernel<4>: 1 launches emulated, 0 measured", trouble)

    def test_families_are_left_out(self) -> None:
        family = Family("nbody/*", ("kick_*",), "a family")
        found = self.compared(["kick_kernel", "drift_kernel<4>"], family)
        self.assertEqual([name for name, *_ in found], ["a::drift_kernel<4>"])


class ProveTest(unittest.TestCase):
    """A run whose machine code, counters and table of ncu were kept."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        stage = mock.Mock(chapter="basics")
        stage.name = "01_thread_per_line"
        run = Run("basics/01_thread_per_line", "--n 1000", None, None, stage)
        (self.folder / f"{run.file_name}.json").write_text(read_text(LISTED / "add_lines.json"))
        kept = self.folder / "basics-01_thread_per_line.sass"
        kept.write_text(read_text(LISTED / "add_lines.sass"))
        lines = ['"ID","Kernel Name","{0}"', '"","",""']
        lines += [
            f'"{i}","{name}(const int *, int *, int)","{count} (LDG: {count})"'
            for i, (name, count) in enumerate(MEASURED.items())
        ]
        table = "\n".join(lines).replace("{0}", OPCODE_METRIC)
        (self.folder / f"{run.file_name}.csv").write_text(table)
        self.addCleanup(mock.patch.stopall)
        mock.patch.object(prove_instructions, "find_stage_runs", lambda: [run]).start()

    def prove(self) -> tuple[int, str]:
        options = mock.Mock(
            tables=self.folder,
            emulated=self.folder,
            code=self.folder,
            data=self.folder,
            processed=True,
            device="NVIDIA X1",
        )
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = prove_instructions.prove(options)
        return status, said.getvalue()

    def test_rows_are_written(self) -> None:
        status, said = self.prove()
        rows = read_rows(self.folder / "nvidia-x1" / "instructions.csv")
        found = {
            one.kernel: (one.emulated, one.measured) for one in rows if one.counter == INSTRUCTIONS
        }
        self.assertEqual(
            found,
            {"add_rows_kernel": (63536, 63648), "add_columns_kernel": (125376, 125408)},
        )
        # The stand-in executed loads alone.
        self.assertEqual(status, 1)
        self.assertIn("add_rows_kernel: integer and comparison: 20576 emulated, 0 measured", said)

    def test_predictions_are_recorded_beside_the_measurements(self) -> None:
        self.prove()
        path = self.folder / "nvidia-x1" / "instructions.csv"
        rows = read_rows(path)
        write_rows(path, [replace(one, emulated=1) for one in rows])
        for renew, status in ((False, 1), (True, 0), (False, 0)):
            options = mock.Mock(emulated=self.folder, code=self.folder, page=renew)
            said = io.StringIO()
            with (
                contextlib.redirect_stdout(said),
                mock.patch.object(prove_instructions, "proof_tables", lambda *_: [path]),
                mock.patch.object(prove_instructions, "write_page"),
            ):
                self.assertEqual(prove_instructions.recount(path.parent, options), status)
            self.assertEqual("1 recorded, 63536 now" in said.getvalue(), status == 1 or renew)
        self.assertEqual(read_rows(path), rows)

    def test_a_kernel_without_a_table_is_named(self) -> None:
        for path in self.folder.glob("*.csv"):
            path.write_text(path.read_text().replace("add_rows_kernel", "other_kernel"))
        status, said = self.prove()
        self.assertEqual(status, 1)
        self.assertIn("add_rows_kernel: 1 launches emulated, 0 measured", said)

    def test_code_that_nvcc_cannot_compile_is_named(self) -> None:
        for path in self.folder.glob("*.sass"):
            path.unlink()
        with mock.patch.object(
            prove_instructions, "stage_listings", side_effect=NoMachineCode("nvcc is missing")
        ):
            status, said = self.prove()
        self.assertEqual(status, 1)
        self.assertIn("basics/01_thread_per_line: no machine code: nvcc is missing", said)

    def test_machine_code_is_kept(self) -> None:
        (kept,) = self.folder.glob("basics-*.sass")
        text = kept.read_text()
        kept.unlink()
        with mock.patch.object(prove_instructions, "stage_listings", return_value=[text]):
            self.prove()
        self.assertEqual(kept.read_text(), text)


class PageTest(unittest.TestCase):
    TEXT = "".join(
        f"<!-- table:{name} -->\nold\n<!-- end -->\n"
        for name in ("instructions measured", "instructions summary")
    )

    def test_differences_need_a_reason(self) -> None:
        rows = [row(INSTRUCTIONS, 95, 100), row(INTEGER_INSTRUCTIONS, 80, 100)]
        reason = Reason("nbody/*", "*", INTEGER_INSTRUCTIONS, "nvcc does it otherwise.")
        self.assertEqual(judge(rows, [reason]), ([], []))
        self.assertEqual(judge(rows, []), ([rows[1]], []))
        self.assertEqual(judge(rows[:1], [reason]), ([], [reason]))
        tables = {Path("nvidia-h200/instructions.csv"): rows}
        text = prove_instructions.page(self.TEXT, tables, [reason])
        numbers = all_instructions(rows, [reason])
        self.assertIn(
            "| nbody/03_x `--n 1` | `kernel` | 1 | 95 / 100 | 80 / 100 [1] |",
            numbers["Every stage's instructions"][-1],
        )
        self.assertEqual(
            numbers["Every reason on instructions"],
            ["1. nbody/03_x `kernel`: nvcc does it otherwise."],
        )
        self.assertIn("| warp instructions | 1 | 0 | 1 (± 10 %) | 0 |", text)
        self.assertNotIn("old", text)
        self.assertEqual(prove_instructions.page(text, tables, [reason]), text)
        self.assertIn(
            "80 / 100 **?**", all_instructions(rows, [])["Every stage's instructions"][-1]
        )


class CountedTest(unittest.TestCase):
    def test_a_kernel_without_machine_code_is_named(self) -> None:
        record = {"name": "kick_kernel"}
        with (
            mock.patch.object(
                prove_instructions, "read_emulated", lambda _: {"kick_kernel": record}
            ),
            mock.patch.object(
                prove_instructions, "read_kernel", lambda one: Kernel(one["name"], {}, [])
            ),
        ):
            found = prove_instructions.counted_kernels(RUN, Path("counters"), {})
        self.assertEqual(found, ({}, ["kick_kernel"]))


if __name__ == "__main__":
    unittest.main()
