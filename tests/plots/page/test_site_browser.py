# SPDX-License-Identifier: MIT
"""The whole site in a browser, as wide as a telephone, a tablet and a projector, light and dark:
every link leads to a place, every picture is there, the console is empty, no network is asked, and
nothing sticks out."""

import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
import unittest
import urllib.parse
import zipfile
from pathlib import Path
from unittest import mock

from plots.commands import figures
from plots.drawing import gnuplot
from plots.drawing.small_svg import small_svg
from plots.page.chapters import all_chapters, all_figures
from plots.page.links import page_of_stage_on_site
from common.tools.pages.packages import missing_packages
from plots.records.folders import DATA, device_folder
from plots.records.stages import all_stages
from tests.drawn import drawn
from tests.plots.page.browser import Browser, find_browser

WIDTHS = (360, 1024, 1920)
MOST_BYTES = 2_500_000  # of the archive; its two animations would add 1.4 MB
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"
# Elements that are wider than the window and not inside a box that scrolls or cuts them off.
STICKS_OUT = """[...document.querySelectorAll('body *')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width > 1 && box.right > innerWidth + 1 && !one.closest('.wide, .code, .panel, pre');
}).slice(0, 3).map(one => one.outerHTML.slice(0, 120))"""
PICTURES = """[...document.images].map(image =>
    [image.getAttribute('src'), image.naturalWidth, image.parentElement.clientWidth])"""

# gnuplot writes the place of a text as a translation. Chromium then rounds its letters otherwise.
TEXT_PLACE = re.compile(r'<text([^>]*) x="([^"]+)" y="([^"]+)"')
# Of four times 1,440,000. Where lines of one colour cross, triangles touch or words are turned, they
# differ a little.
MOST_VALUES = 1500
DEFINE_UNLIKE = """window.pixels = async svg => {
    const image = new Image(1600, 900), canvas = document.createElement('canvas');
    image.src = 'data:image/svg+xml,' + encodeURIComponent(svg);
    await image.decode();
    [canvas.width, canvas.height] = [1600, 900];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, 1600, 900).data;
};
window.unlike = async (before, after) => {
    const [a, b] = [await pixels(before), await pixels(after)];
    let count = 0;
    for (let i = 0; i < a.length; ++i) count += Math.abs(a[i] - b[i]) > 12;
    return count;
};
0"""


