# SPDX-License-Identifier: MIT
"""Figures of the n-body chapter: 6.4 to 6.7, and CPU against GPU (thesis 6.4.3)."""

from __future__ import annotations

from functools import partial

from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.panels import Runs, gains_of, prepare_against_n, prepare_cpu_gpu, published
from plots.drawing.words import THESIS_CARD, check_stages
from plots.drawing.scene import scene_figure
from plots.nbody import accesses, tiles
from plots.nbody.beyond import (
    NAMED,
    RUN,
    instructions_table,
    leapfrog_table,
    prepare_mixes,
    prepare_rates,
    rates_table,
)
from plots.nbody.animation import make_collision
from plots.nbody.metrics import UTILISATION
from plots.nbody.profile import BEFORE_AND_AFTER
from plots.records.counters import KernelCounters
from plots.records.instructions import CLASS_LABELS, first_present, instructions_per
from plots.records.rows import Row
from plots.records.source import Source
from plots.records.stages import stages_of

STAGES = stages_of("nbody")
KERNELS = STAGES.between("float3", "flush_denormals")  # the thesis' stages, which its figures show
BEST = KERNELS[-1]
BEFORE, AFTER = BEFORE_AND_AFTER  # division and square root became one instruction
FORCE_KERNEL = "compute_accelerations_kernel"


def prepare_profile(source: Source, figure: str, stage: str) -> Drawing:
    """Figures 6.4 and 6.5 share their axes: the highest bar of both sets them."""
    metrics, path, from_recorded = source.profile(STAGES.chapter)
    by_stage = {name: [one for one in metrics if one.stage == name] for name in BEFORE_AND_AFTER}
    check_stages(metrics, tuple(by_stage), path, "profiler metrics")
    try:
        mixes = {
            name: instructions_per(found, float(found[0].n) ** 2)
            for name, found in by_stage.items()
        }
    except KeyError as error:
        raise DataError(f"{path}: no metric {error.args[0]}") from None
    mix = mixes[stage]
    found = by_stage[stage]
    by_name = {one.name: one.value for one in found}
    bars = []
    for label, names in UTILISATION:
        try:
            bars.append((label, first_present(by_name, names)))
        except KeyError:
            continue
    if not bars:
        raise DataError(f"{path}: no metric of utilisation for {stage}")
    thesis = source.published(figure, "utilisation")[0].value
    total = sum(mix.values())
    device, day, n = found[0].device, found[0].date[:10], found[0].n
    origin = "recorded" if source.recorded or from_recorded else "measured here"
    note = "Recorded data: this machine gives no profiler counters. " if from_recorded else ""
    return Drawing(
        tables={
            "mix": [Block(device, [(CLASS_LABELS[kind], value) for kind, value in mix.items()])],
            "use": [Block(device, bars)],
        },
        variables={
            "mix_top": max(max(one.values()) for one in mixes.values()) * 1.18,
            "thesis_use": thesis,
            "thesis_label": f"{THESIS_CARD}: {thesis:g} %",
            "device_text": device,
        },
        subtitle=(
            f"{note}{device}, {origin} {day} by Nsight Compute, one force evaluation of "
            f"{short_count(n)} bodies."
        ),
        ours=(
            f"{stage} executes {total:.1f} instructions per pair of bodies, {mix['fp32']:.1f} of"
            f" them fp32 arithmetic and {mix['special']:.1f} special functions; "
        )
        + ", ".join(f"{label} {value:.0f} %" for label, value in bars)
        + " busy.",
        alt=f"Two bar charts for {stage} on {device}: instructions per pair of bodies by class ("
        + ", ".join(f"{CLASS_LABELS[kind]} {value:.1f}" for kind, value in mix.items())
        + ") and utilisation of the multiprocessor ("
        + ", ".join(f"{label} {value:.0f} %" for label, value in bars)
        + f"), beside the thesis' {thesis:g} %.",
        from_recorded=from_recorded,
    )


def runs_of(steps: int, words: str) -> Runs:
    return Runs(
        STAGES,
        match={"input": "plummer", "steps": steps},
        unit="bodies",
        words=f"bodies, {words}",
        thesis_n="3.2 M bodies",
    )


FORCE = runs_of(0, "one force evaluation")
LEAPFROG = runs_of(100, "100 leapfrog steps")


def prepare_force(source: Source) -> Drawing:
    """Figure 6.6. Its axes are logarithmic, unlike the thesis': a linear axis hides all small
    sizes. The bars show what differs by a tenth."""
    thesis = {
        stage: published(source, "6.6", "speedup_over_previous", stage) for stage in KERNELS[1:]
    }
    return prepare_against_n(
        source,
        FORCE,
        KERNELS,
        gains_of(KERNELS, thesis),
        BEST,
        "evaluates",
        smallest_recorded=10_000,
    )


