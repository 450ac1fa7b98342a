# SPDX-License-Identifier: MIT
# The stages after the thesis': the time of an iteration against the number of clusters, and whole runs.

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.07
set rmargin at screen 0.52
set tmargin at screen top_edge
set bmargin at screen 0.22
set title 'Kernels of one more iteration, ms' noenhanced
set logscale xy
set format y '%g'
set xrange [k_low:k_high]
set yrange [ms_low:ms_high]
set xlabel 'clusters' noenhanced
eval 'set xtics '.k_tics
set key top left reverse Left font ',15' samplen 1.5 spacing 1.05
if (reading > 0) {
    set arrow 1 from first k_low, first reading to first k_high, first reading nohead lc rgb grey lw 2 dt 2
    set label 1 reading_text at first k_high, first reading offset -0.5,0.5 right noenhanced font ',15' textcolor rgb '#505050'
}
plot for [i=0:iteration_count-1] iteration_file index i using 1:2 with linespoints lt (i%7)+1 dt 1+(i>6) title columnheader(1)
@no_heading
unset arrow 1
unset label 1
set lmargin at screen 0.60
set rmargin at screen 0.985
unset logscale
unset xlabel
unset key
set title whole_title noenhanced font ',18'
set xrange [-0.6:bars-0.4]
set yrange [0:whole_top]
set xtics auto
set xtics scale 0 rotate by 25 right noenhanced font ',17'
plot whole_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     whole_file using 0:2:(sprintf('%.0f', $2)) skip 1 with labels offset 0,0.7 font ',16'
unset multiplot
