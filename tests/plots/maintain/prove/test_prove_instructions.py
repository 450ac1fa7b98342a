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

from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT, DataError
from common.tools.machine_code.compiled import NoMachineCode
from plots.maintain.prove import instructions as prove_instructions
from plots.maintain.prove.counters import Run
from plots.maintain.prove.instructions import TOTAL, Instructions, by_class, measured_classes
from plots.records.profiling import OPCODE_METRIC
from plots.records.proof_rows import INSTRUCTIONS, INTEGER_INSTRUCTIONS, SPECIAL_INSTRUCTIONS
from plots.records.proof_rows import Row, read_rows, write_rows

LISTED = ROOT / "tests" / "common" / "tools" / "machine_code"
MEASURED = {"add_rows_kernel": 63648, "add_columns_kernel": 125408}  # by ncu
RUN = Run("nbody/03_shared_tiles", "--n 1000", None, None)


def launch(opcodes: str, total: str = "") -> dict[str, tuple[str, str]]:
    return {OPCODE_METRIC: ("inst", opcodes), TOTAL: ("inst", total)}


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
        self.assertEqual(measured_classes([launch("", "n/a")]), {INSTRUCTIONS: None})

    def test_modifiers_do_not_matter(self) -> None:
        found = by_class({"FADD.FTZ": 5.0, "ISETP.GE.AND": 2.0, "MUFU.RSQ": 1.0})
        self.assertEqual(found, {INSTRUCTIONS: 8, INTEGER_INSTRUCTIONS: 2, SPECIAL_INSTRUCTIONS: 1})

    def test_what_cannot_be_patched_is_counted_as_a_sum(self) -> None:
        failure = (DataError("ncu failed"), None)
        with mock.patch.object(prove_instructions, "profile", side_effect=failure) as profile:
            Instructions().measure(RUN, Path())
        asked = [call.args[2] for call in profile.call_args_list]
        self.assertEqual(asked, [(OPCODE_METRIC,), (TOTAL,)])


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
        mock.patch.object(prove_instructions, "find_runs", lambda: [run]).start()

    def prove(self, *words: str) -> tuple[int, str]:
        said = io.StringIO()
        folder = str(self.folder)
        options = ["--emulated", folder, "--data", folder]
        words = words or ("--measured", folder, "--device", "NVIDIA X1")
        with contextlib.redirect_stdout(said), mock.patch("sys.argv", ["", *options, *words]):
            return Instructions().main(), said.getvalue()

    def test_rows_are_written(self) -> None:
        status, said = self.prove()
        rows = read_rows(self.folder / "nvidia-x1" / "instructions.csv", Row)
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
        rows = read_rows(path, Row)
        write_rows(path, [replace(one, emulated=1) for one in rows])
        with mock.patch.object(Instructions, "write_page"):
            for words, status in ((), 1), (("--page",), 0), ((), 0):
                result, said = self.prove("--recount", "--recorded", "nvidia-x1", *words)
                self.assertEqual(result, status)
                self.assertEqual("1 recorded, 63536 now" in said, bool(status or words))
        self.assertEqual(read_rows(path, Row), rows)

    def test_a_kernel_without_a_table_is_named(self) -> None:
        for path in self.folder.glob("*.csv"):
            path.write_text(path.read_text().replace("add_rows_kernel", "other_kernel"))
        status, said = self.prove()
        self.assertEqual(status, 1)
        self.assertIn("add_rows_kernel was not measured", said)

    def test_a_kernel_without_machine_code_is_named(self) -> None:
        (kept,) = self.folder.glob("*.sass")
        kept.write_text(kept.read_text().replace("add_rows_kernel", "new_rows_kernel"))
        status, said = self.prove()
        self.assertEqual(status, 1)
        self.assertIn("--n 1000: add_rows_kernel: no machine code\n", said)

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


if __name__ == "__main__":
    unittest.main()
