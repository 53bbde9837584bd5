#!/usr/bin/env python3
"""Prints the polynomials of passes/math*.mlir: minimax.py [NAME ...]

Each row of FITS says what is approximated, where, by which powers, in which
format and whether the error counts relative to the function. The Remez exchange
finds the best real coefficients; they are then rounded one by one, from the
lowest power up, and after each rounding the rest is fitted again, so that later
coefficients make up for earlier roundings. Needs mpmath.
"""

import collections
import struct
import sys

import mpmath as mp

mp.mp.prec = 160

Fit = collections.namedtuple("Fit", "function low high powers format weight fixed parts")


def fit(function, low, high, powers, format, weight=None, fixed=None, parts=1):
    """`weight` multiplies the error, by default 1 / |function|; `fixed` gives
    coefficients that are not free, by power; the first free one is rounded to
    the sum of `parts` numbers."""
    weight = weight or (lambda x: 1 / abs(function(x)))
    low, high = mp.mpf(low), mp.mpf(high)
    return Fit(function, low, high, list(powers), format, weight, fixed or {}, parts)


def split(format, x, parts):
    """The numbers of the format whose sum is nearest to x."""
    numbers = []
    for _ in range(parts):
        numbers.append(round_to(format, x - mp.fsum(numbers)))
    return numbers


def round_to(format, x):
    if format == "f64":
        return mp.mpf(float(x))
    # From 200 bits to 24 in one step.
    exponent = mp.floor(mp.log(abs(x), 2)) - 23 if x else 0
    return mp.nint(x / mp.mpf(2) ** exponent) * mp.mpf(2) ** exponent


def evaluate(terms, x):
    return mp.fsum(c * x**power for power, c in terms)


def solve(powers, points):
    """The polynomial whose weighted error alternates on the points."""
    n = len(powers)
    matrix, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
    for row, (x, value, weight) in enumerate(points):
        for column, power in enumerate(powers):
            matrix[row, column] = x**power
        matrix[row, n] = (-1) ** row / weight
        right[row] = value
    return list(mp.lu_solve(matrix, right)[:n])


def find_peaks(points, powers, terms, count):
    """The largest errors between changes of sign, at most `count` of them, so
    chosen that the signs still alternate."""
    peaks = []
    for point in points:
        x, value, weight = point
        error = (evaluate(zip(powers, terms), x) - value) * weight
        if not peaks or (error > 0) != (peaks[-1][0] > 0):
            peaks.append((error, point))
        elif abs(error) > abs(peaks[-1][0]):
            peaks[-1] = (error, point)
    while len(peaks) > count:
        sizes = [abs(error) for error, _ in peaks]
        drops = [(sizes[0], slice(0, 1)), (sizes[-1], slice(-1, None))]
        if len(peaks) > count + 1:
            drops += [(max(sizes[i : i + 2]), slice(i, i + 2)) for i in range(len(peaks) - 1)]
        del peaks[min(drops, key=lambda drop: drop[0])[1]]
    return peaks


