# SPDX-License-Identifier: MIT
"""The parts that all tools share: the list of stages, engines, and errors of one line."""

import contextlib
import difflib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from common.tools.lib.errors import (  # pylint: disable=unused-import
    EXIT_FAILURE as EXIT_FAILURE,
    EXIT_NO_DEVICE as EXIT_NO_DEVICE,
    DataError as DataError,
    ToolError as ToolError,
    shown as shown,
)
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.gpus import gpu_architectures, has_gpu
from common.tools.lib.architectures import CARDS, number_of, requirement

ROOT = Path(__file__).resolve().parents[3]
BUILD = str(ROOT / "common/tools/setup/build.sh")  # it says which arguments it takes
ENGINES = ("gpu", "emu", "count")
ALL_PATHS = "all"
FEW = 15  # so many stages fit on one line
SOURCE_SUFFIXES = (".cu", ".cuh", ".cpp", ".cc", ".c")


def label_of(name: str) -> str:
    """A stage's short form: its name without the words after its number, if it has one."""
    path, slash, last = name.rpartition("/")
    return path + slash + (last[:2] if last[:2].isdigit() else last)


def words_of(name: str) -> str:
    """A stage's name without its path and its number: `one_pass` of `limit/05_one_pass`."""
    last = name.rpartition("/")[2]
    return last.partition("_")[2] if last[:2].isdigit() else last


@dataclass(frozen=True)
class Stage:
    stage: str  # "nbody/03_shared_tiles"
    chapter: str
    name: str
    source: str  # relative to the root
    technique: str
    compared_with: str
    cuda_args: tuple[str, ...]
    emu_args: tuple[str, ...]
    more_checks: tuple[
        str, ...
    ]  # flags for further runs with --check; words are separated by blanks
    counter_args: tuple[str, ...]  # flags of the run whose counters are shown
    counter_unit: str  # what one iteration of the innermost loop processes: "body"
    executables: dict[str, str]  # engine -> path relative to the build folder
    begins_part: str = ""  # the part of its chapter that begins here, with another subject
    rule: str = ""  # a term of the glossary that no other stage teaches
    path: str = ""  # the side path that it lies on; empty on the source's own path
    path_goal: str = ""  # what the last stage of its path is measured by: a library, a bound
    solution_of: str = ""  # in a student's edition: the lab whose solution is left out
    checked_by: str = ""  # a test with its flags, which `make run` runs after --check
    largest_n: int = 0  # larger sizes are not tested; 0: any size
    minimum_sm: int = 0  # its kernels need this compute capability: 90 is 9.0; 0: any
    added_lines: int = 0  # an exception: so many may stand in the diff; 0: what its path allows
    opencl: bool = False  # its kernels are in OpenCL: one executable for all devices
    race_on_purpose: bool = False  # its result is wrong, to show a race; it is never timed
    not_recorded: bool = False  # no figure and no table shows it yet
    counted_late: bool = False  # with ENGINE=count, only `make test-all` tests it
    bulk_copies: bool = False  # of <cuda/ptx>
    device_launches: bool = False  # its kernels launch kernels
    libraries: tuple[str, ...] = ()  # besides the CUDA runtime: "cub"
    counted_sizes: tuple[str, ...] = ()  # `make run` with --check runs these, then more_checks
    # engine -> the reason why it has no executable
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How pages and figures call it: `03`, `limit/05`, `peers/cub_radix_sort`, `many_gpus`."""
        return label_of(self.name)

    @property
    def has_kernels(self) -> bool:
        """Whether it has CUDA kernels, which run on a GPU and on the CPU engine."""
        return not self.source.endswith(".cpp")

    @property
    def needs_ranks(self) -> bool:
        """Whether it uses several GPUs: one process for each."""
        return "nccl" in self.libraries

    @property
    def uses_all_cores(self) -> bool:
        """Whether it is a host program that runs on all cores of the CPU."""
        return "openmp" in self.libraries

    @property
    def check_flags(self) -> list[str]:
        """The flags of the runs that reach each kernel of the stage: a test proves that."""
        sizes = [f"--n {','.join(self.counted_sizes)}"] if self.counted_sizes else [""]
        runs = [["--check", *words.split()] for words in (*sizes, *self.more_checks)]
        return [*runs[0], *(word for run in runs[1:] for word in ("--then", *run))]

    @property
    def is_own_program(self) -> bool:
        """Whether it is a student's own file and belongs to no chapter."""
        return not self.chapter

    def path_of(self, file: str) -> Path:
        """Where a file lies whose lines its kernels have: its own source, or a header, which is in
        the room of a stage of its chapter, or beside a program of one's own. The path need not
        exist."""
        own = ROOT / self.source
        if file == own.name or self.is_own_program:
            return own.parent / file
        headers = self.chapter_folder.rglob("*.cuh")
        return next((path for path in headers if path.name == file), own.parent / file)

    @property
    def chapter_folder(self) -> Path:
        return (ROOT / self.source).parents[self.name.count("/") + 1]


