# SPDX-License-Identifier: MIT
# N-body, the serial stage against the kernels: times, and the speed-up of the first and the last kernel.

load plots.'/style.gp'
unit_text = 'bodies'
time_title = 'Time of one force evaluation, s'
colour(i) = i
load plots.'/cpu_gpu_panels.gp'
