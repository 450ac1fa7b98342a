# SPDX-License-Identifier: MIT
# Figure 3.9: the gain of shared memory, and of the first step outside the loops.

load shared.'/style.gp'
load shared.'/bar_panels.gp'
