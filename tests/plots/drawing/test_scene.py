# SPDX-License-Identifier: MIT
"""Scenes: what is put into one comes to gnuplot, each shape with its style. Every drawing that is
made from traces shows what is in them."""

import shutil
import unittest
from dataclasses import replace
from pathlib import Path

from common.tools.lib.stages import DataError
from plots.drawing import gnuplot
from plots.drawing.figure import Drawing, Figure
from plots.drawing.scene import DARK, EMPTY, HEIGHT, LETTER, RED, WIDTH, Scene, scene_figure
from plots.page.chapters import all_figures
from plots.records.source import Source
from plots.records.traces import Trace
from tests.plots.fixtures import PlotsTest, TraceTest, data_of

TRACE = Trace("none", "alchemy/01_lead", ("--n", "3"), (), lambda records: [])


def traced_figures() -> list[Figure]:
    return [
        figure
        for figure in all_figures()
        if figure.name in getattr(data_of(figure.chapter), "TRACED", ())
    ]


class SceneTest(PlotsTest):
    def drawing(self, scene: Scene) -> Drawing:
        return scene.drawing("a subtitle", "What it shows.", "a picture", [TRACE])

    def test_shapes_of_one_style_are_one_block(self) -> None:
        scene = Scene()
        scene.cells(100, 200, 50, 40, ["a", "b", "c"], [DARK, EMPTY, DARK], 18)
        scene.arrow(0, 0, 30, 40, RED, dashed=True)
        scene.line([(0, 0), (1, 1)])
        scene.line([(5, 5), (6, 6), (7, 7)])
        drawing = self.drawing(scene)
        self.assertEqual(len(drawing.tables["bars"][0].rows), 2)
        self.assertEqual(drawing.tables["boxes"][0].rows, [(150, 200, 200, 240)])
        self.assertEqual(drawing.variables["bars_fills"], DARK.fill)
        self.assertEqual(drawing.variables["center_colours"], f"{DARK.ink} {EMPTY.ink}")
        self.assertEqual(drawing.variables["center_sizes"], "18 18")
        self.assertEqual(drawing.tables["arrows"][0].rows, [(0, 0, 30, 40)])
        self.assertEqual(drawing.variables["arrows_dashes"], "2")
        # Two lines of one style are one block, with an empty row between them.
        self.assertEqual(
            drawing.tables["lines"][0].rows, [(0, 0), (1, 1), (), (5, 5), (6, 6), (7, 7)]
        )

    def test_what_is_said_names_the_command(self) -> None:
        trace = replace(TRACE, environment={"EMULATOR_TRACE_SPACES": "warp"})
        self.assertEqual(
            trace.command,
            "EMULATOR_TRACE_SPACES=warp make run STAGE=alchemy/01_lead ENGINE=count"
            ' ARGS="--n 3 --trace trace.csv"',
        )
        scene = Scene()
        scene.text(1, 1, "x")
        said = scene.drawing("", "It shows x.", "", [trace, trace]).ours
        self.assertEqual(said, f"It shows x. Run: {trace.command}")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is missing")
    def test_a_picture_of_every_shape(self) -> None:
        scene = Scene()
        scene.box(100, 100, 200, 150, DARK, "boxed")
        scene.box(300, 100, 400, 150, EMPTY, 7)
        scene.bar(500, 100, 510, 150)
        scene.frame(600, 100, 700, 150, dashed=True)
        scene.dot(800, 120)
        scene.arrow(100, 300, 200, 400)
        for align in ("center", "left", "right", "upright"):
            scene.text(800, 500, f"{align} 'text'", align=align)
        figure = scene_figure("scene", "Figure 0", "alchemy", "Title", "", lambda _: None)
        files = gnuplot.draw(figure, self.drawing(scene), self.folder)
        text = next(path for path in files if path.suffix == ".svg").read_text(encoding="utf-8")
        for word in ("boxed", "7", "center 'text'", "upright 'text'", "Figure 0. Title"):
            self.assertIn(f">{word}<", text.replace("\t", ""))


def texts_of(drawing: Drawing) -> list[tuple[float, float, float, float, str]]:
    """Of each text of a scene the box that it needs in the PNG, whose letters are the larger ones:
    left, top, right, bottom; and the text."""
    found = []
    for align, shift in (("center", 0.5), ("left", 0.0), ("right", 1.0)):
        sizes = str(drawing.variables.get(f"{align}_sizes", "")).split()
        for size, block in zip(sizes, drawing.tables.get(align, [])):
            height = int(size) * 4 / 3
            for x, y, text in block.rows:
                width = LETTER * height * len(str(text))
                left = float(str(x)) - shift * width
                top = float(str(y)) - height / 2
                found.append((left, top, left + width, top + height, str(text)))
    return found


class TracedFiguresTest(TraceTest):
    def prepared(self, figure: Figure) -> tuple[Drawing, Source]:
        source = self.source.afresh()
        return figure.prepare(source), source

    def shows(self, figures: list[Figure], before: dict[str, Drawing], path: Path) -> bool:
        """Whether a figure differs from the one before, or is refused with the trace's name."""
        for figure in figures:
            try:
                if figure.prepare(self.source.afresh()).tables != before[figure.name].tables:
                    return True
            except DataError as error:
                self.assertIn(path.name, str(error))
                return True
        return False

    def test_a_run_without_one_of_its_accesses_is_refused_or_drawn_otherwise(self) -> None:
        """So it is with a kernel that does otherwise: what it does is what is drawn."""
        figures: dict[Path, list[Figure]] = {}
        drawings = {}
        for figure in traced_figures():
            drawings[figure.name], source = self.prepared(figure)
            for path in source.read:
                if figure.script == "scene" and path.parent == self.traces:
                    figures.setdefault(path, []).append(figure)
        looked_at = 0
        for path, own in figures.items():
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            missed = []
            for number in range(1, len(lines), max(1, len(lines) // 12)):
                path.write_text("".join(lines[:number] + lines[number + 1 :]), encoding="utf-8")
                if not self.shows(own, drawings, path):
                    missed.append(lines[number])
                looked_at += 1
            path.write_text("".join(lines), encoding="utf-8")
            with self.subTest(trace=path.name):
                # In the network a thread also copies keys in steps that are not drawn.
                self.assertLessEqual(len(missed), 2 if path.stem == "network" else 0, missed)
        self.assertGreater(looked_at, 12 * len(figures) / 2)

    def test_no_text_of_a_scene_lies_on_another_or_outside(self) -> None:
        for figure in traced_figures():
            if figure.script != "scene":
                continue
            texts = texts_of(self.prepared(figure)[0])
            self.assertGreater(len(texts), 4)
            for i, (left, top, right, bottom, text) in enumerate(texts):
                with self.subTest(figure=figure.name, text=text):
                    self.assertGreaterEqual(left, 0)
                    self.assertLessEqual(right, WIDTH)
                    self.assertGreater(top, 100)
                    self.assertLessEqual(bottom, HEIGHT)
                for other in texts[i + 1 :]:
                    apart = (
                        right <= other[0]
                        or other[2] <= left
                        or bottom <= other[1] + 6
                        or other[3] <= top + 6
                    )
                    with self.subTest(figure=figure.name, texts=(text, other[4])):
                        self.assertTrue(apart)


if __name__ == "__main__":
    unittest.main()