class SiteTest(unittest.TestCase):
    folder: Path
    pages: list[Path]
    browser: Browser
    svgs: list[tuple[str, str]] = []  # of each figure: what gnuplot has written, and what is shown

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        recorded = device_folder(DATA, None)
        names = [one.name for one in all_figures() if (recorded / f"{one.chapter}.csv").exists()]
        said = io.StringIO()

        def noted(text: str) -> str:
            cls.svgs.append((text, small_svg(text)))
            return cls.svgs[-1][1]

        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            mock.patch.object(gnuplot, "FORMATS", ("svg",)),  # the site shows no other
            mock.patch.object(gnuplot, "small_svg", noted),
        ):
            status = figures.main(
                ["--no-animation", "--out", str(cls.folder / "drawn"), "--only", *names]
            )
        assert status == 0, said.getvalue()
        # What is looked at is what was mailed.
        with zipfile.ZipFile(cls.folder / "drawn" / "site.zip") as archive:
            archive.extractall(cls.folder)
        cls.pages = sorted((cls.folder / "site").glob("*.html"))
        cls.names = names
        cls.browser = cls.enterClassContext(Browser(find_browser() or ""))

    def test_small_pictures_look_as_gnuplot_has_drawn_them(self) -> None:
        self.assertEqual(len(self.svgs), len(self.names))
        self.browser.ask(DEFINE_UNLIKE)
        for before, after in self.svgs:
            after = TEXT_PLACE.sub(r'<text\1 transform="translate(\2,\3)"', after)
            count = self.browser.ask(f"unlike({json.dumps(before)}, {json.dumps(after)})")
            with self.subTest(title=re.findall("<text[^>]*>(.*)</text>", after)[0]):
                self.assertLess(count, MOST_VALUES)

    def test_every_page_at_one_of_three_widths(self) -> None:
        shown: set[str] = set()
        links: set[tuple[str, str]] = set()
        places: set[tuple[str, str]] = set()
        every = [(page, width) for page in self.pages for width in WIDTHS]
        chosen = drawn(every, len(every) // 3, "pages and widths")
        for page in self.pages:
            of_page = [width for one, width in chosen if one == page] or [WIDTHS[0]]
            for width in of_page:
                scheme = "dark" if width == 1024 else "light"
                with self.subTest(page=page.name, width=width):
                    self.browser.load(page, width, scheme)
                    ask = self.browser.ask
                    self.assertEqual(ask("document.documentElement.scrollWidth"), width)
                    ask(OPEN_ALL)
                    self.assertEqual(ask("document.documentElement.scrollWidth"), width)
                    self.assertEqual(ask(STICKS_OUT), [])
                    for source, natural, room in ask(PICTURES):
                        self.assertGreater(natural, 0, source)
                        self.assertGreater(room, 100, source)
                        shown.add(source.removesuffix(".svg"))
                    self.assertEqual(self.browser.said, [])
                    for url in self.browser.requested:
                        self.assertTrue(url.startswith(self.folder.resolve().as_uri()), url)
            links |= {(page.name, one) for one in ask("[...document.links].map(one => one.href)")}
            ids = ask("[...document.querySelectorAll('[id]')].map(one => one.id)")
            self.assertEqual(len(ids), len(set(ids)), page.name)
            places |= {(page.name, ""), *((page.name, one) for one in ids)}
        self.assertEqual(set(self.names) - shown, set())
        self.assertGreater(len(links), 500)
        for page, url in links:
            target, _, anchor = urllib.parse.unquote(url).partition("#")
            path = Path(urllib.parse.urlparse(target).path)
            self.assertTrue(path.is_file(), f"{page}: {url}")
            if path.suffix == ".html":
                self.assertIn((path.name, anchor), places, f"{page}: {url}")

    def test_colours_follow_the_scheme(self) -> None:
        backs = []
        for scheme in ("light", "dark"):
            self.browser.load(self.folder / "site" / "index.html", 1024, scheme)
            backs.append(self.browser.ask("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*backs)

    def test_the_first_page_is_one_screen(self) -> None:
        self.browser.load(self.folder / "site" / "index.html", 1440, "light", 900)
        self.assertLessEqual(self.browser.ask("document.documentElement.scrollHeight"), 900)
        cards = self.browser.ask("document.querySelectorAll('.cards > li').length")
        self.assertEqual(cards, len(all_chapters()))
        ladders = self.browser.ask("document.querySelectorAll('.cards img').length")
        recorded = [name for name in self.names if name.endswith("_ladder")]
        self.assertEqual(ladders, len(recorded))

    def test_a_telephone_stacks_the_panels(self) -> None:
        tops = """[...document.querySelectorAll('.picture')].filter(one => one.children.length > 1)
            .map(one => [...one.children].map(panel => panel.getBoundingClientRect().top))"""
        for width, stacked in ((360, True), (1024, False)):
            self.browser.load(self.folder / "site" / "nbody-reference.html", width, "light")
            found = self.browser.ask(tops)
            self.assertGreater(len(found), 3)
            for first, *others in found:
                self.assertEqual([top > first for top in others], [stacked] * len(others))

    def test_a_difference_has_two_columns_where_there_is_room(self) -> None:
        pairs = """[...document.querySelectorAll('.pair')].filter(pair =>
            pair.querySelector('.del:not(:empty)') && pair.querySelector('.ins:not(:empty)')).map(
            pair => [...pair.children].map(side => side.getBoundingClientRect()).map(
            box => [box.left, box.top]))"""
        alike = "[...document.querySelectorAll('.was')].some(one => one.offsetWidth > 0)"
        lines = """[...document.querySelectorAll('.was')].every(was => {
            const lines = side => [...side.children].map(line => line.offsetTop);
            return lines(was).join() === lines(was.nextElementSibling).join(); })"""
        for width, wide in ((360, False), (1920, True)):
            self.browser.load(
                self.folder / "site" / "nbody-limit-03_third_law.html", width, "light"
            )
            self.browser.ask(OPEN_ALL)
            found = self.browser.ask(pairs)
            self.assertGreater(len(found), 3)
            for (left, top), (other_left, other_top) in found:
                self.assertEqual((top == other_top, left == other_left), (wide, not wide))
            # Else every line that is alike would be there twice.
            self.assertEqual(self.browser.ask(alike), wide)
            if wide:
                self.assertTrue(self.browser.ask(lines))

    def test_a_link_opens_what_it_leads_to(self) -> None:
        """A figure inside a fold, and a section that is a fold itself."""
        for page, name, inside in (
            ("mergesort", "figure_4_10", "h3"),
            ("counters", "instructions", "p"),
        ):
            self.browser.load(self.folder / "site" / f"{page}.html", 1440, "light")
            seen = f"document.querySelector('#{name} {inside}').checkVisibility()"
            self.assertFalse(self.browser.ask(seen))
            self.browser.ask(
                f"location.hash = '{name}'; new Promise(done => setTimeout(done, 100))"
            )
            self.assertTrue(self.browser.ask(seen))
            top = self.browser.ask(f"document.getElementById('{name}').getBoundingClientRect().top")
            self.assertLess(abs(top), 200)

    def test_a_stage_is_reached_from_then_and_now(self) -> None:
        stage = next(stage for stage in all_stages() if stage.compared_with)
        href = page_of_stage_on_site(stage.chapter, stage.name)
        self.browser.load(self.folder / "site" / "then-and-now.html", 1440, "light")
        link = f"document.querySelector('.then a[href=\"{href}\"]')"
        self.assertTrue(self.browser.ask(f"{link} !== null"))
        self.assertTrue((self.folder / "site" / href.partition("#")[0]).is_file())

    def test_it_can_be_mailed(self) -> None:
        archive = self.folder / "drawn" / "site.zip"
        self.assertLess(archive.stat().st_size, MOST_BYTES)


if __name__ == "__main__":
    packages = missing_packages()
    for missing, found in (
        ("gnuplot", shutil.which("gnuplot")),
        ("chromium", find_browser()),
        (" and ".join(packages), None if packages else ""),
    ):
        if found is None:
            print(f"{missing} is missing: the site is not tried in a browser")
            sys.exit(77)
    unittest.main()
