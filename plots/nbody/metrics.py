# SPDX-License-Identifier: MIT
"""The profiler's metrics that figures 6.4 and 6.5 draw: instructions by class, and utilisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plots.records.rows import Metric

# Classes of instructions by opcode (CUDA Binary Utilities, Hopper's instruction set). Everything
# that is not listed is "other": moves, special registers, votes, shuffles, conversions.
OPCODE_CLASSES = {
    "fp32": (
        "FADD",
        "FADD32I",
        "FCHK",
        "FFMA",
        "FFMA32I",
        "FMNMX",
        "FMUL",
        "FMUL32I",
        "FSEL",
        "FSET",
        "FSETP",
    ),
    "special": ("MUFU",),
    "integer": (
        "BMSK",
        "BREV",
        "FLO",
        "IABS",
        "IADD",
        "IADD3",
        "IADD32I",
        "IDP",
        "IMAD",
        "IMNMX",
        "IMUL",
        "ISCADD",
        "ISETP",
        "LEA",
        "LOP",
        "LOP3",
        "LOP32I",
        "PLOP3",
        "POPC",
        "PRMT",
        "SEL",
        "SGXT",
        "SHF",
        "SHL",
        "SHR",
        "UBMSK",
        "UBREV",
        "UFLO",
        "UIADD3",
        "UIMAD",
        "UISETP",
        "ULEA",
        "ULOP",
        "ULOP3",
        "UPLOP3",
        "UPOPC",
        "UPRMT",
        "USEL",
        "USGXT",
        "USHF",
        "USHL",
        "USHR",
        "VIADD",
        "VIADDMNMX",
        "VIMNMX",
    ),
    "memory": (
        "ATOM",
        "ATOMG",
        "ATOMS",
        "LD",
        "LDC",
        "LDG",
        "LDGSTS",
        "LDL",
        "LDS",
        "LDSM",
        "RED",
        "ST",
        "STG",
        "STL",
        "STS",
        "ULDC",
    ),
    "control": (
        "BAR",
        "BRA",
        "BREAK",
        "BRX",
        "BSSY",
        "BSYNC",
        "CALL",
        "EXIT",
        "JMP",
        "JMX",
        "KILL",
        "NANOSLEEP",
        "RET",
        "WARPSYNC",
        "YIELD",
    ),
}
CLASS_LABELS = {
    "fp32": "fp32 arithmetic",
    "special": "special function",
    "integer": "integer",
    "memory": "load, store",
    "control": "control",
    "other": "other",
}
# Where ncu cannot count by opcode, its own classes of thread instructions serve. It has no class
# for the special function unit: the pipe counts its warp instructions, which other classes then
# contain too.
OPERATION_METRICS = {
    "fp32": ("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",),
    "integer": (
        "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_bit_pred_on.sum",
    ),
    "memory": ("smsp__sass_thread_inst_executed_op_memory_pred_on.sum",),
    "control": ("smsp__sass_thread_inst_executed_op_control_pred_on.sum",),
}
SPECIAL_PIPE = ("smsp__inst_executed_pipe_xu.sum", "sm__inst_executed_pipe_xu.sum")
THREAD_INSTRUCTIONS = ("smsp__thread_inst_executed_pred_on.sum", "smsp__thread_inst_executed.sum")
WARP_SIZE = 32
# A label and its metrics, of which the first that exists counts.
UTILISATION = (
    ("SM", ("sm__throughput.avg.pct_of_peak_sustained_elapsed",)),
    (
        "issue slots",
        (
            "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
            "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    (
        "FMA pipe",
        (
            "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
            "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    (
        "ALU pipe",
        (
            "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed",
            "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    (
        "XU pipe",
        (
            "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
            "sm__pipe_xu_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
)


def opcode_class(opcode: str) -> str:
    """The class of an opcode without its modifiers: FADD.FTZ is fp32."""
    name = opcode.partition(".")[0]
    return next((kind for kind, names in OPCODE_CLASSES.items() if name in names), "other")


def instructions_per_pair(metrics: Sequence[Metric]) -> dict[str, float]:
    """Thread instructions per pair of bodies, by class. Raises KeyError when a metric is
    missing."""
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


def first_present(by_name: Mapping[str, float], names: Sequence[str]) -> float:
    for name in names:
        if name in by_name:
            return by_name[name]
    raise KeyError(names[0])
