# SPDX-License-Identifier: MIT
# The two panels that compare the serial stage with kernels: times, and the speed-ups of the first and the
# last stage with kernels. `colour(i)` gives the line type of the i-th one.
# panels: 0.52

thesis_times = show_thesis_times ? ", thesistime_file using 1:2 with points lt 8 title columnheader(1)" : ''
thesis = show_thesis ? ", thesis_file using 1:2 with linespoints lt 8 title columnheader(1)" : ''
set multiplot
@heading
set lmargin at screen 0.085
set rmargin at screen 0.49
set tmargin at screen top_edge
set bmargin at screen 0.13
set logscale xy
set xlabel unit_text noenhanced
set xrange [n_low:n_high]
eval 'set xtics '.n_tics
set format y '%g'
set title 'Time of a run (set-up, copies, kernels), s' noenhanced
set yrange [time_low:time_high]
set key top left reverse Left font ',15' samplen 1.5 spacing 1.05 maxrows 4
plot for [i=0:time_count-1] time_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     time_file index 0 using 1:2 with linespoints lt 7 title columnheader(1), \
     for [i=1:time_count-1] time_file index i using 1:2 with linespoints lt colour(i) title columnheader(1) @thesis_times
@no_heading

set lmargin at screen 0.575
set rmargin at screen 0.985
set title 'Speed-up over the serial stage' noenhanced
set format y '%g'
set yrange [gain_low:gain_high]
# On two decades or less, powers of ten would give only one or two labels.
if (gain_high < 100 * gain_low) {
    do for [exponent=-3:6] {
        do for [digit in '2 5'] { set ytics add (sprintf('%g', digit * 10.0**exponent) digit * 10.0**exponent) }
    }
}
set key top left reverse Left font ',17'
plot gain_file index 0 using 1:2 with linespoints lt colour(1) title columnheader(1), \
     gain_file index 1 using 1:2 with linespoints lt colour(time_count-1) title columnheader(1) @thesis
unset multiplot
