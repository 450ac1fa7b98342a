# SPDX-License-Identifier: MIT
"""Which GPU a stage needs: in the README, in `make list`, and in what the tools and the stages say
on an older one."""

import contextlib
import io
import json
import unittest
from dataclasses import replace
from unittest import mock

from common.tools import list_stages
from tests.lint import architectures as check_architectures
from plots.maintain import sanitize
from common.tools.lib import stages
from common.tools.lib import architectures
from tests.common.tools.course_tools import BUILD, ROOT

STAGES = [
    stages.checked_stage(record, "stages.json")
    for record in json.loads((BUILD / "stages.json").read_text(encoding="utf-8"))
]


def on_gpus(*numbers: str) -> contextlib.AbstractContextManager[object]:
    """A machine with these GPUs."""
    return mock.patch.multiple(
        stages, has_gpu=lambda: bool(numbers), gpu_architectures=lambda: numbers
    )


def minimum_sentence() -> str:
    """As the README has it."""
    said = (
        "All stages run on GPUs of compute capability 7.5 (T4, RTX 20) or newer, with exceptions:"
    )
    for minimum in sorted({stage.minimum_sm for stage in STAGES} - {0}):
        names = [f"`{stage.stage}`" for stage in STAGES if stage.minimum_sm == minimum]
        needs = "needs" if len(names) == 1 else "need"
        listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
        said += f" {listed} {needs} {architectures.requirement(minimum)}."
    return said


class FlagsTest(unittest.TestCase):
    def test_flags_of_older_and_smaller_gpus(self) -> None:
        include = ["-include", str(ROOT / "common" / "cuda" / "warp_reductions.cuh")]
        for numbers, flags in (
            ([80], []),
            ([90, 100], []),
            ([86], ["-Xptxas=-w"]),
            ([75, 90], [*include, "-Xptxas=-w"]),
            ([], []),
        ):
            self.assertEqual(architectures.nvcc_flags(numbers), flags, numbers)
        self.assertTrue(architectures.REDUCTIONS.is_file())

    def test_names_of_architectures(self) -> None:
        self.assertEqual(
            [architectures.number_of(one) for one in ("75", "90a", "100f")], [75, 90, 100]
        )
        for wrong in ("", "9", "9.0", "sm_90", "90b"):
            with self.assertRaises(ValueError):
                architectures.number_of(wrong)


class MinimumTest(unittest.TestCase):
    def test_the_readme_names_it(self) -> None:
        readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
        self.assertIn(minimum_sentence(), readme)

    def test_records_name_known_gpus(self) -> None:
        for stage in STAGES:
            self.assertIn(stage.minimum_sm, (0, *architectures.CARDS), stage.stage)

    def test_bulk_copies_are_named(self) -> None:
        for stage in STAGES:
            self.assertEqual(stage.bulk_copies, sanitize.copies_in_bulk(stage), stage.stage)

    def test_the_list_names_it(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            list_stages.main()
        lines = {line.split()[0]: line for line in said.getvalue().splitlines()}
        for stage in STAGES:
            needs = (
                f"; needs {architectures.requirement(stage.minimum_sm)}" if stage.minimum_sm else ""
            )
            self.assertTrue(lines[stage.stage].endswith(stage.technique + needs), stage.stage)

    def test_an_older_gpu_is_refused_and_never_replaced_unasked(self) -> None:
        plain = next(stage for stage in STAGES if stage.has_kernels and not stage.opencl)
        built = {"gpu": "program", "emu": "program.emu"}
        newer = replace(plain, minimum_sm=90, executables=built)
        with on_gpus("75"):
            for one in (newer, replace(newer, executables={"emu": "program.emu"})):
                for wanted in ("", "gpu"):
                    with self.assertRaises(stages.ToolError) as raised:
                        stages.pick_engine(one, wanted)
                    self.assertEqual(raised.exception.status, stages.EXIT_NO_DEVICE)
                    self.assertIn(
                        "it needs a GPU of compute capability 9.0 (H100) or newer",
                        str(raised.exception),
                    )
                self.assertEqual(stages.pick_engine(one, "emu"), "emu")
            self.assertEqual(stages.pick_engine(replace(newer, minimum_sm=0)), "gpu")
        for own in (("90",), ("75", "90"), ("120",)):
            with on_gpus(*own):
                self.assertEqual(stages.pick_engine(newer), "gpu")
        with on_gpus():
            self.assertEqual(stages.pick_engine(newer), "emu")


class CheckTest(unittest.TestCase):
    def test_refusals(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            check_architectures.main(["--architectures", "75,x"])
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("'x' is no architecture", said.getvalue())
        with self.assertRaises(stages.ToolError) as raised:
            check_architectures.main(["none/00"])
        self.assertIn("NAME=none/00: no such name", str(raised.exception))
        self.assertEqual(raised.exception.status, 2)

    def test_a_stage_that_nvcc_refuses_fails(self) -> None:
        plain = next(stage for stage in STAGES if stage.has_kernels and not stage.minimum_sm)
        two = [plain, replace(plain, stage="other/01", chapter="other", minimum_sm=90)]
        said = io.StringIO()
        with (
            contextlib.redirect_stdout(said),
            mock.patch.object(check_architectures, "load_stages", return_value=two),
            mock.patch.object(check_architectures, "is_compiled", return_value=True),
            mock.patch.object(check_architectures, "found", return_value="nvcc"),
            mock.patch.object(
                check_architectures,
                "refusal",
                lambda stage, number: "no such thing" if number < 80 else "",
            ),
        ):
            status = check_architectures.main(["--architectures", "75,90"])
        self.assertEqual(status, 1)
        self.assertEqual(
            said.getvalue().splitlines(),
            [
                "75 (T4, RTX 20): 0 of 1 stages compile, 1 need a newer GPU",
                "90 (H100): 2 of 2 stages compile",
                f"FAILED: {plain.stage} for 75:",
                "no such thing",
            ],
        )


if __name__ == "__main__":
    unittest.main()
