# SPDX-License-Identifier: MIT
# A mesh in the colours of its triangles' quality.

load shared.'/style.gp'
load own.'/../../distmesh/distmesh_colours.gp'
load own.'/plane.gp'
plot for [i=0:triangles_count-1] triangles_file index i using 1:2 skip 1 with filledcurves closed lc rgb colour_of(numbers, i), \
     edges_file using 1:2:3:4 skip 1 with vectors nohead dt 1 lc rgb '#ffffff' lw 1
unset multiplot
