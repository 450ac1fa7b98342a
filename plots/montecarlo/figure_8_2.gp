# SPDX-License-Identifier: MIT
# Figure 8.2: the serial stage against the first and the last of the stages with kernels.

load shared.'/style.gp'
set linetype 1 pt 6 ps 2.6                # open marks: the stages overlap
colour(i) = i == 1 ? 1 : 6
load shared.'/cpu_gpu_panels.gp'
