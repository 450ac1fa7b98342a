# SPDX-License-Identifier: MIT
"""Shared by the tests of make explain: one program per cause, which is cured with CURED defined."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.common.tools.course_tools import BUILD, run_tool

FOLDER = Path(__file__).resolve().parent / "causes"
# Of each program: the kind, a part of the line that wastes, and what cause and cure must say.
CAUSES = {
    "arithmetic/division": (
        "division",
        "value * value % modulus",
        "`%` by an integer that the compiler does not know",
        "make the divisor a constant",
    ),
    "arithmetic/double_literals": (
        "double_literal",
        "0.5 * (value + 2.0 / (value + 3.14159))",
        "0.5, 2.0, 3.14159 are doubles",
        "write 0.5f, 2.0f, 3.14159f",
    ),
    "banks": (
        "bank_conflict",
        "sum += s_tile[threadIdx.x][i]",
        r"all 32 lanes meet in bank 0: .* 32 words apart; .* 32 wavefronts instead of 1",
        "pad the row from 32 to 33 words",
    ),
    "block_size": ("block_size", "double_kernel", "24 of the 64 lanes", "multiple of 32 threads"),
    "branch": (
        "branch",
        "value * 0.5f + 1.0f",
        "16 of 32 lanes wait here: .* modulo 2",
        "let whole warps take the same side",
    ),
    "constants": (
        "constants",
        "factors[threadIdx.x]",
        "32 different constants",
        "the same constant",
    ),
    "ever_fewer": (
        "ever_fewer",
        "s_values[t] += s_values[t + apart]",
        "the lanes that work lie 2 to 8 apart",
        "let the first threads of the block work",
    ),
    "growing_stride": (
        "bank_conflict",
        "s_values[place] += s_values[place + apart]",
        "neighbouring lanes are 2 words apart, later up to",
        "neighbouring words in every round",
    ),
    "host/allocations": (
        "allocations",
        "cudaMalloc(&next",
        r"cudaMalloc\(\) and cudaFree\(\) in a loop around 20 launches",
        "allocate before the loop",
    ),
    "host/pageable": (
        "pageable",
        "cudaMemcpyAsync",
        "the host's memory is pageable",
        "cudaMallocHost()",
    ),
    "host/small_copies": (
        "copies",
        "&h_values[i], 4, cudaMemcpyHostToDevice",
        "4096 calls copy 4 bytes each",
        "copy all of it with one call",
    ),
    "host/small_launches": (
        "small_launches",
        "fill_kernel<<<1, kColumns>>>",
        "100 launches of 4 warps at most",
        "let one launch do the work",
    ),
    "host/waits": (
        "waits",
        "cudaDeviceSynchronize()",
        "in each round of a loop with 20 launches",
        "wait once after the loop",
    ),
    "minimum": (
        "one_word",
        "atomicMin(least, values[i])",
        "32 lanes of a warp send their atomic minima to the same word",
        "find the minimum of a warp first",
    ),
    "narrow_product": (
        "reuse",
        "a[y * kSize + k]",
        "a block loads each of its 256 sectors 8 times",
        "once per block into shared memory",
    ),
    "shifted": (
        "shifted",
        "values[kBefore",
        "begins 12 bytes after the beginning of a sector of 32 bytes, for the whole list",
        "let the list begin 5 elements later",
    ),
    "copies": (
        "copies",
        "cudaMemcpyHostToDevice",
        "16384 bytes are copied from host to device 10 times",
        "copy once before the loop",
    ),
    "loop_lengths": (
        "loop_lengths",
        "k < length",
        "16 of 32 lanes wait here: .* as long as its last lane",
        "loops of the same length",
    ),
    "misaligned": (
        "misaligned",
        "to[place] = from[place]",
        "begins 4 bytes after the beginning of a sector",
        "pad the rows",
    ),
    "needless_barrier": (
        "needless_barrier",
        "__syncthreads()",
        "meet here 8 times, and nobody writes",
        "out of the loop",
    ),
    "one_block": (
        "few_blocks",
        "i += stride",
        "1 block pass this loop 64 times .* 131 of 132 multiprocessors",
        "launch more blocks",
    ),
    "one_lane": ("one_lane", "sum += s_values[i]", "one lane works alone", "share this work"),
    "one_word": (
        "one_word",
        "atomicAdd(sum, values[i])",
        "32 lanes of a warp .* the same word",
        "one atomic operation per warp or block",
    ),
    "plane": (
        "stride",
        "x * kSize + y",
        "128 elements of 4 bytes apart: a request touches 32 sectors instead of 4",
        "swap x and y",
    ),
    "register": (
        "repeated_access",
        "sums[i] += values",
        "the same addresses again",
        "keep the value in a local variable",
    ),
    "scattered": (
        "scattered",
        "to[i] = from[place]",
        "nothing to do with one another: a request touches",
        "sort the work",
    ),
    "shared_occupancy": (
        "occupancy",
        "shift_kernel",
        "5 blocks .*, 320 of 2048 threads, because a block takes 40960 bytes of shared memory",
        "smaller tile",
    ),
    "shared_reuse": (
        "reuse",
        "fabsf(places[j] - own)",
        "each of its 128 sectors 64 times",
        "once per block into shared memory",
    ),
    "stride": (
        "stride",
        "sum += matrix[i * kSize + j]",
        "512 elements of 4 bytes apart: a request touches 32 sectors instead of 4",
        "swap the two indices",
    ),
    "structs": (
        "struct",
        "particles[i].x +=",
        "one member of structs that are 32 bytes apart",
        "an array of its own",
    ),
    "transpose": (
        "stride",
        "to[x * kSize + y + row]",
        "128 elements of 4 bytes apart",
        "put a tile into shared memory",
    ),
    "waiting_warps": (
        "waiting_warps",
        "__syncthreads()",
        "7 of the block's 8 warps wait here",
        "among all warps",
    ),
}


def program(kind: str, name: str) -> Path:
    """ "wasting": the program as it stands. "cured": with CURED defined, in the build folder."""
    source = FOLDER / f"{name}.cu"
    if kind == "wasting":
        return source
    cured = BUILD / "explain-cured" / f"{name}.cu"
    cured.parent.mkdir(parents=True, exist_ok=True)
    partial = cured.with_name(
        f"{cured.stem}.{os.getpid()}.partial"
    )  # another test may write it, too
    partial.write_text(f"#define CURED\n{source.read_text(encoding='utf-8')}", encoding="utf-8")
    return partial.replace(cured)


def explain(path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_tool("explain", FILE=str(path), **variables)


def findings(path: Path) -> list[dict[str, Any]]:
    result = explain(path, JSON="-")
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    found = json.loads(result.stdout)["findings"]
    assert isinstance(found, list)
    return found
