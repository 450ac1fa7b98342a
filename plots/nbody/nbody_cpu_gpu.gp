# SPDX-License-Identifier: MIT
# N-body, the serial stage against the kernels: times, and the speed-up of the first and the last kernel.

load shared.'/style.gp'
colour(i) = i == 1 ? 1 : 6
load shared.'/cpu_gpu_panels.gp'
