# SPDX-License-Identifier: MIT
"""The names in a program's object: which C functions it defines that the course does not, and which
names it uses that a lab's file has no need of.

The policy reads the source. These rules read what the compiler made of it, so they also see what a
source does without writing the name: by an attribute, for example.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from common.tools.labs.running import Limits, Runner
from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT, build_folder

SECONDS = 60
MOST_OUTPUT = 64 << 20  # bytes
OF_THE_LINKER = frozenset({"main", "data_start", "edata", "end", "etext"})
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# A line of the linker's table: "main    /scratch/0-basics.o", or a further file.
ENTRY = re.compile(r"(?P<name>\S.*?)?\s+(?P<file>/.*)")
WRAPPED = "__wrap_"  # the engine sees some calls first, by the linker's --wrap
TABLE = "\nCross Reference Table\n"

# What an object may use, as the linker writes it: names of C, and of C++ with their parameters.
MATHEMATICS = (
    r"(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|fabs"
    r"|f(ma|min|max|mod|dim)|floor|ceil|trunc|l?l?r(ound|int)|nearbyint|remainder|copysign"
    r"|nextafter|scalbl?n|ldexp|frexp|modf|ilogb|erfc?|[lt]gamma)[fl]?"
)
COMPILER = (
    r"_GLOBAL_OFFSET_TABLE_|_Unwind_Resume|__(gxx_personality_v0|dso_handle|dynamic_cast"
    r"|tls_get_addr|stack_chk_fail|cxa_\w+|tsan_\w+|sanitizer_cov_trace_pc)"
    r"|__(popcount|parity|clz|ctz|ffs|bswap|u?div|u?mod|u?divmod|mul|float|fix)\w*[dst][ifd][2-5]?"
)
# fprintf and stderr: of destructors in the course's headers.
OF_C = r"mem(cpy|move|set|cmp|chr)|strlen|v?snprintf|fprintf|stderr"
OF_CPP = (
    r"operator (new|delete)(\[\])?\(.*|(vtable|VTT|typeinfo( name)?) for (std|__cxxabiv1)::.*"
    r"|typeinfo for (unsigned |signed )?(char|short|int|long( long)?|float|double|bool)"
    r"|std::(__throw_\w+|terminate|_Hash_bytes|_Rb_tree_\w+)\(.*|std::nothrow"
    r"|std::(__detail::_Prime_rehash_policy|(runtime|logic|length|range|overflow|domain)_error"
    r"|(bad_\w+|out_of_range|invalid_argument|exception|locale)|ios_base(::Init)?)::.*"
    r"|(std::(basic_ostream<char, std::char_traits<char> >|ostream)& )?std::(ostream::"
    r"|(__ostream_insert|(__cxx11::)?basic_(string|ostream|ios|ostringstream|stringbuf|streambuf))"
    r"<char).*"
)
OF_CUDA = r"((cuda|curand|nccl)[A-Z]\w*)(\(.*)?|(thread|block)Idx|(block|grid)Dim|warpSize"
ALLOWED = re.compile("|".join((MATHEMATICS, COMPILER, OF_C, OF_CPP, OF_CUDA)))
# Of CUDA, what calls the host back or reaches other processes.
REFUSED = re.compile(r"cuda(LaunchHostFunc|StreamAddCallback|Ipc\w+|Profiler\w+)\b.*")
ENGINE = re.compile(r"emulator::(\w+)\b.*")


@functools.cache
def course_symbols(chapter: str) -> frozenset[str]:
    """C names that the course's own libraries define."""
    build = build_folder()
    archives = [build / "chapters" / f"lib{chapter}.a", *build.glob("common/**/*.a")]
    command = ["nm", "--defined-only", "--extern-only", "--format=posix", *map(str, archives)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return frozenset(line.split(" ")[0] for line in said.splitlines())


def foreign_symbols(program: Path, folder: Path, chapter: str, run: Runner) -> list[str]:
    """C functions that a program defines and the course does not: a definition of memcpy, for
    example, would serve the harness as well. Names that begin with _ belong to the compiler, and
    the policy refuses them; names with @ are the system's own variables."""
    ended = run(
        ["nm", "--defined-only", "--extern-only", "--format=posix", program],
        folder=folder,
        limits=Limits(SECONDS, output_bytes=MOST_OUTPUT),
    )
    symbols = [line.split(" ") for line in ended.stdout.splitlines()]
    # A variable of C++ has a plain name, too, but nobody calls it.
    names = {words[0] for words in symbols if words[1:2] and words[1] in "TWi"}
    if ended.status != 0 or "main" not in names:
        return ["a table of symbols that nm cannot read"]
    own = {name for name in names if not name.startswith("_") and "@" not in name}
    return sorted(own - course_symbols(chapter) - OF_THE_LINKER)


@functools.cache
def words_of_headers() -> frozenset[str]:
    """Of the engine's headers that device code includes: their inline functions call the engine."""
    folders = [ROOT / "common/emulator/include", *ROOT.glob("common/emulator/libraries/*/include")]
    texts = [read_text(path) for one in folders for path in one.rglob("*") if path.is_file()]
    return frozenset(re.findall(r"\w+", "\n".join(COMMENT.sub(" ", text) for text in texts)))


@functools.cache
def words_of_chapter(chapter: str) -> frozenset[str]:
    """What the inline functions of a chapter's headers may call. The headers of the problem declare
    the oracle: what stands in them once is declared and not called."""
    folder = ROOT / "chapters" / chapter
    words: Counter[str] = Counter()
    for path in (*folder.rglob("*.cuh"), *folder.glob("problem/*.hpp")):
        found = Counter(re.findall(r"\w+", COMMENT.sub(" ", read_text(path))))
        words += found if path.suffix == ".cuh" else found - Counter(list(found))
    return frozenset(words)


def used_names(table: str, stem: str) -> list[str]:
    """What the object of `stem` uses and does not define. Of each name, the linker lists the file
    first that defines it."""
    if TABLE not in table:
        return ["a table of names that cannot be read"]
    used, name, number = [], "", 0
    for line in table.partition(TABLE)[2].splitlines():
        match = ENTRY.fullmatch(line)
        if match is None:
            continue
        name, number = (match["name"], 0) if match["name"] else (name, number + 1)
        if number > 0 and Path(match["file"]).name == f"0-{stem}.o":
            used.append(name.removeprefix(WRAPPED))
    return used


def may_be_used(name: str, own: frozenset[str], refused: frozenset[str]) -> bool:
    """`own`: the namespaces of the course. `refused`: their functions that a lab does not call."""
    if REFUSED.fullmatch(name):
        return False
    if ALLOWED.fullmatch(name):
        return True
    before = re.sub(r"^(vtable|typeinfo( name)?) for ", "", name).partition("(")[0]
    if match := ENGINE.fullmatch(before):
        return match[1] in words_of_headers()
    words = re.findall(r"~?\w+", before)
    return bool(words) and words[0] in own and words[-1] not in refused


def needless_names(names: Iterable[str], rules: dict[str, Any], chapter: str) -> list[str]:
    """Those of the used names that are not on the list."""
    own = frozenset(("course", "sorting", chapter))
    called = set(re.findall(r"\w+", "\n".join(rules["models"]))) | words_of_chapter(chapter)
    refused = frozenset({*rules["oracle"], *rules["harness"]} - called)
    return [name for name in names if not may_be_used(name, own, refused)]
