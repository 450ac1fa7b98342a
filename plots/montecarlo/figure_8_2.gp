# SPDX-License-Identifier: MIT
# Figure 8.2: the serial stage against the kernels: times, and the speed-up of the first and the last kernel.

load shared.'/style.gp'
set linetype 1 pt 6 ps 2.6                # open marks: the stages lie on one another
colour(i) = i == 1 ? 1 : 6
load shared.'/cpu_gpu_panels.gp'
