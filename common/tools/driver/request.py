# SPDX-License-Identifier: MIT
"""A command line of nvcc, read into a Request."""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from common.tools.driver.options import JOINED, OPTIONS, Form, Option, Use
from common.tools.lib.files import read_text
from common.tools.lib.stages import ToolError

LANGUAGES = {".cu": "cu", ".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++"}
LINKED = {".o", ".obj", ".a", ".so"}
# The steps after which emucc ends, by the flag that asks for them. Default: link.
STEPS = {
    "preprocess": "preprocess",
    "generate-dependencies": "dependencies",
    "generate-nonsystem-dependencies": "dependencies",
    "compile": "compile",
    "device-c": "compile",
    "device-w": "compile",
    "device-link": "device link",
    "link": "link",
    "lib": "library",
    "run": "run",
}
ENGINE_LIBRARIES = {
    "cuda",  # a call of the driver is refused where it is compiled
    "cudart",
    "cudart_static",
    "cudadevrt",
    "cublas",
    "cublas_static",
    "curand",
    "curand_static",
    "culibos",
}
# Libraries of the toolkit that the engine lacks, by the beginning of their names.
MISSING_LIBRARIES = re.compile(
    r"(cublasLt|cufft|cusolver|cusparse|npp|nvjpeg|nvrtc|nvJitLink|nvml|nvidia-ml|nvgraph"
    r"|nvToolsExt|cupti|cufile|nvvm|nvfatbin|nvptxcompiler|nccl|cudnn|cutensor)"
)
# Where unknown flags go.
FORWARDS = {
    "-forward-unknown-to-host-compiler": {"compiler"},
    "-forward-unknown-to-host-linker": {"linker"},
    "-forward-unknown-opts": {"compiler", "linker"},
}
FORWARDS |= {name.removeprefix("-"): places for name, places in FORWARDS.items()}
# Flags of g++ that build systems add where they link with nvcc's host compiler. emucc is that too.
HOST_LINK_FLAGS = {"-pthread", "-rdynamic", "-pie", "-no-pie"}
NEWEST_ARCHITECTURE = 90  # the engine's H200


@dataclass(frozen=True)
class Input:
    """A file of the command line. Its language is "cu", "c++", "c", or "" for the linker."""

    path: Path
    language: str


@dataclass
class Request:
    """What a command line asks for."""

    step: str = "link"
    show: str = ""  # "help" or "version"
    inputs: list[Input] = field(default_factory=list)
    link_words: list[str | Input] = field(default_factory=list)  # objects and -l, in their order
    output: str = ""
    output_directory: str = ""
    preprocessor: list[str] = field(default_factory=list)  # -D, -U, -include, -isystem
    include_directories: list[str] = field(default_factory=list)
    library_directories: list[str] = field(default_factory=list)
    host_flags: list[str] = field(default_factory=list)
    linker_flags: list[str] = field(default_factory=list)
    host_compiler: str = ""
    optimize: str = ""
    standard: str = ""
    architectures: list[int] = field(default_factory=list)
    relocatable: bool = False
    flush_denormals: bool = False
    debug: bool = False
    shared: bool = False
    quiet: bool = False
    dry_run: bool = False
    verbose: bool = False
    dependencies: str = ""  # "", "all" or "own": without the system's headers
    dependency_file: str = ""
    dependency_target: str = ""
    phony_targets: bool = False
    threads: int = 1  # files that are compiled at once; 0: one per core
    run_arguments: list[str] = field(default_factory=list)

    @property
    def architecture(self) -> int:
        """The value of __CUDA_ARCH__: that of the newest architecture that the engine has."""
        known = [number for number in self.architectures if number <= NEWEST_ARCHITECTURE]
        return 10 * max(known, default=NEWEST_ARCHITECTURE)


def split_list(value: str) -> list[str]:
    r"""The values of a list: separated by commas, unless these follow a backslash."""
    return [part.replace("\\,", ",") for part in re.split(r"(?<!\\),", value) if part]


