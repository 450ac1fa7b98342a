# SPDX-License-Identifier: MIT
"""The times beside start and solution, with a stand-in for the GPU."""

import dataclasses
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.labs import gpu_times
from common.tools.labs.catalogue import load_labs
from common.tools.labs.lab import Lab
from common.tools.labs.running import Finished
from common.tools.lib.stages import Stage, ToolError


def with_gpu(stage: Stage) -> Stage:
    path = f"chapters/{stage.chapter}/{stage.name}"
    return dataclasses.replace(stage, executables=stage.executables | {"gpu": path})


class Times(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.labs = load_labs()

    def times(self, lab: Lab, gpu: bool = True, built: int = 0, compiled: int = 0, fails: str = ""):
        """The times of a run whose programs take 1, 2, 3 ms. `fails`: a program that ends badly."""
        self.ran: list[Path] = []

        def measured(program: Path) -> float:
            self.ran.append(program)
            if program.name == fails:
                raise ToolError("no usable device")
            return float(len(self.ran))

        start = dataclasses.replace(lab.start, stage=with_gpu(lab.start.stage))
        solution = dataclasses.replace(lab.solution, stage=with_gpu(lab.solution.stage))
        lab = dataclasses.replace(lab, start=start, solution=solution)
        done = subprocess.CompletedProcess([], built)
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(gpu_times, "has_gpu", return_value=gpu),
            mock.patch.object(gpu_times.shutil, "which", return_value="nvcc"),
            mock.patch.object(gpu_times.subprocess, "run", return_value=done) as builder,
            mock.patch.object(
                gpu_times, "run_program", return_value=Finished(compiled, "", "")
            ) as compiler,
        ):
            found = gpu_times.times(lab, Path(folder, "my.cu"), Path(folder), measured)
            self.command = compiler.call_args.args[0] if compiler.called else []
            self.build = builder.call_args.args[0] if builder.called else []
        return found

    def test_yours_comes_last(self) -> None:
        found = self.times(self.labs["basics/05"])
        self.assertEqual(
            found, [("basics/04_shared_tile", 1), ("basics/05_padded_tile", 2), ("yours", 3)]
        )
        self.assertTrue(self.command[0] == "nvcc" and str(self.ran[-1]) in self.command)
        self.assertTrue(any(word.endswith("my.cu") for word in self.command))
        stages = ["basics/04_shared_tile", "basics/05_padded_tile"]
        self.assertEqual(self.build[1:], ["--stages", "gpu", *stages])
        names = ["04_shared_tile", "05_padded_tile", "on_gpu"]  # see with_gpu()
        self.assertEqual([path.name for path in self.ran], names)

    def test_flags_of_the_stage(self) -> None:
        self.times(self.labs["quicksort/08"])
        self.assertIn("-rdc=true", self.command)
        self.times(self.labs["basics/05"])
        self.assertNotIn("-rdc=true", self.command)

    def test_a_mistake_is_not_timed(self) -> None:
        found = self.times(self.labs["basics/mistake1"])
        self.assertEqual([name for name, _ in found], ["basics/05_padded_tile", "yours"])

    def test_nothing_to_show(self) -> None:
        lab = self.labs["basics/05"]
        self.assertEqual(self.times(lab, gpu=False), [])
        self.assertEqual(self.times(lab, built=1), [])
        self.assertEqual(self.times(lab, compiled=1), [])
        self.assertEqual(self.times(lab, fails="on_gpu"), [])
        self.assertEqual(self.times(self.labs["basics/question1"]), [])


if __name__ == "__main__":
    unittest.main()
