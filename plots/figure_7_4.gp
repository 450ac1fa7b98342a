# SPDX-License-Identifier: MIT
# Figure 7.4: serial Floyd-Warshall against the first and the last of the stages with kernels.

load plots.'/style.gp'
colour(i) = i == 1 ? 1 : 6
load plots.'/cpu_gpu_panels.gp'
