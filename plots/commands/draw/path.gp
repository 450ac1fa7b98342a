# SPDX-License-Identifier: MIT
# A shortest path among the edges that shortest paths take.

load shared.'/style.gp'
load own.'/plane.gp'
plot edges_file using 1:2:3:4 skip 1 with vectors nohead dt 1 lw 0.7 lc rgb '#c8c8c8', \
     way_file using 1:2:3:4 skip 1 with vectors head filled lw 4 lt 1, \
     vertices_file using 1:2 skip 1 with points pt 7 ps 0.8 lc rgb '#8a8a8a', \
     labels_file using 1:2 skip 1 with points pt 7 ps 1.6 lt 1, \
     labels_file using 1:2:3 skip 1 with labels offset 1.2,0.9 font ',16'
unset multiplot
