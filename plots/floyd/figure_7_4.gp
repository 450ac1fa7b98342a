# SPDX-License-Identifier: MIT
# Figure 7.4: serial Floyd-Warshall against the first and the last of the stages with kernels.

load shared.'/style.gp'
colour(i) = i == 1 ? 1 : 6
load shared.'/cpu_gpu_panels.gp'
