# SPDX-License-Identifier: MIT
"""The READMEs' Markdown as HTML, and the words that the site takes from them."""

import sys
import unittest

from common.tools.lib.stages import DataError
from common.tools.pages.packages import missing_packages
from plots.page.readme import first_sentence, read_document
from tests.plots.fixtures import PlotsTest
from tests.plots.page.reader import Reader

if missing_packages():
    print(f"no page: {', '.join(missing_packages())} missing")
    sys.exit(77)

from plots.page import markup  # noqa: E402

README = """# Title: of `it`
Some *text* that
goes on, see [there](there.md) and [`code`](x).

```
# no heading
```
## What to look at

- **00 → 01.** One line. The rest
  of it.
- **01 → 02** and so on: yes.

1. first `a | b`
2. second

| a | b `c` |
|---|---|
| x | ×1.07 |
| y | 12 |
"""


class MarkupTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        path = self.folder / "README.md"
        path.write_text(README, encoding="utf-8")
        self.document = read_document(path)

    def test_inline(self) -> None:
        for text, wanted in (
            ("a *b* **c** `d*e*<`", "a <em>b</em> <strong>c</strong> <code>d*e*&lt;</code>"),
            ("2 * 3 * 4 < 5 & 6", "2 * 3 * 4 &lt; 5 &amp; 6"),
            ("[a](b.md), ![c](d.svg)[`e`](f)", "<span>a</span>, <span><code>e</code></span>"),
            ("1. __x__ <b>", "1. __x__ &lt;b&gt;"),
            ("×2<br>×3 `<br>`", "×2<br>\n×3 <code>&lt;br&gt;</code>"),
        ):
            self.assertEqual(markup.inline(text), wanted)
        self.assertEqual(markup.plain("*a* `b<c`"), "a b<c")
        self.assertEqual(
            markup.inline("[a](b.md) [c](d.md)", {"b.md": "b.html"}.get),
            '<a href="b.html">a</a> <span>c</span>',
        )
        self.assertEqual(markup.inline("12 000 of `1 000`"), "12\u00a0000 of <code>1 000</code>")

    def test_a_document(self) -> None:
        self.assertEqual(self.document.title, "Title: of `it`")
        self.assertEqual(list(self.document.sections), ["", "What to look at"])
        self.assertIn("Some *text* that", self.document.sections[""])
        (self.folder / "empty.md").write_text("text\n", encoding="utf-8")
        for name in ("empty.md", "absent.md"):
            with self.assertRaises(DataError):
                read_document(self.folder / name)

    def test_blocks(self) -> None:
        said = markup.blocks(self.document.sections["What to look at"], "x & y")
        reader = Reader(said)
        self.assertEqual(len(reader.all("li")), 4)
        self.assertEqual(reader.rows, [["a", "b c"], ["x", "×1.07"], ["y", "12"]])
        self.assertEqual(
            [one.get("class") for one in reader.all("th") + reader.all("td")],
            [None, "n", None, None, "n", "n"],
        )
        self.assertIn('aria-label="x &amp; y"', said)
        self.assertIn("<ol>\n<li>first <code>a | b</code></li>", said)

    def test_code_and_comments(self) -> None:
        said = markup.blocks("<!-- table:x -->\n```sh\na < b [c](d)\n```\n", "x")
        self.assertIn("a &lt; b [c](d)\n</code></pre></div>", said)
        self.assertNotIn("table:x", said)

    def test_a_list_may_follow_a_line_of_text(self) -> None:
        said = markup.blocks("A line:\n- one\n  more\n- two\n", "x")
        self.assertEqual(said.count("<li>"), 2)
        self.assertIn("<p>A line:</p>", said)

    def test_first_sentences(self) -> None:
        for text, wanted in (
            (
                "One line. It does what the others did not. More.",
                "One line. It does what the others did not.",
            ),
            (
                "A sentence that says it all, at some length. And `more`.",
                "A sentence that says it all, at some length.",
            ),
            ("No end", "No end"),
        ):
            self.assertEqual(first_sentence(text), wanted)


if __name__ == "__main__":
    unittest.main()
