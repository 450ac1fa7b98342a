# SPDX-License-Identifier: MIT
# Tables I and II of Gaudiani 2012: time against points of every stage, and the speed-up over the serial one. The
# printed numbers are grey.
# panels: 0.52

load shared.'/style.gp'
colour(i) = i == 0 ? 7 : i == 1 ? 1 : i == 2 ? 3 : i == 3 ? 4 : i == 4 ? 6 : i == 5 ? 5 : 2
mark(i) = i == 0 ? 4 : i == 1 ? 6 : 2  # of the three printed programs
theirs = show_theirs ? ", for [i=0:theirs_count-1] theirs_file index i using 1:2 with linespoints lt 8 lw 2 dt 2 pt mark(i) ps 1 title columnheader(1)" : ''
printed = show_printed ? ", printed_file using 1:2 with linespoints lt 8 lw 2 dt 2 pt mark(2) ps 1 title columnheader(1)" : ''
set multiplot
@heading
set lmargin at screen 0.085
set rmargin at screen 0.49
set tmargin at screen top_edge
set bmargin at screen 0.13
set logscale xy
set xlabel 'points' noenhanced
set xrange [n_low:n_high]
eval 'set xtics '.n_tics
set format y '%g'
set title time_title noenhanced
set yrange [time_low:time_high]
set key top left reverse Left font ',15' samplen 2.5 spacing 1.05 maxrows 5
plot for [i=0:time_count-1] time_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:time_count-1] time_file index i using 1:2 with linespoints lt colour(i) ps 1 title columnheader(1) @theirs
@no_heading

set lmargin at screen 0.575
set rmargin at screen 0.985
set title 'Speed-up over the serial stage' noenhanced
set yrange [gain_low:gain_high]
# On two decades or less, powers of ten would give only one or two labels.
if (gain_high < 100 * gain_low) {
    do for [exponent=-3:6] {
        do for [digit in '2 5'] { set ytics add (sprintf('%g', digit * 10.0**exponent) digit * 10.0**exponent) }
    }
}
plot for [i=0:gain_count-1] gain_file index i using 1:2 with linespoints lt colour(i+1) ps 1 title columnheader(1) @printed
unset multiplot
