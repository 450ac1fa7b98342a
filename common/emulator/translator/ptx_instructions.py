# SPDX-License-Identifier: MIT
"""PTX instructions as calls of functions of emulator/ptx.hpp (PTX ISA, "Instruction Set")."""

from collections.abc import Callable

from .ptx_async import ASYNC
from .ptx_instruction import Instruction
from .ptx_matrices import MATRICES
from .ptx_memory import MEMORY
from .ptx_operands import PAIRS, TYPES, Names, Unavailable
from .ptx_video import translate_video

SIGNED_OR_NOT = {"u16", "u32", "u64", "s16", "s32", "s64"}
FLOATS = {"f32", "f64"}
COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
# One type, that of the result and of all operands: PTX name -> (C++ function, operands).
PLAIN = {
    "rem": ("remainder", 2),
    "min": ("minimum", 2),
    "max": ("maximum", 2),
    "and": ("bit_and", 2),
    "or": ("bit_or", 2),
    "xor": ("bit_xor", 2),
    "not": ("bit_not", 1),
    "cnot": ("is_zero", 1),
    "neg": ("negative", 1),
    "abs": ("absolute", 1),
    "sad": ("sum_of_difference", 3),
    "brev": ("reversed", 1),
    "rcp": ("reciprocal", 1),
    "sqrt": ("square_root", 1),
    "rsqrt": ("inverse_root", 1),
    "ex2": ("power_of_two", 1),
    "lg2": ("logarithm", 1),
    "sin": ("sine", 1),
    "cos": ("cosine", 1),
    "tanh": ("hyperbolic_tangent", 1),
    "copysign": ("with_sign", 2),
}


def plain(instruction: Instruction) -> str:
    function, count = PLAIN[instruction.base]
    if instruction.type in PAIRS:
        if instruction.base not in ("min", "max"):
            raise Unavailable(instruction.text)
        signed = "s" if instruction.type == "s16x2" else "u"
        arguments = f"{instruction.value(1, 'u32')}, {instruction.value(2, 'u32')}"
        return instruction.put(f"__v{instruction.base}{signed}2({arguments})")
    instruction.only("rz") if instruction.base in ("rcp", "sqrt") else instruction.only()
    if instruction.has("rz"):
        raise Unavailable(instruction.text)
    if instruction.has("approx") and instruction.base in ("rcp", "sqrt"):
        function += "_approximation"
    return instruction.put(instruction.call(function, count))


def add(instruction: Instruction) -> str:
    kind = instruction.type
    if kind in PAIRS:
        arguments = f"{instruction.value(1, 'u32')}, {instruction.value(2, 'u32')}"
        return instruction.put(f"__vadd2({arguments})")
    name = {"add": "add", "addc": "add_carry", "sub": "sub", "subc": "sub_borrow"}[instruction.base]
    if kind in FLOATS:
        instruction.only("rz", "ru", "rd")
        operation = "add" if name == "add" else "sub"
        letter = "f" if kind == "f32" else "d"
        arguments = f"{instruction.value(1)}, {instruction.value(2)}"
        return instruction.put(f"__{letter}{operation}_{instruction.rounding()}({arguments})")
    instruction.only("cc", "sat")
    if instruction.has("sat"):
        return instruction.put(instruction.call(f"{name}_saturated", 2))
    if name in ("add_carry", "sub_borrow") or instruction.has("cc"):
        keeps = "true" if instruction.has("cc") else "false"
        takes = "true" if instruction.base in ("addc", "subc") else "false"
        function = "add_with_carry" if name.startswith("add") else "sub_with_borrow"
        arguments = f"{instruction.value(1)}, {instruction.value(2)}"
        return instruction.put(
            f"emulator::ptx::{function}<{TYPES[kind]}, {takes}, {keeps}>({arguments})"
        )
    return instruction.put(instruction.call(name, 2))


