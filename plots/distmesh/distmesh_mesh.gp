# SPDX-License-Identifier: MIT
# Distmesh: five meshes in the colours of their triangles' quality, and the share of each class.

load shared.'/style.gp'
load own.'/distmesh_colours.gp'
set multiplot
@heading
unset tics
unset grid
unset key
unset border
set size noratio
array files[5] = [triangles0_file, triangles1_file, triangles2_file, triangles3_file, triangles4_file]
array counts[5] = [triangles0_count, triangles1_count, triangles2_count, triangles3_count, triangles4_count]
array edges[5] = [edges0_file, edges1_file, edges2_file, edges3_file, edges4_file]
array numbers[5] = [numbers0, numbers1, numbers2, numbers3, numbers4]
array titles[5] = [title0, title1, title2, title3, title4]
array captions[5] = [caption0, caption1, caption2, caption3, caption4]
# The place of each mesh, its width, and half its sides: both directions have the same scale.
array left[5] = [0.02, 0.265, 0.51, 0.02, 0.46]
array wide[5] = [0.19, 0.19, 0.19, 0.40, 0.525]
array top[5] = [0.79, 0.79, 0.79, 0.36, 0.20]
array half_x[5] = [1.02, 1.02, 1.02, 2.04, 0.51]
array half_y[5] = [1.02, 1.02, 1.02, 1.02, 0.07]
do for [mesh=1:5] {
    set xrange [-half_x[mesh]:half_x[mesh]]
    set yrange [-half_y[mesh]:half_y[mesh]]
    set lmargin at screen left[mesh]
    set rmargin at screen left[mesh] + wide[mesh]
    set tmargin at screen top[mesh]
    set bmargin at screen top[mesh] - wide[mesh]*1600/900*half_y[mesh]/half_x[mesh]
    set label 1 titles[mesh] at screen left[mesh]+wide[mesh]/2, screen top[mesh]+0.062 center noenhanced font ',19'
    set label 2 captions[mesh] at screen left[mesh]+wide[mesh]/2, screen top[mesh]+0.025 center noenhanced font ',16' textcolor rgb '#505050'
    plot for [i=0:counts[mesh]-1] files[mesh] index i using 1:2 skip 1 with filledcurves closed lc rgb colour_of(numbers[mesh], i), \
         edges[mesh] using 1:2:3:4 skip 1 with vectors nohead dt 1 lc rgb '#ffffff' lw 1.5
    @no_heading
}
unset label 1
unset label 2
set lmargin at screen 0.775
set rmargin at screen 0.985
set tmargin at screen 0.79
set bmargin at screen 0.48
set border 1
set xrange [-0.5:classes-0.5]
set yrange [0:*]
set xtics () scale 0 font ',15' offset 0,-0.6
do for [i=0:classes:2] { set xtics add (sprintf('%.1f', least_class + (1 - least_class)*i/classes) i-0.5) }
do for [i=0:classes-1] {
    set object i+1 rectangle from first i-0.5, graph -0.085 to first i+0.5, graph -0.025 noclip fc rgb quality_colours[i+1] fs solid noborder
}
set label 3 sprintf('quality; below %.1f as %.1f', least_class, least_class) at screen 0.88,0.385 center font ',16'
set title 'Share of the triangles, %' noenhanced font ',19' offset 0,0.8
set boxwidth 0.9
plot for [i=0:classes-1] shares_file using 1:($1 == i ? $2 : NaN) skip 1 with boxes lc rgb quality_colours[i+1], \
     shares_file using 1:2:($2 < 0.95 ? '' : sprintf($2 < 9.95 ? '%.1f' : '%.0f', $2)) skip 1 with labels offset 0,0.7 font ',14'
unset multiplot
