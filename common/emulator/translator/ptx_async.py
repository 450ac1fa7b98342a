# SPDX-License-Identifier: MIT
"""PTX instructions for asynchronous copies, mbarriers and the fences between them."""

import re
from collections.abc import Callable

from .ptx_instruction import Instruction
from .ptx_operands import Unavailable, members_of

SEMANTICS = {"acquire", "release", "relaxed", "cta", "cluster"}
# A block is a cluster of its own, so all windows of shared memory are one.
SHARED = {"shared", "shared::cta", "shared::cluster"}


def is_shared(instruction: Instruction) -> bool:
    return any(instruction.has(space) for space in SHARED)


def allow(instruction: Instruction, *words: str) -> None:
    """Refuses other modifiers, which would change the meaning."""
    if not {*words, "L2::cache_hint"}.issuperset(instruction.modifiers):
        raise Unavailable(instruction.text)


def barrier_at(instruction: Instruction, index: int, in_shared: bool) -> str:
    address = instruction.names.address(instruction.operands[index], in_shared)
    return f"reinterpret_cast<std::uint64_t*>({address})"


def arrive(instruction: Instruction) -> str:
    allow(instruction, "arrive", "expect_tx", "noComplete", "b64", *SEMANTICS, *SHARED)
    barrier = barrier_at(instruction, 1, is_shared(instruction))
    counts = [instruction.value(i, "u32") for i in range(2, len(instruction.operands))]
    if instruction.has("expect_tx"):
        (transactions,) = counts
        counts = ["1", transactions]
    call = f"emulator::barrier_arrive({barrier}, {', '.join(counts or ['1'])})"
    return instruction.put(call)


def wait(instruction: Instruction) -> str:
    allow(instruction, "test_wait", "try_wait", "parity", "b64", *SEMANTICS, *SHARED)
    barrier = barrier_at(instruction, 1, is_shared(instruction))
    if instruction.has("parity"):
        parity = f"{instruction.value(2, 'u32')} != 0"
    else:
        parity = f"emulator::parity_of({instruction.value(2, 'u64')})"
    return instruction.put(f"emulator::barrier_test({barrier}, {parity})")


def mbarrier(instruction: Instruction) -> str:
    if instruction.has("arrive"):
        return arrive(instruction)
    if instruction.has("test_wait") or instruction.has("try_wait"):
        return wait(instruction)
    allow(instruction, "init", "inval", "expect_tx", "b64", *SEMANTICS, *SHARED)
    barrier = barrier_at(instruction, 0, is_shared(instruction))
    if instruction.has("init"):
        return f"emulator::barrier_init({barrier}, {instruction.value(1, 'u32')});"
    if instruction.has("inval"):
        return f"emulator::barrier_invalidate({barrier});"
    if instruction.has("expect_tx"):
        return f"emulator::barrier_expect({barrier}, {instruction.value(1, 's32')});"
    raise Unavailable(instruction.text)


def box(instruction: Instruction, index: int, rank: int) -> tuple[str, str]:
    """The map and the coordinates of an operand [map, {first, second, …}]."""
    match = re.match(r"\[\s*([^,\]]+?)\s*,\s*(\{[^}]*\})\s*\]$", instruction.operands[index])
    if not match or len(members_of(match[2])) != rank:
        raise Unavailable(f"{instruction.text} of {instruction.operands[index]}")
    first = ", ".join(instruction.names.value(word, "s32") for word in members_of(match[2]))
    return instruction.names.address(f"[{match[1]}]", False), first


