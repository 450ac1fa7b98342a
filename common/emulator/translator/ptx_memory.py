# SPDX-License-Identifier: MIT
"""PTX instructions for memory, barriers and the threads of a warp."""

import re
from collections.abc import Callable

from .ptx_instruction import Instruction
from .ptx_operands import TYPES, Unavailable, members_of

SPACES = {"global", "shared", "local", "const", "param", "shared::cta"}
CACHE = re.compile(
    r"(ca|cg|cs|lu|cv|nc|wb|wt|volatile|weak|relaxed|acquire|release|cta|gpu|sys|cluster|L1::\w+|"
    r"L2::\w+|v2|v4|uni|aligned)$"
)


def is_shared(instruction: Instruction) -> bool:
    return instruction.has("shared") or instruction.has("shared::cta")


def check_modifiers(instruction: Instruction, *allowed: str) -> None:
    for part in instruction.modifiers:
        known = part in SPACES or part in TYPES or part in allowed or CACHE.match(part)
        if not known:
            raise Unavailable(instruction.text)
    if instruction.has("param") or instruction.has("local"):
        raise Unavailable(instruction.text)


def strength(instruction: Instruction) -> str:
    return (
        "true"
        if any(
            instruction.has(word) for word in ("volatile", "cv", "relaxed", "acquire", "release")
        )
        else "false"
    )


def load(instruction: Instruction) -> str:
    check_modifiers(instruction)
    cpp = TYPES[instruction.type]
    address = instruction.names.address(instruction.operands[1], is_shared(instruction))
    target = instruction.operands[0]
    fence = " __threadfence();" if instruction.has("acquire") else ""
    if not target.startswith("{"):
        return (
            instruction.names.put(
                target, f"emulator::ptx::loaded<{cpp}, {strength(instruction)}>({address})"
            )
            + fence
        )
    members = members_of(target)
    stores = instruction.put_all(members, "emulator_v")
    return (
        f"{{ {cpp} emulator_v[{len(members)}]; "
        f"emulator::ptx::load_vector<{len(members)}>(emulator_v, {address}); {stores} }}{fence}"
    )


def store(instruction: Instruction) -> str:
    check_modifiers(instruction)
    cpp = TYPES[instruction.type]
    address = instruction.names.address(instruction.operands[0], is_shared(instruction))
    source = instruction.operands[1]
    fence = "__threadfence(); " if instruction.has("release") else ""
    if not source.startswith("{"):
        value = instruction.value(1)
        return f"{fence}emulator::ptx::store<{cpp}, {strength(instruction)}>({address}, {value});"
    members = members_of(source)
    values = ", ".join(instruction.names.value(member, instruction.type) for member in members)
    return (
        f"{fence}{{ const {cpp} emulator_v[{len(members)}] = {{{values}}}; "
        f"emulator::ptx::store_vector<{len(members)}>({address}, emulator_v); }}"
    )


ATOMICS = {
    "add": "atomicAdd",
    "min": "atomicMin",
    "max": "atomicMax",
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
    "exch": "atomicExch",
    "inc": "atomicInc",
    "dec": "atomicDec",
    "cas": "atomicCAS",
}
# The types that CUDA's functions take.
ATOMIC_TYPES = {
    "u32": "unsigned int",
    "b32": "unsigned int",
    "s32": "int",
    "u64": "unsigned long long",
    "b64": "unsigned long long",
    "s64": "long long",
    "f32": "float",
    "f64": "double",
}


def atomic(instruction: Instruction) -> str:
    operation = next((part for part in instruction.modifiers if part in ATOMICS), None)
    check_modifiers(instruction, *ATOMICS, "acq_rel", "noftz")
    if operation is None or instruction.type not in ATOMIC_TYPES:
        raise Unavailable(instruction.text)
    cpp = ATOMIC_TYPES[instruction.type]
    first = 0 if instruction.base == "red" else 1
    address = instruction.names.address(instruction.operands[first], is_shared(instruction))
    values = ", ".join(
        f"static_cast<{cpp}>({instruction.value(i)})"
        for i in range(first + 1, len(instruction.operands))
    )
    call = f"{ATOMICS[operation]}(reinterpret_cast<{cpp}*>({address}), {values})"
    before = "__threadfence(); " if instruction.has("release") or instruction.has("acq_rel") else ""
    after = " __threadfence();" if instruction.has("acquire") or instruction.has("acq_rel") else ""
    statement = f"{call};" if instruction.base == "red" else instruction.put(call)
    return before + statement + after


