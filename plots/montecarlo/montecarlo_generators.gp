# SPDX-License-Identifier: MIT
# Rate and quality of the generators: a bar each, and the spread of their z-scores with its band.
# panels: 0.53

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.07
set rmargin at screen 0.50
set tmargin at screen top_edge
set bmargin at screen 0.27
set title 'Points per second of kernel time, 10¹²' noenhanced
set xrange [-0.6:bars-0.4]
set yrange [0:rate_top]
set xtics scale 0 rotate by 30 right noenhanced font ',15'
unset key
plot rate_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     rate_file using 0:2:(sprintf('%.3g', $2)) skip 1 with labels offset 0,0.7 font ',16'
@no_heading
set lmargin at screen 0.57
set rmargin at screen 0.985
set title 'Root mean square of z, 64 seeds' noenhanced
set yrange [score_bottom:score_top]
set object 1 rectangle from graph 0, first score_low to graph 1, first score_high fc rgb '#cfe7f6' behind
plot 1 with lines lc rgb '#0072B2' lw 2, \
     score_file using 0:2:xtic(1) skip 1 with points pt 7 ps 2 lc rgb '#D55E00'
unset multiplot
