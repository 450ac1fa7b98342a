# SPDX-License-Identifier: MIT
# Table II of Gaudiani 2012: iterations and triangulations against points, ours and the printed ones.
# panels: 0.525

load shared.'/style.gp'
set multiplot
@heading
set tmargin at screen top_edge
set bmargin at screen 0.13
set logscale xy
set xlabel 'points' noenhanced
set xrange [n_low:n_high]
eval 'set xtics '.n_tics
set format y '%g'
set key top left reverse Left font ',16' samplen 2.5 spacing 1.05
array titles[2] = [iterations_title, triangulations_title]
array ours[2] = [iterations_file, triangulations_file]
array then[2] = [theirsiterations_file, theirstriangulations_file]
array low[2] = [iterations_low, triangulations_low]
array high[2] = [iterations_high, triangulations_high]
mark(i) = i == 0 ? 4 : 2
theirs = show_theirs ? ", for [i=0:1] then[panel] index i using 1:2 with linespoints lt 8 lw 2 dt 2 pt mark(i) ps 1 title columnheader(1)" : ''
do for [panel=1:2] {
    set lmargin at screen 0.085 + 0.49*(panel-1)
    set rmargin at screen 0.49 + 0.495*(panel-1)
    set title titles[panel] noenhanced
    set yrange [low[panel]:high[panel]]
    set ytics autofreq
    do for [exponent=0:5] {
        do for [digit in '2 5'] { set ytics add (sprintf('%g', digit * 10.0**exponent) digit * 10.0**exponent) }
    }
    plot for [i=0:1] ours[panel] index i using 1:2 with linespoints lt (i == 0 ? 7 : 3) ps (i == 0 ? 1.6 : 0.9) lw (i == 0 ? 5 : 2.5) title columnheader(1) @theirs
    @no_heading
}
unset multiplot