def find_option(word: str) -> tuple[Option, str | None] | None:
    """The option of a word, and the value that the word holds itself."""
    if word in OPTIONS:
        return OPTIONS[word], None
    name, equals, value = word.partition("=")
    if equals and name in OPTIONS and OPTIONS[name].form is not Form.ALONE:
        return OPTIONS[name], value
    for short in JOINED:
        if word.startswith(short) and not word.startswith("--"):
            return OPTIONS[short], word[len(short) :]
    return None


class Reader:
    """Reads the words of a command line into `request`."""

    def __init__(self) -> None:
        self.request = Request()
        self.language = ""  # what -x says of the files after it
        self.forward: set[str] = set()  # where unknown flags go

    def read(self, words: list[str]) -> None:
        # These hold for the unknown flags before them too.
        for word in words:
            self.forward |= FORWARDS.get(word.removeprefix("-"), set())
        self.read_words(iter(words))

    def read_words(self, words: Iterator[str]) -> None:
        for word in words:
            if word.startswith("@"):
                self.read_file(word[1:])
                continue
            if not word.startswith("-") or word == "-":
                self.add_input(word)
                continue
            found = find_option(word)
            if found is None:
                self.unknown(word)
                continue
            option, value = found
            if option.form is Form.ALONE:
                self.take_if_used(option, word, "")
                continue
            if value is None:
                value = next(words, None)
                if value is None:
                    raise ToolError(f"emucc: {word} needs a value")
            self.take_if_used(option, word, value)

    def unknown(self, word: str) -> None:
        if word.startswith("-Wl,") or word in HOST_LINK_FLAGS:
            self.request.link_words.append(word)
            return
        if not self.forward:
            raise ToolError(f"emucc: unknown flag {word}; write -Xcompiler={word} for g++'s")
        if "compiler" in self.forward:
            self.request.host_flags.append(word)
        if "linker" in self.forward:
            self.request.linker_flags.append(word)

    def add_input(self, word: str) -> None:
        path = Path(word)
        language = self.language or LANGUAGES.get(path.suffix, "")
        if not language and path.suffix not in LINKED and ".so." not in path.name:
            raise ToolError(f"emucc: {word}: unknown kind of file; name its language by -x")
        item = Input(path, language)
        self.request.inputs.append(item)
        self.request.link_words.append(item)

    def take_if_used(self, option: Option, word: str, value: str) -> None:
        if option.use is Use.REFUSED:
            raise ToolError(f"emucc: {word.partition('=')[0]} is not available: {option.reason}")
        if option.use is Use.IGNORED:
            return
        values = split_list(value) if option.form is Form.LIST else [value]
        for one in values:
            self.take(option.name, one)

    def read_file(self, name: str) -> None:
        """Reads the words of a file as if they stood in the command line."""
        try:
            words = shlex.split(read_text(Path(name)))
        except OSError as error:
            raise ToolError(f"emucc: {name}: {error.strerror}") from None
        except ValueError as error:  # a quotation without an end
            raise ToolError(f"emucc: {name}: {error}") from None
        self.read_words(iter(words))

    def take(self, name: str, value: str) -> None:
        """Takes one flag with one value."""
        request = self.request
        if name in STEPS:
            request.step = STEPS[name]
        if name in TAKERS:
            TAKERS[name](request, value)
        elif name == "x":
            if value not in ("c", "c++", "cu"):
                raise ToolError(f"emucc: -x {value}: the languages are c, c++ and cu")
            self.language = value
        elif name == "options-file":
            self.read_file(value)


def add_library(request: Request, name: str) -> None:
    if name in ENGINE_LIBRARIES:
        return
    if MISSING_LIBRARIES.match(name):
        raise ToolError(f"emucc: -l{name}: the CPU engine does not have this library of CUDA")
    request.link_words.append(f"-l{name}")


def add_architectures(request: Request, text: str) -> None:
    """From sm_80, compute_90a, or arch=compute_80,code=[sm_80,sm_86]; native and all say
    nothing."""
    request.architectures += [
        int(number) for number in re.findall(r"(?:sm|compute|lto)_(\d+)[af]?", text)
    ]


def set_standard(request: Request, value: str) -> None:
    if not re.fullmatch(r"(c|gnu)\+\+(03|11|14|17|20|23)", value):
        raise ToolError(f"emucc: -std={value}: unknown standard of C++")
    request.standard = value


