# SPDX-License-Identifier: MIT
"""What `make explain` and cuda-explain print: per line that wastes cause and cure, then the bounds.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from common.tools.explain.causes import Run, findings, run
from common.tools.explain.costs import main_lines, with_shares
from common.tools.explain.devices import Device
from common.tools.explain.finding import Finding
from common.tools.explain.kernel_bounds import KernelBounds, bounds_of, how_counted
from common.tools.lib.counting import Kernel
from common.tools.lib.files import write_whole
from common.tools.lib.stages import EXIT_FAILURE, Stage
from common.tools.machine_code.compiled import NoMachineCode
from common.tools.machine_code.counts import Compiling

SCHEMA = 1
MAIN_LINES = 3


def source_line(one: Run, finding: Finding) -> str:
    lines = one.texts.get(finding.file, [])
    return lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""


Costed = list[tuple[Finding, float | None]]  # with the share of the kernel's lower bound


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "less than 1 %"


def print_findings(one: Run, found: Costed, exact: bool) -> None:
    if not found:
        unknown = "" if exact else "; arithmetic is seen only as far as the source's text shows it"
        print(f"no line wastes sectors, wavefronts, lanes or turns{unknown}")
    for finding, share in found:
        place = f"{finding.file}:{finding.line}" if finding.line else finding.file
        print(f"{place}  {source_line(one, finding)}".rstrip())
        if finding.kernel:
            print(f"  kernel: {finding.kernel}")
        print(f"  cause: {finding.cause}.")
        print(f"  cure:  {finding.cure}.")
        if share is not None:
            print(f"  share: {percent(share)} of the kernel's lower bound at most.")


def as_json(found: Costed) -> list[dict[str, object]]:
    return [
        {
            "kind": one.kind,
            "file": one.file,
            "line": one.line,
            "kernel": one.kernel,
            "cause": one.cause,
            "cure": one.cure,
            "weight": round(one.weight, 4),
            "share": None if share is None else round(share, 4),
        }
        for one, share in found
    ]


def lines_of(one: KernelBounds, kernels: Mapping[str, Kernel]) -> str:
    """ "nbody.cu:37 (97 %)": the lines that take most of what binds the kernel."""
    kernel = kernels.get(one.kernel)
    lines = main_lines(kernel, one.binding.resource)[:MAIN_LINES] if kernel else []
    return ", ".join(f"{file}:{number} ({percent(part)})" for file, number, part in lines)


def print_bounds(
    found: list[KernelBounds], kernels: Mapping[str, Kernel], device: Device, how: str
) -> None:
    print(f"Lower bounds on {device.name}: no run can take less, most take more.")
    print(how)
    for one in found:
        print(f"  {one.name}")
        for resource, amount, time, binds in one.rows:
            print(f"    {resource}: {amount}, {time}{'  <- binds' if binds else ''}")
        if lines := lines_of(one, kernels):
            print(f"    most of it: {lines}")


def bounds_json(found: list[KernelBounds]) -> list[dict[str, object]]:
    return [
        {
            "kernel": each.kernel,
            "binding": each.binding.resource,
            "bounds": [
                {"resource": one.resource, "amount": one.amount, "seconds": one.seconds}
                for one in each.bounds
            ],
        }
        for each in found
    ]


def explain(
    stage: Stage, given: list[str], chosen: tuple[str, Device], json_file: str, variable: str
) -> int:
    """Runs the program, prints what it found, and returns the exit status. `json_file`: "-" for
    standard output, in place of the text. `variable`: its name, for messages."""
    key, device = chosen
    compiling = Compiling(stage, device.architecture)
    one = run(stage, given, key if device.emulated else "")
    # Counters of some blocks have no bound: the others did work, too.
    instructions = (
        NoMachineCode("not needed") if one.counted.sampled else compiling.count(one.counted.kernels)
    )
    known = {} if isinstance(instructions, NoMachineCode) else instructions
    bounds = [] if one.counted.sampled else bounds_of(one, device, known)
    kernels = {kernel.name: kernel for kernel in one.counted.kernels}
    found = with_shares(findings(one), kernels.values(), bounds, bool(known))
    if json_file != "-":
        print_findings(one, found, bool(known))
        print()
        if one.counted.sampled:
            print("No lower bounds: only some blocks were counted. EMULATOR_BUDGET=0 counts all.")
        else:
            print_bounds(bounds, kernels, device, how_counted(instructions, device))
    if json_file:
        document = {
            "schema": SCHEMA,
            "findings": as_json(found),
            "device": device.name,
            "instructions": "machine code" if known else "estimated",
            "lower_bounds": bounds_json(bounds),
        }
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        if json_file == "-":
            print(text, end="")
        else:
            write_whole(Path(json_file), text, f"{variable}={json_file}")
    return EXIT_FAILURE if one.counted.failed else 0
