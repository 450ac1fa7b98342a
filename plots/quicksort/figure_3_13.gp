# SPDX-License-Identifier: MIT
# Figure 3.13: the serial quicksort against the first and the best of the big ones.

load shared.'/style.gp'
colour(i) = i == 1 ? 1 : 6
load shared.'/cpu_gpu_panels.gp'
