# SPDX-License-Identifier: MIT
# The stages after the thesis': the time of an iteration of each, and against the number of clusters.
# panels: 0.585

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.10
set rmargin at screen 0.47
set tmargin at screen top_edge
set bmargin at screen 0.22
set title bars_title noenhanced font ',18'
set logscale y
set format y '%g'
set xrange [-0.6:bars-0.4]
set yrange [bars_low:bars_high]
set xtics scale 0 rotate by 35 right noenhanced font ',14'
unset key
if (reading > 0) {
    set arrow 1 from -0.6,reading to bars-0.4,reading nohead lc rgb '#404040' lw 2 dt 2
    set label 1 reading_text at bars-1.5,reading offset 0,0.6 right noenhanced font ',12' textcolor rgb '#404040'
}
plot stage_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     stage_file using 0:2:(sprintf('%.3g', $2)) skip 1 with labels offset 0,0.7 font ',14'
@no_heading
unset arrow 1
unset label 1
set lmargin at screen 0.545
set rmargin at screen 0.82
set logscale xy
set title 'Against the number of clusters, ms' noenhanced font ',18'
set xrange [k_low:k_high]
set yrange [ms_low:ms_high]
set xlabel 'clusters' noenhanced
set xtics scale 1 norotate center font ',17'
eval 'set xtics '.k_tics
set key at screen 0.995,0.80 reverse Left font ',14' samplen 3 spacing 1.15
if (reading > 0) {
    set arrow 1 from k_low,reading to k_high,reading nohead lc rgb '#404040' lw 2 dt 2
}
plot for [i=0:iteration_count-1] iteration_file index i using 1:2 with linespoints lt (i%7)+1 dt 1+(i>6) title columnheader(1)
unset multiplot
