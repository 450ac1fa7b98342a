# SPDX-License-Identifier: MIT
"""The slides in a browser: nothing is cut off, letters can be read from the last row, keys lead
through them, and each is one page on paper."""

import base64
import re
import tempfile
import time
import unittest
from pathlib import Path

from common.tools.pages.packages import missing_packages
from plots.records.stages import chapter_names
from tests.plots.page.browser import Browser, find_browser

SMALLEST = 16  # pixels of a slide of 720
# What does not fit on its slide, or is too small there: of each slide before one is shown alone.
FAULTS = (
    """[...document.querySelectorAll("section")].filter(slide => {
    slide.style.display = "flex";
    const parts = slide.querySelector(".parts"), room = slide.getBoundingClientRect();
    const scale = document.querySelector("main").getBoundingClientRect().width / 1280;
    const cut = parts.scrollHeight > parts.clientHeight || parts.scrollWidth > parts.clientWidth
        || [...parts.querySelectorAll("pre, table, img, p")].some(
            one => one.getBoundingClientRect().bottom > room.bottom + 1
                || one.getBoundingClientRect().right > room.right + 1);
    slide.style.display = "";
    return cut || parseInt(parts.style.fontSize) < %d;
}).map(one => one.id)"""
    % SMALLEST
)
NOW = "[...document.querySelectorAll('section.now')].map(one => one.id).join()"


@unittest.skipIf(
    find_browser() is None or missing_packages(), "no browser, or no packages of pages"
)
class SlidesInABrowser(unittest.TestCase):
    browser: Browser
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        from plots.commands.slides.deck import render

        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        for chapter in chapter_names():
            (cls.folder / f"{chapter}.html").write_text(render(chapter), encoding="utf-8")
        cls.browser = cls.enterClassContext(Browser(find_browser() or ""))

    def load(self, chapter: str, width: int = 1280, height: int = 720) -> None:
        self.browser.send("Page.navigate", url="about:blank")
        self.browser.load(self.folder / f"{chapter}.html", width, "light", height)
        until = time.monotonic() + 60
        while self.browser.ask("document.body.dataset.ready || ''") != "yes":
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_nothing_is_cut_off(self) -> None:
        for chapter in chapter_names():
            self.load(chapter)
            with self.subTest(chapter):
                self.assertEqual(self.browser.ask(FAULTS), [])
                self.assertEqual(self.browser.said, [])
                asked = [one for one in self.browser.requested if not one.startswith("data:")]
                self.assertEqual(len(asked), 1, asked)  # the deck itself

    def press(self, key: str) -> str:
        for kind in ("keyDown", "keyUp"):
            self.browser.send("Input.dispatchKeyEvent", type=kind, key=key)
        time.sleep(0.05)
        return str(self.browser.ask(NOW))

    def test_keys_and_buttons(self) -> None:
        for width, height in ((1280, 720), (1920, 1200), (800, 1000)):
            self.load("nbody", width, height)
            names = self.browser.ask("slides.map(one => one.id)")
            self.assertEqual(self.browser.ask(NOW), names[0])
            self.assertEqual(self.press("ArrowRight"), names[1])
            self.assertEqual(self.press("PageDown"), names[2])
            self.assertEqual(self.press("ArrowLeft"), names[1])
            self.assertEqual(self.press("End"), names[-1])
            self.assertEqual(self.press(" "), names[-1])
            self.assertEqual(self.press("Home"), names[0])
            self.browser.ask("document.querySelector('[data-step=\"1\"]').click()")
            time.sleep(0.05)
            self.assertEqual(self.browser.ask(NOW), names[1])
            box = self.browser.ask(
                "(b => [b.left, b.top, b.right, b.bottom])"
                "(document.querySelector('main').getBoundingClientRect())"
            )
            self.assertGreaterEqual(min(box), -1)
            self.assertLessEqual(box[2], width + 1)
            self.assertLessEqual(box[3], height + 1)
            self.assertTrue(abs(box[2] - box[0] - width) < 2 or abs(box[3] - box[1] - height) < 2)

    def test_each_is_one_page_on_paper(self) -> None:
        self.load("floyd")
        count = self.browser.ask("slides.length")
        made = self.browser.send("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        pages = re.findall(rb"/Type\s*/Page\b", base64.b64decode(made["data"]))
        self.assertEqual(len(pages), count)


if __name__ == "__main__":
    unittest.main()
