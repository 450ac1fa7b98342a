# SPDX-License-Identifier: MIT
"""The lists of the libraries' sources, folders and pages are complete, and their forwarding headers
lead to headers that exist."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator.forwarding import LIST, read_forwarding, write_headers

ROOT = Path(__file__).resolve().parents[4]
ENGINE = "common/emulator/"
LIBRARIES = ENGINE + "libraries/"


class ListsTest(unittest.TestCase):
    def test_meson_knows_every_library(self) -> None:
        build = (ROOT / LIBRARIES / "meson.build").read_text(encoding="utf-8")
        folders = {path.parent.name for path in (ROOT / LIBRARIES).glob("*/include")}
        named = re.search(r"foreach name : \[(.*?)\]", build, re.DOTALL)
        assert named is not None
        # Thrust's headers stand before the toolkit's only in programs that use Thrust.
        self.assertEqual(set(re.findall(r"'(\w+)'", named[1])), folders - {"thrust"})
        sources = {
            str(path.relative_to(ROOT / LIBRARIES)) for path in (ROOT / LIBRARIES).rglob("*.cpp")
        }
        own = {source for source in sources if source.startswith("nccl/")}  # a target of its own
        self.assertEqual(set(re.findall(r"'(\w+/\w+\.cpp)'", build)), sources - own)

    def test_every_library_has_its_page(self) -> None:
        listed = (ROOT / LIBRARIES / "README.md").read_text(encoding="utf-8")
        for folder in (ROOT / LIBRARIES).iterdir():
            if folder.is_dir():
                self.assertTrue((folder / "README.md").is_file(), folder.name)
                self.assertIn(f"({folder.name}/README.md)", listed)


class ForwardingTest(unittest.TestCase):
    def test_each_header_includes_one_that_exists(self) -> None:
        folders = [ROOT / ENGINE / "include", *(ROOT / LIBRARIES).glob("*/include")]
        for name, text in read_forwarding().items():
            self.assertFalse(any((folder / name).exists() for folder in folders), name)
            for header in re.findall(r"#include <(.*)>", text):
                if "/" in header or "." in header:
                    found = any((folder / header).is_file() for folder in folders)
                    self.assertTrue(found, f"{name}: {header}")

    def test_headers_are_written_once_and_old_ones_go(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder, path = Path(name) / "headers", Path(name) / "list.txt"
            path.write_text("# A comment.\n\na/b.h: c.h d.h\ne.h! is not there\n", encoding="utf-8")
            write_headers(path, folder)
            self.assertEqual(
                (folder / "a/b.h").read_text(encoding="utf-8"),
                "#pragma once\n\n#include <c.h>\n#include <d.h>\n",
            )
            self.assertIn('#error "is not there"', (folder / "e.h").read_text(encoding="utf-8"))
            before = (folder / "e.h").stat().st_mtime_ns
            path.write_text("e.h! is not there\n\n", encoding="utf-8")
            read_forwarding.cache_clear()
            write_headers(path, folder)
            self.assertFalse((folder / "a/b.h").exists())
            self.assertEqual((folder / "e.h").stat().st_mtime_ns, before)

    def test_a_bad_line_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "list.txt"
            for number, text in {
                1: "a.h\n",
                2: "a.h: b.h\na.h: c.h\n",
                3: "# x\n\na.h b.h\n",
            }.items():
                path.write_text(text, encoding="utf-8")
                result = subprocess.run(
                    [sys.executable, str(LIST.parents[1] / "translator/forwarding.py"), path, name],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(result.returncode, 1)
                self.assertTrue(result.stderr.startswith(f"{path}:{number}: "), result.stderr)


if __name__ == "__main__":
    unittest.main()
