# SPDX-License-Identifier: MIT
"""The stage files as a student reads them: head comment, length, and the diff that is the lesson.

    test_stage_files.py STAGES_JSON
"""

import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

from common.tools.lib.differences import changes, headers_of, size_of
from common.tools.lib.imports import INCLUDE
from common.tools.lib.stages import Stage, checked_stage, label_of

ROOT = Path(__file__).resolve().parents[2]
STAGES = {
    stage["stage"]: stage for stage in json.loads(Path(sys.argv.pop(1)).read_text(encoding="utf-8"))
}
MAX_LINES = 200
MAX_COLUMNS = 100
# Of code in the file of a stage on the source's path, and of all files in the room of another stage.
MAX_CODE, MAX_ROOM = 150, 350
# Lines of code that a stage may add to the one that it is compared with.
MAX_ADDED = {"": 60}
MAX_ADDED_BESIDE = 200
EXCEPTIONS = 8  # in the whole course
MAX_USING = 3  # lines of one declaration
MAX_OTHER_ROOMS = 2  # whose headers a stage of the source's path may call
MAX_KERNEL_LINES = 60


LOADED = {name: checked_stage(record, "") for name, record in STAGES.items()}


def room_of(path: Path) -> str:
    """The folder of a header in its chapter: the stage that introduces it, a block, or problem."""
    return str(path.parent.relative_to(ROOT / "chapters").as_posix()).partition("/")[2]


def begins(stage: Stage) -> bool:
    """Whether it is compared with another algorithm or language, so that there is no diff to read."""
    before = LOADED.get(f"{stage.chapter}/{stage.compared_with}")
    return (
        before is None
        or not before.has_kernels
        or bool(stage.begins_part)
        or stage.opencl
        or before.path != stage.path
    )


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


# A definition at the left margin, with the comment lines right above it.
FUNCTION = re.compile(
    r"^((?://.*\n)*)((?:template.*\n)?(?!struct|class|enum|namespace|union|template)\w[^;{}\n]*(?:\n[^;{}\n]+)*\{\n(?:.*\n)*?\}\n)",
    re.MULTILINE,
)


def comparable(code: str) -> str:
    """Without comments, line breaks, and what only a header needs: `inline` and `static`."""
    code = re.sub(r"//.*", "", code)
    return "".join(re.sub(r"\b(inline|static)\b", "", code).split())


def kernel_texts(path: Path) -> list[str]:
    """Each kernel of a file, as `comparable` writes it."""
    text = path.read_text(encoding="utf-8")
    return [comparable(match[2]) for match in FUNCTION.finditer(text) if "__global__" in match[2]]


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
        """In all files of both programs, without comments and what has only moved."""
        for name, stage in LOADED.items():
            if begins(stage):
                continue
            with self.subTest(stage=name):
                before = LOADED[f"{stage.chapter}/{stage.compared_with}"]
                size = size_of(changes(before, stage), without=("/blocks/",))
                allowed = MAX_ADDED.get(stage.path, MAX_ADDED_BESIDE)
                self.assertLessEqual(size.added, stage.added_lines or allowed, str(size))

    def test_exceptions_are_few(self) -> None:
        self.assertLessEqual(sum(one.added_lines > 0 for one in LOADED.values()), EXCEPTIONS)

    def test_a_room_can_be_taken_in(self) -> None:
        for name, stage in LOADED.items():
            with self.subTest(stage=name):
                lines = source_of(STAGES[name])
                code = [line for line in split_head(lines)[1] if line and not INCLUDE.match(line)]
                if not stage.path:
                    self.assertLessEqual(len(code), MAX_CODE)
                files = [path for path in (ROOT / stage.source).parent.iterdir() if path.is_file()]
                room = [path for path in files if path.suffix in (".cu", ".cuh", ".cpp", ".cl")]
                total = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in room)
                self.assertLessEqual(total, MAX_ROOM)
                for declared in re.findall(r"^using [^;]*;", "\n".join(lines), re.MULTILINE):
                    self.assertLessEqual(len(declared.splitlines()), MAX_USING, declared)

    def test_headers_come_from_rooms_of_before(self) -> None:
        """On the source's path from two other rooms at the most; what a block calls is its own."""
        seen: dict[str, set[str]] = {}  # by chapter
        for name, stage in LOADED.items():
            rooms = seen.setdefault(stage.chapter, set())
            rooms.add(stage.name)
            with self.subTest(stage=name):
                used = {room_of(path) for path in headers_of(stage)}
                called = {room_of(path) for path in headers_of(stage, closed="/blocks/")}
                others = (called & rooms) - {stage.name}
                unknown = used - rooms - {"problem"}
                self.assertTrue(all(one.startswith("blocks/") for one in unknown), unknown)
                if not stage.path:
                    self.assertLessEqual(len(others), MAX_OTHER_ROOMS, others)
                for line in source_of(STAGES[name]):
                    self.assertNotRegex(line, r'^#include ".*\.\.')

    def test_a_kernel_stands_once(self) -> None:
        """Not in two headers of a chapter, and not in a header and a stage."""
        for chapter in sorted({one.chapter for one in LOADED.values()}):
            with self.subTest(chapter=chapter):
                folder = ROOT / "chapters" / chapter
                found = Counter(
                    text for path in folder.rglob("*.cuh") for text in set(kernel_texts(path))
                )
                for path in folder.rglob("*.cu"):
                    found.update({one for one in kernel_texts(path) if one in found})
                twice = [text[:60] for text, times in found.items() if times > 1]
                self.assertEqual(twice, [])

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
            if stage["chapter"] != "basics"
            and label_of(stage["name"])[-2:].isdigit()  # `many_gpus` is a word of many files
            and stage["name"] not in ("00_cpu", *examples)
        }
        word = re.compile(rf"(?<!\w)({'|'.join(named)})(?!\w)")
        of_all = [
            path
            for folder in ("common", "plots", "tests")
            for path in (ROOT / folder).rglob("*")
            if path.suffix in (".py", ".hpp", ".cpp", ".cuh", ".cu", ".build", ".gp")
            and not any(chapter in path.relative_to(ROOT).parts for chapter in named.values())
        ]
        self.assertTrue(of_all)
        for path in of_all:
            found = word.findall(path.read_text(encoding="utf-8"))
            self.assertEqual(found, [], path.relative_to(ROOT))


if __name__ == "__main__":
    unittest.main()
