# SPDX-License-Identifier: MIT
# The stages beyond the thesis: relaxations per second against the vertices, and at the largest size that
# all stages have, both beside what one instruction per relaxation allows.
# panels: 0.56

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.09
set rmargin at screen 0.42
set tmargin at screen top_edge
set bmargin at screen 0.22
set title 'Kernels alone, relaxations per second'
set logscale xy
set format y '10^{%L}'
set xrange [n_low:n_high]
set yrange [rate_low:rate_high]
set xlabel 'vertices' noenhanced
eval 'set xtics '.n_tics
set key at screen 0.585,0.76 reverse Left font ',14' samplen 3 spacing 1.15
if (limit > 0) {
    set arrow 1 from n_low,limit to n_high,limit nohead lc rgb '#404040' lw 2 dt 2
    set label 1 limit_text at n_low*1.1,limit offset 0,0.7 noenhanced font ',15' textcolor rgb '#404040'
}
plot for [i=0:rate_count-1] rate_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:rate_count-1] rate_file index i using 1:2 with linespoints lt (i%7)+1 dt 1+(i>6) title columnheader(1)
@no_heading
unset arrow 1
unset label 1
set lmargin at screen 0.64
set rmargin at screen 0.985
unset logscale
unset xlabel
unset key
set format y '%g'
set title bar_title font ',18'
set xrange [-0.6:bars-0.4]
set yrange [0:bar_top]
set xtics auto
set xtics scale 0 rotate by 25 right noenhanced font ',17'
if (limit > 0) {
    set arrow 1 from -0.6,limit/1e12 to bars-0.4,limit/1e12 nohead lc rgb '#404040' lw 2 dt 2
}
plot bar_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     bar_file using 0:2:(sprintf('%.3g', $2)) skip 1 with labels offset 0,0.7 font ',16'
unset multiplot
