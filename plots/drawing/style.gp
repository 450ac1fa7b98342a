# SPDX-License-Identifier: MIT
# The style of all figures. A script is called with `shared` (this folder), `own` (the script's folder),
# `variables` (a file with its settings), `format` (png, svg or gif) and `output_file`. It loads this file first.

if (format eq 'png') {
    set terminal pngcairo size 1600,900 font 'DejaVu Sans,20' enhanced background '#ffffff'
}
if (format eq 'svg') {
    set terminal svg size 1600,900 font 'DejaVu Sans,20' enhanced background '#ffffff'
}
set encoding utf8
load variables
if (format ne 'gif') set output output_file

# Okabe and Ito's colours, which colour-blind readers can distinguish. Yellow is left out: it is too pale on white.
set linetype 1 lc rgb '#0072B2' lw 3 pt 7  ps 1.4
set linetype 2 lc rgb '#56B4E9' lw 3 pt 5  ps 1.3
set linetype 3 lc rgb '#E69F00' lw 3 pt 9  ps 1.6
set linetype 4 lc rgb '#009E73' lw 3 pt 13 ps 1.7
set linetype 5 lc rgb '#CC79A7' lw 3 pt 11 ps 1.6
set linetype 6 lc rgb '#D55E00' lw 3 pt 15 ps 1.5
set linetype 7 lc rgb '#000000' lw 3 pt 4  ps 1.4      # the serial stage
grey = '#8a8a8a'                       # the thesis' numbers in all figures
set linetype 8 lc rgb grey lw 3 pt 2 ps 2 dt 2

set border 3 lw 1.5 lc rgb '#404040'
set tics nomirror out textcolor rgb '#202020'
set grid ytics lt -1 lw 1 lc rgb '#e2e2e2'
set key noenhanced samplen 2 spacing 1.15 textcolor rgb '#202020'
set style fill solid 1.0 noborder
set boxwidth 0.8
set errorbars small

# Title and subtitle of the whole picture, above all panels. A script calls @heading before its first panel,
# and @no_heading after it.
heading = "set label 101 title_text at screen 0.015,0.962 left noenhanced font sprintf(',%.1f', title_size); \
           set label 102 subtitle_text at screen 0.015,0.915 left noenhanced font sprintf(',%.1f', subtitle_size) textcolor rgb '#505050'"
no_heading = "unset label 101; unset label 102"
top_edge = 0.815
