# SPDX-License-Identifier: MIT
# The ways of bodies in a plane, and where they end.

load shared.'/style.gp'
load own.'/plane.gp'
plot for [i=0:ways_count-1] ways_file index i using 1:2 skip 1 with lines lw 1 lt int(word(colours, i+1)), \
     ends_file using 1:2 skip 1 with points pt 7 ps 0.6 lc rgb '#000000'
unset multiplot