def tensor_copy(instruction: Instruction) -> str:
    dimension = next((word for word in instruction.modifiers if re.match(r"[1-5]d$", word)), "")
    rank = int(dimension[:1] or 0)
    common = ("async", "bulk", "tensor", dimension, "tile", "global", *SHARED)
    if instruction.has("bulk_group"):
        allow(instruction, *common, "bulk_group")
        tensor_map, first = box(instruction, 0, rank)
        source = instruction.names.address(instruction.operands[1], True)
        call = f"emulator::store_tensor({tensor_map}, {rank}, emulator_first, {source});"
    else:
        allow(instruction, *common, "mbarrier::complete_tx::bytes")
        tensor_map, first = box(instruction, 1, rank)
        target = instruction.names.address(instruction.operands[0], True)
        call = (
            f"emulator::load_tensor({target}, {tensor_map}, {rank}, emulator_first, "
            f"{barrier_at(instruction, 2, True)});"
        )
    return f"{{ const std::int32_t emulator_first[] = {{{first}}}; {call} }}"


def bulk_copy(instruction: Instruction) -> str:
    if instruction.has("commit_group"):
        return "emulator::commit_bulk_copies();"
    if instruction.has("wait_group"):
        allow(instruction, "async", "bulk", "wait_group", "read")
        is_read = "true" if instruction.has("read") else "false"
        return f"emulator::wait_for_bulk_copies({instruction.value(0, 'u32')}, {is_read});"
    if instruction.has("tensor"):
        return tensor_copy(instruction)
    size = instruction.value(2, "u32")
    if instruction.has("bulk_group"):
        allow(instruction, "async", "bulk", "global", "shared::cta", "bulk_group")
        target = instruction.names.address(instruction.operands[0], False)
        source = instruction.names.address(instruction.operands[1], True)
        return (
            f"emulator::store_bulk({target}, {source}, {size}, "
            "emulator::BulkOperation::copy, emulator::BulkElement::bytes);"
        )
    allow(instruction, "async", "bulk", "global", "mbarrier::complete_tx::bytes", *SHARED)
    target = instruction.names.address(instruction.operands[0], True)
    source = instruction.names.address(instruction.operands[1], False)
    barrier = barrier_at(instruction, 3, True)
    return f"emulator::load_bulk({target}, {source}, {size}, {barrier});"


def copy(instruction: Instruction) -> str:
    """cp.async of the Ampere generation, and the bulk copies of Hopper."""
    if not instruction.has("async"):
        raise Unavailable(instruction.text)
    if instruction.has("bulk"):
        return bulk_copy(instruction)
    if instruction.has("mbarrier"):
        allow(instruction, "async", "mbarrier", "arrive", "noinc", "b64", *SHARED)
        is_expected = "true" if instruction.has("noinc") else "false"
        barrier = barrier_at(instruction, 0, is_shared(instruction))
        return f"emulator::arrive_after_copies({barrier}, {is_expected});"
    if instruction.has("commit_group"):
        return "emulator::ptx::commit_copies();"
    if instruction.has("wait_all"):
        return "emulator::ptx::wait_for_copies(0);"
    if instruction.has("wait_group"):
        return f"emulator::ptx::wait_for_copies({instruction.value(0, 'u32')});"
    destination = instruction.names.address(instruction.operands[0], True)
    source = instruction.names.address(instruction.operands[1], False)
    size = instruction.value(2, "u32")
    read = instruction.value(3, "u32") if len(instruction.operands) > 3 else size
    if len(instruction.operands) > 4:
        raise Unavailable(instruction.text)
    return f"emulator::ptx::copy({destination}, {source}, {size}, {read});"


def fence(instruction: Instruction) -> str:
    if instruction.has("cta"):
        return "__threadfence_block();"
    if instruction.has("mbarrier_init"):
        allow(instruction, "mbarrier_init", "release", "cluster")
        return ""
    if instruction.has("proxy"):
        allow(instruction, "proxy", "async", "global", *SHARED)
        return "" if instruction.has("global") else "emulator::fence_for_bulk_copies();"
    if any(part.startswith(("proxy", "mbarrier")) for part in instruction.modifiers):
        raise Unavailable(instruction.text)
    return "__threadfence();"


ASYNC: dict[str, Callable[[Instruction], str]] = {
    "cp": copy,
    "fence": fence,
    "mbarrier": mbarrier,
}
