# SPDX-License-Identifier: MIT
"""The columns of the recorded tables, for the programs that write them and those that read them.

A stage writes its rows itself (common/harness/results.cpp). A test compares its header with
ROW_COLUMNS.
"""

ROW_COLUMNS = (
    "date",
    "version",
    "chapter",
    "stage",
    "engine",
    "device",
    "n",
    "parameters",
    "grid",
    "input",
    "seed",
    "repeat",
    "setup_ms",
    "copy_in_ms",
    "kernels_ms",
    "copy_out_ms",
    "total_ms",
    "bytes",
    "operations",
    "verified",
)
# Of stages for many GPUs: <chapter>_ranks.csv. `make record` adds how many ranks it started.
RANK_COLUMNS = (*ROW_COLUMNS[:6], "ranks", *ROW_COLUMNS[6:])
REPORT_COLUMNS = (
    "chapter",
    "stage",
    "engine",
    "device",
    "n",
    "parameters",
    "seed",
    "field",
    "value",
)
COUNTER_COLUMNS = ("stage", "arguments", "kernel", "counter", "value")
# What each line of a stage asks of the memory. `text` finds the line again where others were added.
LINE_COLUMNS = (
    "stage",
    "file",
    "line",
    "text",
    "requests",
    "lanes",
    "sectors",
    "ideal_sectors",
    "wavefronts",
    "ideal_wavefronts",
    "sector_requests",
    "wavefront_requests",
    "barriers",
    "collectives",
)
PROFILE_COLUMNS = ("date", "chapter", "stage", "device", "n", "kernel", "metric", "unit", "value")
# The counters of the CPU engine and those of a GPU (make prove).
PROOF_COLUMNS = (
    "date",
    "program",
    "arguments",
    "kernel",
    "launches",
    "counter",
    "emulated",
    "measured",
    "ratio",
)
# The verdicts of the CPU engine and of compute-sanitizer (make verdicts).
VERDICT_COLUMNS = ("date", "program", "checker", "verdict", "kind", "lines")
# The harness compares each measured time with these limits (common/limits/device_limits.hpp).
LIMITS_COLUMNS = (
    "device",
    "bytes_per_second",
    "l2_bytes_per_second",
    "l2_bytes",
    "operations_per_second",
    "peak_bytes_per_second",
    "peak_l2_bytes_per_second",
    "peak_operations_per_second",
)
# What lower bounds are made of, at three sizes (plots/maintain/bounds_counters.py).
BOUND_COLUMNS = ("stage", "parameters", "n", "quantity", "value")
