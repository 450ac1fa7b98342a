# SPDX-License-Identifier: MIT
"""Figures of the distmesh chapter: meshes coloured by their triangles' quality, and the tables and
figure 8 of Gaudiani 2012 beside ours."""

from __future__ import annotations

from functools import partial

from plots.distmesh.animation import make_meshing
from plots.distmesh.counts import prepare_counts
from plots.distmesh.flow import RECORDED, prepare_lists, prepare_loop
from plots.distmesh.meshes import MESHES, prepare_meshes
from plots.distmesh.stages import (
    CIRCLE,
    KERNELS,
    LARGEST,
    ON_THE_HOST,
    OTHER_FLAGS,
    PRINTED,
    SAID_BY,
    STAGES,
)
from plots.distmesh.tables import PROFILE_TABLES, TABLES
from plots.distmesh.times import prepare_shares, prepare_times
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Figure

FIGURES = (
    Figure(
        "distmesh_mesh",
        "",
        STAGES.chapter,
        "Distmesh, meshes by quality",
        "It shows no mesh.",
        prepare_meshes,
        in_readme=True,
        said_by=SAID_BY,
    ),
    Figure(
        "distmesh_loop",
        "",
        STAGES.chapter,
        "Distmesh, host and device in turn",
        "The program on CPU and GPU (figure 6): data cross the bus at the start and at the end.",
        prepare_loop,
        in_readme=True,
        said_by=SAID_BY,
        script="scene",
        folder="drawing",
    ),
    Figure(
        "distmesh_lists",
        "",
        STAGES.chapter,
        "Distmesh, kernels and their lists",
        "The data that the kernels make (figure 7).",
        prepare_lists,
        in_readme=True,
        said_by=SAID_BY,
        script="scene",
        folder="drawing",
    ),
    Figure(
        "distmesh_table_1",
        "",
        STAGES.chapter,
        "Distmesh, whole runs",
        (
            "Version 2 is 6.28 times as fast as its CPU at 20 109 points, 0.95 times at 1452"
            " (table I)."
        ),
        partial(prepare_times, kernels=False),
        in_readme=True,
        said_by=SAID_BY,
        script="distmesh_times",
    ),
    Figure(
        "distmesh_table_2",
        "",
        STAGES.chapter,
        "Distmesh, kernels alone",
        "The kernels are 4.77 to 53.38 times as fast as the loops that they replace (table II).",
        partial(prepare_times, kernels=True),
        in_readme=True,
        said_by=SAID_BY,
        script="distmesh_times",
    ),
    Figure(
        "distmesh_counts",
        "",
        STAGES.chapter,
        "Distmesh, iterations and triangulations",
        "CPU and GPU do nearly the same work, so that the times compare (table II).",
        prepare_counts,
        in_readme=True,
        said_by=SAID_BY,
    ),
    Figure(
        "distmesh_copies",
        "",
        STAGES.chapter,
        "Distmesh, where the time goes",
        "Copies are 5.7 % of the time: the computation is the limit (2.3.2, figure 8).",
        prepare_shares,
        in_readme=True,
        said_by=SAID_BY,
    ),
)

CHAPTER = Chapter(
    STAGES,
    FIGURES,
    Rate("points"),
    Rules(
        CIRCLE | dict.fromkeys(OTHER_FLAGS, ""),
        # Nearly all of a whole run are the host's triangulations. Where they are the same as in
        # the stage before, stages are compared by their kernels.
        kernel_timed=ON_THE_HOST,
        series=(KERNELS,),
    ),
    tables=TABLES,
    path_sizes={"": LARGEST, "limit": LARGEST},
    whole_runs=("", "limit"),
    printed=PRINTED,
    traces=(*MESHES, *RECORDED),
    animation=make_meshing,
    profile="plots.distmesh.profile",
    profile_tables=PROFILE_TABLES,
)
