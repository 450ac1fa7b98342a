# SPDX-License-Identifier: MIT
# Points in the colours of their clusters, and the means of these.

load shared.'/style.gp'
load own.'/plane.gp'
plot for [i=0:points_count-1] points_file index i using 1:2 skip 1 with points pt 7 ps 0.35 lt int(word(colours, i+1)), \
     centres_file using 1:2 skip 1 with points pt 2 ps 2.4 lw 7 lc rgb '#ffffff', \
     centres_file using 1:2 skip 1 with points pt 2 ps 2.2 lw 3.5 lc rgb '#000000'
unset multiplot
