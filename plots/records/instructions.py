# SPDX-License-Identifier: MIT
"""Instructions that a kernel executed, by class, as Nsight Compute counts them: for figures of
instructions per pair, per sample, or per whatever a chapter's work consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plots.records.rows import Metric

OPCODE = "opcode:"  # begins the names of metrics that count one opcode's warp instructions
# Classes of instructions by opcode (CUDA Binary Utilities, Hopper's instruction set). Everything
# that is not listed is "other": moves, special registers, conversions.
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
        "REDG",
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
    "shuffle": ("REDUX", "SHFL", "VOTE", "VOTEU"),
}
CLASS_LABELS = {
    "fp32": "fp32 arithmetic",
    "special": "special function",
    "integer": "integer",
    "memory": "load, store",
    "control": "control",
    "shuffle": "shuffle",
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


def opcode_class(opcode: str) -> str:
    """The class of an opcode without its modifiers: FADD.FTZ is fp32."""
    name = opcode.partition(".")[0]
    return next((kind for kind, names in OPCODE_CLASSES.items() if name in names), "other")


def instructions_per(metrics: Sequence[Metric], units: float) -> dict[str, float]:
    """Thread instructions per unit of work, by class. `metrics`: of the profiled launches of one
    stage, which did so many units. Raises KeyError when a metric is missing."""
    counts = dict.fromkeys(CLASS_LABELS, 0.0)
    opcodes = [one for one in metrics if one.name.startswith(OPCODE)]
    if opcodes:
        for one in opcodes:
            kind = opcode_class(one.name.removeprefix(OPCODE))
            counts[kind] += one.value * WARP_SIZE / units
        return counts
    by_name = {one.name: one.value for one in metrics}
    for kind, names in OPERATION_METRICS.items():
        present = [by_name[name] for name in names if name in by_name]
        if not present:
            raise KeyError(names[0])
        counts[kind] = sum(present) / units
    counts["special"] = first_present(by_name, SPECIAL_PIPE) * WARP_SIZE / units
    total = first_present(by_name, THREAD_INSTRUCTIONS) / units
    counts["other"] = max(0.0, total - sum(counts.values()))
    return counts


def first_present(by_name: Mapping[str, float], names: Sequence[str]) -> float:
    for name in names:
        if name in by_name:
            return by_name[name]
    raise KeyError(names[0])
