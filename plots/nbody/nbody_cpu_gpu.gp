# SPDX-License-Identifier: MIT
# N-body, the serial stage against the first and the last of the stages with kernels.

load shared.'/style.gp'
colour(i) = i == 1 ? 1 : 6
load shared.'/cpu_gpu_panels.gp'
