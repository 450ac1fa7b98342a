# SPDX-License-Identifier: MIT
# Storms: time by version, one line per stage. Three panels show whole runs, each on its own logarithmic
# axis. The grey panel shows the printed times of four versions on a linear axis: they have other inputs
# and another device.

load shared.'/style.gp'
set multiplot
@heading
set tmargin at screen 0.765
set bmargin at screen 0.125
set yrange [rows-0.5:-0.75]
set ytics scale 0 0,1 format ''
set grid ytics noxtics lt -1 lw 1 lc rgb '#ececec'
unset key
set label 11 'one core' at screen 0.17,0.028 left point lt 7 pt 5 ps 0.9 offset 1,-0.15 font ',15'
set label 12 'whole run' at screen 0.26,0.028 left point lt 1 ps 1.1 offset 1,-0.15 font ',15'
set label 13 'kernels alone' at screen 0.36,0.028 left point lt 3 ps 0.9 offset 1,-0.15 font ',15'
array low[3] = [low_0, low_1, low_2]
array high[3] = [high_0, high_1, high_2]
array marks[3] = [tics_0, tics_1, tics_2]
array titles[3] = [title_0, title_1, title_2]
array words[3] = [cells_0.",\n".waves_0, cells_1.",\n".waves_1, cells_2.",\n".waves_2]
left(i) = 0.16 + 0.213*i
do for [panel=1:3] {
    set lmargin at screen left(panel-1)
    set rmargin at screen left(panel-1) + 0.195
    set logscale x
    set xrange [low[panel]:high[panel]]
    set format x '%g'
    eval 'set xtics '.marks[panel]
    set xtics font ',15'
    set title titles[panel] noenhanced offset 0,1.1
    set label 1 words[panel] at graph 0.5,1.055 center font ',14' noenhanced textcolor rgb '#505050'
    plot whole_file index (panel-1) using (low[panel]):1:($2-low[panel]):(0) skip 1 with vectors nohead lc rgb '#c9dff0' lw 5, \
         serial_file index (panel-1) using (low[panel]):1:($2-low[panel]):(0) skip 1 with vectors nohead lc rgb '#d9d9d9' lw 5, \
         whole_file index (panel-1) using 2:1:3:4 skip 1 with xerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1, \
         serial_file index (panel-1) using 2:1 skip 1 with points lt 7 pt 5 ps 0.9, \
         whole_file index (panel-1) using 2:1 skip 1 with points lt 1 ps 1.1, \
         inner_file index (panel-1) using 2:1 skip 1 with points lt 3 ps 0.9, \
         whole_file index (panel-1) using 2:1:5 skip 1 with labels left offset 0.8,0 font ',14', \
         serial_file index (panel-1) using 2:1:5 skip 1 with labels left offset 0.8,0 font ',14', \
         wrong_file using (sqrt(low[panel]*high[panel])):1:2 skip 1 with labels font ',14' textcolor rgb '#606060', \
         names_file using (panel == 1 ? low[1] : NaN):1:2 skip 1 with labels right offset -0.8,0 font ',15' noenhanced
    @no_heading
    unset label 11
    unset label 12
    unset label 13
}
set lmargin at screen 0.83
set rmargin at screen 0.985
unset logscale
unset label 1
set xrange [0:theirs_high]
set format x '%g s'
set xtics autofreq
set xtics 0,50 font ',15'
set title theirs_key noenhanced font ',15' offset 0,1.1
set label 1 "its own inputs and GPU,\nunnamed" at graph 0.5,1.055 center font ',14' noenhanced textcolor rgb '#505050'
set label 3 'published, on another scale' at screen 0.9075,0.028 center font ',14' noenhanced textcolor rgb '#505050'
set style fill solid 1.0 border lc rgb grey
box = '($2/2):1:(0):2:($1-0.22):($1+0.22)'
plot theirs_file using @box skip 1 with boxxyerror lc rgb grey lw 2, \
     race_file using @box skip 1 with boxxyerror lc rgb grey lw 2 fs pattern 4 border lc rgb grey, \
     bound_file using @box skip 1 with boxxyerror lc rgb grey lw 2 dt 3 fs empty border lc rgb grey, \
     theirs_file using 2:1:3 skip 1 with labels left offset 0.5,0 font ',14', \
     race_file using 2:1:3 skip 1 with labels left offset 0.5,0 font ',14', \
     bound_file using 2:1:3 skip 1 with labels left offset 0.5,0 font ',14'
unset multiplot
