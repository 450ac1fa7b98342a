# SPDX-License-Identifier: MIT
# Distmesh from the lattice to rest: one picture per frame, in the colours of the triangles' quality.

back = '#0b1020'
front = '#c8d0e0'
set terminal gif animate delay 14 loop 0 optimize size 640,720 background back font 'DejaVu Sans,14'
load shared.'/style.gp'
load own.'/distmesh_colours.gp'
set output output_file
unset border
unset tics
unset grid
unset key
set lmargin at screen 0.01; set rmargin at screen 0.99
set tmargin at screen 0.93; set bmargin at screen 0.93 - 0.98*640/720
set xrange [-half:half]
set yrange [-half:half]
do for [i=0:classes-1] {
    set object i+1 rectangle from screen 0.58+0.04*i,0.025 to screen 0.58+0.04*(i+1),0.04 fc rgb quality_colours[i+1] fs solid noborder noclip
}
set label 3 sprintf('%.1f', least_class) at screen 0.57,0.033 right font ',11' textcolor rgb front
set label 4 '1' at screen 0.985,0.033 left font ',11' textcolor rgb front
do for [i=0:frame_count-1] {
    numbers = value(sprintf('numbers_%d', i))
    triangles = value(sprintf('triangles_%d', i))
    edges = value(sprintf('edges_%d', i))
    set label 1 value(sprintf('title_%d', i)) at screen 0.015,0.965 left textcolor rgb front noenhanced
    set label 2 value(sprintf('quality_%d', i)) at screen 0.015,0.033 left textcolor rgb front noenhanced
    plot for [j=0:words(numbers)-1] triangles index j using 1:2 skip 1 with filledcurves closed lc rgb colour_of(numbers, j), \
         edges using 1:2:3:4 skip 1 with vectors nohead dt 1 lw 1 lc rgb back
}
