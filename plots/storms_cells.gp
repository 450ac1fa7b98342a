# SPDX-License-Identifier: MIT
# Storms: the stages against the number of cells, the serial one in black.

load plots.'/style.gp'
colour(i) = i == time_count - 1 ? 7 : i + 1
load plots.'/against_n_panels.gp'
