# SPDX-License-Identifier: MIT
# Storms: the stages against the number of cells, the serial one in black.

load shared.'/style.gp'
colour(i) = i == time_count - 1 ? 7 : i + 1
load shared.'/against_n_panels.gp'