def prepare_leapfrog(source: Source) -> Drawing:
    """Figure 6.7. The thesis prints no number for it."""
    return prepare_against_n(
        source,
        LEAPFROG,
        KERNELS,
        gains_of(KERNELS),
        BEST,
        "moves",
        smallest_recorded=10_000,
    )


BEYOND = (BEST, *STAGES.kernels[len(KERNELS) :])  # and the stage that they begin with
# The last stage has its own kernel for few bodies only. A profile has many.
PROFILED = tuple(one for one in STAGES.kernels if one != STAGES.named("small_systems"))


def prepare_serial(source: Source) -> Drawing:
    """The thesis compares only its last version (6.4.3), and has no figure of it."""
    return prepare_cpu_gpu(source, FORCE, KERNELS, (KERNELS[0], BEST), "nbody_cpu_gpu")


def accelerations_by_stage(source: Source) -> dict[str, KernelCounters]:
    found = {
        one.stage: one for one in source.counters(STAGES.chapter) if one.kernel == FORCE_KERNEL
    }
    check_stages(list(found.values()), KERNELS, source.counters_path(STAGES.chapter), FORCE_KERNEL)
    for stage, one in found.items():
        if not one.count("loop.iterations"):
            raise DataError(
                f"{source.counters_path(STAGES.chapter)}: no loop in the {FORCE_KERNEL} of {stage}"
            )
    return found


def counted_mix(one: KernelCounters) -> dict[str, float]:
    """What a warp does for one body of the list. The bodies of a tile share its barriers."""
    return {
        "global loads": one.per_iteration("global_load.requests"),
        "shared loads": one.per_iteration("shared_load.requests"),
        "barriers": one.count("barriers") / one.count("loop.iterations"),
        "basic blocks": one.per_iteration("basic_blocks"),
    }


def prepare_counters(source: Source) -> Drawing:
    """What the profiler shows in figures 6.4 and 6.5, as far as the CPU engine counts it."""
    found = accelerations_by_stage(source)
    mixes = {stage: counted_mix(found[stage]) for stage in KERNELS}
    before, after = mixes[BEFORE], mixes[AFTER]
    same = before == after
    words = ", ".join(f"{kind} {three_digits(value)}" for kind, value in before.items())
    verdict = (
        "rsqrtf changes none of them: it saves instructions between two memory accesses"
        if same
        else "with rsqrtf "
        + ", ".join(f"{kind} {three_digits(value)}" for kind, value in after.items())
    )
    loads = {stage: (mix["global loads"], mix["shared loads"]) for stage, mix in mixes.items()}
    listed = ", ".join(
        f"{stage} {three_digits(from_global)} and {three_digits(from_shared)}"
        for stage, (from_global, from_shared) in loads.items()
    )
    return Drawing(
        tables={
            "mix": [Block("mix", [(kind, before[kind], after[kind]) for kind in before])],
            "loads": [Block("loads", [(stage, *pair) for stage, pair in loads.items()])],
        },
        numbers=[
            [
                ["a warp, for one body of the list", BEFORE, AFTER],
                *([kind, three_digits(before[kind]), three_digits(after[kind])] for kind in before),
            ],
            [
                ["load requests for one body", "global", "shared"],
                *([stage, *map(three_digits, pair)] for stage, pair in loads.items()),
            ],
        ],
        variables={
            "mix_top": 1.25 * max([*before.values(), *after.values()]),
            "loads_top": 1.25 * max(sum(pair) for pair in loads.values()),
            "before_text": BEFORE,
            "after_text": AFTER,
        },
        emulated=True,
        shows_times=False,
        subtitle=(
            f"Counted for {found[AFTER].arguments}, no GPU needed: operations of a warp for one"
            " body of the list."
        ),
        ours=(
            f"{BEFORE}, per body: {words}; {verdict}. Counters of memory show why the stages before"
            f" it differ. They cannot show why {AFTER} is faster: that takes a profiler's count of"
            " instructions (figures 6.4 and 6.5)."
        ),
        alt=(
            f"Two bar charts: what a warp does for one body before and after rsqrtf ({words};"
            f" {verdict}), and load requests per body, global and shared, in each stage: {listed}."
        ),
    )


def pairs(row: Row) -> float:
    """The pairs of bodies whose forces a run evaluates: once before the steps, and once per
    step."""
    return float(row.n) ** 2 * (1 + int(row.parameters["steps"]))


