# SPDX-License-Identifier: MIT
"""How g++ compiles and links programs for the CPU engine: where its parts are, and its flags."""

from dataclasses import dataclass
from pathlib import Path

from common.emulator.translator.translation import THRUST_FOLDERS
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import EXIT_NO_DEVICE, ROOT, ToolError, build_folder

SOURCES = ROOT / "common" / "emulator"
THRUST_HEADERS = SOURCES / "libraries" / "thrust" / "include"
TRANSLATOR = SOURCES / "translate.py"
ENGINES = ("emu", "count")


@dataclass(frozen=True)
class Engine:
    """One of the engines, as it was built."""

    name: str  # "emu" or "count"
    compiler: list[str]  # the g++ that built the engine, and flags that it always gets
    every_flags: list[str]  # with which both engines compile
    compile_flags: list[str]  # not of emu: a program's own -O counts there
    local_array_flags: list[str]  # of files whose local arrays are checked
    link_flags: list[str]
    libraries: list[str]  # in the order of linking
    header: Path | None = None  # includes cuda_runtime.h; g++ finds it precompiled

    @property
    def counts(self) -> bool:
        return self.name == "count"


def forwarding_headers() -> Path:
    """The folder of the headers that libraries/forwarding.txt lists."""
    return build_folder() / "common" / "emulator" / "libraries" / "forwarding"


def header_folders() -> list[Path]:
    """The engine's headers and those of its libraries, in the order in which g++ looks for them."""
    return [
        SOURCES / "include_standard",
        SOURCES / "include",
        *(f for f in sorted(SOURCES.glob("libraries/*/include")) if f != THRUST_HEADERS),
        forwarding_headers(),
    ]


def thrust_flags() -> list[str]:
    """What lets a program use Thrust on the host: its CPU backend, with the engine's memory.
    Nothing where it is not installed. These folders come before the engine's own: Thrust is made of
    the toolkit's libcu++, not of the engine's."""
    for folder in THRUST_FOLDERS:
        if (Path(folder) / "thrust" / "version.h").is_file():
            return [
                "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
                # The engine's half-precision types have other members than CCCL expects.
                "-DCCCL_DISABLE_FP16_SUPPORT=1",
                "-DCCCL_DISABLE_BF16_SUPPORT=1",
                "-include",
                str(THRUST_HEADERS / "run_at_once.hpp"),
                "-I",
                str(THRUST_HEADERS),
                *([] if folder == "/usr/include" else ["-I", folder]),
            ]
    return []


def engine_version() -> str:
    """Of the engine that is installed. A checkout has none: git describes it."""
    path = build_folder() / "common" / "tools" / "version.txt"
    return read_text(path).strip() if path.is_file() else "of a checkout"


def load_engine(name: str) -> Engine:
    folder = build_folder() / "common" / "emulator"
    archives = [folder / "libemulator.a"]
    if name == "count":
        archives.insert(0, folder / "counting" / "libemulator_counting.a")
    flags_path = build_folder() / "emulator.json"
    for path in [*archives, flags_path]:
        if not path.exists():
            raise ToolError(
                f"the CPU engine is not here: {path} is missing; `make build-engine` builds it, "
                "`make install` installs it",
                EXIT_NO_DEVICE,
            )
    flags = parse_json(read_text(flags_path), flags_path)
    counts = name == "count"
    header = folder / "precompiled" / f"program_{name}.hpp"
    return Engine(
        name,
        flags["compiler"],
        flags["every"],
        flags["compile"] if counts else [],
        flags["local-arrays"] if counts else [],
        flags["link"] if counts else [],
        [
            "-Wl,--start-group",
            *map(str, archives),
            "-Wl,--end-group",
            *flags["libraries"],
            "-pthread",
        ],
        header if header.with_name(f"{header.name}.gch").exists() else None,
    )
