# SPDX-License-Identifier: MIT
# The stages beyond the thesis: pairs per second against n, and TFLOP/s at the largest n.
# panels: 0.535

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.07
set rmargin at screen 0.52
set tmargin at screen top_edge
set bmargin at screen 0.22
set title 'Kernels alone, 10^{12} pairs per second'
set logscale x
set xrange [n_low:n_high]
set yrange [0:rate_top]
set xlabel 'bodies' noenhanced
eval 'set xtics '.n_tics
set key bottom right reverse Left font ',15' samplen 1.5 spacing 1.05
plot for [i=0:rate_count-1] rate_file index i using 1:2 with linespoints lt (i%7)+1 dt 1+(i>6) title columnheader(1)
@no_heading
set lmargin at screen 0.60
set rmargin at screen 0.985
unset logscale x
unset xlabel
unset key
set title flops_title noenhanced font ',18'
set xrange [-0.6:bars-0.4]
set yrange [0:flops_top]
set xtics auto
set xtics scale 0 rotate by 25 right noenhanced font ',17'
plot flops_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     flops_file using 0:2:(sprintf('%.1f', $2)) skip 1 with labels offset 0,0.7 font ',16'
unset multiplot
