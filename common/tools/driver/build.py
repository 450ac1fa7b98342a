# SPDX-License-Identifier: MIT
"""Builds what a Request asks for, for the CPU engine: translates, compiles and links."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common.emulator.translator.forwarding import holds_replaceable
from common.emulator.translator.local_arrays import CHECK
from common.emulator.translator.translation import main as translate
from common.tools.driver import host_links, unset
from common.tools.driver.engine import Engine, header_folders, thrust_flags
from common.tools.driver.messages import compiler_messages, linker_messages
from common.tools.driver.request import Input, Request
from common.tools.lib.files import read_bytes, write_whole
from common.tools.lib.stages import EXIT_FAILURE, ToolError, build_folder

EMUCC = Path(__file__).resolve().parents[1] / "commands" / "emucc"
NEW_ENOUGH = ("20", "23")  # the standards of C++ that the engine's headers accept


def holds(texts: list[Path], part: str) -> bool:
    return any(part.encode() in path.read_bytes() for path in texts if path.is_file())


def uses_thrust(texts: list[Path]) -> bool:
    return holds(texts, "<thrust/")


def calls_cuda(path: Path) -> bool:
    return re.search(rb"\bcuda[A-Z]\w*\s*\(", path.read_bytes()) is not None


class CompilationError(ToolError):
    """A file that does not compile; g++ has said why."""


class Build:
    """One run of the driver. Intermediate files lie in `scratch`."""

    def __init__(self, request: Request, engine: Engine, scratch: Path) -> None:
        self.request = request
        self.engine = engine
        self.scratch = scratch

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        if self.request.dry_run or self.request.verbose:
            print(f"#$ {shlex.join(command)}", file=sys.stderr)
        if self.request.dry_run:
            return subprocess.CompletedProcess(command, 0, "", "")
        try:
            return subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                check=False,
                env=os.environ | {"LC_ALL": "C.UTF-8"},
            )
        except FileNotFoundError:
            raise ToolError(
                f"{command[0]} is missing: the CPU engine compiles and links with it", EXIT_FAILURE
            ) from None

    # ---- one file ----
    def compiler(self) -> list[str]:
        """For C++ and, by -x, for C."""
        if self.request.host_compiler:
            path = Path(self.request.host_compiler)
            return [str(path / "g++") if path.is_dir() else str(path)]
        return self.engine.compiler

    def standard(self, item: Input) -> list[str]:
        """-std: the one that is asked for, or a newer one that the engine's headers need."""
        if item.language == "c":
            return []
        dialect, _, year = self.request.standard.rpartition("++")
        newest = year if year in NEW_ENOUGH else NEW_ENOUGH[0]
        return [f"-std={dialect or 'gnu'}++{newest}"]

    def flags(self, item: Input, texts: list[Path], header: str = "cuda_runtime.h") -> list[str]:
        """`texts` are the source and the translated headers. CUDA sources begin with `header`."""
        request = self.request
        defines = ["-D__NVCC__=1", *host_links.DEFINES]
        if item.language == "cu":
            defines += ["-D__CUDACC__=1", f"-DEMULATOR_CUDA_ARCH={request.architecture}"]
            if request.relocatable:
                defines.append("-D__CUDACC_RDC__=1")
            if request.flush_denormals:
                defines += ["-DEMULATOR_FLUSH_DENORMALS=1", "-D__USE_FAST_MATH__=1"]
        else:
            # As under nvcc, cuda_runtime.h brings no device functions to such a file.
            defines.append("-DEMULATOR_HOST_SOURCE=1")
        if request.standard[-2:] not in NEW_ENOUGH:
            defines.append("-DEMULATOR_BEFORE_CXX20=1")
        optimize = self.engine.compile_flags or [f"-O{request.optimize or '2'}"]
        # As before nvcc's own folder. Other folders come behind the engine's headers: they may have
        # copies of the toolkit's.
        first = [one for one in request.include_directories if holds_replaceable(Path(one))]
        others = [one for one in request.include_directories if one not in first]
        return [
            *self.standard(item),
            *defines,
            "-g",
            "-Wno-attributes",
            "-Wno-volatile",
            "-fcheck-new",  # in a kernel, new may return a null pointer
            *unset.FLAGS,
            *(flag.replace("-W", "-Wno-error=") for flag in unset.FLAGS),
            *self.engine.every_flags,
            *(["-w"] if request.quiet else []),
            *request.host_flags,
            *optimize,
            *(self.engine.local_array_flags if holds(texts, CHECK) else []),
            *(thrust_flags() if uses_thrust(texts) else []),
            *(word for folder in first for word in ("-I", folder)),
            *(word for folder in header_folders() for word in ("-I", str(folder))),
            *(["-include", header] if item.language == "cu" else []),
            *(word for folder in others for word in ("-I", folder)),
            *request.preprocessor,
        ]

    def translated(self, item: Input, folder: Path) -> tuple[Path, list[Path]]:
        """The C++ of a CUDA source, and the files that it was made of."""
        output, depfile = folder / f"{item.path.stem}.cpp", folder / "depfile"
        words = [str(item.path), "-o", str(output), "--depfile", str(depfile)]
        words.append("--checks" if item.language == "cu" else "--host")
        for directory in self.request.include_directories:
            words += ["-I", directory]
        if translate(words) != 0:
            raise CompilationError(
                f"{item.path}: cannot be translated for the CPU engine", EXIT_FAILURE
            )
        return output, read_depfile(depfile)

    def header(self, steps: list[str], texts: list[Path]) -> str:
        """What a CUDA source begins with: the precompiled header, where it can be used. If it was
        made with other flags, g++ parses its text instead, without a message. Thrust needs another
        header before it. A list of dependencies would name it instead of the headers in it."""
        own = self.engine.header
        if own is None or steps != ["-c"] or self.request.dependencies or uses_thrust(texts):
            return "cuda_runtime.h"
        return str(own)

    def precompile(self, header: Path, output: Path, depfile: Path) -> None:
        """Compiles what the CUDA source of this request begins with."""
        (item,) = self.sources()
        result = self.run(
            [
                *self.compiler(),
                *self.flags(item, []),
                *("-MD", "-MF", str(depfile), "-MT", str(output)),
                *("-x", "c++-header", str(header), "-o", str(output)),
            ]
        )
        sys.stderr.write(result.stderr)
        if result.returncode != 0:
            raise CompilationError(f"{header}: cannot be precompiled", EXIT_FAILURE)

    def compile(self, item: Input, output: str, steps: list[str]) -> str:
        """Runs g++ on one file. `steps` holds -c, -E or -M. Returns its output."""
        if not item.path.is_file():
            raise ToolError(f"{item.path}: No such file or directory", EXIT_FAILURE)
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            source = item.path
            own_files: list[Path] = []
            language = {"cu": "c++"}.get(item.language, item.language)
            if item.language == "cu" or (item.language == "c++" and calls_cuda(item.path)):
                source, own_files = self.translated(item, Path(folder))
            dependencies = Path(folder) / "dependencies"
            kind = {"all": "-MD", "own": "-MMD"}.get(self.request.dependencies, "")
            texts = [source, *Path(folder).iterdir()]
            command = [
                *self.compiler(),
                *steps,
                *self.flags(item, texts, self.header(steps, texts)),
                "-iquote",
                str(item.path.parent),
                *([kind, "-MF", str(dependencies)] if kind else []),
                "-x",
                language,
                str(source),
                *(["-o", output] if output else []),
            ]
            result = self.run(command)
            sys.stderr.write(compiler_messages(result.stderr, result.returncode != 0))
            if result.returncode != 0:
                raise CompilationError(
                    f"{item.path}: cannot be compiled with g++ for the CPU engine", EXIT_FAILURE
                )
            if kind and not self.request.dry_run:
                read = [path for path in read_depfile(dependencies) if not inside(path, folder)]
                self.write_dependencies(item, output, own_files + read)
        return result.stdout

    def write_dependencies(self, item: Input, output: str, files: list[Path]) -> None:
        request = self.request
        target = request.dependency_target or output or f"{item.path.stem}.o"
        names = list(dict.fromkeys(escaped(str(path)) for path in [item.path, *files]))
        text = f"{escaped(target)}: {' '.join(names)}\n"
        if request.phony_targets:
            text += "".join(f"{name}:\n" for name in names[1:])
        if request.step == "dependencies" and not request.dependency_file:
            if request.output:
                write_whole(Path(request.output), text)
            else:
                print(text, end="")
            return
        path = request.dependency_file or f"{os.path.splitext(output)[0]}.d"
        write_whole(Path(path), text)

    # ---- all files ----
    def default_object(self, item: Input) -> str:
        return str(Path(self.request.output_directory) / f"{item.path.stem}.o")

    def sources(self) -> list[Input]:
        return [item for item in self.request.inputs if item.language]

    def compile_all(self) -> None:
        sources = self.sources()
        if self.request.output and len(sources) > 1:
            raise ToolError("emucc: -o with -c needs a single source file")
        for item in sources:
            output = self.request.output or self.default_object(item)
            self.compile(item, output, ["-c"])
            self.deliver(output)

    def deliver(self, output: str) -> None:
        """Prepares an object or archive for the message of a linker that is not emucc."""
        if not self.request.dry_run:
            host_links.weaken(self.engine, output, self.scratch)

    def preprocess_all(self) -> None:
        for item in self.sources():
            sys.stdout.write(self.compile(item, self.request.output, ["-E"]))

    def print_dependencies(self) -> None:
        for item in self.sources():
            self.compile(item, "", ["-E"])

    def objects(self) -> list[str]:
        """What the linker gets, in the order of the command line: sources become objects."""
        compiled: dict[Input, str] = {}
        for number, item in enumerate(self.sources()):
            compiled[item] = str(self.scratch / f"{number}-{item.path.stem}.o")
        with ThreadPoolExecutor(max_workers=self.request.threads or os.cpu_count() or 1) as pool:
            list(pool.map(lambda item: self.compile(item, compiled[item], ["-c"]), compiled))
        words = []
        for word in self.request.link_words:
            if isinstance(word, str):
                words.append(word)
            elif word.language:
                words.append(compiled[word])
            elif str(word.path) not in self.engine.libraries:  # CMake names these too
                self.check_object(word.path)
                words.append(str(word.path))
        return words

    def links_objects(self) -> bool:
        """Whether objects or libraries take part that emucc compiled before. The course's own have
        no weak references, and share files with the engine: both whole would define these twice."""
        return any(
            not word.startswith("-Wl,")
            if isinstance(word, str)
            else not (word.language or self.is_of_course(word.path))
            for word in self.request.link_words
        )

    @staticmethod
    def is_of_course(path: Path) -> bool:
        parts = [(build_folder() / part).resolve() for part in ("common", "chapters")]
        return any(path.resolve().is_relative_to(part) for part in parts)

    def check_object(self, path: Path) -> None:
        """An object of the other engine would link, or half of it, and would not be checked. The
        course's own libraries are host code, which no engine compiles in its own way."""
        if path.resolve().is_relative_to((build_folder() / "common").resolve()):
            return
        try:
            text = read_bytes(path)
        except OSError as error:
            raise ToolError(f"{path}: {error.strerror}", EXIT_FAILURE) from None
        counted = b"__sanitizer_cov_trace_pc" in text
        if b"8emulator" in text and counted != self.engine.counts:
            other = "count" if counted else "emu"
            raise ToolError(
                f"{path}: was compiled with EMUCC_ENGINE={other}, not {self.engine.name}; "
                "compile all files anew for one engine",
                EXIT_FAILURE,
            )

    def link(self) -> Path:
        if not self.request.inputs:
            raise ToolError("emucc: no input files")
        output = self.request.output or str(Path(self.request.output_directory) / "a.out")
        # A step of its own: with the flags of counting, g++ would link ThreadSanitizer's runtime.
        command = [
            *self.compiler(),
            *(flag for flag in self.request.host_flags if flag != "-Werror"),
            "-o",
            output,
            *(f"-L{folder}" for folder in self.request.library_directories),
            *self.objects(),
            *self.engine.link_flags,
            *host_links.LINK_FLAGS,
            *host_links.libraries_for(self.engine, self.links_objects()),
            *(f"-Wl,{flag}" for flag in self.request.linker_flags),
        ]
        result = self.run(command)
        self.show_link_line()
        sys.stderr.write(linker_messages(result.stderr))
        if result.returncode != 0:
            raise CompilationError(f"{output}: cannot be linked", EXIT_FAILURE)
        return Path(output)

    def show_link_line(self) -> None:
        """CMake reads from nvcc's output with which program and libraries objects are linked: with
        this one, which knows the engine's flags."""
        if self.request.verbose:
            libraries = shlex.join(self.engine.libraries)
            includes = shlex.join(f"-I{folder}" for folder in header_folders())
            architecture = f"-arch compute_{self.request.architecture // 10}"
            print(
                f"#$ INCLUDES={includes}\n#$ LIBRARIES={libraries}\n"
                f"#$ {shlex.quote(str(EMUCC))} {architecture} {libraries}",
                file=sys.stderr,
            )

    def archive(self) -> None:
        output = self.request.output or "a.a"
        Path(output).unlink(missing_ok=True)
        result = self.run(["ar", "rcs", output, *self.objects()])
        sys.stderr.write(result.stderr)
        if result.returncode != 0:
            raise ToolError(f"{output}: cannot be written", EXIT_FAILURE)
        self.deliver(output)

    def device_link(self) -> None:
        """Device code is linked as host code is: this step only makes the file that it promises."""
        output = self.request.output or "a_dlink.o"
        self.run([*self.compiler(), "-c", "-x", "c", "/dev/null", "-o", output])


def inside(path: Path, folder: str) -> bool:
    return path.is_relative_to(folder)


def escaped(name: str) -> str:
    """A file name in a rule of make."""
    return name.replace("$", "$$").replace(" ", "\\ ").replace("#", "\\#")


def read_depfile(path: Path) -> list[Path]:
    """The files that a rule of make names after its colon."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8").replace("\\\n", " ").replace("$$", "$")
    words = text.partition(": ")[2].split("\n")[0].replace("\\ ", "\0").split()
    return [Path(word.replace("\0", " ").replace("\\#", "#")) for word in words]


def perform(request: Request, engine: Engine) -> int:
    """Does what a request asks for. Returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="emucc-") as scratch:
        build = Build(request, engine, Path(scratch))
        steps = {
            "preprocess": build.preprocess_all,
            "dependencies": build.print_dependencies,
            "compile": build.compile_all,
            "device link": build.device_link,
            "library": build.archive,
        }
        if request.step in steps:
            steps[request.step]()
            return 0
        program = build.link()
    if request.step == "run" and not request.dry_run:
        return subprocess.run(
            [str(program.resolve()), *request.run_arguments], check=False
        ).returncode
    return 0
