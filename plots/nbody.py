# SPDX-License-Identifier: MIT
"""Figures of the n-body chapter: 6.4 to 6.7, and CPU against GPU (thesis 6.4.3)."""

from __future__ import annotations

from collections.abc import Sequence

from drawing import (
    Block,
    Drawing,
    Figure,
    Source,
    check_stages,
    device_label,
    kernel_engine,
    log_range,
    provenance,
    short_count,
    short_ratio,
    short_time,
    three_digits,
    tics,
    time_unit,
)
from measurements import DataError, KernelCounters, Metric, Point, Row, matches, newest, times

CHAPTER = "nbody"
KERNEL_STAGES = (
    "01_float3", "02_float4", "03_shared_tiles", "04_soa_accelerations", "05_rsqrt",
    "06_flush_denormals",
)
# What plots/tables.py compares the stages by.
COMPARED_RUN = {"input": "plummer", "steps": "0"}
FORCE_KERNEL = "compute_accelerations_kernel"
FORCE = {"input": "plummer", "steps": 0}
LEAPFROG = {"input": "plummer", "steps": 100}

# Classes of instructions by opcode (CUDA Binary Utilities, Hopper's instruction set). Everything
# that is not listed is "other": moves, special registers, votes, shuffles, conversions.
OPCODE_CLASSES = {
    "fp32": ("FADD", "FADD32I", "FCHK", "FFMA", "FFMA32I", "FMNMX", "FMUL", "FMUL32I", "FSEL",
             "FSET", "FSETP"),
    "special": ("MUFU",),
    "integer": ("BMSK", "BREV", "FLO", "IABS", "IADD", "IADD3", "IADD32I", "IDP", "IMAD", "IMNMX",
                "IMUL", "ISCADD", "ISETP", "LEA", "LOP", "LOP3", "LOP32I", "PLOP3", "POPC", "PRMT",
                "SEL", "SGXT", "SHF", "SHL", "SHR", "UBMSK", "UBREV", "UFLO", "UIADD3", "UIMAD",
                "UISETP", "ULEA", "ULOP", "ULOP3", "UPLOP3", "UPOPC", "UPRMT", "USEL", "USGXT",
                "USHF", "USHL", "USHR", "VIADD", "VIADDMNMX", "VIMNMX"),
    "memory": ("ATOM", "ATOMG", "ATOMS", "LD", "LDC", "LDG", "LDGSTS", "LDL", "LDS", "LDSM", "RED",
               "ST", "STG", "STL", "STS", "ULDC"),
    "control": ("BAR", "BRA", "BREAK", "BRX", "BSSY", "BSYNC", "CALL", "EXIT", "JMP", "JMX", "KILL",
                "NANOSLEEP", "RET", "WARPSYNC", "YIELD"),
}
CLASS_LABELS = {
    "fp32": "fp32 arithmetic", "special": "special function", "integer": "integer",
    "memory": "load, store", "control": "control", "other": "other",
}
# When ncu cannot count by opcode: its own classes of thread instructions. It has none for the special
# function unit, whose warp instructions the pipe counts; they are a part of its other classes then.
OPERATION_METRICS = {
    "fp32": ("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",),
    "integer": ("smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_bit_pred_on.sum"),
    "memory": ("smsp__sass_thread_inst_executed_op_memory_pred_on.sum",),
    "control": ("smsp__sass_thread_inst_executed_op_control_pred_on.sum",),
}
SPECIAL_PIPE = ("smsp__inst_executed_pipe_xu.sum", "sm__inst_executed_pipe_xu.sum")
THREAD_INSTRUCTIONS = ("smsp__thread_inst_executed_pred_on.sum", "smsp__thread_inst_executed.sum")
WARP_SIZE = 32
# Label and metrics, the first that is there counts.
UTILISATION = (
    ("SM", ("sm__throughput.avg.pct_of_peak_sustained_elapsed",)),
    ("issue slots", ("smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
                     "sm__inst_issued.avg.pct_of_peak_sustained_elapsed")),
    ("FMA pipe", ("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
                  "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed")),
    ("ALU pipe", ("sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed",
                  "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed")),
    ("XU pipe", ("sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
                 "sm__pipe_xu_cycles_active.avg.pct_of_peak_sustained_elapsed")),
)


def opcode_class(opcode: str) -> str:
    """The class of an opcode, modifiers ignored: FADD.FTZ is fp32."""
    name = opcode.partition(".")[0]
    return next((kind for kind, names in OPCODE_CLASSES.items() if name in names), "other")


