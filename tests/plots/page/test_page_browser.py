# SPDX-License-Identifier: MIT
"""The page in a browser, as wide as a telephone and as a desk's screen, light and dark: every
picture is there, the console is empty, no network is asked, and nothing sticks out."""

import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path


from plots import figures
from plots.drawing.figure import Figure
from plots.page.chapters import all_figures
from plots.page.libraries import missing_packages
from plots.records.folders import DATA, device_folder
from plots.records.stages import all_stages
from tests.plots.page.browser import Browser, find_browser

VIEWS = [(width, scheme) for width in (360, 1440) for scheme in ("light", "dark")]
MOST_BYTES = 8_000_000
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"
# Elements that are wider than the window and not inside a box that scrolls.
STICKS_OUT = """[...document.querySelectorAll('body *')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width > 1 && box.right > innerWidth + 1 && !one.closest('.wide, .code, pre');
}).slice(0, 3).map(one => one.outerHTML.slice(0, 120))"""


def recorded() -> list[Figure]:
    """The figures of the chapters that are recorded."""
    folder = device_folder(DATA, None)
    return [one for one in all_figures() if (folder / f"{one.chapter}.csv").exists()]


class PageTest(unittest.TestCase):
    page: Path
    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = figures.main(
                [
                    "--no-animation",
                    "--out",
                    str(folder),
                    "--only",
                    *(one.name for one in recorded()),
                ]
            )
        assert status == 0, said.getvalue()
        cls.page = folder / "index.html"
        cls.browser = cls.enterClassContext(Browser(find_browser() or ""))

    @contextlib.contextmanager
    def view(self, width: int, scheme: str, opened: bool = False) -> Iterator[None]:
        with self.subTest(width=width, scheme=scheme, opened=opened):
            self.browser.load(self.page, width, scheme)
            if opened:
                self.browser.ask(OPEN_ALL)
            yield

    def test_every_picture_is_loaded(self) -> None:
        for view in VIEWS:
            with self.view(*view):
                sizes = self.browser.ask(
                    "[...document.images].map(image => [image.naturalWidth, image.clientWidth])"
                )
                self.assertEqual(len(sizes), len(recorded()))
                for natural, shown in sizes:
                    self.assertGreater(natural, 0)
                    self.assertGreater(shown, 300)

    def test_it_says_and_asks_nothing(self) -> None:
        for view in VIEWS:
            with self.view(*view, opened=True):
                self.browser.ask("new Promise(done => setTimeout(done, 100))")
                self.assertEqual(self.browser.said, [])
                self.assertEqual(
                    [url for url in self.browser.requested if not url.startswith("data:")],
                    [self.page.resolve().as_uri()],
                )

    def test_nothing_sticks_out(self) -> None:
        for opened in (False, True):
            for width, scheme in VIEWS:
                with self.view(width, scheme, opened):
                    self.assertEqual(
                        self.browser.ask("document.documentElement.scrollWidth"), width
                    )
                    self.assertEqual(self.browser.ask(STICKS_OUT), [])

    def test_colours_follow_the_scheme(self) -> None:
        backs = {}
        for view in VIEWS:
            with self.view(*view):
                backs[view] = self.browser.ask("getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(backs[360, "light"], backs[360, "dark"])
        self.assertNotEqual(backs[1440, "light"], backs[1440, "dark"])

    def test_a_difference_has_two_columns_where_there_is_room(self) -> None:
        for width, scheme in VIEWS:
            with self.view(width, scheme, opened=True):
                pairs = self.browser.ask(
                    """[...document.querySelectorAll('.pair')].filter(pair =>
                    pair.querySelector('.del:not(:empty)') && pair.querySelector('.ins:not(:empty)')).map(pair =>
                    [...pair.children].map(side => side.getBoundingClientRect()).map(box => [box.left, box.top]))"""
                )
                self.assertGreater(len(pairs), 20)
                for (left, top), (other_left, other_top) in pairs:
                    self.assertEqual(top == other_top, width > 1000)
                    self.assertEqual(left == other_left, width < 1000)
                alike = self.browser.ask(
                    "[...document.querySelectorAll('.was')].some(one => one.offsetWidth > 0)"
                )
                self.assertEqual(
                    alike, width > 1000
                )  # else every line that is alike would be there twice

    def test_lines_of_both_columns_are_side_by_side(self) -> None:
        self.browser.load(self.page, 1440, "light")
        self.browser.ask(OPEN_ALL)
        tops = self.browser.ask(
            """[...document.querySelectorAll('.was')].map(was => {
            const lines = side => [...side.children].map(line => line.offsetTop);
            return lines(was).join() === lines(was.nextElementSibling).join(); })"""
        )
        self.assertGreater(len(tops), 100)
        self.assertTrue(all(tops))

    def test_a_link_opens_what_it_leads_to(self) -> None:
        stage = next(stage for stage in all_stages() if stage.compared_with)
        name = f"{stage.chapter}-{stage.name}"
        self.browser.load(self.page, 1440, "light")
        link = f"document.querySelector('.then a[href=\"#{name}\"]')"
        self.assertFalse(self.browser.ask(f"document.getElementById('{name}').parentNode.open"))
        self.browser.ask(f"{link}.click()")
        self.assertTrue(self.browser.ask(f"document.getElementById('{name}').parentNode.open"))

    def test_line_numbers_begin_where_the_source_does(self) -> None:
        self.browser.load(self.page, 1440, "light")
        self.assertEqual(
            self.browser.ask(
                """(() => { const side = document.querySelector('.pair > div');
            return getComputedStyle(side).counterReset; })()"""
            ),
            "n 0",
        )

    def test_it_can_be_mailed(self) -> None:
        self.assertLess(self.page.stat().st_size, MOST_BYTES)


if __name__ == "__main__":
    packages = missing_packages()
    for missing, found in (
        ("gnuplot", shutil.which("gnuplot")),
        ("chromium", find_browser()),
        (" and ".join(packages), None if packages else ""),
    ):
        if found is None:
            print(f"{missing} is missing: the page is not tried in a browser")
            sys.exit(77)
    unittest.main()
