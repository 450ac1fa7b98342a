# SPDX-License-Identifier: MIT
# Keys per second by the distribution of the keys: the last stage beside the library's radix sort.

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.09
set rmargin at screen 0.985
set tmargin at screen top_edge
set bmargin at screen 0.27
set title '10^9 keys per second, kernels alone'
set xrange [-0.6:bars-0.4]
set yrange [0:rate_top/1e9]
set xtics scale 0 rotate by 35 right noenhanced font ',16'
set key top left noenhanced
plot input_file using ($0-0.2):($2/1e9):(0.36) skip 1 with boxes lt 1 title own_key, \
     input_file using ($0+0.2):($3/1e9):(0.36) skip 1 with boxes lt 2 title library_key, \
     input_file using 0:(0):xtic(1) skip 1 with points pt -1 notitle
unset multiplot
