#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns CUDA C++ into C++ that g++ compiles for the CPU engine.

Three constructs need rewriting, because a header cannot express them:

    kernel<<<grid, block>>>(arguments)   a call of ::emulator::bind_launch
    extern __shared__ T name[];          a pointer to the launch's dynamic shared memory
    __shared__ T name[N];                is followed by EMULATOR_SHARED_END, which may keep a distance

Everything else in the language is macros and functions of the headers in include/, but for hints
like #pragma unroll and casts like cudaLaunchKernel((void*)kernel, …), which are dropped: g++ warns about
pragmas that it does not know, and a kernel's parameters are known by its type. Line numbers
stay those of the source, so compiler messages, debuggers and profilers show the student's file.
Quoted includes that hold device code (.cuh, .cu) are translated too, beside the output.
"""

import argparse
import bisect
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

DEVICE_SUFFIXES = {".cu", ".cuh"}

# '<' and '>' stay single characters: whether '>>>' ends a launch or three template argument lists
# depends on what stands before it.
TOKEN = re.compile(
    r"""
    (?P<comment> //(?:\\\r?\n|[^\n])* | /\*.*?\*/ )
  | (?P<raw_string> (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)" )
  | (?P<string> (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" )
  | (?P<number> \.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[0-9A-Za-z_.])* )
  | (?P<character> (?:u8|[uUL])?'(?:\\.|[^'\\\n])+' )
  | (?P<identifier> [A-Za-z_$][A-Za-z_$0-9]* )
  | (?P<space> (?:\s|\\\r?\n)+ )
  | (?P<operator> ::|->|<=(?!>)|>=|. )
    """,
    re.VERBOSE | re.DOTALL,
)

# Keywords that can stand directly before a kernel's name without being part of it.
KEYWORDS = {"return", "else", "do", "case", "default", "goto", "if", "while", "for", "switch"}

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")": "(", "]": "[", "}": "{"}

# Identifiers that a CPU cannot honour. A message that names the construct beats the compiler
# errors, or the silence, that would follow.
UNSUPPORTED = {
    "asm": "inline PTX assembly",
    "__asm": "inline PTX assembly",
    "__asm__": "inline PTX assembly",
    "texture": "texture references (use a plain pointer)",
    "surface": "surface references (use a plain pointer)",
    "cudaTextureObject_t": "texture objects (use a plain pointer)",
    "cudaSurfaceObject_t": "surface objects (use a plain pointer)",
    "wmma": "tensor core instructions (nvcuda::wmma)",
    "__cluster_dims__": "thread block clusters",
    "__pipeline_memcpy_async": "pipeline primitives (use cooperative_groups::memcpy_async)",
}
# Runtime functions whose first argument is a kernel, often cast to void*.
TAKE_A_KERNEL = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaFuncSetAttribute",
                 "cudaFuncSetCacheConfig"}
# Libraries that are headers in the toolkit: by folder.
UNSUPPORTED_LIBRARIES = {"thrust": "Thrust", "cub": "CUB", "cuda": "libcu++", "cutlass": "CUTLASS"}
# These are also ordinary words: they count only as the start of a template argument list.
UNSUPPORTED_TEMPLATES = {"texture", "surface"}


class TranslationError(Exception):
    """A construct that cannot be translated; the message starts with file:line."""


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Edit(NamedTuple):
    start: int
    end: int
    text: str


class Source:
    """One source file cut into tokens, with the edits made to it so far."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.edits = []
        every = [
            Token(match.lastgroup if match.lastgroup != "delimiter" else "raw_string",
                  match[0], match.start(), match.end())
            for match in TOKEN.finditer(text)
        ]
        self.directives = self._take_directives(every)
        self.tokens = [token for token in every if token.kind not in ("comment", "space")]
        self.dead = self._ranges_dead_on_the_engine()

    def _take_directives(self, every):
        """The preprocessor directives as (offset of '#', name, rest of the logical line)."""
        directives = []
        at_line_start = True
        for token in every:
            if token.text == "#" and at_line_start:
                end = token.end
                while True:
                    newline = self.text.find("\n", end)
                    end = len(self.text) if newline < 0 else newline
                    if newline < 0 or not self.text[:end].rstrip("\r").endswith("\\"):
                        break
                    end += 1
                match = re.match(r"#\s*(\w*)\s*(.*)", self.text[token.start:end], re.DOTALL)
                directives.append((token.start, match[1], match[2].rstrip()))
            if token.kind == "space" and "\n" in re.sub(r"\\\r?\n", "", token.text):
                at_line_start = True
            elif token.kind not in ("space", "comment"):
                at_line_start = False
        return directives

    def _ranges_dead_on_the_engine(self):
        """Ranges that `#if 0` or a test of CUDA_EMULATOR removes on the CPU engine.

        A kernel may keep PTX for the GPU there, with a plain twin for the engine beside it.
        """
        engine_only = re.compile(r"(defined\s*\(?\s*)?CUDA_EMULATOR\s*\)?$")
        gpu_only = re.compile(r"(0|!\s*(defined\s*\(?\s*)?CUDA_EMULATOR\s*\)?)$")
        ranges = []
        open_conditionals = []  # [is this branch dead, is the #else branch dead, its start]
        for start, name, rest in self.directives:
            rest = re.sub(r"\s*(//.*|/\*.*?\*/)\s*", "", rest)
            if name in ("if", "ifdef", "ifndef"):
                is_name = rest == "CUDA_EMULATOR"
                dead_now = (name == "if" and bool(gpu_only.match(rest))) or (
                    name == "ifndef" and is_name)
                dead_else = (name == "if" and bool(engine_only.match(rest))) or (
                    name == "ifdef" and is_name)
                open_conditionals.append([dead_now, dead_else, start])
            elif name in ("else", "elif", "endif") and open_conditionals:
                dead_now, dead_else, branch_start = open_conditionals.pop()
                if dead_now:
                    ranges.append((branch_start, start))
                if name != "endif":
                    open_conditionals.append([dead_else, dead_else, start])
        return ranges

    def is_dead(self, offset):
        return any(start <= offset < end for start, end in self.dead)

    def line_of(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def fail(self, token, message):
        raise TranslationError(f"{self.path}:{self.line_of(token.start)}: {message}")

    def line_breaks(self, start, end):
        """The line breaks in a range; in a macro they keep their backslash."""
        return "".join(re.findall(r"\\?\r?\n", self.text[start:end]))

    def plain_text(self, first, last):
        """Tokens first..last on one line, without comments."""
        words = []
        for index in range(first, last + 1):
            token = self.tokens[index]
            if words and token.start > self.tokens[index - 1].end:
                words.append(" ")
            words.append(token.text)
        return "".join(words)

    def is_run(self, index, character, length):
        """Whether `length` adjacent tokens from index on are all this character."""
        run = self.tokens[index:index + length]
        return len(run) == length and all(
            token.text == character and token.start == run[0].start + offset
            for offset, token in enumerate(run))

    def edited(self):
        pieces = []
        position = 0
        for edit in sorted(self.edits):
            pieces += [self.text[position:edit.start], edit.text]
            position = edit.end
        pieces.append(self.text[position:])
        return "".join(pieces)


def match_backwards(source, index):
    """Index of the bracket that opens the one at index."""
    depth = 0
    for position in range(index, -1, -1):
        text = source.tokens[position].text
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            depth -= 1
            if depth == 0:
                return position
    return None


def match_template_backwards(source, index):
    """Index of the '<' that opens the template argument list closed by the '>' at index."""
    depth = 0
    position = index
    while position >= 0:
        text = source.tokens[position].text
        if text in (")", "]", "}"):
            position = match_backwards(source, position)
            if position is None:
                return None
        elif text in OPENING or text == ";":
            return None
        elif text == ">":
            depth += 1
        elif text == "<":
            if position > 0 and source.is_run(position - 1, "<", 2):
                position -= 1  # a left shift among the arguments
            else:
                depth -= 1
                if depth == 0:
                    return position
        position -= 1
    return None


def kernel_name_start(source, launch):
    """Index of the first token of the postfix expression that ends before the '<<<' at launch."""
    tokens = source.tokens
    index = launch - 1
    while index >= 0:
        token = tokens[index]
        if token.text == ">":
            index = match_template_backwards(source, index)
            if index is None or index == 0 or tokens[index - 1].kind != "identifier":
                return None
            index -= 1
            continue
        if token.text in (")", "]"):
            index = match_backwards(source, index)
            if index is None:
                return None
            before = tokens[index - 1] if index > 0 else None
            is_postfix = before is not None and (
                before.text in (">", "]")
                or (before.kind == "identifier" and before.text not in KEYWORDS))
            if token.text == "]" and not is_postfix:
                return None
            if not is_postfix:
                return index
            index -= 1
            continue
        if token.kind != "identifier" or token.text in KEYWORDS:
            return None
        if index > 0 and tokens[index - 1].text == "template":
            index -= 1
        if index > 0 and tokens[index - 1].text == "::":
            index -= 1
            before = tokens[index - 1] if index > 0 else None
            qualified = before is not None and (
                before.text == ">"
                or (before.kind == "identifier" and before.text not in KEYWORDS))
            if not qualified:
                return index
            index -= 1
            continue
        if index > 0 and tokens[index - 1].text in (".", "->"):
            index -= 2
            continue
        return index
    return None


def configuration_end(source, first):
    """Index of the first '>' of the '>>>' that ends the configuration starting at token first."""
    tokens = source.tokens
    depth = 0
    template_lists = 0
    index = first
    while index < len(tokens):
        text = tokens[index].text
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
            if depth < 0:
                return None
        elif text == ";" and depth == 0:
            return None
        elif depth == 0 and text == "<":
            if source.is_run(index, "<", 2):
                index += 1  # a left shift
            elif index > first and tokens[index - 1].kind == "identifier":
                template_lists += 1
        elif depth == 0 and text == ">":
            run = 1
            while source.is_run(index, ">", run + 1):
                run += 1
            if run >= 3 and template_lists < run:
                return index + run - 3
            template_lists = max(0, template_lists - run)
            index += run - 1
        index += 1
    return None


def rewrite_launch(source, launch):
    """kernel<<<configuration>>> becomes bind_launch(...); the argument list stays as it is.

    The first lambda calls the kernel, so overloads and template arguments are found as in a call.
    The second gives the kernel's address to whoever asks, if the name alone has one.
    """
    tokens = source.tokens
    name_first = kernel_name_start(source, launch)
    if name_first is None:
        source.fail(tokens[launch], "no kernel name before <<<")
    end = configuration_end(source, launch + 3)
    if end is None:
        source.fail(tokens[launch], "no >>> ends this launch configuration")
    if end == launch + 3:
        source.fail(tokens[launch], "a launch configuration needs a grid and a block size")
    if end + 3 >= len(tokens) or tokens[end + 3].text != "(":
        source.fail(tokens[end], "no argument list after >>>")
    name = source.plain_text(name_first, launch - 1)
    label = name.replace("\\", "\\\\").replace('"', '\\"')
    # The two halves leave the configuration's own text, and so its line breaks, in place.
    source.edits.append(Edit(
        tokens[name_first].start, tokens[launch + 2].end,
        source.line_breaks(tokens[name_first].start, tokens[launch].start)
        + "::emulator::bind_launch(::emulator::LaunchConfiguration("))
    source.edits.append(Edit(
        tokens[end].start, tokens[end + 2].end,
        f'), "{label}", [=](auto... emulator_arguments) EMULATOR_UNRECORDED '
        f'{{ {name}(emulator_arguments...); }}, '
        f"[=](auto emulator_use) -> decltype(emulator_use({name})) "
        f"{{ return emulator_use({name}); }})"))
    keep_null_pointers(source, end + 3)


def keep_null_pointers(source, opening):
    """An argument NULL becomes nullptr: through a function's parameter g++'s NULL is a long."""
    tokens = source.tokens
    depth = 0
    for index in range(opening, len(tokens)):
        text = tokens[index].text
        if (text == "NULL" and depth == 1 and tokens[index - 1].text in ("(", ",")
                and tokens[index + 1].text in (")", ",")):
            source.edits.append(Edit(tokens[index].start, tokens[index].end, "nullptr"))
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0:
            return


def skip_alignment(source, index):
    """Index after an alignment specifier at index, or index when there is none."""
    tokens = source.tokens
    if tokens[index].text in ("__align__", "alignas", "__attribute__"):
        depth = 0
        for position in range(index + 1, len(tokens)):
            depth += {"(": 1, ")": -1}.get(tokens[position].text, 0)
            if depth == 0:
                return position + 1
    return index


def rewrite_dynamic_shared(source, first, inside_function):
    """extern __shared__ T name[]; becomes T* name = static_cast<T*>(dynamic shared memory); or,
    outside of functions, a DynamicShared<T>, which converts to that pointer."""
    tokens = source.tokens
    statement_end = first
    while statement_end < len(tokens) and tokens[statement_end].text != ";":
        statement_end += 1
    if statement_end == len(tokens):
        source.fail(tokens[first], "no ';' ends this extern __shared__ declaration")
    kept = []
    index = first + 1
    while index < statement_end:
        after = skip_alignment(source, index)
        if after != index:
            index = after
        else:
            if tokens[index].text != "__shared__":
                kept.append(index)
            index += 1
    bracket = next((position for position, index in enumerate(kept)
                    if tokens[index].text == "[" and tokens[kept[position + 1]].text == "]"), None)
    if bracket is None or bracket < 2 or any(
            tokens[index].text == "," for index in kept[bracket:]):
        source.fail(tokens[first], "cannot read this extern __shared__ declaration; "
                                   "write extern __shared__ T name[];")
    name = tokens[kept[bracket - 1]].text
    element = source.plain_text(kept[0], kept[bracket - 2]) if (
        kept[bracket - 2] - kept[0] == bracket - 2) else " ".join(
            tokens[index].text for index in kept[:bracket - 1])
    inner = "".join(tokens[index].text for index in kept[bracket + 2:])
    declared = f"(*{name}){inner}" if inner else f"* {name}"
    pointer = f"(*){inner}" if inner else "*"
    start, end = tokens[first].start, tokens[statement_end].end
    separator = " " if inner else ""
    if not inside_function:
        # No block runs yet that could tell where its memory lies.
        source.edits.append(Edit(
            start, end, f"[[maybe_unused]] constexpr ::emulator::DynamicShared<{element}{inner}> {name}{{}};"
                        f"{source.line_breaks(start, end)}"))
        return
    source.edits.append(Edit(
        start, end,
        f"{element}{separator}{declared} = static_cast<{element}{separator}{pointer}>"
        f"(::emulator::dynamic_shared_memory());{source.line_breaks(start, end)}"))


def mark_end_of_shared(source, index):
    """Puts EMULATOR_SHARED_END behind the declaration that the __shared__ at index belongs to.

    A macro's body is left alone unless the declaration ends in it: what follows its use is unknown.
    """
    tokens = source.tokens
    directive = in_directive(source, tokens[index])
    depth = 0
    for position in range(index, len(tokens)):
        token = tokens[position]
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth < 0 or directive != in_directive(source, token):
            return
        if directive and "\n" in source.text[tokens[index].start:token.start].replace("\\\n", ""):
            return
        if token.text == ";" and depth == 0:
            source.edits.append(Edit(token.end, token.end, " EMULATOR_SHARED_END"))
            return


def check_supported(source, index):
    token = source.tokens[index]
    if token.text not in UNSUPPORTED or source.is_dead(token.start):
        return
    following = source.tokens[index + 1].text if index + 1 < len(source.tokens) else ""
    if token.text in UNSUPPORTED_TEMPLATES and following != "<":
        return
    if token.text == "wmma" and following != "::":
        return
    source.fail(token, f"{UNSUPPORTED[token.text]}: not available on the CPU engine; keep it "
                       "under #ifndef CUDA_EMULATOR beside a plain version")


def drop_hints(source):
    """Removes pragmas that only tell nvcc how to compile: g++ warns about those it does not know."""
    for start, name, rest in source.directives:
        if name == "pragma" and re.match(r"(no)?unroll\b|nv_\w+|hd_warning_disable\b", rest):
            # Up to a comment, which may go on below.
            length = len(re.match(r"(?:(?!//|/\*)[^\n])*", source.text[start:])[0])
            source.edits.append(Edit(start, start + length, ""))
    for index, token in enumerate(source.tokens[:-3]):
        if token.text == "_Pragma" and re.match(r'"(no)?unroll\b', source.tokens[index + 2].text):
            source.edits.append(Edit(token.start, source.tokens[index + 3].end, ""))


def keep_kernel_type(source, index):
    """Takes the cast of a kernel to void* out of a call that names one, `f((void*)kernel, …`: CUDA
    finds the kernel by its address, the engine by its type."""
    tokens = source.tokens
    after = index + 1
    if after < len(tokens) and tokens[after].text == "(":
        first = after + 1
        words = [token.text for token in tokens[first:first + 5]]
        length = 4 if words[:4] == ["(", "void", "*", ")"] else 5
        if length == 4 or words == ["(", "const", "void", "*", ")"]:
            start, end = tokens[first].start, tokens[first + length - 1].end
            source.edits.append(Edit(start, end, source.line_breaks(start, end)))


def opens_namespace(source, index):
    """Whether the '{' at index opens a namespace or an extern "C" block, not a body."""
    tokens = source.tokens
    back = index - 1
    if back >= 1 and tokens[back].kind == "string" and tokens[back - 1].text == "extern":
        return True
    while back >= 0 and (tokens[back].kind == "identifier" or tokens[back].text == "::"):
        if tokens[back].text == "namespace":
            return True
        back -= 1
    return False


def rewrite(source):
    """Finds and edits every launch and every extern __shared__ array of a file."""
    tokens = source.tokens
    braces = []  # for each open brace, whether it is a function's or a class' body
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text == "{":
            braces.append(not opens_namespace(source, index))
        elif token.text == "}" and braces:
            braces.pop()
        elif token.kind == "identifier":
            check_supported(source, index)
            if token.text in TAKE_A_KERNEL:
                keep_kernel_type(source, index)
            if token.text == "extern" and is_dynamic_shared(source, index):
                # A macro's body has no enclosing brace of its own here, yet is used in a function.
                rewrite_dynamic_shared(source, index, any(braces) or in_directive(source, token))
                while tokens[index].text != ";":
                    index += 1
            elif token.text == "__shared__":
                mark_end_of_shared(source, index)
        elif (token.text == "<" and source.is_run(index, "<", 3)
              and not source.is_run(index, "<", 4)
              and not (index > 0 and tokens[index - 1].text == "operator")):
            rewrite_launch(source, index)
            index += 2
        index += 1


def is_dynamic_shared(source, index):
    for token in source.tokens[index + 1:index + 12]:
        if token.text == "__shared__":
            return True
        if token.text in ("[", ";", "{"):
            return False
    return False


def in_directive(source, token):
    line = source.line_of(token.start)
    while line > 1 and source.text[:source.line_starts[line - 1] - 1].endswith("\\"):
        line -= 1
    return source.text[source.line_starts[line - 1]:].lstrip().startswith("#")


class Translation:
    """The output of one run: the main file and the device headers it includes."""

    def __init__(self, output, include_directories):
        self.output = Path(output)
        self.include_directories = [Path(directory) for directory in include_directories]
        self.names = {}  # resolved source path -> name of its translation beside the output
        self.texts = {}  # name -> translated text
        self.sources = []

    def translate(self, path, name):
        try:
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise TranslationError(f"{path}:1: cannot be read: {error.strerror}") from error
        self.names[path.resolve()] = name
        self.sources.append(path)
        source = Source(path, text)
        rewrite(source)
        drop_hints(source)
        self.rewrite_includes(source)
        shown = str(path).replace("\\", "\\\\").replace('"', '\\"')
        self.texts[name] = f'#line 1 "{shown}"\n{source.edited()}'

    def rewrite_includes(self, source):
        for start, name, rest in source.directives:
            if name != "include" or source.is_dead(start):
                continue
            library = re.match(r"<((\w+)/[^>\n]+)>", rest)
            if library and library[2] in UNSUPPORTED_LIBRARIES:
                raise TranslationError(
                    f"{source.path}:{source.line_of(start)}: {UNSUPPORTED_LIBRARIES[library[2]]} "
                    f"({library[1]}) is not available on the CPU engine")
            match = re.match(r'"([^"\n]+)"', rest)
            if not match:
                continue
            found = self.find(source.path.parent, match[1])
            if found is None:
                continue  # left to the compiler's own search path
            if holds_device_code(found):
                if found.resolve() not in self.names:
                    self.translate(found, self.name_for(found))
                target = self.names[found.resolve()]
            else:
                # The translation lies elsewhere than its source: name the header in full. It is a
                # dependency, because an edit may put device code into it.
                self.sources.append(found)
                target = str(found.resolve())
            offset = source.text.index('"', start)
            source.edits.append(Edit(offset, offset + len(match[0]), f'"{target}"'))

    def find(self, directory, wanted):
        for base in [directory] + self.include_directories:
            if (base / wanted).is_file():
                return base / wanted
        return None

    def name_for(self, path):
        """A name beside the output that no other translation uses."""
        name = f"{self.output.name}.{path.name}"
        number = 2
        while name in self.names.values():
            name = f"{self.output.name}.{number}.{path.name}"
            number += 1
        return name

    def write(self):
        """Writes every file by renaming, so that a failure leaves no output behind."""
        self.output.parent.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            target = self.output.parent / name
            temporary = target.with_name(f"{name}.{os.getpid()}.partial")
            try:
                temporary.write_text(text, encoding="utf-8", errors="surrogateescape")
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)


def holds_device_code(path):
    if path.suffix in DEVICE_SUFFIXES:
        return True
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    return "<<<" in text or re.search(r"extern\s+__shared__", text) is not None


def depfile_text(target, sources):
    def escape(path):
        return str(path).replace("\\", "\\\\").replace(" ", "\\ ").replace("$", "$$")
    return f"{escape(target)}: {' '.join(escape(source) for source in sources)}\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Translate CUDA C++ into C++ for the CPU engine.")
    parser.add_argument("input", help="the .cu file")
    parser.add_argument("-o", dest="output", required=True, help="the C++ file to write")
    parser.add_argument("--depfile", help="write the files read as a make rule")
    parser.add_argument("-I", dest="include_directories", action="append", default=[],
                        metavar="DIR", help="a directory to look for quoted includes in")
    options = parser.parse_args(arguments)
    translation = Translation(options.output, options.include_directories)
    try:
        translation.translate(Path(options.input), translation.output.name)
        translation.write()
        if options.depfile:
            Path(options.depfile).write_text(
                depfile_text(options.output, translation.sources), encoding="utf-8")
    except TranslationError as error:
        Path(options.output).unlink(missing_ok=True)
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        Path(options.output).unlink(missing_ok=True)
        print(f"{error.filename or options.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
