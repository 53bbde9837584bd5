#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with what follows them in their kernel, against float64 on a GPU.

  epilogues.py make DIR [--filter=REGEX]   where mlopt-compile is in the PATH
  epilogues.py kernels [--filter=REGEX]    there, too
  epilogues.py check DIR                   where a GPU and PyTorch are
  epilogues.py print EPILOGUE M N K        the program

Each case is an epilogue over ragged sizes. Results lie in memory full of NaN
before each of three runs, which must give the same bits. `check` says how many
were right, one line for each that was not, and exits with 1 if there was one.
`kernels` does the same of the number of kernels that each is compiled to.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "bench"))

import programs  # noqa: E402

# m, n, k: edges of tiles, less than one, few tiles of a long k, several rounds
# of all processors.
SIZES = ((200, 328, 136), (128, 256, 64), (64, 64, 16), (1, 8, 32),
         (96, 328, 4096), (1000, 776, 264), (2064, 4112, 72))
SQUARE = ((328, 328, 328), (1032, 1032, 1032))

cases, functions = {}, {}
row_functions = set()  # whose reductions a tile of the product can hold


def case(sizes=SIZES, rows=False):
    """Adds a case for each size: a function of the program and the size, m, n
    and k and perhaps more, that returns the results and what computes them from
    float64 arguments."""
    def add(function):
        functions[function.__name__] = function
        if rows:
            row_functions.add(function)
        for size in sizes:
            name = f"{function.__name__}_{'x'.join(map(str, size))}"
            cases[name] = (function, size)
        return function
    return add


def linear(p, m, n, k, element="bf16", result="f32"):
    a, w = p.argument("a", [m, k], element), p.argument("w", [n, k], element)
    return a.dot(w, ([1], [1]), element=result)


@case()
def plain(p, m, n, k):
    return [linear(p, m, n, k).to("bf16")], lambda a, w: a @ w.T


@case()
def bias_gelu(p, m, n, k):
    y = linear(p, m, n, k)
    y = y + p.argument("b", [n]).to("f32").like(y, [1])
    gelu = lambda x: 0.5 * x * (1 + (math.sqrt(2 / math.pi) *
                                     (x + 0.044715 * x ** 3)).tanh())
    return [programs.gelu(y).to("bf16")], lambda a, w, b: gelu(a @ w.T + b)


@case()
def row_scale(p, m, n, k):
    y = linear(p, m, n, k)
    s = p.argument("s", [m], "f32")
    return [y * s.like(y, [0])], lambda a, w, s: (a @ w.T) * s[:, None]


@case()
def residual(p, m, n, k):
    y = linear(p, m, n, k)
    r = p.argument("r", [m, n])
    return [(y + r.to("f32")).to("bf16")], lambda a, w, r: a @ w.T + r


@case()
def residual_f32(p, m, n, k):
    y = linear(p, m, n, k, "f16")
    r = p.argument("r", [m, n], "f32")
    return [y * 0.125 + r], lambda a, w, r: (a @ w.T) * 0.125 + r


@case()
def rounded_relu(p, m, n, k):
    y = linear(p, m, n, k, result="bf16")
    b = p.argument("b", [n])
    return [(y + b.like(y, [1])).max(0.0)], lambda a, w, b: (a @ w.T +
                                                             b).clamp(min=0)


@case(SQUARE)
def own_factor(p, m, n, k):
    a, w = p.argument("a", [m, k]), p.argument("w", [n, k])
    y = a.dot(w, ([1], [1]), element="f32")
    return [(y + a.to("f32")).to("bf16")], lambda a, w: a @ w.T + a


@case(SQUARE)
def one_factor(p, m, n, k):
    a = p.argument("a", [m, k])
    y = a.dot(a, ([1], [1]), element="f32")
    return [(y * 0.5).to("bf16")], lambda a: 0.5 * (a @ a.T)


