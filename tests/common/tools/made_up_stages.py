# SPDX-License-Identifier: MIT
"""A made-up stage, for tests that need no build."""

from common.tools.lib.stages import Stage


def made_up_stage(chapter: str, name: str, **keys: object) -> Stage:
    record = {
        "stage": f"{chapter}/{name}",
        "chapter": chapter,
        "name": name,
        "source": f"chapters/{chapter}/{name}/{chapter}.cu",
        "technique": "",
        "compared_with": "",
        "cuda_args": (),
        "emu_args": (),
        "more_checks": (),
        "counter_args": (),
        "counter_unit": "iteration",
        "executables": {},
    }
    return Stage(**(record | keys))  # type: ignore[arg-type]
