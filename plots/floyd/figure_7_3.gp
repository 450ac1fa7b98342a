# SPDX-License-Identifier: MIT
# Figure 7.3: the stages of Floyd-Warshall against the number of vertices.

load shared.'/style.gp'
colour(i) = i == 2 ? 6 : 2*i + 1
load shared.'/against_n_panels.gp'
