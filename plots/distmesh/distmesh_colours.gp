# SPDX-License-Identifier: MIT
# Distmesh: one colour per class of quality, from flat to equilateral, and how a mesh is drawn in them.

array quality_colours[10] = ['#7a1f00', '#a63603', '#D55E00', '#e07b00', '#E69F00', '#efbf5a', '#f5dfae', '#b5dcf2', '#56B4E9', '#0072B2']
colour_of(numbers, i) = quality_colours[int(word(numbers, i+1)) + 1]
