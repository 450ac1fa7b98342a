# SPDX-License-Identifier: MIT
"""One instruction of PTX, cut into its parts."""

from collections.abc import Sequence

from .ptx_operands import PAIRS, TYPES, Names, Unavailable, split_operands

IGNORED = {"ftz", "rn", "approx", "full", "aligned", "uni"}


class Instruction:
    """Its name, its modifiers, the types among them, and its operands."""

    def __init__(self, text: str, names: Names) -> None:
        words = text.split(None, 1)
        parts = words[0].split(".")
        self.text = words[0]
        self.base = parts[0]
        self.modifiers = parts[1:]
        self.types = [part for part in self.modifiers if part in TYPES or part in PAIRS]
        self.operands = split_operands(words[1]) if len(words) > 1 else []
        self.names = names

    @property
    def type(self) -> str:
        if not self.types:
            raise Unavailable(self.text)
        return self.types[-1]

    def has(self, modifier: str) -> bool:
        return modifier in self.modifiers

    def rounding(self) -> str:
        return next((part for part in self.modifiers if part in ("rz", "ru", "rd")), "rn")

    def value(self, index: int, kind: str = "") -> str:
        return self.names.value(self.operands[index], kind or self.type)

    def put(self, value: str) -> str:
        return self.names.put(self.operands[0], value)

    def put_all(self, targets: Sequence[str], values: str) -> str:
        """The elements of the array `values` into the registers."""
        return " ".join(
            self.names.put(target, f"{values}[{i}]") for i, target in enumerate(targets)
        )

    def call(self, function: str, count: int, kind: str = "", first: int = 1) -> str:
        kind = kind or self.type
        arguments = ", ".join(self.value(first + i, kind) for i in range(count))
        return f"emulator::ptx::{function}<{TYPES[kind]}>({arguments})"

    def only(self, *allowed: str) -> None:
        """Refuses other modifiers, which would change the meaning."""
        for part in self.modifiers:
            if part not in allowed and part not in TYPES and part not in IGNORED:
                raise Unavailable(self.text)
