# SPDX-License-Identifier: MIT
"""gnuplot's SVG in fewer bytes. A browser compares all figures before and after in
tests/plots/page/test_site_browser.py."""

import unittest

from plots.drawing.small_svg import small_svg

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9" viewBox="0 0 16 9"'
PEN = 'fill="none" color="black" stroke="currentColor" stroke-width="2.00" stroke-linecap="butt"'
TEXT = 'stroke="none" fill="rgb(32,32,32)" font-family="A 2.50" font-size="20.00"'


class SmallSvgTest(unittest.TestCase):
    def small(self, inner: str) -> list[str]:
        """The lines within the picture."""
        linked = HEAD + ' xmlns:xlink="http://www.w3.org/1999/xlink">'
        return small_svg(f"{linked}<title>Gnuplot</title>{inner}</svg>").splitlines()[1:-1]

    def test_lines_of_one_pen_are_one_path(self) -> None:
        line = "<path stroke='rgb( 64,  64,  64)' d='{}'/>"
        grid = "<path stroke='rgb(238, 238, 238)' class=\"gridline\" d='M0.00,0.00 L3.00,0.00  '/>"
        found = self.small(
            f"<g {PEN}>{line.format('M1.00,2.50 L3.00,2.50 L4.00,2.00  M9.00,9.00  ')}</g>"
            f"<g {PEN}></g>"
            f"<g {PEN}>{line.format('M0.99,-0.50 L0.99,7.00 Z')}{grid}</g>"
            f"<g {PEN.replace('2.00', '1.00')}>{line.format('M5.00,5.00 L4.00,5.00 L3.50,6.25')}</g>"
        )
        self.assertEqual(
            found,
            [
                '<path fill="none" stroke="#404040" stroke-width="2" d="m1 2.5h2l1-.5m-3.01-2.5v7.5z"/>',
                '<path fill="none" stroke="#eee" stroke-width="2" d="m0 0h3"/>',
                '<path fill="none" stroke="#404040" d="m5 5h-1l-.5 1.25"/>',
            ],
        )

    def test_polygons_of_one_colour_are_one_path_and_run_in_one_direction(self) -> None:
        polygon = "<polygon fill='rgb(255, 0, 1)' {} points = '{} '/>"
        triangles = polygon.format("", "0,0 4,0 0,3"), polygon.format("", "1,1 1,5 3,1 1,1")
        clear = polygon.format("fill-opacity='0.500000'", "0,0 4,0 0,3")
        found = self.small(
            f"<g {PEN}><g stroke='none' shape-rendering='crispEdges'>"
            f"{triangles[0]}{triangles[1]}{clear}{clear}</g></g>"
        )
        style, crisp = 'fill="#ff0001"', 'shape-rendering="crispEdges"'
        self.assertEqual(found[0], f'<path {style} {crisp} d="m0 0h4l-4 3zm3 1-2 4v-4z"/>')
        # Where these two overlap, the colour is stronger, so each stays alone.
        self.assertEqual(
            found[1:],
            [f'<g {style} fill-opacity="0.5" {crisp}>', *['<path d="m0 0h4l-4 3z"/>'] * 2, "</g>"],
        )

    def test_marks(self) -> None:
        mark = "<use xlink:href='#{}' transform='translate({}.00,1.50) scale(7.50)' color='rgb(0, 0, {})'/>"
        found = self.small(
            "<defs><circle id='a' r='1'/><use xlink:href='#a' id='b'/><circle id='c' r='2'/></defs>"
            f"<g {PEN}>{mark.format('b', 1, 9)}{mark.format('b', 2, 9)}{mark.format('a', 3, 8)}</g>"
        )
        self.assertEqual(
            found,
            [
                "<defs>",
                '<circle id="a" r="1" />',
                '<use href="#a" id="b" />',
                '<use id="m0" href="#b" transform="scale(7.5)" color="#000009" fill="none"/>',
                '<use id="m1" href="#a" transform="scale(7.5)" color="#000008" fill="none"/>',
                "</defs>",
                '<use href="#m0" x="1" y="1.5"/>',
                '<use href="#m0" x="2" y="1.5"/>',
                '<use href="#m1" x="3" y="1.5"/>',
            ],
        )

    def test_a_pattern_has_the_pen_of_its_group(self) -> None:
        pattern = "<defs><pattern id='Lines1' width='8'><path d='M0,0 L8,8'/></pattern></defs>"
        filled = "<g stroke='none'><polygon fill = 'url(#Lines1)' points = '0,0 4,0 0,3'/></g>"
        found = self.small(f"<g {PEN}>{pattern}{filled}</g>")
        self.assertIn('<pattern fill="none" stroke="black" stroke-width="2" id="Lines1"', found[1])
        self.assertEqual(found[-1], '<path fill="url(#Lines1)" d="m0 0h4l-4 3z"/>')

    def test_texts(self) -> None:
        def text(place: str, inner: str) -> str:
            return f'<g transform="{place}" {TEXT}><text>{inner}</text></g>'

        span = '<tspan font-family="A 2.50" {}>{}</tspan>'
        raised = span.format('font-size="12.0" dy="-7.50px"', "-4") + '<tspan dy="7.50"></tspan>'
        whole = small_svg(
            f"{HEAD}><g {PEN}>{text('translate(1.00,2.50)', span.format('', 'a &lt; b'))}"
            f"{text('translate(3.00,2.50) rotate(-90.00)', '10' + raised)}"
            f"{text('translate(3.00,2.50)', span.format('', ' '))}</g></svg>"
        )
        self.assertEqual(
            whole,
            f'{HEAD} font-family="A 2.50">\n<g fill="#202020" font-size="20">\n'
            '<text x="1" y="2.5">a &lt; b</text>\n'
            '<text transform="translate(3,2.5) rotate(-90)">10'
            '<tspan font-size="12" dy="-7.5">-4</tspan><tspan dy="7.5"></tspan></text>\n</g>\n</svg>\n',
        )

    def test_what_is_not_known_stays(self) -> None:
        found = self.small(
            f"<g {PEN}><path d='M1,1 C2,2 3,3 4,4'/><image id='i' x='1.25' width='3'/></g>"
            "<g clip-path='url(#d)' color='#0000FF'><path d='M1,1 L2,2'/></g>"
            "<defs><clipPath id='d'/></defs>"
        )
        black = 'fill="none" stroke="black" stroke-width="2" color="black"'
        self.assertEqual(
            found,
            [
                "<defs>",
                '<clipPath id="d" />',
                "</defs>",
                f"<g {black}>",
                '<path d="M1,1 C2,2 3,3 4,4"/>',
                '<image id="i" x="1.25" width="3"/>',
                "</g>",
                '<g color="#00f" clip-path="url(#d)"><path d="M1,1 L2,2" /></g>',
            ],
        )


if __name__ == "__main__":
    unittest.main()