def instructions_per_pair(metrics: Sequence[Metric]) -> dict[str, float]:
    """Thread instructions a pair of bodies, by class. Raises KeyError when a metric is missing."""
    n = metrics[0].n
    pairs = float(n) * n
    counts = dict.fromkeys(CLASS_LABELS, 0.0)
    opcodes = [one for one in metrics if one.name.startswith("opcode:")]
    if opcodes:
        for one in opcodes:
            counts[opcode_class(one.name.removeprefix("opcode:"))] += one.value * WARP_SIZE / pairs
        return counts
    by_name = {one.name: one.value for one in metrics}
    for kind, names in OPERATION_METRICS.items():
        present = [by_name[name] for name in names if name in by_name]
        if not present:
            raise KeyError(names[0])
        counts[kind] = sum(present) / pairs
    counts["special"] = first_present(by_name, SPECIAL_PIPE) * WARP_SIZE / pairs
    total = first_present(by_name, THREAD_INSTRUCTIONS) / pairs
    counts["other"] = max(0.0, total - sum(counts.values()))
    return counts


def first_present(by_name: dict[str, float], names: Sequence[str]) -> float:
    for name in names:
        if name in by_name:
            return by_name[name]
    raise KeyError(names[0])


def prepare_profile(source: Source, figure: str, stage: str) -> Drawing:
    """Figures 6.4 and 6.5 share their axes: the highest bar of either sets both."""
    metrics, path, from_recorded = source.profile(CHAPTER)
    by_stage = {name: [one for one in metrics if one.stage == name]
                for name in ("04_soa_accelerations", "05_rsqrt")}
    check_stages(metrics, tuple(by_stage), path, "profiler metrics")
    try:
        mixes = {name: instructions_per_pair(found) for name, found in by_stage.items()}
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
    origin = "recorded" if source.kind == "recorded" or from_recorded else "measured here"
    note = "Recorded data: this machine gives no profiler counters. " if from_recorded else ""
    return Drawing(
        tables={"mix": [Block(device, [(CLASS_LABELS[kind], value)
                                       for kind, value in mix.items()])],
                "use": [Block(device, bars)]},
        variables={"mix_top": max(max(one.values()) for one in mixes.values()) * 1.18,
                   "thesis_use": thesis, "thesis_label": f"GTX 980, 2016: {thesis:g} %",
                   "device_text": device},
        subtitle=f"{note}{device}, {origin} {day} by Nsight Compute, one force evaluation of "
                 f"{short_count(n)} bodies.",
        ours=f"{stage} executes {total:.1f} instructions a pair of bodies, {mix['fp32']:.1f} of them "
             f"fp32 arithmetic and {mix['special']:.1f} special functions; "
             + ", ".join(f"{label} {value:.0f} %" for label, value in bars) + " busy.",
        alt=f"Two bar charts for {stage} on {device}: instructions a pair of bodies by class ("
            + ", ".join(f"{CLASS_LABELS[kind]} {value:.1f}" for kind, value in mix.items())
            + ") and utilisation of the multiprocessor ("
            + ", ".join(f"{label} {value:.0f} %" for label, value in bars)
            + f"), beside the thesis' {thesis:g} % on a GTX 980.",
        from_recorded=from_recorded)


def select(source: Source, match: dict[str, object]) -> tuple[list[Row], str]:
    """The kernels' rows of one kind of run, every stage present, and their engine."""
    rows = [row for row in source.rows(CHAPTER) if matches(row, match)]
    engine = kernel_engine(rows)
    rows = newest([row for row in rows if row.engine == engine])
    check_stages(rows, KERNEL_STAGES, source.rows_path(CHAPTER),
                 f"{engine}, input {match['input']}, {match['steps']} steps")
    return rows, engine


def largest_common_n(series: dict[str, list[Point]]) -> int:
    common = set.intersection(*({point.n for point in points} for points in series.values()))
    if not common:
        raise DataError("no n that every stage was measured at")
    return max(common)


def median_at(points: Sequence[Point], n: int) -> float:
    return next(point.median for point in points if point.n == n)


