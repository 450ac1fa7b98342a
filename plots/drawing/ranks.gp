# SPDX-License-Identifier: MIT
# The speed-up of a stage against the number of GPUs: the model's lines, and measured points where there are some.

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.08
set rmargin at screen 0.97
set tmargin at screen top_edge
set bmargin at screen 0.13
set logscale xy 2
set xrange [1:last*1.05]
set yrange [1:last*1.05]
set grid xtics ytics
set xlabel 'GPUs' noenhanced
set ylabel 'speed-up over one GPU' noenhanced
set key top left Left reverse
parts = "ideal_file using 1:2 with lines lc rgb '#c4c4c4' lw 2 dt 2 title columnheader(1), \
    model_file using 1:2 with linespoints lc rgb '#0072B2' lw 3 pt 6 ps 1.2 title columnheader(1), \
    beyond_file using 1:2 with lines lc rgb '#0072B2' lw 3 dt 3 title columnheader(1)"
if (exists('measured_count')) {
    parts = parts.", measured_file using 1:2 with points pt 7 ps 2.4 lc rgb '#D55E00' title columnheader(1)"
}
plot @parts
unset multiplot
