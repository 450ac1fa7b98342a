# SPDX-License-Identifier: MIT
# K-means: points in the colours of their clusters, and the centroids. A point is a stroke as long as it is wide:
# an SVG holds all points of a colour in one path. Marks would take three times the bytes.
# panels: 0.335 0.665

load shared.'/style.gp'
set multiplot
@heading
unset tics
unset grid
unset key
set border 15 lw 1 lc rgb '#c0c0c0'
set xrange [-reach:reach]
set yrange [-reach:reach]
set tmargin at screen 0.77
set bmargin at screen 0.77 - 0.31*1600/900
side = 2*reach/0.31/1600*3.2          # of a point, in the plane's unit
left(i) = 0.015 + 0.33*i
array titles[3] = [title0, title1, title2]
array captions[3] = [caption0, caption1, caption2]
array points[3] = [points0_file, points1_file, points2_file]
array counts[3] = [points0_count, points1_count, points2_count]
array centroids[3] = [centroids0_file, centroids1_file, centroids2_file]
do for [panel=1:3] {
    set lmargin at screen left(panel-1)
    set rmargin at screen left(panel-1) + 0.31
    set label 1 captions[panel] at screen left(panel-1)+0.155,0.155 center noenhanced font ',18'
    set title titles[panel] noenhanced
    plot for [i=0:counts[panel]-1] points[panel] index i using ($1-side/2):2:(side):(0) skip 1 with vectors nohead lt i+1 lw 3.2, \
         centroids[panel] using 1:2 skip 1 with points pt 2 ps 2.4 lw 7 lc rgb '#ffffff', \
         centroids[panel] using 1:2 skip 1 with points pt 2 ps 2.2 lw 3.5 lc rgb '#000000'
    @no_heading
}
unset multiplot