def prepare_stages(source: Source, figure: str, match: dict[str, object],
                   smallest_n: int) -> Drawing:
    """Figures 6.6 and 6.7: time against n, and each stage's speed-up over the stage before."""
    rows, engine = select(source, match)
    if source.kind == "recorded":
        rows = [row for row in rows if row.n >= smallest_n]
        check_stages(rows, KERNEL_STAGES, source.rows_path(CHAPTER), f"n from {smallest_n}")
    series = {stage: times([row for row in rows if row.stage == stage]) for stage in KERNEL_STAGES}
    longest = max(point.median for points in series.values() for point in points)
    unit, factor = time_unit(longest)
    n = largest_common_n(series)
    medians = [median_at(series[stage], n) for stage in KERNEL_STAGES]
    gains = {stage: before / after
             for stage, before, after in zip(KERNEL_STAGES[1:], medians, medians[1:])}
    device = device_label(rows, engine)
    tables = {
        "time": [Block(stage, [(point.n, point.median * factor, point.lower * factor,
                                point.upper * factor) for point in points])
                 for stage, points in series.items()],
    }
    top = max(gains.values())
    bars: list[tuple[object, ...]] = list(gains.items())
    if figure == "6.6":
        thesis = {one.stage: one.value for one in source.published(figure, "speedup_over_previous")}
        bars = [(stage, gain, thesis[stage]) for stage, gain in gains.items()]
        top = max(top, *thesis.values())
    tables["gain"] = [Block(device, bars)]
    listed = ", ".join(f"{stage} {gain:.2f}" for stage, gain in gains.items())
    whole = medians[0] / medians[-1]
    what = ("one force evaluation" if match["steps"] == 0
            else f"{match['steps']} leapfrog steps")
    return Drawing(
        tables=tables,
        variables={"time_unit": unit, "gain_top": top * 1.3, "gain_n": short_count(n),
                   "n_top": n * 1.04, "time_top": longest * factor * 1.3,
                   "n_tics": tics([n // 4, n // 2, 3 * n // 4, n]),
                   "gain_key": device, "with_thesis": int(figure == "6.6"),
                   "thesis_key": "GTX 980, 2016 (3.2 M bodies)"},
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"At {short_count(n)} bodies, {what}: speed-up over the stage before {listed}; "
             f"{whole:.2f} in all, from {short_time(medians[0])} to {short_time(medians[-1])}.",
        alt=f"Line chart of time against bodies for the stages {', '.join(KERNEL_STAGES)} ({what}, "
            f"{device}), and a bar chart of each stage's speed-up over the stage before at "
            f"{short_count(n)} bodies: {listed}.")


def prepare_cpu_gpu(source: Source) -> Drawing:
    """The serial stage against the kernels; the thesis compares its last version (6.4.3)."""
    path = source.rows_path(CHAPTER)
    kernels, engine = select(source, FORCE)
    serial = newest([row for row in source.rows(CHAPTER)
                     if row.stage == "00_cpu" and matches(row, FORCE)])
    check_stages(serial, ("00_cpu",), path, "input plummer, 0 steps")
    sizes = sorted({row.n for row in serial})
    kernels = [row for row in kernels if row.n in sizes]
    check_stages(kernels, KERNEL_STAGES, path, f"{engine}, at the n of 00_cpu")
    series = {"00_cpu": times(serial)}
    for stage in KERNEL_STAGES:
        series[stage] = times([row for row in kernels if row.stage == stage])
    gains = {}
    for stage in (KERNEL_STAGES[0], KERNEL_STAGES[-1]):
        at = {point.n: point.median for point in series[stage]}
        gains[stage] = [(point.n, point.median / at[point.n]) for point in series["00_cpu"]
                        if point.n in at]
    thesis = source.published("nbody_cpu_gpu", "speedup_over_cpu")
    device = device_label(kernels, engine)
    host = serial[0].device
    n, best = gains[KERNEL_STAGES[-1]][-1]
    everyone = [value for points in series.values() for point in points
                for value in (point.lower, point.upper)]
    shown = [one.value for one in thesis] if source.kind == "recorded" else []
    shown_n = [one.n for one in thesis] if source.kind == "recorded" else []
    shown += [value for rows in gains.values() for _, value in rows]
    time_low, time_high = log_range(everyone, 0.25)
    gain_low, gain_high = log_range(shown, 0.2)
    tables = {
        "time": [Block(stage, [(point.n, point.median, point.lower, point.upper)
                               for point in points]) for stage, points in series.items()],
        "gain": [Block(stage, rows) for stage, rows in gains.items()],
        "thesis": [Block("GTX 980, 2016", [(one.n, one.value) for one in thesis])],
    }
    return Drawing(
        tables=tables,
        variables={"time_low": time_low, "time_high": time_high, "gain_low": gain_low,
                   "gain_high": gain_high, "n_tics": tics(sorted({*sizes, *shown_n})),
                   "n_low": min(sizes) / 1.25, "n_high": max(sizes + shown_n) * 1.25,
                   "show_thesis": int(source.kind == "recorded")},
        subtitle=provenance(kernels, engine, source.kind, host),
        emulated=engine == "emu",
        ours=f"At {short_count(n)} bodies {KERNEL_STAGES[-1]} is {short_ratio(best)} times as fast as 00_cpu "
             f"on one core of {host}.",
        alt=f"Line chart of time against bodies, 00_cpu above the kernels of {device}, and of the "
            f"speed-up over 00_cpu: {short_ratio(best)} at {short_count(n)} bodies, beside the thesis' 365 at "
            "160 k and 723 at 320 k.")


def accelerations_by_stage(source: Source) -> dict[str, KernelCounters]:
    found = {one.stage: one for one in source.counters(CHAPTER) if one.kernel == FORCE_KERNEL}
    check_stages(list(found.values()), KERNEL_STAGES, source.counters_path(CHAPTER), FORCE_KERNEL)
    for stage, one in found.items():
        if not one.count("loop.iterations"):
            raise DataError(f"{source.counters_path(CHAPTER)}: no loop in the {FORCE_KERNEL} of {stage}")
    return found


def counted_mix(one: KernelCounters) -> dict[str, float]:
    """What a warp does for one body of the list; barriers are a tile's, shared by its bodies."""
    return {
        "global loads": one.per_iteration("global_load.requests"),
        "shared loads": one.per_iteration("shared_load.requests"),
        "barriers": one.count("barriers") / one.count("loop.iterations"),
        "basic blocks": one.per_iteration("basic_blocks"),
    }


def prepare_counters(source: Source) -> Drawing:
    """What figures 6.4 and 6.5 show by a profiler, as far as the CPU engine counts it."""
    found = accelerations_by_stage(source)
    mixes = {stage: counted_mix(found[stage]) for stage in KERNEL_STAGES}
    before, after = mixes["04_soa_accelerations"], mixes["05_rsqrt"]
    same = before == after
    words = ", ".join(f"{kind} {three_digits(value)}" for kind, value in before.items())
    verdict = ("rsqrtf changes none of them: what it saves are instructions between two memory accesses"
               if same else
               "with rsqrtf " + ", ".join(f"{kind} {three_digits(value)}" for kind, value in after.items()))
    loads = {stage: (mix["global loads"], mix["shared loads"]) for stage, mix in mixes.items()}
    listed = ", ".join(f"{stage} {three_digits(from_global)} and {three_digits(from_shared)}"
                       for stage, (from_global, from_shared) in loads.items())
    return Drawing(
        tables={"mix": [Block("mix", [(kind, before[kind], after[kind]) for kind in before])],
                "loads": [Block("loads", [(stage, *pair) for stage, pair in loads.items()])]},
        variables={"mix_top": 1.25 * max([*before.values(), *after.values()]),
                   "loads_top": 1.25 * max(sum(pair) for pair in loads.values()),
                   "before_text": "04_soa_accelerations", "after_text": "05_rsqrt"},
        emulated=True,
        subtitle=f"Counted for {found['05_rsqrt'].arguments}, no GPU needed: how often a warp does what for one "
                 "body of the list.",
        ours=f"04_soa_accelerations, a body: {words}; {verdict}. Counters of memory show why 01 to 03 differ "
             "and cannot show why 05 is faster: that takes a profiler's count of instructions (figures 6.4 "
             "and 6.5).",
        alt=f"Two bar charts: what a warp does for one body before and after rsqrtf ({words}; {verdict}), "
            f"and load requests a body, global and shared, in each stage: {listed}.")


FIGURES = (
    Figure("figure_6_4", "Figure 6.4", CHAPTER, "N-body before rsqrtf (04_soa_accelerations)",
           "Arithmetic far outweighs all other instructions; utilisation about 65 % on a GTX 980, "
           "because division and square root make the next instruction wait (6.3.1.4).",
           lambda source: prepare_profile(source, "6.4", "04_soa_accelerations"), in_readme=True),
    Figure("figure_6_5", "Figure 6.5", CHAPTER, "N-body with rsqrtf (05_rsqrt)",
           "With rsqrtf utilisation rises to almost 90 % on a GTX 980 (6.3.1.4).",
           lambda source: prepare_profile(source, "6.5", "05_rsqrt"), in_readme=True),
    Figure("nbody_counters", "", CHAPTER, "N-body, counted: before and after rsqrt, and every stage",
           "The thesis shows none: its profiler counted instructions (figures 6.4 and 6.5).",
           prepare_counters, in_readme=True),
    Figure("figure_6_6", "Figure 6.6", CHAPTER, "N-body, one force evaluation",
           "Speed-ups at 3.2 million bodies: 1.12, 1.1, 1.04, 2.25 and 1.23, each over the stage "
           "before (6.4.1).",
           lambda source: prepare_stages(source, "6.6", FORCE, 100_000), in_readme=True),
    Figure("figure_6_7", "Figure 6.7", CHAPTER, "N-body, 100 leapfrog steps",
           "The same order of the stages over 100 steps; the thesis prints no numbers (6.4.2).",
           lambda source: prepare_stages(source, "6.7", LEAPFROG, 10_000), in_readme=True),
    Figure("nbody_cpu_gpu", "", CHAPTER, "N-body, CPU against GPU",
           "365 times as fast as the CPU (one core of a Core i7-3820) at 160 000 bodies, and 723 times at "
           "320 000 (6.4.3).",
           prepare_cpu_gpu, in_readme=True),
)
