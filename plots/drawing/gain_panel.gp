# SPDX-License-Identifier: MIT
# The right panel of bar_panels and against_n_panels: ratios of two stages' times as bars. Ratios that the
# thesis prints are grey.

set lmargin at screen 0.595
set rmargin at screen 0.985
set title gain_title.', '.gain_n.' '.unit_text noenhanced
unset logscale
unset xlabel
set xrange [-0.6:gain_bars-0.4]
set yrange [0:gain_top]
set format '%g'
set ytics autofreq
unset xtics
set xtics scale 0 rotate by 25 right noenhanced font ',17'
set key top left reverse Left font ',15' samplen 1.5
# Each group has one bar per device, and one for another n. The bars of a group fill 0.8 of its width.
bars = 1 + with_thesis + with_other
width = 0.8/bars
place(i) = (i - (bars - 1)/2.0)*width
set boxwidth width*0.94
labels = bars > 2 ? ',11' : ',15'
thesis = with_thesis ? ", gain_file using ($0+place(1)):3 skip 1 with boxes lc rgb grey title thesis_key, \
    gain_file using ($0+place(1)):3:(sprintf('%.2f', $3)) skip 1 with labels offset 0,0.7 font labels notitle" : ''
other = with_other ? ", gain_file using ($0+place(bars-1)):4 skip 1 with boxes lt 2 title other_key, \
    gain_file using ($0+place(bars-1)):4:(sprintf('%.2f', $4)) skip 1 with labels offset 0,0.7 font labels notitle" : ''
plot gain_file using ($0+place(0)):2:xtic(1) skip 1 with boxes lt 1 title gain_key, \
     gain_file using ($0+place(0)):2:(sprintf('%.2f', $2)) skip 1 with labels offset 0,0.7 font labels notitle @thesis @other
