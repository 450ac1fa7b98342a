# SPDX-License-Identifier: MIT
"""The video instructions of PTX: vabsdiff4 and its relatives."""

import re

from .ptx_instruction import Instruction
from .ptx_operands import TYPES, Unavailable

LANES = {"2": "16", "4": "8"}


def translate_video(instruction: Instruction) -> str:
    match = re.match(r"v(add|sub|absdiff|min|max|avrg)([24]?)$", instruction.base)
    if not match or len(instruction.types) != 3:
        raise Unavailable(instruction.text)
    if not match[2]:
        return scalar(instruction, match[1])
    bits = LANES[match[2]]
    result, a, b = (kind[0] + bits for kind in instruction.types)
    allowed = {"sat", "add"}
    if any(part not in allowed and part not in TYPES for part in instruction.modifiers):
        raise Unavailable(instruction.text)
    flags = ", ".join("true" if instruction.has(word) else "false" for word in ("sat", "add"))
    types = ", ".join(TYPES[kind] for kind in (result, a, b))
    values = ", ".join(instruction.value(i, "u32") for i in (1, 2, 3))
    return instruction.put(
        f"emulator::ptx::video_lanes<{types}, {flags}>"
        f"(emulator::ptx::Video::{match[1]}, {values})"
    )


def scalar(instruction: Instruction, operation: str) -> str:
    if operation == "avrg":
        raise Unavailable(instruction.text)
    result, a, b = instruction.types
    target, _, selector = instruction.operands[0].partition(".")
    second = [part for part in instruction.modifiers if part in ("add", "min", "max")]
    if any(part not in TYPES and part not in ("sat", *second) for part in instruction.modifiers):
        raise Unavailable(instruction.text)
    parts = []
    for index, kind in ((1, a), (2, b)):
        word, _, part = instruction.operands[index].partition(".")
        cpp = {"": TYPES[kind], "b": TYPES[kind[0] + "8"], "h": TYPES[kind[0] + "16"]}
        shift = int(part[1:]) * (8 if part[0] == "b" else 16) if part else 0
        value = instruction.names.value(word, "u32")
        parts.append(f"std::int64_t{{static_cast<{cpp[part[:1]]}>({value} >> {shift})}}")
    saturates = "true" if instruction.has("sat") else "false"
    code = (
        f"emulator::ptx::video<{TYPES[result]}, {saturates}>"
        f"(emulator::ptx::Video::{operation}, {', '.join(parts)})"
    )
    if second:
        code = (
            f"emulator::ptx::second<{TYPES[result]}>(emulator::ptx::Video::{second[0]}, {code}, "
            f"{instruction.value(3, result)})"
        )
    elif selector and saturates == "true":
        raise Unavailable(instruction.text)
    elif selector:
        # A byte or halfword of the third operand is replaced.
        bits = 8 if selector[0] == "b" else 16
        code = (
            f"emulator::ptx::merged({code}, {bits}, {int(selector[1:]) * bits}, "
            f"{instruction.value(3, 'u32')})"
        )
    return instruction.names.put(target, code)
