# SPDX-License-Identifier: MIT
# Figure 4.10: the stages of the merge sort against the number of keys.

load plots.'/style.gp'
colour(i) = i + 1
load plots.'/against_n_panels.gp'
