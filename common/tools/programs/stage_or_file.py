# SPDX-License-Identifier: MIT
"""What a variable such as A, B or STAGE names: a stage of the course, or a student's own file."""

from common.tools.lib.stages import Stage, find_stage, names_file
from common.tools.programs.own_program import OwnProgram, build, chosen_files


def own_stage(
    program: OwnProgram, executables: dict[str, str], cuda_args: tuple[str, ...] = ()
) -> Stage:
    """An own program as a stage that belongs to no chapter."""
    return Stage(
        stage=program.name,
        chapter="",
        name=program.files[0].name,
        source=str(program.files[0].resolve()),
        technique="",
        compared_with="",
        cuda_args=cuda_args,
        emu_args=(),
        more_checks=(),
        counter_args=(),
        counter_unit="iteration",
        executables=executables,
    )


def counted_program(program: OwnProgram) -> Stage:
    """Built here for the CPU engine with counters."""
    executable = build(program, "count").resolve()
    return own_stage(program, {"count": str(executable)}, tuple(program.source_words))


def find_source(stages: list[Stage], name: str, as_variable: str) -> Stage:
    """A stage, or a file that is not built."""
    if not names_file(name):
        return find_stage(stages, name, as_variable)
    return own_stage(OwnProgram(chosen_files(name, as_variable)), {})


def find_counted(stages: list[Stage], name: str, as_variable: str) -> Stage:
    """A stage, or a file that is built here for the CPU engine with counters."""
    if not names_file(name):
        return find_stage(stages, name, as_variable)
    return counted_program(OwnProgram(chosen_files(name, as_variable)))
