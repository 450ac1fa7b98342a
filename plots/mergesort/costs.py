# SPDX-License-Identifier: MIT
"""What merges cost: the answers of tests/chapters/mergesort/benchmark/merge_costs.cu, recorded as
the program prints them, as a table for the README."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import COST_COLUMNS
from common.tools.lib.csv_tables import integer, read_table, real
from common.tools.lib.numbers import grouped, power_of_two, three_digits
from common.tools.lib.stages import DataError, shown

# The limits were set for so many keys. Times of a, b and d grow with the number of keys.
LIMIT_KEYS = 2**28
GROWING = "abd"
QUESTIONS = {
    "a": "What does a level of merges inside a tile cost, key by key?",
    "b": "What does it cost by gathering, without bank conflicts?",
    "c": "How long do the searches for a pass's boundaries take?",
    "d": "How long does it take to sort all tiles of 8192 keys?",
    "e": "Is the pass with asynchronous copies (15) faster than the pass with plain loads (14)?",
    "f": "How fast are copies in pieces, and a merge that stores into the host's memory?",
}
# What follows if the limit is met, and if not.
FOLLOWS = {
    "a": ("merge in shared memory", "14 gains little"),
    "b": ("gather", "it gains too little"),
    "c": ("eight lanes per boundary", "more lanes per run, or 4 ways"),
    "d": ("tiles of 8192 keys", "a cheaper sort, or tiles of 4096 keys"),
    "e": ("asynchronous copies", "plain loads"),
    "f": ("pieces of this size", "larger pieces"),
}
STORES = ("no slices", "slices and copies")  # of f, where the merge itself stores
OPEN = "open: the limit is for 33 000 boundaries"
WAYS = {
    "serial": "key by key",
    "gather": "gathered",
    "network and gather": "a network for the keys of a warp, then gathered",
}
TILE = re.compile(r"(serial|gather|network and gather) (\d+) x (\d+)")
BLOCKS = re.compile(r"(14|15) (\d+) blocks per multiprocessor")
LIMIT = re.compile(r"(<=|>=) (\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Cost:
    question: str
    variant: str
    keys: int
    value: float  # in `unit`
    unit: str
    go_on_if: str


def read_costs(path: Path) -> list[Cost]:
    found = []
    for number, record in read_table(path, COST_COLUMNS):
        place = f"{path}:{number}"
        cost = Cost(
            record["question"],
            record["variant"],
            integer(record["keys"], "keys", place),
            real(record["value"], "value", place),
            record["unit"],
            record["go_on_if"],
        )
        if cost.question not in QUESTIONS:
            raise DataError(f"{place}: {shown(cost.question)} is no question")
        if cost.keys < 1 or cost.value <= 0:
            raise DataError(f"{place}: keys and value must be above 0")
        if record["verified"] != "1":
            raise DataError(f"{place}: the result was wrong")
        found.append(cost)
    return found


def row_of_limit(one: Cost) -> tuple[str, str, str, str]:
    """Variant, measured, limit, and what follows."""
    match = LIMIT.fullmatch(one.go_on_if)
    if not match:
        raise DataError(f"merge_costs: {shown(one.go_on_if)} is no limit")
    limit = float(match[2])
    if one.question in GROWING:
        limit *= one.keys / LIMIT_KEYS
    met = one.value <= limit if match[1] == "<=" else one.value >= limit
    unit = one.unit.split(" ")[0]
    variant = one.variant
    if tile := TILE.fullmatch(variant):
        variant = f"{WAYS[tile[1]]}: {tile[2]} threads of {tile[3]} keys"
    follows = STORES if "stores" in variant else FOLLOWS[one.question]
    variant = re.sub(r"\b1 pieces", "1 piece", variant)
    variant = re.sub(r"\d{5,}", lambda digits: grouped(int(digits[0])), variant)
    text = follows[0] if met else follows[1]
    if one.question == "c" and met and one.keys < LIMIT_KEYS:
        text = OPEN
    word = "at most" if match[1] == "<=" else "at least"
    measured = f"{three_digits(one.value)} {unit}"
    return variant, measured, f"{word} {three_digits(limit)} {unit}", text


def rows_of_passes(costs: Sequence[Cost]) -> Iterator[tuple[str, str, str, str]]:
    """Both passes with as many blocks in one row."""
    values = {match.groups(): one for one in costs if (match := BLOCKS.fullmatch(one.variant))}
    for blocks in sorted({blocks for _, blocks in values}):
        pair = values.get(("14", blocks)), values.get(("15", blocks))
        if not pair[0] or not pair[1]:
            raise DataError(f"merge_costs: not both passes with {blocks} blocks")
        plain, copied = pair[0].value, pair[1].value
        more = 100 * (copied / plain - 1)
        percent = f"{more:+.1f} %".replace("-", "\N{MINUS SIGN}")
        yield (
            f"14, then 15, {blocks} block{'s' * (blocks != '1')} per multiprocessor",
            f"{three_digits(plain)}, then {three_digits(copied)} G keys/s ({percent})",
            "15 is 8 % faster",
            FOLLOWS["e"][more < 8],
        )


def costs_table(path: Path) -> list[str]:
    costs = read_costs(path)
    if len({one.keys for one in costs}) != 1:
        raise DataError(f"{path}: rows of one number of keys are expected")
    lines = ["| question | variant | measured | go on if | what follows |", "|---|---|---|---|---|"]
    for letter, question in QUESTIONS.items():
        own = [one for one in costs if one.question == letter]
        rows = rows_of_passes(own) if letter == "e" else map(row_of_limit, own)
        for i, row in enumerate(rows):
            first = f"{letter}: {question}" if i == 0 else ""
            lines.append(f"| {' | '.join((first, *row))} |")
    keys = costs[0].keys
    note = f"{power_of_two(keys)} keys, one level or one pass over all of them, medians."
    if keys != LIMIT_KEYS:
        note += (
            f" The limits of a, b and d were set for {power_of_two(LIMIT_KEYS)} keys and are scaled"
            " to these."
        )
    return [*lines, "", note]
