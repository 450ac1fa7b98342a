# SPDX-License-Identifier: MIT
"""Views of stages as pages of the site: each links to its own, and the archive has them."""

import re
import sys
import tempfile
import unittest
import zipfile
from dataclasses import replace
from pathlib import Path

from common.tools.lib.stages import Stage, ToolError, executable, load_stages
from common.tools.pages.packages import missing_packages
from plots.commands import figures
from plots.page import inside
from plots.page.links import page_of_stage_on_site
from plots.records.stages import chapter_names

if missing_packages():
    print(f"no page: {', '.join(missing_packages())} missing")
    sys.exit(77)

from plots.page import site  # noqa: E402

CHAPTER = "nbody"


def shown() -> list[Stage]:
    return inside.viewed(load_stages(), [CHAPTER])


def built() -> list[Stage]:
    """Two of them; fewer in a build of single stages."""
    return [one for one in shown() if executable(one, "count").is_file()][:2]


class InsideTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def test_each_stage_of_a_sources_path(self) -> None:
        every = inside.viewed(load_stages(), chapter_names())
        self.assertEqual({one.chapter for one in every}, set(chapter_names()))
        self.assertFalse([one.stage for one in every if "/" in one.name])
        serial = {one.stage for one in load_stages() if not one.has_kernels}
        self.assertFalse(serial & {one.stage for one in every})

    def test_pages_lead_to_their_views(self) -> None:
        chosen = built()
        self.assertTrue(chosen)
        files = inside.write_views(chosen, self.folder)
        for stage, name in zip(chosen, files, strict=True):
            text = (self.folder / name).read_text(encoding="utf-8")
            self.assertIn(f'<tr id="p0-{Path(stage.source).name}-1"', text)
        source = figures.make_source(figures.parse_arguments([]))
        site.write_site(self.folder, [], source, CHAPTER, files)
        for stage in shown():
            page = self.folder / page_of_stage_on_site(stage.chapter, stage.name)
            found = re.findall(r'href="([^"]*-inside\.html)"', page.read_text(encoding="utf-8"))
            self.assertEqual(found, [inside.inside_of(stage)] if stage in chosen else [])
        with zipfile.ZipFile(self.folder / site.ARCHIVE) as archive:
            self.assertLessEqual({f"site/{name}" for name in files}, set(archive.namelist()))
        site.remove_site(self.folder)
        self.assertFalse(list(self.folder.glob("*-inside.html")))

    def test_a_program_that_is_missing_is_named(self) -> None:
        stage = shown()[0]
        broken = replace(stage, executables={"count": str(self.folder / "nothing")})
        with self.assertRaisesRegex(ToolError, stage.stage):
            inside.write_views([broken], self.folder)
        self.assertFalse(list(self.folder.iterdir()))


if __name__ == "__main__":
    unittest.main()
