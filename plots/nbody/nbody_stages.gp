# SPDX-License-Identifier: MIT
# Figures 6.6 and 6.7: the stages' times for one force evaluation, and for 100 leapfrog steps.

load shared.'/style.gp'
colour(i) = i + 1
load shared.'/against_n_panels.gp'
