#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the kernels of stages for GPUs of several architectures, without linking and hardly
optimised: only to see that nvcc accepts them. It needs nvcc and no GPU.

    python3 -m tests.lint.architectures [--architectures 75,90] [--sample N] [--seed S]
                                                [CHAPTER|STAGE…]

Without --architectures, it compiles for all that CUDA 13 has and the course names (about seven
minutes for each on two cores). --sample compiles so many stages only, chosen by the seed.
"""

import argparse
import os
import random
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ROOT,
    Stage,
    ToolError,
    choose,
    chapters_of,
    load_stages,
    run_tool,
)
from common.tools.machine_code.compiled import NoMachineCode, compile_words, found
from common.tools.lib.architectures import CARDS, capability, number_of, nvcc_flags, requirement

TIMEOUT_S = 900  # many programs share a machine
QUICK = "--Ofast-compile"


@cache
def quick_words(nvcc: str) -> tuple[str, ...]:
    """As for -Dkernels=check. CUDA 13.0 has the second flag, older ones may not."""
    shown = subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout
    return ("-O1", f"{QUICK}=max") if f"{QUICK} " in shown else ("-O1",)


def refusal(stage: Stage, architecture: int) -> str:
    """What nvcc says if it does not accept the stage."""
    nvcc = found("nvcc")
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(nvcc, "-cubin", "-std=c++20", *quick_words(nvcc), f"-arch=sm_{architecture}"),
            *("-Werror=all-warnings", *nvcc_flags([architecture])),
            *(*compile_words(stage), "-o", str(Path(folder) / "kernels.cubin")),
        ]
        result = subprocess.run(
            [*command, str(ROOT / stage.source)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=TIMEOUT_S,
        )
    return "" if result.returncode == 0 else result.stdout.strip() or "nvcc fails without a word"


def check(stages: Sequence[Stage], architecture: int) -> list[str]:
    """Compiles for one architecture, prints a line about it, and returns the refusals."""
    able = [stage for stage in stages if stage.minimum_sm <= architecture]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        said = list(pool.map(lambda stage: refusal(stage, architecture), able))
    failed = [
        f"FAILED: {stage.stage} for {architecture}:\n{text}"
        for stage, text in zip(able, said, strict=True)
        if text
    ]
    newer = len(stages) - len(able)
    print(
        f"{architecture} ({CARDS.get(architecture, 'compute capability ' + capability(architecture))}): "
        f"{len(able) - len(failed)} of {len(able)} stages compile"
        + (f", {newer} need a newer GPU" if newer else ""),
        flush=True,
    )
    return failed


def numbers_in(text: str) -> list[int]:
    try:
        return [number_of(word) for word in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def chosen(stages: Sequence[Stage], names: Sequence[str]) -> list[Stage]:
    known = [*chapters_of(list(stages)), *(stage.stage for stage in stages)]
    for name in names:
        choose("NAME", name, known)
    return [stage for stage in stages if not names or {stage.stage, stage.chapter} & set(names)]


def is_compiled(stage: Stage) -> bool:
    """Not a stage for which this machine lacks a library."""
    too_old = f"it needs {requirement(stage.minimum_sm)}" if stage.minimum_sm else None
    return "gpu" in stage.executables or stage.skipped.get("gpu", "") == too_old


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="check_architectures", allow_abbrev=False)
    parser.add_argument("--architectures", type=numbers_in, default=list(CARDS))
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="CHAPTER|STAGE")
    options = parser.parse_args(words)
    stages = chosen([stage for stage in load_stages() if is_compiled(stage)], options.names)
    if 0 < options.sample < len(stages):
        stages = random.Random(options.seed).sample(stages, options.sample)
    try:
        found("nvcc")
        failed = [text for one in options.architectures for text in check(stages, one)]
    except NoMachineCode as error:
        raise ToolError(f"check_architectures: no usable device: {error}", EXIT_NO_DEVICE) from None
    print("\n".join(failed), end="\n" * bool(failed))
    return EXIT_FAILURE if failed else 0


if __name__ == "__main__":
    run_tool(main)
