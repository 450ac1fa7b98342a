# SPDX-License-Identifier: MIT
"""The translation of a file with the device headers that it includes, and the command."""

import argparse
import os
import re
import sys
from functools import cache
from pathlib import Path

from .architecture import MACRO, choose_architecture
from .discarded_calls import HOST_HEADER, note_discarded_calls
from .forwarding import LIST, read_forwarding, read_replaceable
from .launches import name_kernels
from .own_checks import HEADER as CHECKS_HEADER, add_own_checks
from .ptx import HEADER
from .rewrite import drop_hints, rewrite
from .source import Edit, Source, TranslationError, read_source

DEVICE_SUFFIXES = {".cu", ".cuh"}
DEVICE_CODE = re.compile(r"<<\s*<|\b(__shared__|__CUDA_ARCH__|asm|__asm__)\b")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([\"<])([^\">\n]+)[\">]", re.MULTILINE)
ENGINE = Path(__file__).parents[1]
ENGINE_HEADERS = sorted(ENGINE.glob("include*")) + sorted(ENGINE.glob("libraries/*/include"))
# Libraries that are headers in the toolkit: by folder.
UNSUPPORTED_LIBRARIES = {"cub": "CUB", "cuda": "libcu++", "cutlass": "CUTLASS"}
# Where Thrust may be: the toolkit's, or Debian's package libthrust-dev.
THRUST_FOLDERS = ("/usr/local/cuda/include/cccl", "/usr/include")


def is_installed(header: str) -> bool:
    return any((Path(folder) / header).is_file() for folder in THRUST_FOLDERS)


@cache
def is_provided(header: str) -> bool:
    """Whether the engine has the header, or has a message for those who include it."""
    return header in read_forwarding() or any(
        (folder / header).is_file() for folder in ENGINE_HEADERS
    )


def line_one(path: Path) -> str:
    shown = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{shown}"\n'


class Translation:
    """The output of one run: the main file and the device headers it includes."""

    def __init__(
        self, output: str, include_directories: list[str], has_checks: bool = False
    ) -> None:
        self.output = Path(output)
        self.has_checks = has_checks
        self.include_directories = [Path(directory) for directory in include_directories]
        # The name of each translation beside the output, by the resolved path of its source.
        self.names: dict[Path, str] = {}
        self.needing: dict[Path, bool] = {}  # by the resolved path of a header
        self.texts: dict[str, str] = {}  # of each translation, by its name
        self.sources: list[Path] = []

    def read(self, path: Path) -> str:
        try:
            text = read_source(path)
        except OSError as error:
            raise TranslationError(f"{path}:1: cannot be read: {error.strerror}") from error
        self.sources.append(path)
        return text

    def translate_host(self, path: Path) -> None:
        """A file for the host's compiler, in which only calls that are thrown away are marked."""
        source = Source(path, self.read(path))
        note_discarded_calls(source)
        self.texts[self.output.name] = f"{HOST_HEADER}{line_one(path)}{source.edited()}"

    def translate(self, path: Path, name: str) -> None:
        text = self.read(path)
        self.names[path.resolve()] = name
        source = Source(path, text)
        if MACRO in text:
            source = Source(path, choose_architecture(source))
        rewrite(source, self.kernels_of(path, text, set()))
        header = CHECKS_HEADER if self.has_checks and add_own_checks(source) else ""
        drop_hints(source)
        self.rewrite_includes(source)
        header += HEADER if source.has_ptx else ""
        self.texts[name] = f"{header}{line_one(path)}{source.edited()}"

    def rewrite_includes(self, source: Source) -> None:
        for start, name, rest in source.directives:
            if name != "include" or source.is_dead(start):
                continue
            library = re.match(r"<((\w+)/[^>\n]+)>", rest)
            if library and library[1].startswith("cuda/std/") and is_installed(library[1]):
                continue  # plain C++ of the toolkit, where the engine has no header of its own
            if library and self.find_own(library[1]) is not None:
                library = None
            if library and library[2] in UNSUPPORTED_LIBRARIES and not is_provided(library[1]):
                raise TranslationError(
                    f"{source.path}:{source.line_of(start)}: {UNSUPPORTED_LIBRARIES[library[2]]} "
                    f"({library[1]}) is not available on the CPU engine"
                )
            if library and library[2] == "thrust" and not is_installed("thrust/version.h"):
                raise TranslationError(
                    f"{source.path}:{source.line_of(start)}: Thrust ({library[1]}) is not installed: "
                    "the CPU engine uses the CUDA toolkit's headers, or those of Debian's package "
                    "libthrust-dev"
                )
            match = re.match(r'(["<])([^">\n]+)[">]', rest)
            if not match:
                continue
            found = self.find(source.path.parent if match[1] == '"' else None, match[2])
            if found is None:
                continue  # left to the compiler's own search path
            if self.needs_translation(found):
                if found.resolve() not in self.names:
                    self.translate(found, self.name_for(found))
                target = self.names[found.resolve()]
            else:
                # The translation does not lie beside its source: name the header with its full
                # path. It is a dependency, because an edit may put device code into it.
                self.sources.append(found)
                target = str(found.resolve())
            offset = source.text.index(match[0], start)
            source.edits.append(Edit(offset, offset + len(match[0]), f'"{target}"'))

    def kernels_of(self, path: Path, text: str, seen: set[Path]) -> set[str]:
        """The names of the kernels that a file and its quoted includes declare."""
        names = set(name_kernels(text))
        for wanted in re.findall(r'^\s*#\s*include\s*"([^"\n]+)"', text, re.MULTILINE):
            found = self.find(path.parent, wanted)
            if found is not None and found.resolve() not in seen:
                seen.add(found.resolve())
                inside = read_source(found)
                names |= self.kernels_of(found, inside, seen)
        return names

    def find(self, directory: Path | None, wanted: str) -> Path | None:
        """The program's file that an #include names. `directory` is that of the including file if
        the name is in quotes. The engine's own headers come before those of other folders."""
        if directory is not None and (directory / wanted).is_file():
            return directory / wanted
        if is_provided(wanted):
            return self.find_own(wanted) if wanted in read_replaceable() else None
        for base in self.include_directories:
            if (base / wanted).is_file():
                return base / wanted
        return None

    def find_own(self, wanted: str) -> Path | None:
        """The program's own header of this name; the toolkit's is none."""
        for base in self.include_directories:
            if (base / wanted).is_file() and not (base / "cuda_runtime.h").is_file():
                return base / wanted
        return None

    def needs_translation(self, path: Path) -> bool:
        """Whether a header holds device code, or includes one of the program's that does."""
        known = self.needing.get(path.resolve())
        if known is not None:
            return known
        self.needing[path.resolve()] = False  # ends a circle of includes
        text = read_source(path)
        needs = path.suffix in DEVICE_SUFFIXES or DEVICE_CODE.search(text) is not None
        for match in INCLUDE.finditer(text):
            found = self.find(path.parent if match[1] == '"' else None, match[2])
            needs = needs or (found is not None and self.needs_translation(found))
        self.needing[path.resolve()] = needs
        return needs

    def name_for(self, path: Path) -> str:
        """A name beside the output that no other translation uses."""
        name = f"{self.output.name}.{path.name}"
        number = 2
        while name in self.names.values():
            name = f"{self.output.name}.{number}.{path.name}"
            number += 1
        return name

    def write(self) -> None:
        """Writes each file under another name and renames it: a failure leaves no output behind."""
        self.output.parent.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            target = self.output.parent / name
            temporary = target.with_name(f"{name}.{os.getpid()}.partial")
            try:
                temporary.write_text(text, encoding="utf-8", errors="surrogateescape")
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)


