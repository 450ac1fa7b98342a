# SPDX-License-Identifier: MIT
# Figures 5.5 to 5.8: the serial stage against the first and the last of the stages with kernels, for one k.

load shared.'/style.gp'
colour(i) = i == 1 ? 1 : 5
load shared.'/cpu_gpu_panels.gp'
