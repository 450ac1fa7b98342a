# SPDX-License-Identifier: MIT
"""The stage files as a student reads them: head comment, length, and the diff that is the lesson.

    test_stage_files.py STAGES_JSON
"""

import difflib
import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

from common.tools.lib.stages import label_of

ROOT = Path(__file__).resolve().parents[2]
STAGES = {
    stage["stage"]: stage for stage in json.loads(Path(sys.argv.pop(1)).read_text(encoding="utf-8"))
}
MAX_LINES = 200
MAX_COLUMNS = 100
MAX_KERNEL_LINES = 60


def source_of(stage: dict) -> list[str]:
    return (ROOT / stage["source"]).read_text(encoding="utf-8").splitlines()


def kernels_in_opencl(stage: dict) -> list[str]:
    return (ROOT / stage["source"]).with_suffix(".cl").read_text(encoding="utf-8").splitlines()


def as_opencl(code: list[str]) -> list[str]:
    """Functions of CUDA as OpenCL C has them, and those of OpenCL C without its address spaces; no
    comments, and each function one line without blanks."""
    text = "\n".join(line.partition("//")[0] for line in code)
    text = text.replace("__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))", "")
    for cuda, opencl in (
        ("__device__ __forceinline__ ", ""),
        ("__global__", "__kernel"),
        ("std::int64_t", "long"),
        ("__global ", ""),
        ("__restrict__", "restrict"),
        ("(long)get_global_id(0)", "global_thread()"),
        ("get_global_id(0)", "global_thread()"),
    ):
        text = text.replace(cuda, opencl)
    return [
        "".join(function.split())
        for function in re.findall(r"^\w[^;]*?\{.*?^\}", text, re.MULTILINE | re.DOTALL)
    ]


def split_head(lines: list[str]) -> tuple[list[str], list[str]]:
    """The head comment, and the code below it."""
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    return lines[:end], lines[end:]


LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\((?:[^()]|\([^()]*\))*\)")


def kernels_of(lines: list[str]) -> dict[str, int]:
    """The length of each kernel, by name."""
    lengths = {}
    for start, line in enumerate(lines):
        if line.startswith("__global__"):
            end = next(i for i in range(start, len(lines)) if lines[i] == "}")
            # `__launch_bounds__(256, 8)` or `__launch_bounds__(threads_of(K), 1)` may stand before
            # the name.
            text = re.sub(LAUNCH_BOUNDS, "", " ".join(lines[start:end]))
            name = re.search(r"\b(?!__)(\w+)\(", text)
            assert name is not None
            lengths[name[1]] = end - start + 1
    return lengths


UNCHANGED = re.compile(r"Unchanged from stage ((?:\w+/)?\w+)")
# A definition at the left margin, with the comment lines right above it.
FUNCTION = re.compile(
    r"^((?://.*\n)*)((?:template.*\n)?(?!struct|class|enum|namespace|union|template)\w[^;{}\n]*(?:\n[^;{}\n]+)*\{\n(?:.*\n)*?\}\n)",
    re.MULTILINE,
)


def unchanged_functions(header: str) -> list[tuple[str, str]]:
    """The functions of a header that are said to be a stage's, each with that stage's name."""
    head = header.partition("#pragma once")[0]
    of_all = UNCHANGED.search(head)
    found = []
    for comment, function in FUNCTION.findall(header):
        said = UNCHANGED.search(comment) or of_all
        if said:
            found.append((said[1], function))
    return found