def multiply(instruction: Instruction) -> str:
    kind = instruction.type
    if kind in FLOATS:
        instruction.only("rz", "ru", "rd")
        letter = "f" if kind == "f32" else "d"
        arguments = f"{instruction.value(1)}, {instruction.value(2)}"
        return instruction.put(f"__{letter}mul_{instruction.rounding()}({arguments})")
    part = next((word for word in ("lo", "hi", "wide") if instruction.has(word)), None)
    instruction.only("lo", "hi", "wide")
    if part is None:
        raise Unavailable(instruction.text)
    return instruction.put(instruction.call(f"multiply_{part}", 2))


def multiply_24(instruction: Instruction) -> str:
    instruction.only("lo", "hi", "sat")
    part = "hi" if instruction.has("hi") else "lo"
    product = instruction.call(f"multiply_24_{part}", 2)
    if instruction.base == "mul24":
        return instruction.put(product)
    function = "add_saturated" if instruction.has("sat") else "add"
    cpp = TYPES[instruction.type]
    return instruction.put(f"emulator::ptx::{function}<{cpp}>({product}, {instruction.value(3)})")


def multiply_add(instruction: Instruction) -> str:
    kind = instruction.type
    if kind in FLOATS:
        return fused(instruction)
    instruction.only("lo", "hi", "wide", "cc", "sat")
    if instruction.has("wide"):
        wide = kind.replace("32", "64").replace("16", "32")
        product = instruction.call("multiply_wide", 2)
        return instruction.put(
            f"emulator::ptx::add<{TYPES[wide]}>({product}, {instruction.value(3, wide)})"
        )
    part = "hi" if instruction.has("hi") else "lo"
    product = instruction.call(f"multiply_{part}", 2)
    third = instruction.value(3)
    cpp = TYPES[kind]
    if instruction.has("cc") or instruction.base == "madc":
        takes = "true" if instruction.base == "madc" else "false"
        keeps = "true" if instruction.has("cc") else "false"
        return instruction.put(
            f"emulator::ptx::add_with_carry<{cpp}, {takes}, {keeps}>({product}, {third})"
        )
    function = "add_saturated" if instruction.has("sat") else "add"
    return instruction.put(f"emulator::ptx::{function}<{cpp}>({product}, {third})")


def fused(instruction: Instruction) -> str:
    if instruction.type not in FLOATS:
        raise Unavailable(instruction.text)
    instruction.only("rz", "ru", "rd")
    arguments = ", ".join(instruction.value(i) for i in (1, 2, 3))
    function = "__fmaf" if instruction.type == "f32" else "__fma"
    return instruction.put(f"{function}_{instruction.rounding()}({arguments})")


def divide(instruction: Instruction) -> str:
    if instruction.type in FLOATS:
        instruction.only("rz", "ru", "rd")
        letter = "f" if instruction.type == "f32" else "d"
        arguments = f"{instruction.value(1)}, {instruction.value(2)}"
        return instruction.put(f"__{letter}div_{instruction.rounding()}({arguments})")
    instruction.only()
    return instruction.put(instruction.call("quotient", 2))


def count_bits(instruction: Instruction) -> str:
    instruction.only()
    return instruction.put(
        instruction.call("ones" if instruction.base == "popc" else "leading_zeros", 1)
    )


def find_bit(instruction: Instruction) -> str:
    instruction.only("shiftamt")
    amount = "true" if instruction.has("shiftamt") else "false"
    return instruction.put(
        f"emulator::ptx::highest_bit<{TYPES[instruction.type]}, {amount}>({instruction.value(1)})"
    )


def bit_field(instruction: Instruction) -> str:
    instruction.only()
    cpp = TYPES[instruction.type]
    last = len(instruction.operands)
    values = ", ".join(instruction.value(i) for i in range(1, last - 2))
    sizes = ", ".join(instruction.value(i, "u32") for i in range(last - 2, last))
    function = "extracted" if instruction.base == "bfe" else "inserted"
    return instruction.put(f"emulator::ptx::{function}<{cpp}>({values}, {sizes})")


