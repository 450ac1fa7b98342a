# SPDX-License-Identifier: MIT
# Figure 4.5, from a trace: the merge matrix and its path (a); the diagonals, the comparisons of their searches
# and their crossings with the path (b).
# panels: 0.5

load shared.'/style.gp'
set multiplot
@heading
unset border
unset tics
unset grid
unset key
left_room = 1.9
set xrange [-left_room:columns+0.3]
set yrange [rows+0.3:-1.6]
# Squares, in the middle of the height: a panel is 720 of 1600 points wide, the picture 900 points high.
height = (rows + 1.9)*720/(columns + left_room + 0.3)/900
height = height > 0.76 ? 0.76 : height
under = 0.49 - height/2 - 0.05
set size ratio -1
set tmargin at screen 0.49 + height/2
set bmargin at screen 0.49 - height/2
set style line 20 lc rgb '#d0d0d0' lw 1
do for [i=0:rows] { set arrow 200+i from 0,i to columns,i nohead ls 20 back }
do for [j=0:columns] { set arrow 300+j from j,0 to j,rows nohead ls 20 back }
set label 1 'right run' at columns*0.5,-1.1 center font ',17'
set label 2 'left run' at -1.55,rows*0.5 center rotate by 90 font ',17'
sides = "left_file using 1:2:3 skip 1 with labels right font ',15', right_file using 1:2:3 skip 1 with labels center font ',15'"

set lmargin at screen 0.03
set rmargin at screen 0.48
set label 3 '(a) 1: the left key is greater' at screen 0.255,under center font ',17'
plot entries_file using 1:2:3 skip 1 with labels center font ',17' textcolor rgb '#505050', \
     path_file using 1:2 skip 1 with lines lc rgb '#D55E00' lw 5, @sides
@no_heading

set lmargin at screen 0.52
set rmargin at screen 0.97
set label 3 '(b) the diagonals: comparisons of the searches (blue), crossings (red)' at screen 0.745,under center font ',17'
plot for [i=0:diagonals_count-1] diagonals_file index i using 1:2 skip 1 with lines dt 1 lc rgb '#b0b0b0' lw 1.5, \
     path_file using 1:2 skip 1 with lines lc rgb '#f0b48c' lw 4, \
     probes_file using 1:2 skip 1 with points pt 6 ps 1.9 lw 2.5 lc rgb '#0072B2', \
     path_file using 1:2 skip 1 with points pt 7 ps 1.5 lc rgb '#D55E00', @sides
unset multiplot