@case(((256, 384, 72), (200, 192, 136)))
def reshaped(p, m, n, k):
    y = linear(p, m, n, k, result="bf16")
    b = p.argument("b", [n])
    r = p.argument("r", [m // 8, 8, n // 64, 64])
    heads = (y + b.like(y, [1])).reshape(m // 8, 8, n // 64, 64)
    return [heads.unary("tanh") + r], lambda a, w, b, r: (
        a @ w.T + b).reshape(r.shape).tanh() + r


@case()
def gated(p, m, n, k):
    a = p.argument("a", [m, k])
    gate, up = p.argument("gate", [n, k]), p.argument("up", [n, k])
    g = a.dot(gate, ([1], [1]), element="f32")
    u = a.dot(up, ([1], [1]), element="f32")
    return [(programs.silu(g) * u).to("bf16")], lambda a, g, u: (
        (a @ g.T) * (a @ g.T).sigmoid() * (a @ u.T))


@case()
def gated_rounded(p, m, n, k):
    """Rounded after each step, with the logistic function in steps."""
    a = p.argument("a", [m, k])
    g, u = (a.dot(p.argument(name, [n, k]), ([1], [1])) for name in ("gate", "up"))
    one = p.constant(1.0, [m, n], "bf16")
    e = g.unary("neg").unary("exp")
    return [g * (one / (one + e)) * u], lambda a, g, u: (
        (a @ g.T) * (a @ g.T).sigmoid() * (a @ u.T))


@case(((200, 328, 136), (128, 256, 64), (1000, 776, 264)))
def gated_rows(p, m, n, k):
    """Weights [in, out], a bias, and one product stored too."""
    a = p.argument("a", [m, k])
    gate, up = p.argument("gate", [k, n]), p.argument("up", [k, n])
    b = p.argument("b", [n], "f32")
    g = a.dot(gate, ([1], [0]), element="f32")
    u = a.dot(up, ([1], [0]), element="f32") + b.broadcast([m, n], [1])
    return [(g * u).to("bf16"), u], lambda a, g, u, b: ((a @ g) * (a @ u + b),
                                                        a @ u + b)


@case(((200, 328, 144), (64, 64, 32), (1000, 784, 272)))
def gated_small(p, m, n, k):
    """Of 8-bit floats, with a scale."""
    a = p.argument("a", [m, k], "f8E4M3FN")
    w = [p.argument(name, [n, k], "f8E4M3FN") for name in ("gate", "up")]
    s = p.argument("s", [m], "f32")
    g, u = (a.dot(x, ([1], [1]), element="f32") * s.broadcast([m, n], [0])
            for x in w)
    return [(g.unary("logistic") * u).to("bf16")], lambda a, g, u, s: (
        ((a @ g.T) * s[:, None]).sigmoid() * (a @ u.T) * s[:, None])


@case(((512, 1024, 136), (328, 1000, 264), (1000, 776, 72), (2064, 4112, 264)))
def three(p, m, n, k):
    """Queries, keys and values, one of them with a bias."""
    a = p.argument("a", [m, k])
    w = [p.argument(name, [n, k]) for name in "qkv"]
    b = p.argument("b", [n], "f32")
    q, k, v = (a.dot(x, ([1], [1]), element="f32") for x in w)
    return [(q + b.like(q, [1])).to("bf16"), k.to("bf16"), v.to("bf16")], (
        lambda a, q, k, v, b: (a @ q.T + b, a @ k.T, a @ v.T))


@case(((512, 1024, 136), (328, 1000, 264), (1000, 776, 72)))
def three_across(p, m, n, k):
    """The same of weights [in, out]."""
    a = p.argument("a", [m, k])
    w = [p.argument(name, [k, n]) for name in "qkv"]
    return [a.dot(x, ([1], [0])) for x in w], lambda a, q, k, v: (
        a @ q, a @ k, a @ v)


LISTS = ((200, 328, 136), (64, 64, 32), (96, 328, 1088), (1000, 776, 264),
         (2064, 1040, 200), (256, 512, 800))


@case(LISTS)
def grouped(p, m, n, k):
    """Queries, keys and values of fewer heads, one of them with a bias."""
    a = p.argument("a", [m, k])
    q, key, v = (a.dot(p.argument(name, [rows, k]), ([1], [1]), element="f32")
                 for name, rows in (("q", n), ("k", n // 4), ("v", n // 4)))
    b = p.argument("b", [n], "f32")
    return [(q + b.like(q, [1])).to("bf16"), key.to("bf16"), v], (
        lambda a, q, k, v, b: (a @ q.T + b, a @ k.T, a @ v.T))


@case(LISTS)
def grouped_across(p, m, n, k):
    """The same of weights [in, out], with what follows each."""
    n = n // 8 * 8
    a = p.argument("a", [m, k])
    q, key = (a.dot(p.argument(name, [k, columns]), ([1], [0]), element="f32")
              for name, columns in (("q", n), ("k", n + 64)))
    r = p.argument("r", [m, n])
    return [(q + r.to("f32")).to("bf16"), key.unary("tanh").to("f16")], (
        lambda a, q, k, r: (a @ q + r, (a @ k).tanh()))


@case(LISTS)
def grouped_transposed(p, m, n, k):
    a = p.argument("a", [m, k])
    return [a.dot(p.argument(name, [rows, k]), ([1], [1])).transpose(1, 0)
            for name, rows in (("q", n), ("k", n + 8))], (
        lambda a, q, k: ((a @ q.T).T, (a @ k.T).T))


@case(LISTS)
def two_inputs(p, m, n, k):
    """One factor of the weights' sides for two, with a residual each."""
    w, r = p.argument("w", [n, k]), p.argument("r", [n], "f32")
    x = [p.argument(name, [rows, k]) for name, rows in (("x", m), ("z", 2 * m))]
    y = [xi.dot(w, ([1], [1]), element="f32") for xi in x]
    return [(yi + r.like(yi, [1])).to("bf16") for yi in y], (
        lambda w, r, x, z: (x @ w.T + r, z @ w.T + r))


@case(LISTS[:-1])
def four_kinds(p, m, n, k):
    """Results of other types, one without rows of whole boxes."""
    a = p.argument("a", [m, k])
    widths = (n, n // 2, 77, 8)
    y = [a.dot(p.argument(f"w{i}", [rows, k]), ([1], [1]), element="f32")
         for i, rows in enumerate(widths)]
    return [y[0].to("bf16"), y[1], y[2].to("f16"), y[3].max(0.0)], (
        lambda a, *w: (a @ w[0].T, a @ w[1].T, a @ w[2].T,
                       (a @ w[3].T).clamp(min=0)))


@case(((3, 200, 72), (5, 328, 136)))
def grouped_heads(p, heads, n, k):
    """Batches, side by side in memory."""
    m = 152
    a = p.argument("a", [heads, m, k])
    y = [a.dot(p.argument(name, [heads, rows, k]), ([2], [2]), ([0], [0]))
         for name, rows in (("q", n), ("k", 64))]
    return [y[0], y[1].transpose(1, 0, 2)], lambda a, q, k: (
        a @ q.transpose(1, 2), (a @ k.transpose(1, 2)).transpose(0, 1))


# Multiples of 16, of which pieces of reductions are.
FOLDS = ((208, 336, 136), (128, 256, 64), (64, 64, 32), (96, 320, 1088),
         (1008, 784, 264), (2064, 1040, 200))


@case(FOLDS)
def column_sums(p, m, n, k):
    y = linear(p, m, n, k)
    b = p.argument("b", [n], "f32")
    z = y + b.like(y, [1])
    return [z.to("bf16"), z.reduce("add", 0)], lambda a, w, b: (
        a @ w.T + b, (a @ w.T + b).sum(0))


@case(FOLDS)
def column_sums_rounded(p, m, n, k):
    """What a backward product stores, and the gradient of a bias."""
    y = linear(p, m, n, k)
    h = p.argument("h", [m, n])
    z = (y * h.to("f32").unary("tanh")).to("bf16")
    return [z, z.to("f32").reduce("add", 0).to("bf16")], lambda a, w, h: (
        (a @ w.T) * h.tanh(), ((a @ w.T) * h.tanh()).sum(0))


@case(FOLDS)
def row_squares(p, m, n, k):
    """What a norm behind it needs."""
    y = linear(p, m, n, k)
    return [y.to("bf16"), (y * y).reduce("add", 1)], lambda a, w: (
        a @ w.T, (a @ w.T).square().sum(1))


@case(FOLDS)
def row_and_column(p, m, n, k):
    """Beside a result of 32 bits and a residual."""
    y = linear(p, m, n, k)
    r = p.argument("r", [m, n], "f32")
    z = y + r
    return [z, z.reduce("max", 1), z.reduce("add", 0), z.reduce("min", 0)], (
        lambda a, w, r: (a @ w.T + r, (a @ w.T + r).amax(1),
                         (a @ w.T + r).sum(0), (a @ w.T + r).amin(0)))


@case(FOLDS)
def reduced_transposed(p, m, n, k):
    y = linear(p, m, n, k)
    return [y.to("bf16").transpose(1, 0), y.reduce("add", 0),
            y.reduce("max", 1)], lambda a, w: (
                (a @ w.T).T, (a @ w.T).sum(0), (a @ w.T).amax(1))


@case(((64, 320, 72), (256, 784, 136)))
def reduced_heads(p, m, n, k):
    """Of several dimensions, and of some of them."""
    a, w = p.argument("a", [3, m, k]), p.argument("w", [n, k])
    y = a.dot(w, ([2], [1]), element="f32")
    heads = y.reshape(3, m, n // 16, 16)
    return [y.to("bf16"), y.reduce("add", 0, 1), y.reduce("max", 1),
            heads.reduce("max", 3)], lambda a, w: (
                a @ w.T, (a @ w.T).sum((0, 1)), (a @ w.T).amax(1),
                (a @ w.T).reshape(3, m, n // 16, 16).amax(3))


@case(((64, 320, 72), (256, 784, 136)))
def reduced_batches(p, m, n, k):
    a, w = p.argument("a", [3, m, k]), p.argument("w", [3, n, k])
    y = a.dot(w, ([2], [2]), ([0], [0]), "f32")
    return [y.to("bf16"), y.reduce("add", 1), y.reduce("add", 2)], (
        lambda a, w: (a @ w.transpose(1, 2), (a @ w.transpose(1, 2)).sum(1),
                      (a @ w.transpose(1, 2)).sum(2)))


@case(FOLDS)
def gated_sums(p, m, n, k):
    a = p.argument("a", [m, k])
    gate, up = p.argument("gate", [n, k]), p.argument("up", [n, k])
    g = a.dot(gate, ([1], [1]), element="f32")
    y = g.unary("logistic") * a.dot(up, ([1], [1]), element="f32")
    return [y.to("bf16"), y.reduce("add", 0)], lambda a, g, u: (
        (a @ g.T).sigmoid() * (a @ u.T),
        ((a @ g.T).sigmoid() * (a @ u.T)).sum(0))


@case()
def several(p, m, n, k):
    """Results of three types, one of them the product itself."""
    y = linear(p, m, n, k)
    r = p.argument("r", [m, n])
    z = (y + r.to("f32")).to("bf16")
    return [y, z, z.max(0.0).to("f16")], lambda a, w, r: (
        a @ w.T, a @ w.T + r, (a @ w.T + r).clamp(min=0))


@case()
def transposed(p, m, n, k):
    y = linear(p, m, n, k)
    b = p.argument("b", [n], "f32")
    return [(y + b.like(y, [1])).to("bf16").transpose(1, 0)], lambda a, w, b: (
        a @ w.T + b).T


@case(((200, 328, 136), (1000, 776, 264)))
def both_ways(p, m, n, k):
    """One result by rows, one by columns."""
    y = linear(p, m, n, k)
    return [y.to("bf16"), (y * 2.0).to("bf16").transpose(1, 0)], (
        lambda a, w: (a @ w.T, 2 * (a @ w.T).T))


def heads_of(p, m, n, k, heads, length):
    y = linear(p, m, n, k, result="bf16")
    b = p.argument("b", [n])
    y = (y + b.like(y, [1])).reshape(m // length, length, heads, n // heads)
    return [y.transpose(0, 2, 1, 3)], lambda a, w, b: (a @ w.T + b).reshape(
        m // length, length, heads, n // heads).transpose(1, 2)


@case(((256, 384, 72), (512, 1024, 136)))
def to_heads(p, m, n, k):
    return heads_of(p, m, n, k, n // 64, 128)


@case(((200, 96, 136), (1000, 776, 264)))
def to_odd_heads(p, m, n, k):
    return heads_of(p, m, n, k, 8, 40)


@case(((200, 333, 136), (77, 1001, 264), (64, 1, 64), (130, 7, 16)))
def odd_columns(p, m, n, k):
    y = linear(p, m, n, k)
    b = p.argument("b", [n], "f32")
    r = p.argument("r", [m, n])
    return [(y + b.like(y, [1]) + r.to("f32")).to("bf16")], (
        lambda a, w, b, r: a @ w.T + b + r)


@case(((200, 328, 136), (77, 1001, 264)))
def positive(p, m, n, k):
    y = linear(p, m, n, k)
    return [y.compare("gt", 0.0).select(y, y * 0.0)], (
        lambda a, w: (a @ w.T).clamp(min=0))


@case(((3, 200, 72), (5, 328, 136)))
def batched(p, batch, n, k):
    """Batches, with a bias for each and a shared residual."""
    m = 152
    a, w = p.argument("a", [batch, m, k]), p.argument("w", [batch, n, k])
    y = a.dot(w, ([2], [2]), ([0], [0]), "f32")
    b, r = p.argument("b", [batch, n], "f32"), p.argument("r", [m, n])
    y = y + b.like(y, [0, 2]) + r.to("f32").like(y, [1, 2])
    return [y.to("bf16")], lambda a, w, b, r: (
        a @ w.transpose(1, 2) + b[:, None] + r)


@case(((3, 200, 72), (5, 128, 136)))
def batched_to_rows(p, heads, n, k):
    """What attention stores: heads side by side."""
    m = 192
    a, w = p.argument("a", [2, heads, m, k]), p.argument("w", [2, heads, k, n])
    y = a.dot(w, ([3], [2]), ([0, 1], [0, 1]), "bf16")
    return [y.transpose(0, 2, 1, 3).reshape(2, m, heads * n)], lambda a, w: (
        a @ w).transpose(1, 2).reshape(2, m, heads * n)


# Rows that a tile holds: several tiles and part of one, columns that fill no
# tile, no multiple of 8, all of one; more tiles than processors.
ROWS = ((8192, 128, 512), (1000, 96, 264), (777, 100, 136), (8456, 256, 264),
        (33000, 256, 72), (2064, 192, 72), (100, 77, 136), (65, 64, 512))


def row_mean(x):
    last = len(x.shape) - 1
    return x.reduce("add", last) * (1.0 / x.shape[-1])


def normed(y, g):
    return y * (y.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * g


@case(ROWS, rows=True)
def row_softmax(p, m, n, k):
    return [programs.softmax_of(linear(p, m, n, k), 1)], lambda a, w: (
        a @ w.T).softmax(1)


@case(ROWS, rows=True)
def row_softmax_half(p, m, n, k):
    """Of f16, whose rows are what is rounded, with a bias."""
    y = linear(p, m, n, k, "f16", "f16").to("f32") * 0.125
    y = y + p.argument("b", [n], "f32").like(y, [1])
    return [programs.softmax_of(y, 1).to("f16")], lambda a, w, b: (
        (a @ w.T) * 0.125 + b).softmax(1)


@case(((8192, 128, 4096), *ROWS[1:]), rows=True)
def rms_norm(p, m, n, k):
    y = linear(p, m, n, k, result="bf16").to("f32")
    g = p.argument("g", [n]).to("f32")
    return [(y * programs.norm_of(y) * g.like(y, [1])).to("bf16")], (
        lambda a, w, g: normed(a @ w.T, g))


@case(ROWS, rows=True)
def rms_norm_both(p, m, n, k):
    """The product is stored too, and what its rows are divided by."""
    y = linear(p, m, n, k)
    root = (row_mean(y * y) + 1e-6).unary("sqrt")
    return [y.to("bf16"), (y / root.like(y, [0])).to("bf16"), root], (
        lambda a, w: (a @ w.T, normed(a @ w.T, 1),
                      ((a @ w.T).square().mean(1) + 1e-6).sqrt()))


@case(ROWS, rows=True)
def layer_norm(p, m, n, k):
    """With a residual before it."""
    y = linear(p, m, n, k) + p.argument("r", [m, n]).to("f32")
    d = y - row_mean(y).like(y, [0])
    z = d * (row_mean(d * d) + 1e-5).unary("rsqrt").like(y, [0])
    g, b = (p.argument(name, [n], "f32").like(y, [1]) for name in "gb")
    norm = lambda y, g, b: g * (y - y.mean(1, keepdim=True)) / (
        y.var(1, correction=0, keepdim=True) + 1e-5).sqrt() + b
    return [(z * g + b).to("bf16")], lambda a, w, r, g, b: norm(a @ w.T + r, g, b)


@case(ROWS, rows=True)
def row_dots(p, m, n, k):
    """What is left of a row without its part along another one."""
    y, u = linear(p, m, n, k), p.argument("u", [m, n], "f32")
    s = (y * u).reduce("add", 1) * (1.0 / n)
    left = lambda y, u: y - u * (y * u).mean(1, keepdim=True)
    return [s, (y - u * s.like(y, [0])).to("bf16")], lambda a, w, u: (
        (a @ w.T * u).mean(1), left(a @ w.T, u))


@case(ROWS, rows=True)
def row_logsumexp(p, m, n, k):
    y = linear(p, m, n, k)
    largest = y.reduce("max", 1)
    e = (y - largest.like(y, [0])).unary("exp")
    return [largest + e.reduce("add", 1).unary("log")], lambda a, w: (
        a @ w.T).logsumexp(1)


@case([s for s in ROWS if s[1] % 8 == 0], rows=True)
def row_lengths(p, m, n, k):
    """Of weights [in, out], and transposed."""
    a, w = p.argument("a", [m, k]), p.argument("w", [k, n])
    y = a.dot(w, ([1], [0]), element="f32")
    z = y * ((y * y).reduce("add", 1) + 1e-6).unary("rsqrt").like(y, [0])
    return [z, z.to("bf16").transpose(1, 0)], lambda a, w: (
        torch_unit(a @ w), torch_unit(a @ w).T)


def torch_unit(y):
    return y / (y.square().sum(1, keepdim=True) + 1e-6).sqrt()


@case(((4096, 128, 512), (16384, 96, 72), (16384, 256, 264)), rows=True)
def row_softmax_fast(p, m, n, k):
    """Of f32 that is rounded to TF32."""
    p.numerics = "fast"
    y = linear(p, m, n, k, "f32") * 0.25
    return [programs.softmax_of(y, 1)], lambda a, w: ((a @ w.T) * 0.25).softmax(1)


HEADS = ((4096, 2048, 2048, 128), (1000, 768, 264, 64), (200, 384, 136, 128),
         (8333, 512, 72, 256), (136, 288, 136, 32), (256, 192, 72, 96),
         (100, 160, 72, 16))


@case(HEADS, rows=True)
def head_norm(p, m, n, k, length):
    y = linear(p, m, n, k, result="bf16").reshape(m, n // length, length)
    y, g = y.to("f32"), p.argument("g", [length]).to("f32")
    return [(y * programs.norm_of(y) * g.like(y, [2])).to("bf16")], (
        lambda a, w, g: normed((a @ w.T).reshape(m, n // length, length), g))


@case(HEADS, rows=True)
def head_softmax(p, m, n, k, length):
    """Heads first, and the rows' largest elements."""
    y = linear(p, m, n, k, "f16").reshape(m, n // length, length)
    z = programs.softmax_of(y, 2).to("f16").transpose(1, 0, 2)
    return [z, y.reduce("max", 2)], lambda a, w: (
        (a @ w.T).reshape(m, n // length, length).softmax(2).transpose(0, 1),
        (a @ w.T).reshape(m, n // length, length).amax(2))


@case(((3, 200, 72), (5, 128, 136)), rows=True)
def batched_norm(p, batch, n, k):
    m = 152
    a, w = p.argument("a", [batch, m, k]), p.argument("w", [batch, n, k])
    y = a.dot(w, ([2], [2]), ([0], [0]), "f32")
    return [(y * programs.norm_of(y)).to("bf16")], lambda a, w: normed(
        a @ w.transpose(1, 2), 1)


def keep_together(p):
    """Asks for one kernel of all that a program computes, even of so few tiles
    that two are faster."""
    word = ' {mlopt.fuse = {group = "tile", keep = "together"}} : '
    free = ("constant", "broadcast", "reshape", "transpose")
    p.lines = [line if line.partition("mlopt.")[2].startswith(free)
               else line.replace(" : ", word, 1) for line in p.lines]


def build(function, sizes):
    p = programs.Program()
    results, reference = function(p, *sizes)
    if function in row_functions:
        keep_together(p)
    p.give(*results)
    return p, reference


def make(folder, pattern):
    os.makedirs(folder, exist_ok=True)
    names = [n for n in cases if re.search(pattern, n)]
    for name in names:
        path = os.path.join(folder, name)
        text = build(*cases[name])[0].text
        subprocess.run(["mlopt-compile", "-", "-o", path + ".mlopt", "--ptxas"],
                       input=text, text=True, check=True)
    with open(os.path.join(folder, "cases.json"), "w") as file:
        json.dump(names, file)
    print(len(names), "artifacts")


def kernels_of(function, program, sizes):
    """How many kernels a case takes: one, and one more for each space whose
    pieces it reduces; unless its depth is so long beside its few tiles that
    its products are cut into pieces, which one more adds. Pieces of rows of up
    to 256 columns are their own."""
    if function in row_functions:
        return (1,)
    spaces = set(re.findall(r"mlopt.reduce \w+ %\w+ (dims .* : \(.*\)) ->",
                            program.text))
    if spaces:
        return (1 + len(spaces), len(spaces))
    is_cut = len(sizes) == 3 and sizes[2] >= 4096 and sizes[0] * sizes[1] < 2**16
    return (2 if is_cut else 1,)


def fault_of_kernels(name, launches):
    function, sizes = cases[name]
    kernels = kernels_of(function, build(function, sizes)[0], sizes)
    return (None if launches in kernels else
            f"{launches} kernels, not {kernels[0]}")


def report(names, fault_of):
    """A line for each case that is at fault, and how many are not; the exit
    status."""
    wrong = 0
    for name in names:
        try:
            fault = fault_of(name)
        except Exception as error:  # One line for each case.
            fault = repr(error)[:200]
        if fault:
            wrong += 1
            print(f"{name}: {fault}")
    print(f"{len(names) - wrong} right, {wrong} wrong")
    return wrong != 0


def count_kernels(pattern):
    def fault_of(name):
        plan = subprocess.run(["mlopt-compile", "--emit=plan", "-"],
                              input=build(*cases[name])[0].text, text=True,
                              capture_output=True, check=True).stdout
        return fault_of_kernels(name, plan.count("gpu.launch_func"))
    return report([n for n in cases if re.search(pattern, n)], fault_of)


def check_case(torch, mlopt, folder, name):
    """What is wrong with a case; None if nothing is."""
    types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32,
             "f8E4M3FN": torch.float8_e4m3fn}
    program, reference = build(*cases[name])
    generator = torch.Generator("cuda").manual_seed(len(name))
    inputs = [torch.randn(shape, device="cuda", generator=generator).to(
        types[element]) for _, shape, element in program.arguments]
    wanted = reference(*[x.double() for x in inputs])
    wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    loaded = mlopt.load(os.path.join(folder, name + ".mlopt"))
    runs = []
    for _ in range(3):
        out = [torch.full(shape, math.nan, device="cuda", dtype=types[element])
               for _, shape, element in program.results]
        loaded(*inputs, out=out)
        torch.cuda.synchronize()
        runs.append(out)
    for i, (_, _, element) in enumerate(program.results):
        got = runs[0][i]
        if any(not torch.equal(got.view(torch.uint8), r[i].view(torch.uint8))
               for r in runs[1:]):
            return f"result {i}: runs differ"
        error = (got.double() - wanted[i]).norm() / wanted[i].norm()
        exact = element == "f32" and program.numerics != "fast"
        if not error <= (1e-4 if exact else 8e-3):
            return f"result {i}: error {error:.2e}"
    return fault_of_kernels(name, loaded.launch_count)


def check(folder):
    import torch
    import mlopt
    with open(os.path.join(folder, "cases.json")) as file:
        names = json.load(file)
    return report(names, lambda name: check_case(torch, mlopt, folder, name))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "kernels", "check", "print"))
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--filter", default="")
    args = parser.parse_args()
    if args.what != "kernels" and not args.rest:
        parser.error(f"{args.what} of what?")
    if args.what == "make":
        make(args.rest[0], args.filter)
    elif args.what == "kernels":
        sys.exit(count_kernels(args.filter))
    elif args.what == "check":
        sys.exit(check(args.rest[0]))
    else:
        name, *sizes = args.rest
        print(build(functions[name], tuple(map(int, sizes)))[0].text)


if __name__ == "__main__":
    main()
