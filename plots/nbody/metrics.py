# SPDX-License-Identifier: MIT
"""The profiler's metrics of utilisation that figures 6.4 and 6.5 draw."""

# A label and its metrics, of which the first that exists counts.
UTILISATION = (
    ("SM", ("sm__throughput.avg.pct_of_peak_sustained_elapsed",)),
    (
        "issue slots",
        (
            "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
            "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    (
        "FMA pipe",
        (
            "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
            "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    (
        "ALU pipe",
        (
            "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed",
            "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
    (
        "XU pipe",
        (
            "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
            "sm__pipe_xu_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ),
    ),
)
