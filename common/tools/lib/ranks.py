# SPDX-License-Identifier: MIT
"""Runs a stage on several ranks: processes that mpirun starts on this machine, one for each GPU."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    Stage,
    ToolError,
    variable,
)

MOST_RANKS = 64
# Open MPI on one host: shared memory only, no search for networks, no warnings about either. A
# process keeps the machine's cores. As root, mpirun wants to be told so; this is for our runs only.
SETTINGS = {
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_plm": "isolated",
    "OMPI_MCA_opal_signal": "",  # no stack trace: the line that names the rank is enough
    # Seconds that a rank has for removing what it has begun to write. With the usual 1, a rank on a
    # busy machine did not always get to it.
    "OMPI_MCA_odls_base_sigkill_timeout": "2",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
RULE = re.compile(r"-{40,}")  # mpirun puts its own messages between two of these lines
BY_SIGNAL = re.compile(r"process rank (\d+) .* exited on signal (\d+(?: \([^)]*\))?)")
BY_STATUS = re.compile(r"Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+)")
# mpirun could not say something, which is mostly that a rank has ended.
SILENT = re.compile(r"\[\S+:\d+\] \[\[\d+,\d+\],\d+\] ORTE_ERROR_LOG: .*show_help\.c")
# What these say, a rank has said better.
KNOWN = ("Primary job", "MPI_ABORT was invoked", "mpirun detected that one or more processes")


def chosen_ranks(stage: Stage) -> int:
    """The number that RANKS names, or 1. Only a stage that uses NCCL may have more."""
    value = variable("RANKS")
    if not value:
        return 1
    if not re.fullmatch(r"[0-9]{1,4}", value) or not 1 <= int(value) <= MOST_RANKS:
        raise ToolError(f"RANKS={value}: not a number from 1 to {MOST_RANKS}")
    if int(value) > 1 and "nccl" not in stage.libraries:
        raise ToolError(f"RANKS={value}: {stage.stage} runs on one GPU; see the stages *_many_gpus")
    return int(value)


def command(program: Path, arguments: list[str], ranks: int) -> list[str]:
    if shutil.which("mpirun") is None:
        raise ToolError("RANKS: mpirun is missing (package openmpi-bin)", EXIT_NO_DEVICE)
    flags = ["--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    return ["mpirun", *flags, str(program), *arguments]


def environment(ranks: int) -> dict[str, str]:
    """The environment of mpirun. The ranks share the cores and, on GPUs, do without NVLink
    multicast, which needs rights that a container may lack; NCCL_NVLS_ENABLE=1 turns it on."""
    cores = len(os.sched_getaffinity(0))
    defaults = {"NCCL_NVLS_ENABLE": "0", "EMULATOR_WORKERS": str(max(1, cores // ranks))}
    return defaults | dict(os.environ) | SETTINGS


def translate(message: str, some_rank_spoke: bool) -> str:
    """What a reader needs of a message of mpirun: one line, or nothing."""
    words = " ".join(message.split())
    if found := BY_SIGNAL.search(words):
        return f"rank {found[1]} was ended by signal {found[2]}, and all ranks with it\n"
    if found := BY_STATUS.search(words):
        said = f"rank {found[1]} ended with exit status {found[2]}, and all ranks with it\n"
        return "" if some_rank_spoke else said
    return "" if words.startswith(KNOWN) or not words else message


def readable(lines: Iterable[str]) -> Iterator[str]:
    """The lines of the ranks, and those of mpirun in our words."""
    box: list[str] | None = None
    some_rank_spoke = False
    for line in lines:
        if RULE.fullmatch(line.strip()):
            if box is not None and (text := translate("".join(box), some_rank_spoke)):
                yield text
            box = [] if box is None else None
        elif box is not None:
            box.append(line)
        elif SILENT.match(line):
            continue
        else:
            some_rank_spoke = some_rank_spoke or bool(line.strip())
            yield line
    yield from box or []


def run_ranks(
    program: Path,
    arguments: list[str],
    ranks: int,
    more_environment: dict[str, str] | None = None,
    stdout: int | None = None,
) -> tuple[int, str]:
    """The exit status, and what the ranks and mpirun wrote to stderr. That is printed, too."""
    said = ""
    with subprocess.Popen(
        command(program, arguments, ranks),
        env=environment(ranks) | (more_environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        try:
            assert process.stderr is not None
            for line in readable(process.stderr):
                said += line
                sys.stderr.write(line)
                sys.stderr.flush()
            status = process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
    # More than 128: a rank was ended by a signal.
    return (EXIT_FAILURE if not 0 <= status <= 128 else status), said
