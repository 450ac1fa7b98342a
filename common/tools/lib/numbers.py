# SPDX-License-Identifier: MIT
"""Formats numbers for tables, figures and messages: one function per format."""

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def grouped(value: float) -> str:
    """A whole number. Five or more digits are in groups of three: `6080`, `28 992`."""
    digits = f"{value:.0f}"
    return digits if len(digits.lstrip("-")) < 5 else f"{value:,.0f}".replace(",", " ")


def three_digits(value: float) -> str:
    """Three digits, never with an exponent: `0.0315`, `1.05`, `999`, `1050`, `20 800`."""
    rounded = float(f"{value:.3g}")
    if abs(rounded) >= 1000:
        return grouped(rounded)
    return f"{rounded:.10f}".rstrip("0").rstrip(".")


def whole_or_three_digits(value: float) -> str:
    """A whole number in full, any other number with three digits: `131 136`, `0.333`."""
    return grouped(value) if value == round(value) or value >= 999.5 else f"{value:.3g}"


def short_count(n: float) -> str:
    """3200000 as `3.2 M`, 160000 as `160 k`. A number with more digits is written in full: `6080`,
    `540 672`."""
    if n == int(n) and len(str(int(n)).rstrip("0")) > (3 if n >= 10_000 else 2):
        return grouped(n)
    for size, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if n >= size:
            return f"{n / size:.10g}{letter}"
    return f"{n:.10g}"


def short_time(seconds: float) -> str:
    """Three digits and a unit: `95 s`, `0.25 s`, `1.03 ms`, `0.5 µs`."""
    if seconds >= 0.1:
        return f"{three_digits(seconds)} s"
    if seconds >= 1e-4:
        return f"{three_digits(seconds * 1e3)} ms"
    return f"{three_digits(seconds * 1e6)} µs"


def short_ms(milliseconds: float) -> str:
    """Three digits, always in milliseconds: for a column that has one unit."""
    return f"{three_digits(milliseconds)} ms"


def format_ms(milliseconds: float) -> str:
    """Four digits and no unit: `0.02345`, `999.9`, `18299`."""
    return f"{milliseconds:.4g}" if milliseconds < 1000 else f"{milliseconds:.0f}"


def rough_time(seconds: float) -> str:
    """For a forecast: `9 s`, `12 min`, `3 h 5 min`."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def short_ratio(value: float) -> str:
    """Three digits: `1.07`, `45.3`, `204`, `3730`; below a hundredth two: `0.0035`."""
    if value < 0.01:
        return f"{value:.2g}"
    if value >= 1000:
        return three_digits(value)
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def times(value: float) -> str:
    """A speed-up: `×1.07`."""
    return f"×{short_ratio(value)}"


def short_rate(value: float) -> str:
    """Three digits and a letter: `3.07 G`, `812 k`."""
    for size, letter in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:
            return f"{three_digits(value / size)} {letter}"
    return three_digits(value)


def power_of_two(n: int) -> str:
    """`2²⁵`."""
    return "2" + str(n.bit_length() - 1).translate(SUPERSCRIPTS)


def percent(value: float) -> str:
    """Whole percents; below one, the first digit that is not 0."""
    return f"{value:.0f} %" if value >= 1 or not value else f"{value:.1g} %"


def whole_percent(value: float) -> str:
    return percent(100 * value)
