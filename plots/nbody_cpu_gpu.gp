# SPDX-License-Identifier: MIT
# N-body, the serial stage against the kernels: times, and the speed-up of the first and the last kernel.

load plots.'/style.gp'
colour(i) = i == 1 ? 1 : 6
load plots.'/cpu_gpu_panels.gp'
