# SPDX-License-Identifier: MIT
"""The keys of a sweep in sweep.toml (format: sweeps.md): what each value may be, and on which line
of the file it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from common.tools.lib.ranks import MOST_RANKS
from common.tools.lib.stages import DataError, shown
from plots.records.stages import nearest

LARGEST = 2**63 - 1  # of an integer on a stage's command line
SCOPES = ("record", "here")
ENGINES = ("gpu", "cpu", "opencl", "emu")


class Key(NamedTuple):
    """A key of a sweep: its values in words, the test of a value, and the value that it has when it
    is left out; None: it must be there."""

    values: str
    is_right: Callable[[Any], bool]
    default: Any = None


def is_word(value: object) -> bool:
    """A text that a command line and a message of one line can have."""
    return isinstance(value, str) and value != "" and value.isprintable()


def is_integer(value: object, least: int, largest: int = LARGEST) -> bool:
    return type(value) is int and least <= value <= largest


def is_number(value: object) -> bool:
    # NaN is not below anything, and True is no number.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def is_value(value: object) -> bool:
    """What a flag may have, or a row's parameter."""
    return is_word(value) or is_number(value)


def is_list(value: object, is_right: Callable[[Any], bool], least: int = 0) -> bool:
    return isinstance(value, list) and len(value) >= least and all(map(is_right, value))


def is_table(value: object, is_right: Callable[[Any], bool]) -> bool:
    """Flags without their dashes, and for each what it has."""
    return isinstance(value, dict) and all(
        re.fullmatch("[a-z][a-z0-9-]*", name) and is_right(one) for name, one in value.items()
    )


KEYS = {
    "name": Key(
        "a word without blanks and commas", lambda v: is_word(v) and not re.search("[ ,]", v)
    ),
    "scope": Key("a word", is_word),
    "engine": Key("a word", is_word),
    "figures": Key("a list of words", lambda v: is_list(v, is_word)),
    "stages": Key(
        "a word, or a list of words that is not empty",
        lambda v: is_word(v) or is_list(v, is_word, 1),
    ),
    "n": Key(
        f"a list of integers from 1 to {LARGEST} that is not empty",
        lambda v: is_list(v, lambda n: is_integer(n, 1), 1),
    ),
    "args": Key("a list of words", lambda v: is_list(v, is_word), []),
    "match": Key(
        "a table of flags, each with a word or a number", lambda v: is_table(v, is_value), {}
    ),
    "vary": Key(
        "a table of flags, each with a list of words or numbers that is not empty",
        lambda v: is_table(v, lambda values: is_list(values, is_value, 1)),
        {},
    ),
    "ranks": Key(
        f"a list of integers from 1 to {MOST_RANKS}",
        lambda v: is_list(v, lambda ranks: is_integer(ranks, 1, MOST_RANKS)),
        [],
    ),
    "seeds": Key(
        f"a list of integers from 0 to {LARGEST} that is not empty",
        lambda v: is_list(v, lambda seed: is_integer(seed, 0), 1),
        [1],
    ),
    "repeats": Key("an integer from 1 to 1000000", lambda v: is_integer(v, 1, 1_000_000), 5),
    "long_run_seconds": Key("a number from 0", lambda v: is_number(v) and v >= 0, 5),
    "optional": Key("true or false", lambda v: type(v) is bool, False),
    "alone": Key("true or false", lambda v: type(v) is bool, False),
}


def line_of(text: str, number: int, key: str = "", table: str = "sweep") -> int:
    """The line of a key of the sweep with this number, which begins at 0; otherwise the line where
    the sweep begins; 0: the file has no such line, because it writes sweeps in another form."""
    begin = 0
    for at, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*\[\[\s*{table}\s*\]\]", line):
            number -= 1
            if number == -1:
                begin = at
        elif number == -1 and key and re.match(rf"\s*(\[\s*{table}\s*\.\s*)?{key}\s*[]=.]", line):
            return at
    return begin


def check_values(entry: object, text: str, number: int, path: object) -> Mapping[str, Any]:
    """All keys of a sweep with their values. A DataError names the line, and the nearest right
    word."""
    if not isinstance(entry, dict):
        raise DataError(f"{path}: sweep number {number + 1} is no table")
    name = entry.get("name")
    called = str(name) if is_word(name) else f"number {number + 1}"

    def wrong(said: str, key: str = "") -> DataError:
        line = line_of(text, number, key)
        return DataError(f"{path}{f':{line}' if line else ''}: sweep {shown(called)[1:-1]}: {said}")

    for key, value in entry.items():
        if key not in KEYS:
            raise wrong(f"there is no key {shown(key)}; {nearest(key, list(KEYS))}", re.escape(key))
        if not KEYS[key].is_right(value):
            raise wrong(f"{key} = {shown(str(value))[1:-1]}: it must be {KEYS[key].values}", key)
    for key, (_, _, default) in KEYS.items():
        if default is None and key not in entry:
            raise wrong(f"'{key}' is missing")
    for key, words in (("scope", SCOPES), ("engine", ENGINES)):
        if entry[key] not in words:
            raise wrong(f"{key} = {shown(entry[key])}; {nearest(entry[key], words)}", key)
    return {key: entry.get(key, one.default) for key, one in KEYS.items()}