def set_machine(_request: Request, value: str) -> None:
    if value != "64":
        raise ToolError(f"emucc: -m{value}: there are only 64-bit programs")


def set_optimize(request: Request, value: str) -> None:
    if not re.fullmatch(r"[0-3s]|fast", value):
        raise ToolError(f"emucc: -O{value}: the levels are 0, 1, 2 and 3")
    request.optimize = value


def set_threads(request: Request, value: str) -> None:
    if not value.isdigit():
        raise ToolError(f"emucc: --threads {value}: expected a number")
    request.threads = int(value)


def is_true(value: str) -> bool:
    if value not in ("true", "false"):
        raise ToolError(f"emucc: {value}: expected true or false")
    return value == "true"


def set_default_stream(request: Request, value: str) -> None:
    if value == "per-thread":
        request.preprocessor.append("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")
    elif value not in ("legacy", "null"):
        raise ToolError(f"emucc: --default-stream={value}: expected legacy or per-thread")


# What a flag does with its value.
Action = Callable[[Request, str], object]


def set_dependencies(kind: str, step: bool) -> Action:
    def take(request: Request, _value: str) -> None:
        request.dependencies = kind
        if step:
            request.step = "dependencies"

    return take


def setter(name: str, value: object = None) -> Action:
    """Sets a field of the request to a constant, or to the flag's value."""
    return lambda request, given: setattr(request, name, given if value is None else value)


def appender(name: str, prefix: str = "") -> Action:
    return lambda request, value: getattr(request, name).append(f"{prefix}{value}")


# For each flag with a meaning of its own, what it does to the request.
TAKERS: dict[str, Action] = {
    "generate-dependencies": set_dependencies("all", step=True),
    "generate-nonsystem-dependencies": set_dependencies("own", step=True),
    "generate-dependencies-with-compile": set_dependencies("all", step=False),
    "generate-nonsystem-dependencies-with-compile": set_dependencies("own", step=False),
    "generate-dependency-targets": setter("phony_targets", True),
    "dependency-output": setter("dependency_file"),
    "dependency-target-name": setter("dependency_target"),
    "device-c": setter("relocatable", True),
    "output-file": setter("output"),
    "output-directory": setter("output_directory"),
    "compiler-bindir": setter("host_compiler"),
    "debug": setter("debug", True),
    "shared": setter("shared", True),
    "dryrun": setter("dry_run", True),
    "verbose": setter("verbose", True),
    "disable-warnings": setter("quiet", True),
    "use_fast_math": setter("flush_denormals", True),
    "help": setter("show", "help"),
    "version": setter("show", "version"),
    "optimize": set_optimize,
    "std": set_standard,
    "machine": set_machine,
    "threads": set_threads,
    "gpu-architecture": add_architectures,
    "gpu-code": add_architectures,
    "generate-code": add_architectures,
    "relocatable-device-code": lambda request, value: setattr(
        request, "relocatable", is_true(value)
    ),
    "ftz": lambda request, value: setattr(request, "flush_denormals", is_true(value)),
    "default-stream": set_default_stream,
    "pre-include": lambda request, value: request.preprocessor.extend(["-include", value]),
    "system-include": lambda request, value: request.preprocessor.extend(["-isystem", value]),
    "define-macro": appender("preprocessor", "-D"),
    "undefine-macro": appender("preprocessor", "-U"),
    "include-path": appender("include_directories"),
    "library-path": appender("library_directories"),
    "library": add_library,
    "compiler-options": lambda request, value: request.host_flags.extend(shlex.split(value)),
    "linker-options": appender("linker_flags"),
    "run-args": appender("run_arguments"),
    # Only the host's warnings can become errors; "all-warnings" does that.
    "Werror": lambda request, value: (
        request.host_flags.append("-Werror") if value == "all-warnings" else None
    ),
}


def read_request(words: list[str]) -> Request:
    reader = Reader()
    reader.read(words)
    # CMake's device link step says -shared too; that step does nothing here.
    if reader.request.shared and reader.request.step != "device link":
        raise ToolError(
            "emucc: -shared is not available: kernels for the engine are parts of executables"
        )
    return reader.request
