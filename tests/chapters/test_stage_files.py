# SPDX-License-Identifier: MIT
"""The stage files as a student reads them: head comment, length, and the diff that is the lesson.

    test_stage_files.py STAGES_JSON
"""

import difflib
import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STAGES = {stage["stage"]: stage
          for stage in json.loads(Path(sys.argv.pop(1)).read_text(encoding="utf-8"))}
MAX_LINES = 200
MAX_COLUMNS = 100
MAX_KERNEL_LINES = 60
MAX_ADDED_LINES = 60
# The same loop and launches as before, but as device code: they move, and no line stays as it was.
MORE_ADDED_LINES = {"quicksort/13_big_device_loop": 90,
                    # One kernel for three, and all copies out of the loop over waves.
                    "storms/06_fused": 80,
                    "distmesh/04_resident": 90,
                    # A kernel more, and all that the host did between two triangulations.
                    "distmesh/05_edge_flips": 85}


def source_of(stage: dict) -> list[str]:
    return (ROOT / stage["source"]).read_text(encoding="utf-8").splitlines()


def kernels_in_opencl(stage: dict) -> list[str]:
    return (ROOT / stage["source"]).with_suffix(".cl").read_text(encoding="utf-8").splitlines()


def as_opencl(code: list[str]) -> list[str]:
    """Functions of CUDA as OpenCL C has them, and those of OpenCL C without its address spaces; no comments, and
    each function one line without blanks."""
    text = "\n".join(line.partition("//")[0] for line in code)
    text = text.replace("__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))", "")
    for cuda, opencl in (("__device__ __forceinline__ ", ""), ("__global__", "__kernel"), ("std::int64_t", "long"),
                         ("__global ", ""), ("__restrict__", "restrict"), ("(long)get_global_id(0)", "global_thread()"),
                         ("get_global_id(0)", "global_thread()")):
        text = text.replace(cuda, opencl)
    return ["".join(function.split()) for function in re.findall(r"^\w[^;]*?\{.*?^\}", text, re.MULTILINE | re.DOTALL)]


def split_head(lines: list[str]) -> tuple[list[str], list[str]]:
    """The head comment, and the code below it."""
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    return lines[:end], lines[end:]


def kernels_of(lines: list[str]) -> dict[str, int]:
    """The length of each kernel, by name."""
    lengths = {}
    for start, line in enumerate(lines):
        if line.startswith("__global__"):
            end = next(i for i in range(start, len(lines)) if lines[i] == "}")
            name = re.search(r"(\w+)\(", " ".join(lines[start:end]))
            assert name is not None
            lengths[name[1]] = end - start + 1
    return lengths


class StageFilesTest(unittest.TestCase):
    def test_length(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                self.assertLessEqual(len(lines), MAX_LINES)
                self.assertLessEqual(max(map(len, lines)), MAX_COLUMNS)

    def test_head_comment(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                head, _ = split_head(lines)
                self.assertEqual(head[0], "// SPDX-License-Identifier: MIT")
                self.assertRegex(head[1], rf"^// \w[\w -]*, stage {stage['name'][:2]}: \S.*\.( |$)")
                # Each begins a line, and in this order: the same places to look at in every stage.
                due = ["Idea: ", *([f"Compared with {stage['compared_with']}: "] if stage["compared_with"] else []),
                       "Limit now: ", "Thesis |Not of the thesis"]
                begins = [next((word for word in due if re.match(f"// (?:{word})", line)), "") for line in head]
                self.assertEqual([word for word in begins if word], due)

    def test_kernels_are_short_and_named_for_what_they_do(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                for kernel, length in kernels_of(lines).items():
                    self.assertTrue(kernel.endswith("_kernel"), kernel)
                    self.assertLessEqual(length, MAX_KERNEL_LINES, kernel)

    def test_the_diff_is_short(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                before = STAGES.get(f"{stage['chapter']}/{stage['compared_with']}")
                if before is None or stage["begins_part"] or before["source"].endswith(".cpp") or stage["opencl"]:
                    continue  # from one language or algorithm to another there is no diff to read
                added = [line for line in difflib.ndiff(split_head(source_of(before))[1],
                                                        split_head(lines)[1]) if line.startswith("+ ")]
                self.assertLessEqual(len(added), MORE_ADDED_LINES.get(name, MAX_ADDED_LINES))

    def test_opencl_has_the_kernels_that_it_is_compared_with(self) -> None:
        for name, stage in STAGES.items():
            if not stage["opencl"]:
                continue
            with self.subTest(stage=name):
                lines = kernels_in_opencl(stage)
                self.assertEqual(lines[0], "// SPDX-License-Identifier: MIT")
                self.assertLessEqual(len(lines), MAX_LINES)
                self.assertLessEqual(max(map(len, lines)), MAX_COLUMNS)
                before = as_opencl(source_of(STAGES[f"{stage['chapter']}/{stage['compared_with']}"]))
                functions = as_opencl(lines)
                self.assertTrue(functions)
                self.assertEqual([one for one in functions if "_kernel(" in one],
                                 [one for one in before if one.startswith("__kernel")])
                for function in functions:
                    self.assertIn(function, before)

    def test_a_stage_that_is_only_a_flag_has_the_same_code(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                if not stage["cuda_args"]:
                    continue
                before = STAGES[f"{stage['chapter']}/{stage['compared_with']}"]
                self.assertEqual(split_head(lines)[1], split_head(source_of(before))[1])

    def test_no_stage_includes_another(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                for line in lines:
                    if line.startswith("#include"):
                        self.assertNotRegex(line, r"\.\.|/\d\d_")


if __name__ == "__main__":
    unittest.main()
