# SPDX-License-Identifier: MIT
"""The operands of PTX instructions as C++ expressions."""

import re

# PTX types and the C++ types of their registers.
TYPES = {
    "u8": "std::uint8_t",
    "u16": "std::uint16_t",
    "u32": "std::uint32_t",
    "u64": "std::uint64_t",
    "s8": "std::int8_t",
    "s16": "std::int16_t",
    "s32": "std::int32_t",
    "s64": "std::int64_t",
    "b8": "std::uint8_t",
    "b16": "std::uint16_t",
    "b32": "std::uint32_t",
    "b64": "std::uint64_t",
    "f32": "float",
    "f64": "double",
    "pred": "bool",
}
PAIRS = {"s16x2": "std::int16_t", "u16x2": "std::uint16_t"}

SPECIAL = {
    "laneid": "emulator::lane_index()",
    "warpid": "emulator::warp_index()",
    "nwarpid": "emulator::ptx::warps_of_multiprocessor()",
    "smid": "emulator::ptx::multiprocessor()",
    "nsmid": "emulator::ptx::multiprocessors()",
    "gridid": "0",
    "lanemask_eq": "(1u << emulator::lane_index())",
    "lanemask_lt": "((1u << emulator::lane_index()) - 1u)",
    "lanemask_le": "((2u << emulator::lane_index()) - 1u)",
    "lanemask_gt": "(~((2u << emulator::lane_index()) - 1u))",
    "lanemask_ge": "(~((1u << emulator::lane_index()) - 1u))",
    "clock": "static_cast<std::uint32_t>(clock64())",
    "clock_hi": "static_cast<std::uint32_t>(clock64() >> 32)",
    "clock64": "clock64()",
    "globaltimer": "clock64()",
    "globaltimer_lo": "static_cast<std::uint32_t>(clock64())",
    "globaltimer_hi": "static_cast<std::uint32_t>(clock64() >> 32)",
    "dynamic_smem_size": "emulator::dynamic_shared_bytes()",
}
for register, variable in (
    ("tid", "threadIdx"),
    ("ntid", "blockDim"),
    ("ctaid", "blockIdx"),
    ("nctaid", "gridDim"),
):
    for axis in "xyz":
        SPECIAL[f"{register}.{axis}"] = f"{variable}.{axis}"


class Unavailable(Exception):
    """An instruction or an operand that the engine does not have."""


class Names:
    """The operands of one asm statement and the registers that its text declares."""

    def __init__(self, operand_count: int) -> None:
        self.operand_count = operand_count
        self.registers: dict[str, str] = {}
        self.labels: dict[str, str] = {}  # by the name in the text

    def declare(self, name: str) -> str:
        self.registers[name] = "emulator_r_" + re.sub(r"\W", "_", name.lstrip("%"))
        return self.registers[name]

    def variable(self, text: str) -> str | None:
        """The C++ variable of an operand %0 or a register, or None."""
        match = re.match(r"%(\d+)$", text)
        if match and int(match[1]) < self.operand_count:
            return f"emulator_{match[1]}"
        return self.registers.get(text.replace("%%", "%")) or self.registers.get(text)

    def value(self, text: str, kind: str) -> str:
        """An operand that is read, as a value of a PTX type."""
        text = text.strip()
        cpp = TYPES[kind]
        if kind == "pred" and text.startswith("!"):
            return f"(!{self.value(text[1:], kind)})"
        if text.startswith("-") and self.variable(text[1:].strip()):
            return f"(-{self.value(text[1:], kind)})"
        variable = self.variable(text)
        if variable is not None:
            return f"emulator::ptx::get<{cpp}>({variable})"
        special = SPECIAL.get(re.sub(r"^%+", "", text)) if text.startswith("%") else None
        if special is not None:
            return f"static_cast<{cpp}>({special})"
        if text == "WARP_SZ":
            return f"{cpp}(32)"
        match = re.match(r"0[fF]([0-9a-fA-F]{8})$", text)
        if match:
            return f"emulator::ptx::get<{cpp}>(std::uint32_t{{0x{match[1]}u}})"
        match = re.match(r"0[dD]([0-9a-fA-F]{16})$", text)
        if match:
            return f"emulator::ptx::get<{cpp}>(std::uint64_t{{0x{match[1]}ull}})"
        if re.match(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uU]?$", text):
            return f"static_cast<{cpp}>({text.rstrip('uU')}ll)"
        if re.match(r"[-+]?\d*\.\d+([eE][-+]?\d+)?$", text) and kind in ("f32", "f64"):
            return f"static_cast<{cpp}>({text})"
        raise Unavailable(f"operand {text}")

    def put(self, text: str, value: str) -> str:
        """The assignment of a value to an operand."""
        text = text.strip()
        if text == "_":
            return f"static_cast<void>({value});"
        variable = self.variable(text)
        if variable is None:
            raise Unavailable(f"operand {text}")
        return f"emulator::ptx::put({variable}, {value});"

    def address(self, text: str, is_shared: bool) -> str:
        """[register + offset] as a C++ pointer to bytes."""
        match = re.match(r"\[\s*([^\]+]+?)\s*(?:\+\s*(-?\w+)\s*)?\]$", text.strip())
        if not match or self.variable(match[1]) is None:
            raise Unavailable(f"address {text}")
        function = "shared_bytes" if is_shared else "bytes"
        offset = f", {match[2]}" if match[2] else ""
        return f"emulator::ptx::{function}({self.variable(match[1])}{offset})"


def split_operands(text: str) -> list[str]:
    """Operands at the commas outside of brackets and braces."""
    parts = []
    depth = 0
    word = ""
    for character in text:
        depth += (character in "[{(") - (character in "]})")
        if character == "," and depth == 0:
            parts.append(word.strip())
            word = ""
        else:
            word += character
    if word.strip():
        parts.append(word.strip())
    return parts


def members_of(text: str) -> list[str]:
    """The operands of a vector {a, b}."""
    return split_operands(text.strip()[1:-1])
