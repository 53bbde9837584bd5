#!/usr/bin/env python3
"""Prints the polynomials of passes/math.mlir: minimax.py [NAME ...]

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

Fit = collections.namedtuple("Fit", "function low high powers format weight fixed")


def fit(function, low, high, powers, format, weight=None, fixed=None):
    """`weight` multiplies the error, by default 1 / |function|; `fixed` gives
    coefficients that are not free, by power."""
    weight = weight or (lambda x: 1 / abs(function(x)))
    return Fit(function, mp.mpf(low), mp.mpf(high), list(powers), format, weight, fixed or {})


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
    for _ in range(20):
        terms = solve(powers, chosen)
        peaks = find_peaks(points, powers, terms, n)
        if len(peaks) < n:  # down to the roundings of this arithmetic
            break
        chosen = [point for _, point in peaks]
        errors = [abs(error) for error, _ in peaks]
        if max(errors) <= min(errors) * mp.mpf("1.001"):
            break
    return terms


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
    """Coefficients by power, rounded, and the largest weighted error."""
    points = sample(f, 40 * len(f.powers))
    chosen = {power: mp.mpf(c) for power, c in f.fixed.items()}
    rest = [(x, value - evaluate(chosen.items(), x), weight) for x, value, weight in points]
    powers = [power for power in f.powers if power not in chosen]
    while powers:
        power, c = powers[0], round_to(f.format, remez(powers, rest)[0])
        chosen[power] = c
        rest = [(x, value - c * x**power, weight) for x, value, weight in rest]
        powers.pop(0)
    return chosen, max(abs(value) * weight for _, value, weight in rest)


def print_fit(name):
    terms, error = best(FITS[name])
    print(f"{name}: error 2^{float(mp.log(error, 2)):.2f}")
    for power, c in terms.items():
        digits = f"{float(c):.9g}" if FITS[name].format == "f32" else repr(float(c))
        print(f"  x^{power:<3} {digits}")
