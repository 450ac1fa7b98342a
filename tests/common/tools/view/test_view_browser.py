# SPDX-License-Identifier: MIT
"""A view in a browser, as wide as a telephone, a tablet and a desk's screen, light and dark: by
keys, by touch, by what screen readers are told, and without anything that sticks out."""

import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.common.tools.course_tools import BUILD, run_tool
from tests.common.tools.view.test_view import LOAD, PROGRAM, STORE, SUM
from tests.plots.page.browser import Browser, find_browser

WIDTHS = (360, 1024, 1920)
VIEWS = [(width, scheme) for width in WIDTHS for scheme in ("light", "dark")]
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"
STICKS_OUT = """[...document.querySelectorAll('body *')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width > 1 && box.right > innerWidth + 1 && !one.closest('.wide');
}).slice(0, 3).map(one => one.outerHTML.slice(0, 120))"""
# The drawings that no table follows within their part of the page. The two small ones beside the
# source are sentences of the findings.
WITHOUT_TABLE = """[...document.querySelectorAll('svg[role=img]:not(.arrows):not(.outside)')].filter(one =>
    one.getAttribute('aria-label') && !one.closest('section').querySelector('details.table table')).length"""
# The least contrast of the code with its background, over all lines.
CONTRAST = """(() => {
    const parse = text => text.match(/[\\d.]+/g).map(Number);
    const light = colour => colour.slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
    const back = one => { for (; one; one = one.parentElement) {
        const colour = parse(getComputedStyle(one).backgroundColor);
        if (colour.length < 4 || colour[3] > 0) return colour; } };
    return [...document.querySelectorAll('.lines td, .lines th, .lines i, .lines small, .lines button, .panel p, .note')]
        .filter(one => one.textContent.trim()).map(one => {
        const a = light(parse(getComputedStyle(one).color)), b = light(back(one));
        return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), one.outerHTML.slice(0, 80)]; })
        .sort((a, b) => a[0] - b[0])[0];
})()"""


