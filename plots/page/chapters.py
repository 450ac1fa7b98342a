# SPDX-License-Identifier: MIT
"""Finds each chapter's CHAPTER object. A mistake in it is an error that names file and nearest
name."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re

from common.tools.lib.stages import DataError
from plots.drawing.chapter import Chapter, PrintedTables, Rate, Rules
from plots.drawing.figure import Figure
from plots.page.ladder import ladder_of
from plots.page.ranks import rank_figure
from plots.records.folders import PLOTS
from plots.records.stages import chapter_names, nearest

WRONG_KEY = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
PARTS = {one.__name__: one for one in (Chapter, PrintedTables, Rate, Rules, Figure)}


def checked(chapter: object, name: str) -> Chapter:
    """The object, if it describes this chapter and each stage and script that it names exists."""
    where = f"plots/{name}/figures.py"
    if not isinstance(chapter, Chapter):
        raise DataError(f"{where}: CHAPTER is no Chapter (plots/drawing/chapter.py)")
    if chapter.name != name:
        raise DataError(f"{where}: CHAPTER has the stages of '{chapter.name}'")
    rules = chapter.rules
    for stage in (
        *rules.kernel_timed,
        *rules.stage_runs,
        *rules.kernels_in_part,
        *rules.with_copies,
        *(one for all in rules.series for one in all),
    ):
        if stage not in chapter.stages:
            said = nearest(stage, chapter.stages.names)
            raise DataError(f"{where}: '{stage}' is no stage of {name}; {said}")
    for figure in chapter.figures:
        if not figure.script_path.is_file():
            scripts = sorted(path.name for path in figure.script_path.parent.glob("*.gp"))
            said = nearest(figure.script_path.name, scripts)
            raise DataError(f"{where}: {figure.name}: {figure.script_path} is missing; {said}")
    return chapter


@functools.cache
def load_chapter(name: str) -> Chapter:
    where = f"plots/{name}/figures.py"
    if not (PLOTS / name / "figures.py").is_file():
        raise DataError(f"{where} is missing: it exports the chapter's CHAPTER (plots/README.md)")
    try:
        module = importlib.import_module(f"plots.{name}.figures")
    except TypeError as error:
        wrong = WRONG_KEY.search(str(error))
        if wrong is None or wrong[1] not in PARTS:
            raise
        keys = [field.name for field in dataclasses.fields(PARTS[wrong[1]])]
        said = nearest(wrong[2], keys)
        raise DataError(f"{where}: {wrong[1]} has no '{wrong[2]}'; {said}") from error
    return checked(getattr(module, "CHAPTER", None), name)


def all_chapters() -> list[Chapter]:
    """The chapters that have a folder here, in the build's order, which is the site's."""
    return [load_chapter(name) for name in chapter_names() if (PLOTS / name).is_dir()]


def all_figures() -> list[Figure]:
    """Of each chapter its ladder, its own figures, and that of many GPUs. A chapter without figures
    has no records."""
    return [
        figure
        for chapter in all_chapters()
        if chapter.figures
        for figure in (ladder_of(chapter), *chapter.figures, *rank_figure(chapter.name))
    ]
