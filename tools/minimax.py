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
    return mp.fsum(c * x**power for power, c in terms.items())


def solve(f, powers, points):
    """The polynomial whose weighted error alternates on the points."""
    n = len(powers)
    matrix, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
    for row, (x, value, weight) in enumerate(points):
        for column, power in enumerate(powers):
            matrix[row, column] = x**power
        matrix[row, n] = (-1) ** row / weight
        right[row] = value
    solution = mp.lu_solve(matrix, right)
    return dict(zip(powers, solution[:n]))


def extrema(grid, terms, fixed, count):
    """The largest errors between changes of sign, `count` neighbours of them."""
    peaks = []
    for x, value, weight in grid:
        error = (evaluate(terms, x) + evaluate(fixed, x) - value) * weight
        if peaks and (error > 0) == (peaks[-1][0] > 0):
            if abs(error) > abs(peaks[-1][0]):
                peaks[-1] = (error, x)
        else:
            peaks.append((error, x))
    while len(peaks) > count:
        drop = 0 if abs(peaks[0][0]) < abs(peaks[-1][0]) else -1
        peaks.pop(drop)
    return peaks


def sample(f, count):
    """Chebyshev points, where the weight is finite."""
    grid = []
    for i in range(count):
        x = (f.low + f.high) / 2 - (f.high - f.low) / 2 * mp.cos(mp.pi * i / (count - 1))
        try:
            grid.append((x, f.function(x), f.weight(x)))
        except ZeroDivisionError:
            pass
    return grid


def remez(f, powers, fixed, grid):
    """The best coefficients of `powers` beside the fixed ones, and the error."""
    rest = [(x, value - evaluate(fixed, x), weight) for x, value, weight in grid]
    n = len(powers) + 1
    points = [rest[(len(rest) - 1) * i // n] for i in range(1, n + 1)] if n > 1 else []
    by_x = {x: point for x, *_ in grid for point in ()}
    by_x = {point[0]: point for point in rest}
    for _ in range(30):
        terms = solve(f, powers, points)
        peaks = extrema(grid, terms, fixed, n)
        if len(peaks) < n:
            break
        low, high = (op(abs(error) for error, _ in peaks) for op in (min, max))
        points = [by_x[x] for _, x in peaks]
        if high <= low * mp.mpf("1.0001"):
            break
    return terms, max(abs(error) for error, _ in peaks)


def best(f):
    """Coefficients by power, rounded, and the largest weighted error."""
    grid = sample(f, 60 * (len(f.powers) + 1))
    fixed = {power: mp.mpf(c) for power, c in f.fixed.items()}
    powers = [power for power in f.powers if power not in fixed]
    while powers:
        terms, _ = remez(f, powers, fixed, grid)
        power = powers.pop(0)
        fixed[power] = round_to(f.format, terms[power])
    error = max(abs(evaluate(fixed, x) - value) * weight for x, value, weight in grid)
    return dict(sorted(fixed.items())), error


def print_fit(name):
    terms, error = best(FITS[name])
    print(f"{name}: error 2^{float(mp.log(error, 2)):.2f}")
    for power, c in terms.items():
        digits = f"{float(c):.9g}" if FITS[name].format == "f32" else repr(float(c))
        print(f"  x^{power:<3} {digits}")
