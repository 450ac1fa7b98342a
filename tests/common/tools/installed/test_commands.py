# SPDX-License-Identifier: MIT
"""cuda-try, cuda-explain and cuda-view as installed, and the installation itself."""

import ast
import json
import os
import shutil
import unittest
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from common.tools.pages.packages import missing_packages
from tests.common.tools.course_tools import ROOT
from tests.common.tools.installed.installation import (
    RACE,
    RIGHT,
    InstalledTest,
    configured_prefix,
    run_script,
)

COMMANDS = ("cuda-explain", "cuda-try", "cuda-view", "emucc")
# Run by the installation itself.
FURTHER = ["common.tools.programs.precompile"]


def imported(path: Path) -> set[str]:
    """The modules that a file may import, by their full names."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            folder = ".".join(path.relative_to(ROOT).parent.parts)
            module = f"{folder}.{node.module or ''}" if node.level else node.module or ""
            names |= {module} | {f"{module}.{one.name}" for one in node.names}
    return names


def needed(modules: list[str]) -> set[str]:
    """The files of these modules and of all that they import."""
    found: set[str] = set()
    while modules:
        name = f"{modules.pop().replace('.', '/')}.py"
        if name not in found and (ROOT / name).is_file():
            found.add(name)
            modules += imported(ROOT / name)
    return found


class InstallationTest(InstalledTest):
    def test_it_has_the_modules_that_the_commands_import_and_no_others(self) -> None:
        starts = [
            f"common.tools.{line.split(chr(34))[1]}"
            for name in COMMANDS
            for line in (ROOT / "common/tools/commands" / name).read_text().splitlines()
            if line.strip().startswith('start("')
        ]
        self.assertEqual(len(starts), len(COMMANDS))
        wanted = needed([*starts, *FURTHER, "common.tools.commands.start"])
        have = {str(path.relative_to(self.root)) for path in self.root.rglob("*.py")}
        self.assertEqual(sorted(have - wanted), [], "nothing imports these")
        self.assertEqual(sorted(wanted - have), [], "these are missing in common/tools/meson.build")

    def test_no_file_names_the_checkout(self) -> None:
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 250)
        for path in files:
            self.assertNotIn(os.fsencode(ROOT), path.read_bytes(), path)
        for path in self.prefix.rglob("*"):  # another user may read it
            wanted = 0o055 if path.is_dir() else 0o044
            self.assertEqual(path.stat().st_mode & wanted, wanted, path)
        for name in COMMANDS:
            link = self.prefix / "bin" / name
            self.assertTrue(link.is_symlink() and link.resolve().is_relative_to(self.root), link)

    def test_it_is_small_and_holds_nothing_of_the_course(self) -> None:
        size = sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file())
        self.assertLess(size, 12e6)
        for name in ("chapters", "plots", "tests"):
            self.assertFalse((self.root / name).exists())

    def test_uninstalling_removes_all_of_it_and_nothing_else(self) -> None:
        copy = self.work / "copy"
        shutil.copytree(self.destination, copy, symlinks=True)
        prefix = Path(f"{copy}{configured_prefix()}")
        (prefix / "bin" / "emucc").unlink()
        (prefix / "bin" / "emucc").write_text("another program")
        removed = run_script("uninstall", copy)
        self.assertEqual((removed.returncode, removed.stderr), (0, ""))
        left = [str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()]
        self.assertEqual(left, ["bin/emucc"])
        again = run_script("uninstall", copy)
        self.assertEqual((again.returncode, len(again.stderr.splitlines())), (1, 1), again.stderr)

    def test_a_prefix_that_cannot_be_used_is_one_line(self) -> None:
        (self.work / "file").write_text("")
        for destination, prefix, status, said in (
            ("", "relative", 2, "PREFIX=relative: must be an absolute path"),
            ("relative", "/usr", 2, "DESTDIR=relative: must be an absolute path"),
            ("", f"{self.work}/file/here", 1, f"you cannot write to {self.work}/file"),
            ("", f"{self.work}/line\nbreak", 2, "PREFIX has a line break"),
        ):
            made = run_script("install", destination, prefix)
            self.assertEqual((made.returncode, made.stdout), (status, ""))
            self.assertEqual(len(made.stderr.splitlines()), 1, made.stderr)
            self.assertIn(said, made.stderr)


class CommandsTest(InstalledTest):
    def test_cuda_try_finds_the_missing_barrier(self) -> None:
        made = self.run_installed("cuda-try", "--engine", "count", "sum.cu")
        self.assertEqual(made.returncode, 1, made.stderr)
        self.assertRegex(made.stdout, r"^sum \d+\n$")
        self.assertRegex(made.stderr, RACE)

    def test_cuda_try_ends_with_0_where_all_is_right(self) -> None:
        # The names of folders and files have blanks, and the program has a header and arguments.
        (self.work / "in clude").mkdir()
        (self.work / "in clude" / "more.hpp").write_text("static_assert(FACTOR == 3);\n")
        (self.work / "my sum.cu").write_text(f'#include "more.hpp"\n{RIGHT}')
        flags = ["--engine", "count", "-I", "in clude", "-DFACTOR=3"]
        made = self.run_installed("cuda-try", *flags, "my sum.cu", "--", "a", "--b")
        self.assertEqual((made.returncode, made.stdout), (0, "sum 768\n"), made.stderr)
        self.assertNotIn("emulator: ", made.stderr)

    def test_a_package_of_the_same_name_is_not_taken(self) -> None:
        (self.work / "common").mkdir()
        (self.work / "common" / "__init__.py").write_text("raise SystemExit('another package')\n")
        made = self.run_installed("cuda-try", "--version", PYTHONPATH=str(self.work))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertRegex(made.stdout, r"^cuda-try \S+\n$")

    def test_cuda_explain_names_the_line(self) -> None:
        strided = RIGHT.replace("values[i]", "values[8 * i % 256]")
        (self.work / "sum.cu").write_text(strided)
        made = self.run_installed("cuda-explain", "--json", "waste.json", "sum.cu")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(
            made.stdout, r"(?s)sum\.cu:5 .*cause: .*cure: .*Lower bounds on NVIDIA H200"
        )
        findings = json.loads((self.work / "waste.json").read_text())["findings"]
        self.assertIn(5, [one["line"] for one in findings])

    @unittest.skipIf(missing_packages(["jinja2"]), "no view without python3-jinja2")
    def test_cuda_view_writes_its_page_here(self) -> None:
        made = self.run_installed("cuda-view", "sum.cu")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("view-sum.html: ", made.stdout)
        page = (self.work / "view-sum.html").read_text()
        self.assertIn("s_partial[i] += s_partial[i + step]", page.replace("</i>", ""))
        self.assertIn("race in block", page)

    def test_a_mistake_of_the_caller_is_one_line(self) -> None:
        (self.work / "empty.cu").write_text("\n")
        for words, status, part in (
            (["cuda-try"], 2, "cuda-try: the following arguments are required: FILE"),
            (["cuda-try", "none.cu"], 1, "none.cu: No such file or directory"),
            (["cuda-try", "empty.cu"], 1, "empty.cu: is empty"),
            (["cuda-try", "--fast", "sum.cu"], 2, "cuda-try: unrecognized arguments: --fast"),
            (["cuda-try", "--engine", "cpu", "sum.cu"], 2, "invalid choice: 'cpu'"),
            (["cuda-explain", "--device", "mine", "sum.cu"], 2, "--device=mine: no such device"),
            (["cuda-explain", "none.cu"], 1, "none.cu: No such file or directory"),
            (["cuda-view", "none.cu"], 1, "none.cu: No such file or directory"),
            (["emucc", "--fast", "sum.cu"], 2, "emucc: unknown flag --fast"),
        ):
            with self.subTest(words):
                self.assert_refused(words, status, part)
        if not has_gpu():
            self.assert_refused(["cuda-try", "--engine", "gpu", "sum.cu"], 77, "no usable device")

    def test_a_missing_compiler_is_one_line(self) -> None:
        (self.work / "bin").mkdir()
        for name in ("env", "python3"):
            (self.work / "bin" / name).symlink_to(shutil.which(name) or name)
        path = f"{self.prefix / 'bin'}:{self.work / 'bin'}"
        self.path = os.environ["PATH"]  # for hiding the checkout
        words = ["env", f"PATH={path}", "cuda-try", "--engine", "count", "sum.cu"]
        flags = json.loads((self.root / "build" / "emulator.json").read_text())
        self.assert_refused(words, 1, f"{flags['compiler'][0]} is missing")

    def test_each_command_explains_itself(self) -> None:
        for name in COMMANDS:
            made = self.run_installed(name, "--help")
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertTrue(made.stdout.startswith(f"usage: {name} [FLAG"), made.stdout)


if __name__ == "__main__":
    unittest.main()