def move(instruction: Instruction) -> str:
    target, source = instruction.operands
    if target.startswith("{"):
        members = members_of(target)
        bits = int(instruction.type[1:]) // len(members)
        stores = " ".join(
            instruction.names.put(
                member, f"static_cast<{TYPES[f'u{bits}']}>(emulator_v >> {bits * i})"
            )
            for i, member in enumerate(members)
        )
        return f"{{ const auto emulator_v = {instruction.value(1)}; {stores} }}"
    if source.startswith("{"):
        members = members_of(source)
        bits = int(instruction.type[1:]) // len(members)
        cpp = TYPES[instruction.type]
        value = " | ".join(
            f"{cpp}{{{instruction.names.value(member, f'u{bits}')}}} << {bits * i}"
            for i, member in enumerate(members)
        )
        return instruction.put(f"static_cast<{cpp}>({value})")
    return instruction.put(instruction.value(1))


def to_address(instruction: Instruction) -> str:
    """cvta: to a generic address, or with .to back from it."""
    bits = instruction.type
    if is_shared(instruction):
        function = "to_shared" if instruction.has("to") else "from_shared"
        return instruction.put(f"emulator::ptx::{function}({instruction.value(1, 'u64')})")
    return instruction.put(instruction.value(1, bits))


def barrier(instruction: Instruction) -> str:
    """bar.sync and bar.arrive, of the whole block or a part of it; bar.warp.sync."""
    if instruction.has("warp"):
        return f"__syncwarp({instruction.value(0, 'u32')});"
    operands = instruction.operands
    if instruction.has("sync") and operands in ([], ["0"]):
        return "__syncthreads();"
    values = ", ".join(instruction.value(i, "u32") for i in range(len(operands)))
    if instruction.has("sync"):
        return f"__barrier_sync{'_count' if len(operands) > 1 else ''}({values});"
    if instruction.has("arrive") and len(operands) == 2:
        return f"emulator::ptx::arrive({values});"
    raise Unavailable(instruction.text)


def shuffle(instruction: Instruction) -> str:
    mode = next((part for part in ("up", "down", "bfly", "idx") if instruction.has(part)), None)
    target, _, predicate = (word.strip() for word in instruction.operands[0].partition("|"))
    if mode is None or not instruction.has("sync"):
        raise Unavailable(instruction.text)
    arguments = ", ".join(instruction.value(i, "u32") for i in (1, 2, 3, 4))
    code = (
        f"bool emulator_p = false; const std::uint32_t emulator_v = emulator::ptx::shuffled("
        f"emulator::ptx::Shuffle::{mode}, {arguments}, emulator_p); "
        f"{instruction.names.put(target, 'emulator_v')}"
    )
    if predicate:
        code += " " + instruction.names.put(predicate, "emulator_p")
    return f"{{ {code} }}"


def vote(instruction: Instruction) -> str:
    mask = instruction.value(2, "u32")
    value = instruction.value(1, "pred")
    if not instruction.has("sync"):
        raise Unavailable(instruction.text)
    if instruction.has("ballot"):
        return instruction.put(f"__ballot_sync({mask}, {value})")
    function = next((word for word in ("all", "any") if instruction.has(word)), None)
    if function is None:
        raise Unavailable(instruction.text)
    return instruction.put(f"__{function}_sync({mask}, {value}) != 0")


def reduce(instruction: Instruction) -> str:
    operation = next(
        (word for word in ("add", "min", "max", "and", "or", "xor") if instruction.has(word)), None
    )
    if operation is None or not instruction.has("sync"):
        raise Unavailable(instruction.text)
    value, mask = instruction.value(1), instruction.value(2, "u32")
    return instruction.put(f"__reduce_{operation}_sync({mask}, {value})")


def statement(code: str) -> Callable[[Instruction], str]:
    def translate(instruction: Instruction) -> str:
        return code

    return translate


MEMORY: dict[str, Callable[[Instruction], str]] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "atom": atomic,
    "red": atomic,
    "mov": move,
    "cvta": to_address,
    "membar": lambda instruction: (
        "__threadfence_block();" if instruction.has("cta") else "__threadfence();"
    ),
    "bar": barrier,
    "barrier": barrier,
    "shfl": shuffle,
    "vote": vote,
    "redux": reduce,
    "activemask": lambda instruction: instruction.put("__activemask()"),
    "nanosleep": statement("__nanosleep(0);"),
    "trap": statement("__trap();"),
    "brkpt": statement("__brkpt();"),
    "prefetch": statement(""),
    "prefetchu": statement(""),
}
