# SPDX-License-Identifier: MIT
# Figure 3.11: the stages of the small quicksort.

load shared.'/style.gp'
load shared.'/bar_panels.gp'
