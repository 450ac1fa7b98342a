# SPDX-License-Identifier: MIT
# Two galaxies, one picture per step that was written. A body's colour shows the galaxy in which it began.

set terminal gif animate delay 6 loop 0 optimize size 640,640 background '#0b1020' font 'DejaVu Sans,14'
load shared.'/style.gp'
set output output_file
unset border
unset tics
unset grid
unset key
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0
set size ratio 1
set xrange [x_centre-half:x_centre+half]
set yrange [y_centre-half:y_centre+half]
do for [i=0:frame_count-1] {
    set label 1 'step '.word(steps, i+1) at graph 0.03,0.96 textcolor rgb '#c8d0e0' noenhanced
    plot frames_file index i using 1:($3 < 0.5 ? $2 : NaN) with points pt 7 ps 0.35 lc rgb '#56B4E9', \
         frames_file index i using 1:($3 > 0.5 ? $2 : NaN) with points pt 7 ps 0.35 lc rgb '#E69F00'
}