FIGURES = (
    scene_figure(
        "figure_6_1",
        "Figure 6.1",
        STAGES.chapter,
        "N-body, one row per thread",
        "Each row is the work of one thread, which adds up one body's acceleration (6.3.1).",
        accesses.prepare_pairs,
    ),
    scene_figure(
        "figure_6_2",
        "Figure 6.2",
        STAGES.chapter,
        "N-body, the requests of a warp",
        "The threads' accesses to a list of float3 lie three words apart (6.3.1.1).",
        accesses.prepare_requests,
    ),
    scene_figure(
        "figure_6_3",
        "Figure 6.3",
        STAGES.chapter,
        "N-body, one tile after the other",
        "A thread computes with several segments; at the arrows its block copies one (6.3.1.2).",
        tiles.prepare_tiles,
    ),
    Figure(
        "figure_6_4",
        "Figure 6.4",
        STAGES.chapter,
        f"N-body before rsqrtf ({BEFORE})",
        (
            "Most instructions are arithmetic. Utilisation is about 65 % on a GTX 980, because"
            " division and square root make the next instruction wait (6.3.1.4)."
        ),
        partial(prepare_profile, figure="6.4", stage=BEFORE),
        in_readme=True,
    ),
    Figure(
        "figure_6_5",
        "Figure 6.5",
        STAGES.chapter,
        f"N-body with rsqrtf ({AFTER})",
        "With rsqrtf utilisation rises to almost 90 % on a GTX 980 (6.3.1.4).",
        partial(prepare_profile, figure="6.5", stage=AFTER),
        in_readme=True,
    ),
    Figure(
        "nbody_counters",
        "",
        STAGES.chapter,
        "N-body, counted: before and after rsqrt, and every stage",
        "The thesis has no such figure: its profiler counted instructions (figures 6.4 and 6.5).",
        prepare_counters,
        in_readme=True,
    ),
    Figure(
        "figure_6_6",
        "Figure 6.6",
        STAGES.chapter,
        "N-body, one force evaluation",
        (
            "Speed-ups over the stage before, at 3.2 million bodies: 1.12, 1.1, 1.04, 2.25 and 1.23"
            " (6.4.1)."
        ),
        prepare_force,
        in_readme=True,
        script="nbody_stages",
    ),
    Figure(
        "figure_6_7",
        "Figure 6.7",
        STAGES.chapter,
        "N-body, 100 leapfrog steps",
        "Over 100 steps the stages keep their order. The thesis prints no numbers (6.4.2).",
        prepare_leapfrog,
        in_readme=True,
        script="nbody_stages",
    ),
    Figure(
        "nbody_cpu_gpu",
        "",
        STAGES.chapter,
        "N-body, CPU against GPU",
        (
            "365 times as fast as the CPU (one core of a Core i7-3820) at 160 000 bodies, and 723"
            " times at 320 000 (6.4.3)."
        ),
        prepare_serial,
        in_readme=True,
    ),
    Figure(
        "nbody_beyond",
        "",
        STAGES.chapter,
        "N-body beyond the thesis: pairs per second",
        "The thesis ends with stage 06.",
        partial(prepare_rates, runs=FORCE, stages=BEYOND),
        in_readme=True,
    ),
    Figure(
        "nbody_instructions",
        "",
        STAGES.chapter,
        "N-body, instructions per pair of bodies",
        "The thesis shows its profiler's counts for two stages (figures 6.4 and 6.5).",
        partial(prepare_mixes, stages=STAGES, profiled=PROFILED),
        in_readme=True,
        script="instructions",
        folder="drawing",
    ),
)

CHAPTER = Chapter(
    STAGES,
    FIGURES,
    Rate("pairs", pairs),
    Rules({"input": "plummer", "steps": "0"}, kernel_timed=BEYOND[1:]),
    traces=(accesses.PAIRS, accesses.FLOAT3, accesses.FLOAT4, accesses.LISTS, tiles.TRACE),
    animation=make_collision,
    tables={
        "beyond": lambda rows, reports, limits: rates_table(rows, BEYOND),
        "leapfrog": lambda rows, reports, limits: leapfrog_table(rows, BEYOND),
    },
    all_stages=(BEYOND, RUN),
    profile_tables={"instructions": partial(instructions_table, stages=PROFILED)},
    profile="plots.nbody.profile",
    profiled=PROFILED,
    profiled_work=lambda _, n: float(n) ** 2,
    path_sizes={"": NAMED[-1], "limit": NAMED[-1]},
    share_of=STAGES.named("nvidia_sample"),
)