def remez(powers, points):
    """The best coefficients for points (x, value, weight)."""
    # Where all powers vanish the error changes sign by itself; without the
    # common factor it alternates as the theorem says. Near there the rounding
    # of the power before, which nothing can make up for, is all that is left.
    common = powers[0]
    powers = [power - common for power in powers]
    near = max(abs(x) for x, *_ in points) / 16 if common else -1
    points = [
        (x, value / x**common, weight * abs(x) ** common)
        for x, value, weight in points
        if abs(x) > near
    ]
    n = len(powers) + 1
    chosen = [points[(2 * i + 1) * len(points) // (2 * n)] for i in range(n)]
    found = []
    for _ in range(20):
        terms = solve(powers, chosen)
        peaks = find_peaks(points, powers, terms, n)
        errors = [abs(error) for error, _ in peaks]
        found.append((max(errors), terms))
        if len(peaks) < n or max(errors) <= min(errors) * mp.mpf("1.001"):
            break
        chosen = [point for _, point in peaks]
    return min(found, key=lambda attempt: attempt[0])[1]


def sample(f, count):
    """Chebyshev points (x, value, weight), where the weight is finite."""
    points = []
    for i in range(count):
        x = (f.low + f.high) / 2 - (f.high - f.low) / 2 * mp.cos(mp.pi * i / (count - 1))
        try:
            points.append((x, f.function(x), f.weight(x)))
        except ZeroDivisionError:
            pass
    return points


def best(f):
    """The rounded numbers of each power, and the largest weighted error."""
    points = sample(f, 40 * len(f.powers))
    fixed = {power: mp.mpf(c) for power, c in f.fixed.items()}
    rest = [(x, value - evaluate(fixed.items(), x), weight) for x, value, weight in points]
    numbers = {power: [c] for power, c in fixed.items()}
    powers = [power for power in f.powers if power not in fixed]
    parts = f.parts
    while powers:
        power = powers[0]
        numbers[power] = split(f.format, remez(powers, rest)[0], parts)
        c = mp.fsum(numbers[power])
        rest = [(x, value - c * x**power, weight) for x, value, weight in rest]
        powers.pop(0)
        parts = 1
    return numbers, max(abs(value) * weight for _, value, weight in rest)


def print_fit(name):
    numbers, error = best(FITS[name])
    print(f"{name}: error 2^{float(mp.log(error, 2)):.2f}")
    for power, parts in numbers.items():
        print(f"  x^{power:<3}", *(shortest(FITS[name].format, c) for c in parts))


def shortest(format, c):
    return f"{float(c):.9g}" if format == "f32" else repr(float(c))


def atanh_series(s2):
    """(log((1 + s) / (1 - s)) / s - 2) of s squared."""
    s = mp.sqrt(s2)
    return 2 * mp.atanh(s) / s - 2


def atanh_rest(s2):
    """What follows 1 + s^2/3 in atanh(s) / s, over s^4."""
    s = mp.sqrt(s2)
    return (mp.atanh(s) / s - 1 - s2 / 3) / s2**2


def scaled_erfc(a):
    """exp(x^2) erfc(x) (x + a) of q = (x - a) / (x + a)."""

    def function(q):
        x = a * (1 + q) / (1 - q)
        return mp.exp(x * x) * mp.erfc(x) * (x + a)

    return function


def erf_above(x):
    """erf(x) - x, whose error counts relative to erf(x)."""
    return mp.erf(x) - x


def per_erf(x):
    return 1 / mp.erf(x)


def minus_log_erfc(x):
    return -mp.log(mp.erfc(x))


# Half of log(2), a quarter of pi, and the square of (sqrt(2) - 1) / (sqrt(2) + 1), with some room.
LN2_2, PI_4, S2 = mp.mpf("0.3469"), mp.mpf("0.7855"), mp.mpf("0.02945")
PI_2 = mp.pi / 2 * mp.mpf("1.002")
TINY = mp.mpf(2) ** -30
THIRD = mp.mpf("0.33335")

FITS = {
    "exp_f32": fit(mp.exp, -LN2_2, LN2_2, range(7), "f32", fixed={0: 1, 1: 1}),
    "exp2_f32": fit(lambda x: mp.mpf(2) ** x, -0.5, 0.5, range(7), "f32", fixed={0: 1}),
    "expm1_f32": fit(mp.expm1, -LN2_2, LN2_2, range(1, 8), "f32", fixed={1: 1, 2: 0.5}),
    "log1p_f32": fit(mp.log1p, -THIRD, THIRD, range(1, 11), "f32", fixed={1: 1, 2: -0.5}),
    "sin_f32": fit(mp.sin, 0, PI_4, range(1, 10, 2), "f32", fixed={1: 1}),
    "cos_f32": fit(mp.cos, 0, PI_4, range(0, 10, 2), "f32", fixed={0: 1, 2: -0.5}),
    "asin_f32": fit(mp.asin, 0, 0.57, range(1, 14, 2), "f32", fixed={1: 1}),
    "atan_f32": fit(mp.atan, 0, 1, range(1, 20, 2), "f32", fixed={1: 1}),
    "sinh_f32": fit(mp.sinh, 0, 1, range(1, 10, 2), "f32", fixed={1: 1}),
    "tanh_f32": fit(mp.tanh, 0, 0.88, range(1, 16, 2), "f32", fixed={1: 1}),
    "erf_f32": fit(erf_above, 0, 1.2, range(1, 16, 2), "f32", per_erf),
    "erf_tail_f32": fit(
        minus_log_erfc, 1.2, 3.93, range(8), "f32", lambda x: mp.erfc(x) / mp.erf(x)
    ),
    "erfc_f32": fit(scaled_erfc(2.5), -0.62, 0.62, range(9), "f32", parts=2),
    # On a GPU.
    "tanh_small_f32": fit(mp.tanh, 0, 0.6, range(1, 10, 2), "f32", fixed={1: 1}),
    "sin_short_f32": fit(mp.sin, 0, PI_4, range(1, 8, 2), "f32", fixed={1: 1}),
    "sin_bf16": fit(mp.sin, 0, PI_2, range(1, 6, 2), "f32"),
    # In f64, but for results in f32.
    "log_short_f64": fit(atanh_series, TINY, S2, range(1, 6), "f64", lambda x: mp.mpf(1)),
    "exp2_short_f64": fit(lambda x: mp.mpf(2) ** x, -0.5, 0.5, range(9), "f64", fixed={0: 1}),
    "atan_short_f64": fit(mp.atan, 0, 0.4143, range(1, 16, 2), "f64", fixed={1: 1}),
    "exp_f64": fit(mp.exp, -LN2_2, LN2_2, range(14), "f64", fixed={0: 1, 1: 1, 2: 0.5}),
    "log_f64": fit(atanh_series, TINY, S2, range(1, 9), "f64", lambda x: mp.mpf(1) / 2),
    "log_rest_f64": fit(atanh_rest, TINY, S2, range(8), "f64", lambda x: x * x),
    "sin_f64": fit(mp.sin, 0, PI_4, range(1, 16, 2), "f64", fixed={1: 1}),
    "cos_f64": fit(mp.cos, 0, PI_4, range(0, 17, 2), "f64", fixed={0: 1, 2: -0.5}),
    "sinh_f64": fit(mp.sinh, 0, 1, range(1, 20, 2), "f64", fixed={1: 1}),
    "asin_f64": fit(mp.asin, 0, 0.5, range(1, 28, 2), "f64", fixed={1: 1}),
    "atan_f64": fit(mp.atan, 0, 0.4143, range(1, 26, 2), "f64", fixed={1: 1}),
    "erf_f64": fit(erf_above, 0, 1, range(1, 28, 2), "f64", per_erf),
    "erfc_f64": fit(scaled_erfc(3.5), -0.648, 0.775, range(21), "f64", parts=2),
}


def main():
    names = sys.argv[1:] or FITS
    unknown = [name for name in names if name not in FITS]
    if unknown:
        sys.exit(f"minimax.py: no fit is named {unknown[0]}; there are {', '.join(FITS)}")
    for name in names:
        print_fit(name)


if __name__ == "__main__":
    main()
