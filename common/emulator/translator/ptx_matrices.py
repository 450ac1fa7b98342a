# SPDX-License-Identifier: MIT
"""PTX instructions for matrices: mma.sync, ldmatrix and stmatrix of a warp, wgmma of four warps."""

import re
from collections.abc import Callable

from .ptx_instruction import Instruction
from .ptx_operands import Unavailable, members_of

# The extents along k by the type of the elements of A and B.
EXTENTS = {"f16": (8, 16), "bf16": (8, 16), "tf32": (4, 8)}


def registers(instruction: Instruction, operand: str, count: int) -> str:
    """The initial values of an array of registers of 32 bits."""
    members = members_of(operand) if operand.startswith("{") else [operand]
    if len(members) != count:
        raise Unavailable(f"{instruction.text} with {len(members)} registers in {operand}")
    return ", ".join(instruction.names.value(member, "u32") for member in members)


def product(instruction: Instruction) -> str:
    modifiers = instruction.modifiers
    if len(modifiers) != 9 or modifiers[:2] != ["sync", "aligned"]:
        raise Unavailable(instruction.text)
    shape, *layouts, d_type, a_type, b_type, c_type = modifiers[2:]
    k = next((k for k in EXTENTS.get(a_type, ()) if shape == f"m16n8k{k}"), None)
    sums = ("f32", "f16") if a_type == "f16" else ("f32",)
    if k is None or layouts != ["row", "col"] or a_type != b_type:
        raise Unavailable(instruction.text)
    if d_type != c_type or d_type not in sums:
        raise Unavailable(instruction.text)
    elements = 1 if a_type == "tf32" else 2
    of_sum = 2 if d_type == "f16" else 4
    d, a, b, c = instruction.operands
    targets = members_of(d)
    if len(targets) != of_sum:
        raise Unavailable(f"{instruction.text} with {len(targets)} registers in {d}")
    stores = instruction.put_all(targets, "emulator_d")
    return (
        f"{{ std::uint32_t emulator_d[{of_sum}] = {{{registers(instruction, c, of_sum)}}}; "
        f"const std::uint32_t emulator_a[] = {{{registers(instruction, a, k // (2 * elements))}}}; "
        f"const std::uint32_t emulator_b[] = {{{registers(instruction, b, k // (4 * elements))}}}; "
        f"emulator::ptx::multiply_fragments<{k}, emulator::MatrixElement::{a_type}, "
        f"emulator::MatrixSum::{d_type}>(emulator_d, emulator_a, emulator_b); {stores} }}"
    )


def matrices(instruction: Instruction) -> tuple[int, str]:
    """How many matrices an ldmatrix or stmatrix moves, and whether it transposes them."""
    allowed = {"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta", "b16"}
    count = next((int(word[1:]) for word in instruction.modifiers if word in ("x1", "x2", "x4")), 0)
    wanted = all(instruction.has(word) for word in ("sync", "aligned", "m8n8", "b16"))
    if count == 0 or not wanted or not allowed.issuperset(instruction.modifiers):
        raise Unavailable(instruction.text)
    return count, "true" if instruction.has("trans") else "false"


def row_address(instruction: Instruction, operand: str) -> str:
    is_shared = instruction.has("shared") or instruction.has("shared::cta")
    return instruction.names.address(operand, is_shared)


def load_matrices(instruction: Instruction) -> str:
    count, transposed = matrices(instruction)
    target, source = instruction.operands
    members = members_of(target) if target.startswith("{") else [target]
    if len(members) != count:
        raise Unavailable(f"{instruction.text} with {len(members)} registers in {target}")
    stores = instruction.put_all(members, "emulator_m")
    return (
        f"{{ std::uint32_t emulator_m[{count}]; emulator::ptx::load_matrices<{count}, "
        f"{transposed}>(emulator_m, {row_address(instruction, source)}); {stores} }}"
    )


def store_matrices(instruction: Instruction) -> str:
    count, transposed = matrices(instruction)
    target, source = instruction.operands
    return (
        f"{{ std::uint32_t emulator_m[{count}] = {{{registers(instruction, source, count)}}}; "
        f"emulator::ptx::store_matrices<{count}, {transposed}>"
        f"({row_address(instruction, target)}, emulator_m); }}"
    )


def late_product(instruction: Instruction) -> str:
    """wgmma.mma_async with elements of 16 bits and sums of 32."""
    shape, *types = instruction.modifiers[3:]
    match = re.match(r"m64n(\d+)k16$", shape)
    n = int(match[1]) if match else 0
    if instruction.modifiers[:3] != ["mma_async", "sync", "aligned"] or n % 8 or not 8 <= n <= 256:
        raise Unavailable(instruction.text)
    if types not in (["f32", "f16", "f16"], ["f32", "bf16", "bf16"]):
        raise Unavailable(instruction.text)
    d, a, b, adds, *numbers = instruction.operands
    sums = [instruction.names.variable(member) for member in members_of(d)]
    has_registers = a.startswith("{")
    # The signs of A and B, then for each of them in shared memory whether it is transposed.
    if len(sums) != n // 2 or None in sums or len(numbers) != (3 if has_registers else 4):
        raise Unavailable(f"{instruction.text} with these operands")
    values = [instruction.names.value(number, "s32") for number in numbers]
    transposed = [f"{value} != 0" for value in values[2:]]
    if has_registers:
        transposed.insert(0, "false")
        fragment = f"const std::uint32_t emulator_a[] = {{{registers(instruction, a, 4)}}}; "
        operands = "emulator_a, 0"
    else:
        fragment = ""
        operands = f"nullptr, {instruction.names.value(a, 'u64')}"
    addresses = ", ".join(f"&{name}" for name in sums)
    return (
        f"{{ float* const emulator_d[] = {{{addresses}}}; {fragment}emulator::ptx::multiply_late("
        f"{{{{nullptr}}, emulator::MatrixElement::{types[1]}, {n}, emulator_d, {operands}, "
        f"{instruction.names.value(b, 'u64')}, {instruction.names.value(adds, 'pred')}, "
        f"{values[0]} < 0, {values[1]} < 0, {', '.join(transposed)}}}); }}"
    )


def warpgroup(instruction: Instruction) -> str:
    if instruction.has("mma_async"):
        return late_product(instruction)
    if instruction.modifiers[1:] != ["sync", "aligned"]:
        raise Unavailable(instruction.text)
    calls = {"fence": "fence_products", "commit_group": "commit_products"}
    if instruction.modifiers[0] in calls:
        return f"emulator::ptx::{calls[instruction.modifiers[0]]}();"
    if instruction.modifiers[0] == "wait_group":
        return f"emulator::ptx::wait_for_products({instruction.value(0, 'u32')});"
    raise Unavailable(instruction.text)


def set_registers(instruction: Instruction) -> str:
    """setmaxnreg: how many registers a thread may use changes no result."""
    if instruction.modifiers not in (
        ["inc", "sync", "aligned", "u32"],
        ["dec", "sync", "aligned", "u32"],
    ):
        raise Unavailable(instruction.text)
    return f"emulator::ptx::check_register_count({instruction.value(0, 'u32')});"


MATRICES: dict[str, Callable[[Instruction], str]] = {
    "mma": product,
    "ldmatrix": load_matrices,
    "stmatrix": store_matrices,
    "wgmma": warpgroup,
    "setmaxnreg": set_registers,
}
