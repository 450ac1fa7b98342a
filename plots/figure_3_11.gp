# SPDX-License-Identifier: MIT
# Figure 3.11: the stages of the small quicksort.

load plots.'/style.gp'
load plots.'/bar_panels.gp'