def build_folder() -> Path:
    return Path(os.environ.get("COURSE_BUILD", ROOT / "build"))


def fits(value: object, hint: object) -> bool:
    """Whether a value of stages.json has the type of its field."""
    if hint in (bool, int):
        return type(value) is hint
    if hint is str:
        return isinstance(value, str) and "\0" not in value
    if isinstance(value, dict):
        return hint == dict[str, str] and all(fits(one, str) for one in value.values())
    return (
        hint == tuple[str, ...] and isinstance(value, list) and all(fits(one, str) for one in value)
    )


def checked_stage(record: object, place: str) -> Stage:
    """A stage of the list. A DataError names the key that is missing, unknown or of another
    type."""
    if not isinstance(record, dict):
        raise DataError(f"{place}: is not a stage")
    place = f"{place}: {shown(str(record.get('stage', '')))}"
    hints = get_type_hints(Stage)
    for key, value in record.items():
        if key not in hints:
            raise DataError(f"{place}: there is no key {shown(key)}")
        if not fits(value, hints[key]):
            raise DataError(f"{place}: '{key}' has a value of the wrong type")
    for one in fields(Stage):
        if one.name not in record and one.default is MISSING and one.default_factory is MISSING:
            raise DataError(f"{place}: '{one.name}' is missing")
    if len(record["counter_args"]) % 2:
        raise DataError(f"{place}: 'counter_args' has a flag without a value")
    if record.get("minimum_sm", 0) not in (0, *CARDS):
        raise DataError(f"{place}: 'minimum_sm' is no architecture")
    if record["stage"] != f"{record['chapter']}/{record['name']}":
        raise DataError(f"{place}: 'stage' is not chapter/name")
    lists: dict[str, Any] = {
        key: tuple(value) for key, value in record.items() if isinstance(value, list)
    }
    return Stage(**record | lists)


