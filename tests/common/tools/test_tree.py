# SPDX-License-Identifier: MIT
"""The files of the repository: their sizes, the sizes of their folders, and how sources are named.

Each rule is tested twice: on the repository, and on a made-up folder that breaks it.
"""

import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from tests.common.tools.course_tools import ROOT

LARGEST_SOURCE = 500  # lines
LARGEST_FOLDER = 25  # files
LARGEST_FILE = 1_000_000  # bytes
SOURCES = re.compile(r".*(\.(hpp|cpp|h|cu|cuh|cl|py)|meson\.build|meson_options\.txt)")
# Folders of data may have any number of files.
DATA = re.compile(r"plots/(data|published)(/.*)?|chapters/\w+/figures")
# Reports that the course builds on are named by author and year. A number looks like `--seed`.
NUMBERED_REPORT = re.compile(r"\bseed\s+00\d", re.IGNORECASE)


def known_files() -> list[str]:
    """Files that git knows or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def long_sources(root: Path, names: list[str]) -> list[str]:
    found = []
    for name in names:
        if SOURCES.fullmatch(name):
            lines = len((root / name).read_bytes().splitlines())
            if lines > LARGEST_SOURCE:
                found.append(f"{name}: {lines} lines; at most {LARGEST_SOURCE} are allowed")
    return found


def full_folders(names: list[str]) -> list[str]:
    counts = Counter(str(Path(name).parent) for name in names)
    return [
        f"{folder}: {count} files; at most {LARGEST_FOLDER} are allowed"
        for folder, count in sorted(counts.items())
        if count > LARGEST_FOLDER and not DATA.fullmatch(folder)
    ]


def numbered_reports(root: Path, names: list[str]) -> list[str]:
    found = []
    for name in names:
        if name.startswith("plots/data/"):
            continue
        text = (root / name).read_bytes().decode("utf-8", errors="replace")
        for match in NUMBERED_REPORT.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{name}:{line}: {match[0]!r}; name the report by author and year")
    return found


def large_files(root: Path, names: list[str]) -> list[str]:
    sizes = {name: (root / name).stat().st_size for name in names}
    return [
        f"{name}: {size} bytes; at most {LARGEST_FILE} are allowed"
        for name, size in sizes.items()
        if size > LARGEST_FILE
    ]


@unittest.skipUnless(shutil.which("git") and (ROOT / ".git").exists(), "not a git repository")
class RepositoryTest(unittest.TestCase):
    def assert_none(self, offenders: list[str]) -> None:
        if offenders:
            self.fail("\n" + "\n".join(offenders))

    def test_git_lists_the_files(self) -> None:
        self.assertIn("chapters/meson.build", known_files())

    def test_sources_are_short(self) -> None:
        self.assert_none(long_sources(ROOT, known_files()))

    def test_folders_have_few_files(self) -> None:
        self.assert_none(full_folders(known_files()))

    def test_reports_are_named_by_author_and_year(self) -> None:
        self.assert_none(numbered_reports(ROOT, known_files()))

    def test_files_are_small(self) -> None:
        self.assert_none(large_files(ROOT, known_files()))


class RulesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, text: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def test_a_long_source_is_named(self) -> None:
        names = [self.write(name, "x\n" * 501) for name in ("a/b.cu", "a/meson.build", "a/b.md")]
        names.append(self.write("a/c.py", "x\n" * 500))
        said = [f"{name}: 501 lines; at most 500 are allowed" for name in names[:2]]
        self.assertEqual(long_sources(self.root, names), said)

    def test_a_full_folder_is_named(self) -> None:
        def files(folder: str, count: int) -> list[str]:
            return [f"{folder}/{i}.hpp" for i in range(count)]

        names = files("a/b", 26) + files("a", 25) + files("plots/data/x", 27)
        names += files("chapters/sums/figures", 27) + files("plots/published", 27)
        self.assertEqual(full_folders(names), ["a/b: 26 files; at most 25 are allowed"])
        self.assertEqual(len(full_folders(files("plots/database", 27))), 1)

    def test_a_numbered_report_is_named_with_its_line(self) -> None:
        number = "00" + "3"
        names = [
            self.write("a.md", f"one\nof Seed {number}.\n"),
            self.write("b.svg", f"a seed\n{number}\n"),
            self.write("c.md", "make run ARGS='--seed 3', seed 1003, seed 0\n"),
            self.write("plots/data/d.csv", f"seed {number}\n"),
        ]
        found = numbered_reports(self.root, names)
        self.assertEqual([line.split(": ")[0] for line in found], ["a.md:2", "b.svg:1"])

    def test_a_large_file_is_named(self) -> None:
        names = [self.write("a.csv", "x" * 1_000_001), self.write("b.csv", "x" * 1_000_000)]
        said = ["a.csv: 1000001 bytes; at most 1000000 are allowed"]
        self.assertEqual(large_files(self.root, names), said)


if __name__ == "__main__":
    unittest.main()