def comparable(code: str) -> str:
    """Without comments, line breaks, and what only a header needs: `inline` and `static`."""
    code = re.sub(r"//.*", "", code)
    return "".join(re.sub(r"\b(inline|static)\b", "", code).split())


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
                self.assertRegex(
                    head[1], rf"^// \w[\w -]*, stage {label_of(stage['name'])}: \S.*\.( |$)"
                )
                # Each begins a line, and in this order: the same places to look at in every stage.
                due = [
                    "Idea: ",
                    *(
                        [f"Compared with {stage['compared_with']}: "]
                        if stage["compared_with"]
                        else []
                    ),
                    "Limit now: ",
                    "Thesis |Not of the thesis",
                ]
                begins = [
                    next((word for word in due if re.match(f"// (?:{word})", line)), "")
                    for line in head
                ]
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
                if (
                    before is None
                    or stage["begins_part"]
                    or before["source"].endswith(".cpp")
                    or stage["opencl"]
                ):
                    continue  # from one language or algorithm to another there is no diff to read
                added = [
                    line
                    for line in difflib.ndiff(
                        split_head(source_of(before))[1], split_head(lines)[1]
                    )
                    if line.startswith("+ ")
                ]
                self.assertLessEqual(len(added), stage["added_lines"])

    def test_opencl_has_the_kernels_that_it_is_compared_with(self) -> None:
        for name, stage in STAGES.items():
            if not stage["opencl"]:
                continue
            with self.subTest(stage=name):
                lines = kernels_in_opencl(stage)
                self.assertEqual(lines[0], "// SPDX-License-Identifier: MIT")
                self.assertLessEqual(len(lines), MAX_LINES)
                self.assertLessEqual(max(map(len, lines)), MAX_COLUMNS)
                before = as_opencl(
                    source_of(STAGES[f"{stage['chapter']}/{stage['compared_with']}"])
                )
                functions = as_opencl(lines)
                self.assertTrue(functions)
                self.assertEqual(
                    [one for one in functions if "_kernel(" in one],
                    [one for one in before if one.startswith("__kernel")],
                )
                for function in functions:
                    self.assertIn(function, before)

    def test_a_stage_differs_from_the_one_it_is_compared_with(self) -> None:
        """In its code or in its own compiler flags: a stage may teach nothing but a flag."""
        for name, stage in STAGES.items():
            before = STAGES.get(f"{stage['chapter']}/{stage['compared_with']}")
            if before is None or "// Idea: none yet." in "\n".join(source_of(stage)):
                continue  # `make stage` has made it, and it is still the copy of another
            with self.subTest(stage=name):
                code, code_before = (split_head(source_of(one))[1] for one in (stage, before))
                flags, flags_before = (
                    [one["cuda_args"], one["emu_args"]] for one in (stage, before)
                )
                self.assertTrue(
                    code != code_before or flags != flags_before, "neither code nor flags differ"
                )

    def test_what_a_header_calls_unchanged_is_unchanged(self) -> None:
        """ "Unchanged from stage NN_name" at a header's head speaks of all its functions, above one
        of that one."""
        for header in sorted((ROOT / "chapters").glob("*/device/**/*.cuh")):
            for stage_name, function in unchanged_functions(header.read_text(encoding="utf-8")):
                with self.subTest(
                    header=header.relative_to(ROOT), function=function.partition("(")[0]
                ):
                    stage = STAGES.get(f"{header.relative_to(ROOT).parts[1]}/{stage_name}")
                    assert stage is not None, f"there is no stage {stage_name}"
                    self.assertIn(comparable(function), comparable("\n".join(source_of(stage))))

    def test_a_header_has_its_name_alone_in_its_chapter(self) -> None:
        """Counters and findings name a header without its folder."""
        for chapter in sorted({stage["chapter"] for stage in STAGES.values()}):
            with self.subTest(chapter=chapter):
                headers = (ROOT / "chapters" / chapter).rglob("*.cuh")
                found = Counter(path.name for path in headers)
                self.assertEqual([name for name, times in found.items() if times > 1], [])

    def test_the_readme_knows_how_many_stages_a_chapter_has(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        rows = re.findall(
            r"^\| \[(\w+)\]\(chapters/\w+/README\.md\) .*\| (\d+) \|$", text, re.MULTILINE
        )
        counts = Counter(stage["chapter"] for stage in STAGES.values())
        self.assertEqual({name: int(count) for name, count in rows}, dict(counts))

    def test_a_stage_can_be_renamed_in_its_own_folders(self) -> None:
        """Code of all chapters names none of their stages, but for those that serve as examples."""
        examples = ("01_float3", "02_float4", "03_shared_tiles")
        examples += ("01_first_kernel",)  # of each chapter that `make chapter` has made
        named = {
            stage["name"]: stage["chapter"]
            for stage in STAGES.values()
            if stage["chapter"] != "basics" and stage["name"] not in ("00_cpu", *examples)
        }
        word = re.compile(rf"(?<!\w)({'|'.join(named)})(?!\w)")
        of_all = [
            path
            for folder in ("common", "plots", "tests")
            for path in (ROOT / folder).rglob("*")
            if path.suffix in (".py", ".hpp", ".cpp", ".cuh", ".cu", ".build", ".gp")
            and not any(chapter in path.parts for chapter in named.values())
        ]
        self.assertTrue(of_all)
        for path in of_all:
            found = word.findall(path.read_text(encoding="utf-8"))
            self.assertEqual(found, [], path.relative_to(ROOT))

    def test_no_stage_includes_another(self) -> None:
        for name, stage in STAGES.items():
            with self.subTest(stage=name):
                lines = source_of(stage)
                for line in lines:
                    if line.startswith("#include"):
                        self.assertNotRegex(line, r"\.\.|/\d\d_")


if __name__ == "__main__":
    unittest.main()
