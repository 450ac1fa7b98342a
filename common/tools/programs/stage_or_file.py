# SPDX-License-Identifier: MIT
"""What a variable such as A, B or STAGE names: a stage of the course, or a student's own file."""

from pathlib import Path

from common.tools.lib.stages import Stage, build_folder, find_stage, names_file
from common.tools.programs.own_program import build, chosen_files, program_of


def own_stage(files: list[Path], executables: dict[str, str]) -> Stage:
    """An own program as a stage that belongs to no chapter."""
    return Stage(
        stage=" ".join(map(str, files)),
        chapter="",
        name=files[0].name,
        source=str(files[0].resolve()),
        technique="",
        compared_with="",
        cuda_args=(),
        emu_args=(),
        more_checks=(),
        counter_args=(),
        counter_unit="iteration",
        executables=executables,
    )


def find_source(stages: list[Stage], name: str, as_variable: str) -> Stage:
    """A stage, or a file that is not built."""
    if not names_file(name):
        return find_stage(stages, name, as_variable)
    return own_stage(chosen_files(name, as_variable), {})


def find_counted(stages: list[Stage], name: str, as_variable: str) -> Stage:
    """A stage, or a file that is built here for the CPU engine with counters."""
    if not names_file(name):
        return find_stage(stages, name, as_variable)
    files = chosen_files(name, as_variable)
    program = program_of(files, "count")
    build(files, program, "count")
    return own_stage(files, {"count": str(program.relative_to(build_folder()))})
