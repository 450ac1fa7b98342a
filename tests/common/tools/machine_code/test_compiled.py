# SPDX-License-Identifier: MIT
"""The flags with which a stage's kernels are compiled to machine code, without nvcc."""

import unittest
from pathlib import Path
from unittest.mock import Mock, patch

from common.tools.lib.differences import headers_of
from common.tools.lib.files import read_text
from common.tools.lib.imports import INCLUDE
from common.tools.lib.stages import ROOT, load_stages
from common.tools.machine_code import compiled
from common.tools.machine_code.compiled import compile_words


class CompiledTest(unittest.TestCase):
    def test_programs_of_several_gpus_find_mpi(self) -> None:
        stage = Mock(is_own_program=False, source="chapters/kmeans/x/kmeans.cu", cuda_args=())
        stage.device_launches, stage.stage, stage.libraries = False, "kmeans/x", ("nccl",)
        shown = "g++ -I/opt/mpi/include -L/opt/mpi/lib -lmpi\n"
        with (
            patch.object(compiled, "found", return_value="mpicxx"),
            patch.object(compiled, "run", return_value=shown),
        ):
            self.assertIn("-I/opt/mpi/include", compile_words(stage))
            self.assertNotIn("-lmpi", compile_words(stage))
            stage.libraries = ("thrust",)
            self.assertNotIn("-I/opt/mpi/include", compile_words(stage))

    def test_the_headers_of_every_stage_are_found(self) -> None:
        for stage in load_stages():
            compiled_here = stage.has_kernels and "nccl" not in stage.libraries
            words = compile_words(stage) if compiled_here else []
            folders = [Path(folder) for flag, folder in zip(words, words[1:]) if flag == "-I"]
            for file in [ROOT / stage.source, *headers_of(stage)] if words else []:
                for line in read_text(file).splitlines():
                    match = INCLUDE.match(line)
                    if match and match[1] == '"':
                        with self.subTest(stage.stage, file=file.name, header=match[2]):
                            self.assertTrue(any((one / match[2]).is_file() for one in folders))


if __name__ == "__main__":
    unittest.main()
