# SPDX-License-Identifier: MIT
# Figures 5.1 to 5.4: the stages of k-means against the number of points, for one k.

load shared.'/style.gp'
colour(i) = i + 1
load shared.'/against_n_panels.gp'
