# SPDX-License-Identifier: MIT
# Figure 3.12: the stages of the big quicksort against the number of keys.

load shared.'/style.gp'
colour(i) = i == 0 ? 1 : i + 2
load shared.'/against_n_panels.gp'
