# SPDX-License-Identifier: MIT
"""Every relative link of every Markdown file leads to a file, and to the heading that it names."""

import re
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def markdown_files() -> list[Path]:
    """Those of the repository, not of build folders."""
    return [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not any(part.startswith((".", "build")) for part in path.relative_to(ROOT).parts)
    ]


def anchors_of(path: Path) -> set[str]:
    """The names that GitHub gives to the headings of a file."""
    headings = HEADING.findall(path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(path: Path) -> Iterator[str]:
    for link in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"\w+:", link):
            continue  # another site
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            yield f"{path.name}: {link}"


class LinksTest(unittest.TestCase):
    def test_of_the_repository(self) -> None:
        files = markdown_files()
        self.assertIn(ROOT / "README.md", files)
        self.assertIn(ROOT / "chapters/README.md", files)
        for path in files:
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertEqual(list(broken_links(path)), [])

    def test_of_the_wrong_kind_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.md"
            path.write_text(
                "# The title: it's 1\n"
                "[self](a.md) [up](#the-title-its-1) [web](https://a.b/c) `[](x)`\n"
                "[gone](b.md) ![no figure](figures/a.svg) [no heading](a.md#title)\n"
                "```\n[code](c.md)\n```\n",
                encoding="utf-8",
            )
            self.assertEqual(
                list(broken_links(path)), ["a.md: b.md", "a.md: figures/a.svg", "a.md: a.md#title"]
            )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