def own_modules() -> list[Path]:
    """This program's files: a translation is out of date when one of them changes."""
    return [*sorted(Path(__file__).parent.glob("*.py")), LIST]


def depfile_text(target: str, sources: list[Path]) -> str:
    def escape(path: str | Path) -> str:
        return str(path).replace("\\", "\\\\").replace(" ", "\\ ").replace("$", "$$")

    return f"{escape(target)}: {' '.join(escape(source) for source in sources)}\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Translate CUDA C++ into C++ for the CPU engine.")
    parser.add_argument("input", help="the .cu file")
    parser.add_argument("-o", dest="output", required=True, help="the C++ file to write")
    parser.add_argument("--depfile", help="write the files read as a make rule")
    parser.add_argument(
        "-I",
        dest="include_directories",
        action="append",
        default=[],
        metavar="DIR",
        help="a directory to look for quoted includes in",
    )
    parser.add_argument(
        "--checks",
        action="store_true",
        help="add what the course's stages do without: bounds of local arrays and of launches, …",
    )
    parser.add_argument(
        "--host", action="store_true", help="the input is C++ for the host, not a .cu file"
    )
    options = parser.parse_args(arguments)
    translation = Translation(options.output, options.include_directories, options.checks)
    try:
        if options.host:
            translation.translate_host(Path(options.input))
        else:
            translation.translate(Path(options.input), translation.output.name)
        translation.write()
        if options.depfile:
            Path(options.depfile).write_text(
                depfile_text(options.output, translation.sources + own_modules()), encoding="utf-8"
            )
    except TranslationError as error:
        Path(options.output).unlink(missing_ok=True)
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        Path(options.output).unlink(missing_ok=True)
        print(f"{error.filename or options.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0
