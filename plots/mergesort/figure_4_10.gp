# SPDX-License-Identifier: MIT
# Figure 4.10: the stages of the merge sort against the number of keys.

load shared.'/style.gp'
colour(i) = i + 1
load shared.'/against_n_panels.gp'
