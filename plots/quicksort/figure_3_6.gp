# SPDX-License-Identifier: MIT
# Figure 3.6: the bitonic network, from a trace: one wire per place of the list, one upright line per comparison.

load shared.'/style.gp'
@heading
set lmargin at screen 0.05
set rmargin at screen 0.95
set tmargin at screen 0.87
set bmargin at screen 0.09
unset border
unset tics
unset grid
set xrange [-0.9:right+0.9]
set yrange [-1.6:top+0.3]
set key at screen 0.5,0.045 center horizontal samplen 1 font ',16'
set label 1 'input' at -0.25,top-0.1 right font ',16' textcolor rgb '#505050'
set label 2 'output' at right+0.25,top-0.1 left font ',16' textcolor rgb '#505050'
plot wires_file using 1:2:($3-$1):(0) skip 1 with vectors nohead lc rgb '#c8c8c8' lw 1.5 notitle, \
     pairs_file index 1 using 1:2:(0):($3-$2) skip 1 with vectors nohead lc rgb '#56B4E9' lw 2.5 notitle, \
     pairs_file index 1 using 1:2 skip 1 with points pt 7 ps 0.9 lc rgb '#56B4E9' notitle, \
     pairs_file index 1 using 1:3 with points pt 7 ps 0.9 lc rgb '#56B4E9' title columnheader(1), \
     pairs_file index 0 using 1:2:(0):($3-$2) skip 1 with vectors nohead lc rgb '#D55E00' lw 2.5 notitle, \
     pairs_file index 0 using 1:2 skip 1 with points pt 7 ps 0.9 lc rgb '#D55E00' notitle, \
     pairs_file index 0 using 1:3 with points pt 7 ps 0.9 lc rgb '#D55E00' title columnheader(1), \
     first_file using ($1-0.25):2:3 skip 1 with labels right font ',17' notitle, \
     last_file using ($1+0.25):2:3 skip 1 with labels left font ',17' notitle, \
     steps_file using 1:(-1.1):2 skip 1 with labels center font ',16' textcolor rgb '#505050' notitle
