# SPDX-License-Identifier: MIT
# The times of stages at one n, and their ratios.

load shared.'/style.gp'
load shared.'/bar_panels.gp'