def load_stages() -> list[Stage]:
    path = build_folder() / "stages.json"
    try:
        records = parse_json(read_text(path), path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing: run `make build` first") from None
    if not isinstance(records, list):
        raise DataError(f"{path}: is not a list of stages")
    return [checked_stage(one, f"{path}: stage {i}") for i, one in enumerate(records, 1)]


def variable(name: str) -> str:
    """The value of a variable on make's command line. A line break is an error: it is no part of a
    name, and a message of one line could not show it. The words of ARGS may stand on several
    lines."""
    value = os.environ.get(name, "").strip()
    if name != "ARGS" and not value.isprintable() and len(value.splitlines()) > 1:
        raise ToolError(f"{name}={shown(value)}: has a line break")
    return value


def arguments() -> list[str]:
    try:
        return shlex.split(variable("ARGS"))
    except ValueError as error:
        raise ToolError(f"ARGS={variable('ARGS')!r}: {error}") from None


def choose(name: str, value: str, choices: Iterable[str]) -> str:
    choices = list(choices)
    if value in choices:
        return value
    said = f"{name}={value}: no such {name.lower()}" if value else f"{name} is missing"
    raise ToolError(f"{said}; choose one of {', '.join(choices)}")


def find_stage(stages: list[Stage], name: str, as_variable: str = "STAGE") -> Stage:
    by_name = {stage.stage: stage for stage in stages}
    if name not in by_name:
        said = f"{as_variable}={name}: no such stage" if name else f"{as_variable} is missing"
        raise ToolError(f"{said}; {meant_stages(list(by_name), name)}")
    return by_name[name]


def names_file(name: str) -> bool:
    """Whether a value means a student's own file, not a stage."""
    return name.endswith(SOURCE_SUFFIXES) or os.path.isfile(name)


def meant_stages(names: list[str], wrong: str) -> str:
    """Names the stages that a wrong name may mean: all if they are few, else similar names, else
    those of its chapter."""
    if len(names) > FEW:
        like = [name for name in names if wrong and wrong in name]
        like = like or difflib.get_close_matches(wrong, names, n=3, cutoff=0.75)
        names = like or [name for name in names if name.startswith(wrong.partition("/")[0] + "/")]
    if len(names) == 1:
        return f"did you mean {names[0]}?"
    return (
        f"choose one of {', '.join(names)}" if 0 < len(names) <= FEW else "`make list` names them"
    )


def chapters_of(stages: list[Stage]) -> list[str]:
    return list(dict.fromkeys(stage.chapter for stage in stages))


def chosen_chapters(stages: list[Stage]) -> list[str]:
    """The chapter that CHAPTER names, or all chapters."""
    chapters = chapters_of(stages)
    return [choose("CHAPTER", variable("CHAPTER"), chapters)] if variable("CHAPTER") else chapters


def stages_of_paths(stages: list[Stage]) -> dict[str, list[Stage]]:
    """The values of CHAPTER where one path is meant: a chapter is its source's own path,
    `chapter/path` a side path, after the stage from which it goes on, and `chapter/all` all."""
    found: dict[str, list[Stage]] = {}
    names = {stage.stage: stage for stage in stages}
    for chapter in chapters_of(stages):
        own = [stage for stage in stages if stage.chapter == chapter]
        for path in dict.fromkeys(["", *(stage.path for stage in own)]):
            on_path = [stage for stage in own if stage.path == path]
            before = names.get(f"{chapter}/{on_path[0].compared_with}") if path else None
            found[f"{chapter}/{path}".rstrip("/")] = [before, *on_path] if before else on_path
        found[f"{chapter}/{ALL_PATHS}"] = own
    return found


def chosen_stages(stages: list[Stage]) -> list[Stage]:
    """The stages that STAGE names, separated by commas, or else those of CHAPTER, or all."""
    names = variable("STAGE").replace(",", " ").split()
    if names:
        return [find_stage(stages, name) for name in names]
    chapters = chosen_chapters(stages)
    return [stage for stage in stages if stage.chapter in chapters]


def chosen_engine(engines: Iterable[str] = ENGINES) -> str:
    """The engine that ENGINE names, or "" for the machine's own."""
    return choose("ENGINE", variable("ENGINE"), engines) if variable("ENGINE") else ""


def needs_newer_gpu(stage: Stage) -> bool:
    """Whether this machine has GPUs, and none that the stage's kernels can run on."""
    architectures = gpu_architectures()
    return bool(architectures) and stage.minimum_sm > max(map(number_of, architectures))


def pick_engine(stage: Stage, wanted: str = "") -> str:
    """The engine that runs a stage: `wanted`, or else the best one that this machine has."""
    if stage.solution_of:
        raise ToolError(
            f"{stage.stage}: it is the solution of a lab: `make lab LAB={stage.solution_of}` begins it",
            EXIT_NO_DEVICE,
        )
    if stage.opencl or not stage.has_kernels:
        engine = next(iter(stage.executables), "opencl" if stage.opencl else "cpu")
    elif wanted in ("", "gpu") and needs_newer_gpu(stage):
        # Who has a GPU expects its times: the CPU engine does not take its place unasked.
        raise ToolError(
            f"{stage.stage}: no usable device: it needs {requirement(stage.minimum_sm)} "
            "(ENGINE=emu runs it on the CPU engine)",
            EXIT_NO_DEVICE,
        )
    elif wanted:
        engine = wanted
    else:
        engine = "gpu" if "gpu" in stage.executables and has_gpu() else "emu"
    if engine not in stage.executables:
        reason = stage.skipped.get("emu" if engine == "count" else engine, "it was not built")
        no_gpu = "" if wanted or engine != "emu" else ", and there is no GPU"
        raise ToolError(f"{stage.stage}: no usable device: {reason}{no_gpu}", EXIT_NO_DEVICE)
    if engine == "gpu" and not has_gpu():
        raise ToolError(f"{stage.stage}: no usable device: there is no GPU", EXIT_NO_DEVICE)
    return engine


def executable(stage: Stage, engine: str) -> Path:
    return build_folder() / stage.executables[engine]


def print_table(header: list[str], rows: list[list[str]], left: int) -> None:
    """Aligns the first `left` columns to the left and the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


class Terminated(BaseException):
    """A signal asked the process to end. Everything on the stack cleans up first."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.signal_number = signal_number


def terminate(signal_number: int, _frame: object) -> None:
    signal.signal(signal_number, signal.SIG_IGN)  # one is enough: the clean-up must not be cut off
    raise Terminated(signal_number)


def end_by_signal(signal_number: int) -> None:
    """Ends the process by the signal, so that its parent sees what happened."""
    signal.signal(signal_number, signal.SIG_DFL)
    with contextlib.suppress(OSError):  # nobody reads it
        sys.stdout.flush()
    os.kill(os.getpid(), signal_number)


def run_tool(main: Callable[[], int | None]) -> None:
    """Runs a tool's main and exits. A ToolError is printed on stderr as one line, and so is what
    the operating system refuses: a full disk, a folder that may not be written. SIGTERM and SIGHUP
    end the tool after its temporary folders are removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # not with nohup
            signal.signal(number, terminate)
    try:
        status = main() or 0
        sys.stdout.flush()
    except ToolError as error:
        status = error.status
        said = str(error)
    except KeyboardInterrupt:
        status, said = 130, "interrupted"
    except Terminated as error:
        end_by_signal(error.signal_number)
        return
    except BrokenPipeError:
        # The reader has ended (`make list | head`).
        status, said = 0, ""
    except OSError as error:
        names = " -> ".join(str(name) for name in (error.filename, error.filename2) if name)
        status = EXIT_FAILURE
        said = f"{names}: {error.strerror}" if names else str(error.strerror or error)
    else:
        sys.exit(status)
    try:
        sys.stdout.flush()
    except OSError:
        # Nobody reads stdout, or its disk is full. Avoid a traceback at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if said:
        print(said, file=sys.stderr)
    sys.exit(status)
