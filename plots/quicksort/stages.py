# SPDX-License-Identifier: MIT
"""The stages of the quicksort chapter, by what they sort."""

from __future__ import annotations

from plots.records.stages import stages_of

STAGES = stages_of("quicksort")
# The bitonic network in one kernel, and in one launch per step.
BITONIC = STAGES.between("bitonic_global", "bitonic_first_step")
TWO_KERNELS = STAGES.named("bitonic_two_kernels")
SMALL = STAGES.between("small_recursive", "small_sublists_shared")
BIG = STAGES.between("big", "big_device_loop")
BEST = STAGES.named("big_lazy_streams")
COUNTING = STAGES.named("counting_partition")
# The sample sort and the libraries' sorts, and the fastest stage before them.
SAMPLE = (
    BEST,
    *(
        name
        for name in STAGES.kernels
        if STAGES[name].path in ("limit", "peers") and not name.endswith("_pairs")
    ),
)
LIBRARY = STAGES.named("cub_radix_sort")
LARGEST = 2**28  # keys that all of them sort
SAMPLE_SIZES = tuple(2**exponent for exponent in range(20, 31, 2))
# The sample sort of pairs, and those of the libraries. None, until they are recorded.
PAIRS = tuple(name for name in STAGES.kernels if name.endswith("_pairs"))
