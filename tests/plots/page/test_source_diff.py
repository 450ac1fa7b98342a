# SPDX-License-Identifier: MIT
"""Two sources side by side give both sources back."""

import html
import re
import unittest

from common.tools.lib.stages import ROOT
from common.tools.pages import source_diff
from plots.records.stages import all_stages
from tests.plots.page.reader import Reader


def sides(said: str) -> tuple[str, str]:
    """The two sources out of a difference."""
    texts: tuple[list[str], list[str]] = ([], [])
    for kind, lines in re.findall(
        r"<div class=(was|same|del|ins)(?: style=[^>]*)?>(.*?)</div>", said, re.DOTALL
    ):
        texts[kind in ("same", "ins")].append(html.unescape(re.sub(r"<[^>]*>", "", lines)))
    return "".join(texts[0]), "".join(texts[1])


class DifferenceTest(unittest.TestCase):
    BEFORE = "".join(f"int line_{i} = {i};\n" for i in range(20))

    def test_every_pair_gives_both_sources_back(self) -> None:
        by_name = {stage.stage: stage for stage in all_stages()}
        pairs = [
            (by_name[f"{stage.chapter}/{stage.compared_with}"], stage)
            for stage in by_name.values()
            if stage.compared_with
        ]
        self.assertGreater(len(pairs), 20)
        for pair in pairs:
            with self.subTest(pair[1].stage):
                texts = tuple((ROOT / stage.source).read_text(encoding="utf-8") for stage in pair)
                said = source_diff.side_by_side(*texts)
                Reader(said)
                self.assertEqual(sides(said), texts)

    def test_numbers_words_and_folds(self) -> None:
        after = self.BEFORE.replace("line_9 = 9", "line_9 = 10").replace("int line_3 = 3;\n", "")
        said = source_diff.side_by_side(self.BEFORE, after)
        self.assertEqual(sides(said), (self.BEFORE, after))
        self.assertIn(
            (
                '<div class=del style="--n:3"><span><i class=k>int</i> line_3 ='
                " 3;\n</span></div><div class=ins></div>"
            ),
            said,
        )
        self.assertIn(
            (
                '<div class=del style="--n:9"><span><i class=k>int</i> line_9 ='
                ' <b>9</b>;\n</span></div><div class=ins style="--n:8"><span><i class=k>int</i>'
                " line_9 = <b>10</b>;\n</span></div>"
            ),
            said,
        )
        # 3 + 5 lines at the changes' inner sides are too few to fold; behind line 12 are 7.
        self.assertEqual(re.findall(r"<summary>(.*?)</summary>", said), ["7 equal lines"])

    def test_an_indent_is_no_word(self) -> None:
        said = source_diff.side_by_side(
            "call(first,\n     last);\n", "call(first,\n     second, last);\n"
        )
        self.assertIn("<span>     <b>second, </b>last);\n</span>", said)
        self.assertIn(
            "<span>  <b>more </b>call(first);\n</span>",
            source_diff.side_by_side("call(first);\n", "  more call(first);\n"),
        )

    def test_lines_that_are_not_alike_are_not_marked(self) -> None:
        said = source_diff.side_by_side(
            "for (int i = 0; i < n; ++i) {\n", "if (thread < count) ++inside;\n"
        )
        self.assertNotIn("<b>", said)

    def test_syntax(self) -> None:
        said = source_diff.side_by_side(
            "", '#include <x>  // a "b"\nchar c = \'"\'; /* int\n*/ f("// <");\n'
        )
        self.assertIn('<i class=k>#include</i> &lt;x&gt;  <i class=c>// a "b"</i>\n', said)
        self.assertIn("<i class=k>char</i> c = <i class=s>'\"'</i>; <i class=c>/* int</i>\n", said)
        self.assertIn('<i class=c>*/</i> f(<i class=s>"// &lt;"</i>);\n', said)


if __name__ == "__main__":
    unittest.main()