def shift(instruction: Instruction) -> str:
    instruction.only()
    function = "shifted_left" if instruction.base == "shl" else "shifted_right"
    value = instruction.value(1)
    amount = instruction.value(2, "u32")
    return instruction.put(
        f"emulator::ptx::{function}<{TYPES[instruction.type]}>({value}, {amount})"
    )


def words(function: str, count: int, *allowed: str) -> Callable[[Instruction], str]:
    """An instruction whose operands are words of 32 bits."""

    def translate(instruction: Instruction) -> str:
        instruction.only(*allowed)
        arguments = ", ".join(instruction.value(1 + i, "u32") for i in range(count))
        return instruction.put(f"{function}({arguments})")

    return translate


def permute(instruction: Instruction) -> str:
    mode = instruction.modifiers[-1] if instruction.modifiers[-1] != "b32" else "none"
    arguments = ", ".join(instruction.value(i, "u32") for i in (1, 2, 3))
    if mode not in ("none", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        raise Unavailable(instruction.text)
    return instruction.put(
        f"emulator::ptx::permuted(emulator::ptx::Permutation::{mode}, {arguments})"
    )


def funnel(instruction: Instruction) -> str:
    side = "l" if instruction.has("l") else "r"
    clamp = "c" if instruction.has("clamp") else ""
    arguments = ", ".join(instruction.value(i, "u32") for i in (1, 2, 3))
    return instruction.put(f"__funnelshift_{side}{clamp}({arguments})")


def bit_mask(instruction: Instruction) -> str:
    limit = "true" if instruction.has("clamp") else "false"
    arguments = ", ".join(instruction.value(i, "u32") for i in (1, 2))
    return instruction.put(f"emulator::ptx::bit_mask<{limit}>({arguments})")


def extend(instruction: Instruction) -> str:
    limit = "true" if instruction.has("clamp") else "false"
    arguments = f"{instruction.value(1)}, {instruction.value(2, 'u32')}"
    return instruction.put(
        f"emulator::ptx::extended<{TYPES[instruction.type]}, {limit}>({arguments})"
    )


def find_nth(instruction: Instruction) -> str:
    arguments = f"{instruction.value(1, 'u32')}, {instruction.value(2, 'u32')}"
    return instruction.put(f"__fns({arguments}, {instruction.value(3, 's32')})")


def dot(instruction: Instruction) -> str:
    a, b = instruction.types
    signs = ", ".join("true" if kind == "s32" else "false" for kind in (a, b))
    half = ""
    if instruction.base == "dp2a":
        half = ", 2" if instruction.has("hi") else ", 0"
    arguments = ", ".join(instruction.value(i, "u32") for i in (1, 2, 3))
    return instruction.put(f"emulator::ptx::{instruction.base}<{signs}{half}>({arguments})")


def comparison_of(instruction: Instruction, first: int) -> str:
    """The C++ condition of a comparison whose operands begin at an index."""
    kind = instruction.type
    a, b = instruction.value(first), instruction.value(first + 1)
    name = next(
        (
            part
            for part in instruction.modifiers
            if part in COMPARISONS or part in ("num", "nan") or part[:-1] in COMPARISONS
        ),
        None,
    )
    if name is None:
        raise Unavailable(instruction.text)
    if name in ("num", "nan"):
        return f"emulator::ptx::are_{'numbers' if name == 'num' else 'unordered'}({a}, {b})"
    if name in COMPARISONS:
        if name == "ne" and kind in FLOATS:
            return f"({a} != {b} && emulator::ptx::are_numbers({a}, {b}))"
        return f"({a} {COMPARISONS[name]} {b})"
    if not name.endswith("u") or kind not in FLOATS:
        raise Unavailable(instruction.text)
    return f"({a} {COMPARISONS[name[:-1]]} {b} || emulator::ptx::are_unordered({a}, {b}))"


def set_predicate(instruction: Instruction) -> str:
    condition = comparison_of(instruction, 1)
    other = f"!{condition}"
    if len(instruction.operands) > 3:
        operation = next((word for word in ("and", "or", "xor") if instruction.has(word)), None)
        if operation is None:
            raise Unavailable(instruction.text)
        symbol = {"and": "&&", "or": "||", "xor": "!="}[operation]
        third = instruction.value(3, "pred")
        condition, other = f"({condition} {symbol} {third})", f"({other} {symbol} {third})"
    targets = [word.strip() for word in instruction.operands[0].split("|")]
    if len(targets) == 1:
        return instruction.names.put(targets[0], condition)
    # Both are computed before either register changes.
    return (
        f"{{ const bool emulator_p = {condition}, emulator_q = {other}; "
        f"{instruction.names.put(targets[0], 'emulator_p')} "
        f"{instruction.names.put(targets[1], 'emulator_q')} }}"
    )


def set_word(instruction: Instruction) -> str:
    result = instruction.types[0]
    if len(instruction.operands) != 3 or result not in ("u32", "s32", "f32"):
        raise Unavailable(instruction.text)
    true = "1.0f" if result == "f32" else "0xffffffffu"
    false = "0.0f" if result == "f32" else "0u"
    return instruction.put(f"({comparison_of(instruction, 1)} ? {true} : {false})")


def select(instruction: Instruction) -> str:
    a, b = instruction.value(1), instruction.value(2)
    return instruction.put(f"({instruction.value(3, 'pred')} ? {a} : {b})")


def select_by_sign(instruction: Instruction) -> str:
    kind, of = instruction.types
    a, b = instruction.value(1, kind), instruction.value(2, kind)
    return instruction.put(f"({instruction.value(3, of)} >= 0 ? {a} : {b})")


def convert(instruction: Instruction) -> str:
    to, source = instruction.types
    rounding = next(
        (
            part
            for part in instruction.modifiers
            if part in ("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")
        ),
        "none",
    )
    for part in instruction.modifiers:
        if part not in TYPES and part not in ("sat", "ftz", rounding):
            raise Unavailable(instruction.text)
    saturates = "true" if instruction.has("sat") else "false"
    flushes = "true" if instruction.has("ftz") else "false"
    return instruction.put(
        f"emulator::ptx::converted<{TYPES[to]}, emulator::ptx::Round::{rounding}, {saturates}, "
        f"{flushes}>({instruction.value(1, source)})"
    )


def branch(instruction: Instruction) -> str:
    instruction.only()
    (label,) = instruction.operands
    return f"goto {instruction.names.labels[label.removesuffix('%=')]};"


HANDLERS: dict[str, Callable[[Instruction], str]] = {
    "add": add,
    "addc": add,
    "sub": add,
    "subc": add,
    "mul": multiply,
    "mul24": multiply_24,
    "mad24": multiply_24,
    "mad": multiply_add,
    "madc": multiply_add,
    "fma": fused,
    "div": divide,
    "popc": count_bits,
    "clz": count_bits,
    "bfind": find_bit,
    "bfe": bit_field,
    "bfi": bit_field,
    "shl": shift,
    "shr": shift,
    "prmt": permute,
    "lop3": words("emulator::ptx::looked_up", 4),
    "shf": funnel,
    "bmsk": bit_mask,
    "szext": extend,
    "fns": find_nth,
    "dp4a": dot,
    "dp2a": dot,
    "setp": set_predicate,
    "set": set_word,
    "selp": select,
    "slct": select_by_sign,
    "cvt": convert,
    "bra": branch,
    **{name: plain for name in PLAIN},
    **ASYNC,
    **MEMORY,
    **MATRICES,
}


def translate_instruction(text: str, names: Names) -> str:
    """The C++ statement of one instruction."""
    instruction = Instruction(text, names)
    try:
        if instruction.base in HANDLERS:
            return HANDLERS[instruction.base](instruction)
        return translate_video(instruction)
    except (IndexError, KeyError, ValueError, Unavailable) as error:
        what = instruction.text
        if isinstance(error, Unavailable) and str(error) != what:
            what += f" ({error})"
        raise Unavailable(what) from error
