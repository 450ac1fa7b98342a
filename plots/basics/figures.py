# SPDX-License-Identifier: MIT
"""Figures of the basics chapter. plots/README.md says how to add one."""

from plots.drawing.chapter import Chapter, Rate
from plots.records.stages import stages_of

STAGES = stages_of("basics")

CHAPTER = Chapter(STAGES, (), Rate("cells", lambda row: row.n * row.n))