class BrowserTest(unittest.TestCase):
    page: Path
    right: Path
    both: Path
    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        right = folder / "right_transpose.cu"
        text = PROGRAM.read_text(encoding="utf-8")
        right.write_text(
            text.replace("    // A barrier is missing here.", "    __syncthreads();").replace(
                "i <= count", "i < count"
            ),
            encoding="utf-8",
        )
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for variables in (
                {"FILE": str(PROGRAM)},
                {"FILE": str(right)},
                {"A": str(PROGRAM), "B": str(right)},
            ):
                result = run_tool("view", **variables)
                assert result.returncode == 0, result.stderr
        # Other tests write the same pages: these are copies.
        for name in ("racy_transpose", "right_transpose", "racy_transpose--right_transpose"):
            shutil.copy(BUILD / "view" / f"{name}.html", folder)
        cls.page = folder / "racy_transpose.html"
        cls.right = folder / "right_transpose.html"
        cls.both = folder / "racy_transpose--right_transpose.html"
        cls.browser = cls.enterClassContext(Browser(find_browser() or ""))

    def load(self, page: Path, width: int = 1024, scheme: str = "light") -> None:
        self.browser.load(page, width, scheme)
        self.browser.ask("new Promise(done => setTimeout(done, 100))")
        self.assertEqual(self.ask("document.documentElement.dataset.ready"), "yes")

    def ask(self, expression: str) -> Any:
        return self.browser.ask(expression)

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self.browser.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **typed,
            )

    @contextlib.contextmanager
    def view(self, page: Path, width: int, scheme: str) -> Iterator[None]:
        with self.subTest(page=page.stem, width=width, scheme=scheme):
            self.load(page, width, scheme)
            yield

    def all_views(self) -> list[tuple[Path, int, str]]:
        return [(page, *one) for page in (self.page, self.right, self.both) for one in VIEWS]

    def test_it_says_nothing_asks_nothing_and_nothing_sticks_out(self) -> None:
        for page, width, scheme in self.all_views():
            with self.view(page, width, scheme):
                for opened in (False, True):
                    if opened:
                        self.ask(OPEN_ALL)
                    self.assertEqual(self.browser.said, [])
                    asked = [url for url in self.browser.requested if not url.startswith("data:")]
                    self.assertEqual(asked, [page.resolve().as_uri()])
                    self.assertEqual(self.ask("document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.ask(STICKS_OUT), [])

    def test_every_drawing_has_a_table(self) -> None:
        for one in self.all_views():
            with self.view(*one):
                drawn = self.ask("document.querySelectorAll('svg[role=img]').length")
                self.assertGreaterEqual(drawn, 4)
                self.assertEqual(self.ask(WITHOUT_TABLE), 0)

    def test_texts_can_be_read(self) -> None:
        for one in self.all_views():
            with self.view(*one):
                least, where = self.ask(CONTRAST)
                self.assertGreaterEqual(least, 4.5, where)

    def test_enter_on_a_line_shows_its_lanes(self) -> None:
        self.load(self.page)
        chosen = f"document.querySelector('tr[data-line=\"{LOAD}\"] button')"
        self.assertIn(f":{STORE}", self.ask("document.querySelector('.panel h3').textContent"))
        self.ask(f"{chosen}.focus()")
        self.press("Enter", 13, "\r")
        self.assertEqual(
            self.ask("document.querySelector('.panel h3').textContent"), f"{PROGRAM.name}:{LOAD}"
        )
        self.assertEqual(self.ask(f"{chosen}.getAttribute('aria-current')"), "true")
        # One word per bank: the load is free of conflicts.
        self.ask(
            "(() => { const one = document.querySelector('.panel select'); one.value = 0;"
            " one.dispatchEvent(new Event('change')); })()"
        )
        rows = self.ask(
            "[...document.querySelectorAll('.panel tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
        )
        self.assertEqual(len([row for row in rows if len(row) == 4]), 32)

    def test_a_link_of_a_finding_chooses_its_line(self) -> None:
        self.load(self.page)
        self.ask(f"document.querySelector('.findings a[href$=\"-{SUM}\"]').click()")
        self.assertEqual(
            self.ask("document.querySelector('.panel h3').textContent"), f"{PROGRAM.name}:{SUM}"
        )
        self.assertTrue(
            self.ask(f"document.querySelector('tr[data-line=\"{SUM}\"]').matches(':target')")
        )

    def test_keys_move_the_slider(self) -> None:
        self.load(self.page)
        self.ask("document.querySelector('.panel input').focus()")
        before = self.ask("document.querySelector('.panel input').getAttribute('aria-valuetext')")
        self.press("ArrowRight", 39)
        after = self.ask("document.querySelector('.panel input').getAttribute('aria-valuetext')")
        self.assertTrue(
            before.startswith("Request 1 of 128; block 0, warp 0; 32 lanes; 32 sectors (ideal 4)"),
            before,
        )
        self.assertTrue(after.startswith("Request 2 of 128; block 0, warp 1;"), after)

    def wait(self, milliseconds: int) -> None:
        self.ask(f"new Promise(done => setTimeout(done, {milliseconds}))")

    def test_requests_and_steps_play(self) -> None:
        self.load(self.page)
        cursor = "document.querySelector('.threads .now').getAttribute('d')"
        for part, seen in (
            (".panel", "document.querySelector('.panel svg').outerHTML"),
            (".threads", cursor),
        ):
            button = f"document.querySelector('{part} .play')"
            with self.subTest(part=part):
                self.assertIn("play", self.ask(f"{button}.textContent"))
                first = self.ask(seen)
                self.ask(f"{button}.click()")
                self.assertIn("pause", self.ask(f"{button}.textContent"))
                self.wait(1300)
                second = self.ask(seen)
                self.assertNotEqual(first, second)
                self.ask(f"{button}.click()")
                second = self.ask(seen)
                self.wait(700)
                self.assertEqual(self.ask(seen), second)

    def test_what_plays_ends_and_begins_again(self) -> None:
        self.load(self.page)
        slider, button = (f"document.querySelector('.panel {one}')" for one in ("input", ".play"))
        self.ask(f"{slider}.value = {slider}.max; {button}.click()")
        self.assertEqual(self.ask(f"{slider}.value"), "0")
        self.ask(f"{slider}.value = {slider}.max")
        self.wait(700)
        self.assertIn("play", self.ask(f"{button}.textContent"))

    def test_touch_chooses_a_line(self) -> None:
        self.load(self.page, 360)
        row = f"document.querySelector('tr[data-line=\"{SUM}\"] button')"
        self.ask(f"{row}.scrollIntoView({{block: 'center'}})")
        box = self.ask(
            f"(() => {{ const one = {row}.getBoundingClientRect();"
            " return [one.left + one.width / 2, one.top + one.height / 2, one.height]; })()"
        )
        self.assertGreaterEqual(box[2], 24)
        self.browser.send(
            "Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": box[0], "y": box[1]}]
        )
        self.browser.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.ask("new Promise(done => setTimeout(done, 300))")
        self.assertEqual(
            self.ask("document.querySelector('.panel h3').textContent"), f"{PROGRAM.name}:{SUM}"
        )
        # The panel lies below the source: the page has gone there.
        self.assertTrue(self.ask("document.activeElement === document.querySelector('.panel')"))

    def test_a_bank_conflict_is_drawn(self) -> None:
        self.load(self.page)
        self.ask(
            "(() => { const one = document.querySelector('.panel select'); one.value = 1;"
            " one.dispatchEvent(new Event('change')); })()"
        )
        banks = self.ask(
            "[...document.querySelectorAll('.panel details tbody tr')].map(row => row.cells[3].textContent)"
        )
        self.assertEqual(banks, ["0"] * 32)
        # All words lie in one bank, whose number of words is marked.
        self.assertEqual(
            self.ask("document.querySelectorAll('.panel svg[role=img] .used').length"), 32
        )
        self.assertEqual(
            self.ask("document.querySelectorAll('.panel svg[role=img] .vain').length"), 1
        )

    def test_a_race_is_two_arrows_between_its_lines(self) -> None:
        for width in WIDTHS:
            with self.subTest(width=width):
                self.load(self.page, width)
                heads = self.ask(
                    """(() => {
                    const middle = line => { const box = document.querySelector(`tr[data-line="${line}"]`).getBoundingClientRect();
                        return (box.top + box.bottom) / 2; };
                    return [...document.querySelectorAll('.arrows .head')].map(one => one.getBoundingClientRect())
                        .map(box => (box.top + box.bottom) / 2).map(y => [STORE, LOAD].map(line => Math.abs(y - middle(line)) < 8));
                })()""".replace(
                        "STORE", str(STORE)
                    ).replace(
                        "LOAD", str(LOAD)
                    )
                )
                self.assertEqual(sorted(heads), [[False, True], [True, False]])
        self.load(self.right)
        self.assertEqual(self.ask("document.querySelectorAll('.arrows').length"), 0)

    def test_barriers_are_lines_between_the_threads_steps(self) -> None:
        self.load(self.right)
        self.ask(
            "(() => { const one = document.querySelector('.threads select'); one.value = 1;"
            " one.dispatchEvent(new Event('change')); })()"
        )
        drawn = "[...document.querySelectorAll('.threads svg[role=img]')].map(one => one.querySelectorAll('{}').length)"
        # One after the first loop, and one in each of the seven steps of the sum.
        self.assertEqual(self.ask(drawn.format(".barrier")), [8, 8])
        self.assertGreater(self.ask(drawn.format(".vain"))[1], 10)

    def test_two_programs_are_side_by_side_where_there_is_room(self) -> None:
        for width in WIDTHS:
            with self.subTest(width=width):
                self.load(self.both, width)
                tops = self.ask(
                    "[...document.querySelectorAll('article')].map(one => one.getBoundingClientRect().top)"
                )
                self.assertEqual(tops[0] == tops[1], width == 1920)

    def test_colours_follow_the_scheme(self) -> None:
        backs = []
        for scheme in ("light", "dark"):
            self.load(self.page, 1024, scheme)
            backs.append(self.ask("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*backs)


if __name__ == "__main__":
    if find_browser() is None:
        print("chromium is missing: the view is not tried in a browser")
        sys.exit(77)
    unittest.main()
