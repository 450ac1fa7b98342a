# SPDX-License-Identifier: MIT
"""Figures of the n-body chapter: 6.4 to 6.7, and CPU against GPU (thesis 6.4.3)."""

from __future__ import annotations

from collections.abc import Sequence

from drawing import THESIS_CARD, Block, Drawing, Figure, Source, check_stages, short_count, three_digits
from measurements import DataError, KernelCounters, Metric
from panels import Runs, gains_of, prepare_against_n, prepare_cpu_gpu, published

CHAPTER = "nbody"
STAGES = (
    "01_float3", "02_float4", "03_shared_tiles", "04_soa_accelerations", "05_rsqrt",
    "06_flush_denormals",
)
BEST = STAGES[-1]
# What plots/tables.py compares the stages by.
COMPARED_RUN = {"input": "plummer", "steps": "0"}
FORCE_KERNEL = "compute_accelerations_kernel"

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
                   "thesis_use": thesis, "thesis_label": f"{THESIS_CARD}: {thesis:g} %",
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
            + f"), beside the thesis' {thesis:g} %.",
        from_recorded=from_recorded)


def runs_of(steps: int, words: str) -> Runs:
    return Runs(CHAPTER, match={"input": "plummer", "steps": steps}, unit="bodies", words=f"bodies, {words}",
                thesis_n="3.2 M bodies")


FORCE = runs_of(0, "one force evaluation")
LEAPFROG = runs_of(100, "100 leapfrog steps")


def prepare_force(source: Source) -> Drawing:
    """Figure 6.6. Linear axes, as in the thesis: on logarithmic ones a difference of a tenth would be one line."""
    thesis = {stage: published(source, "6.6", "speedup_over_previous", stage) for stage in STAGES[1:]}
    return prepare_against_n(source, FORCE, STAGES, gains_of(STAGES, thesis), BEST, "evaluates",
                             smallest_recorded=100_000, linear=True)


def prepare_leapfrog(source: Source) -> Drawing:
    """Figure 6.7, of which the thesis prints no number."""
    return prepare_against_n(source, LEAPFROG, STAGES, gains_of(STAGES), BEST, "moves", smallest_recorded=10_000,
                             linear=True)


def prepare_serial(source: Source) -> Drawing:
    """The thesis compares its last version only (6.4.3), and has no picture of it."""
    return prepare_cpu_gpu(source, FORCE, STAGES, (STAGES[0], BEST), "nbody_cpu_gpu")


def accelerations_by_stage(source: Source) -> dict[str, KernelCounters]:
    found = {one.stage: one for one in source.counters(CHAPTER) if one.kernel == FORCE_KERNEL}
    check_stages(list(found.values()), STAGES, source.counters_path(CHAPTER), FORCE_KERNEL)
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
    mixes = {stage: counted_mix(found[stage]) for stage in STAGES}
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
           prepare_force, in_readme=True, script="nbody_stages"),
    Figure("figure_6_7", "Figure 6.7", CHAPTER, "N-body, 100 leapfrog steps",
           "The same order of the stages over 100 steps; the thesis prints no numbers (6.4.2).",
           prepare_leapfrog, in_readme=True, script="nbody_stages"),
    Figure("nbody_cpu_gpu", "", CHAPTER, "N-body, CPU against GPU",
           "365 times as fast as the CPU (one core of a Core i7-3820) at 160 000 bodies, and 723 times at "
           "320 000 (6.4.3).",
           prepare_serial, in_readme=True),
)
