#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmaxes between two dots, which one kernel streams, for a GPU.

  stream_programs.py DIR [--compiler=mlopt-compile] [--ptxas] [--filter=REGEX]

DIR gets an artifact for each and list.txt, which has each compared with a run
on the CPU that accumulates in f64, three times with the same bits. There,

  test/run/gpu_check.sh DIR MLOPT_RUN

runs them. Each program is one kernel, which it promises. Rows and keys are
fewer than a tile, some more than one, and several; masks leave rows, tiles and
whole blocks without a key.
"""

import math
import os
import sys

import gpu_programs

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "bench"))

import programs  # noqa: E402

cases = {}


def give(name, p, *values, kernels=1, promise="tensor_cores"):
    p.give(*values)
    promise = f"{{kernels = {kernels}, {promise}}}"
    cases[name] = p.text.replace(
        " {\n", f" attributes {{mlopt.expect = {promise}}} {{\n", 1)


def softmax(p, name, scores, v, batch, late=False, result=None, keys=-2):
    """Ends a program: its weights, and what they weigh, as `result` or as v.
    `keys`: v's dimension of them."""
    last = len(scores.shape) - 1
    rest = list(range(last))
    e = (scores - scores.reduce("max", last).like(scores, rest)).unary("exp")
    total = e.reduce("add", last)
    if not late:
        e = e / total.like(e, rest)
    keys %= len(v.shape)
    out = e.to(v.element).dot(v, ([last], [keys]), batch, "f32")
    if late:
        out = out / total.like(out, rest)
    give(name, p, out.to(result or v.element))


def attention(name, b, h, rows, keys, depth, columns=None, score=None,
              element="bf16", scale=None, **how):
    """score(p, raw): the scores of raw, [b, h, rows, keys]."""
    p = programs.Program()
    q = p.argument("q", [b, h, rows, depth], element)
    k = p.argument("k", [b, h, keys, depth], element)
    v = p.argument("v", [b, h, keys, columns or depth], element)
    raw = q.dot(k, ([3], [3]), ([0, 1], [0, 1]), "f32")
    scores = raw * (1 / math.sqrt(depth) if scale is None else scale)
    if score:
        scores = score(p, scores)
    softmax(p, name, scores, v, ([0, 1], [0, 1]), **how)


def keeping(condition):
    """Scores where condition(i, j) of the row and the key holds."""
    def score(p, scores):
        square = scores.shape[-2:]
        keep = condition(p.iota(0, square), p.iota(1, square))
        return keep.like(scores, [2, 3]).select(scores, -math.inf)
    return score


MASKS = {
    "causal": lambda i, j: i.compare("ge", j),
    "causal_shifted": lambda i, j: (i + 130).compare("ge", j),
    # The first rows have no key, the last blocks of rows have some.
    "empty_rows": lambda i, j: (i - 70).compare("ge", j),
    # The last rows have none.
    "empty_end": lambda i, j: (i + 30).compare("le", j),
    "anticausal": lambda i, j: i.compare("le", j),
    "window": lambda i, j: i.compare("ge", j).both((i - j).compare("lt", 100)),
    "around": lambda i, j: (i - j).compare("le", 40).both(
        (j - i).compare("le", 33)),
    "prefix": lambda i, j: i.compare("ge", j).either(j.compare("lt", 77)),
    "documents": lambda i, j: i.compare("ge", j).both(
        (i / 70).compare("eq", j / 70)),
    "blocks": lambda i, j: (i / 64).compare("ge", j / 64),
    "few_keys": lambda i, j: j.compare("lt", 50),
    "no_key": lambda i, j: j.compare("lt", 0),
    "diagonal": lambda i, j: i.compare("eq", j),
    "off_diagonal": lambda i, j: i.compare("ne", j),
}


def alibi(p, scores):
    h = scores.shape[1]
    slopes = p.constant([2.0 ** -(i + 1) for i in range(h)], [h], "f32")
    square = scores.shape[-2:]
    far = (p.iota(1, square) - p.iota(0, square)).to("f32")
    return scores + slopes.like(scores, [1]) * far.like(scores, [2, 3])


def softcap(p, scores):
    return (scores * 0.05).unary("tanh") * 20.0


def bias(element, *dims):
    """Adds an argument along these dimensions."""
    def score(p, scores):
        b = p.argument("bias", [scores.shape[d] for d in dims], element)
        return scores + b.to("f32").like(scores, dims)
    return score


def masked_by_data(p, scores):
    """Keys of the same document as the row, by numbers in memory."""
    rows = p.argument("rows", [scores.shape[2]], "i8")
    keys = p.argument("keys", [scores.shape[3]], "i8")
    square = scores.shape[-2:]
    near = (rows.broadcast(square, [0]) - keys.broadcast(square, [1]))
    keep = near.compare("lt", 90)
    return keep.like(scores, [2, 3]).select(scores, -math.inf)


def rounded(p, scores):
    return scores.to("bf16").to("f32")


def heads():
    """[b, s, h, d] in memory, and the same behind the second dot."""
    p = programs.Program()
    q, k, v = (p.argument(n, [2, 150, 3, 64]).transpose(0, 2, 1, 3)
               for n in "qkv")
    raw = q.dot(k, ([3], [3]), ([0, 1], [0, 1]), "f32")
    e = (raw - raw.reduce("max", 3).like(raw, [0, 1, 2])).unary("exp")
    e = e / e.reduce("add", 3).like(e, [0, 1, 2])
    out = e.to("bf16").dot(v, ([3], [2]), ([0, 1], [0, 1]), "f32").to("bf16")
    give("heads", p, out.transpose(0, 2, 1, 3))


def slices():
    """Queries, keys and values side by side in one tensor."""
    p = programs.Program()
    qkv = p.argument("qkv", [2, 200, 3, 4, 64])
    parts = []
    for i in range(3):
        words = (f"slice {qkv.name} starts [0, 0, {i}, 0, 0] limits "
                 f"[2, 200, {i + 1}, 4, 64] strides [1, 1, 1, 1, 1] : "
                 f"{qkv.type} -> tensor<2x200x1x4x64xbf16>")
        part = p.emit(words, [2, 200, 1, 4, 64], "bf16")
        parts.append(part.reshape(2, 200, 4, 64).transpose(0, 2, 1, 3))
    q, k, v = parts
    scores = keeping(MASKS["causal"])(
        p, q.dot(k, ([3], [3]), ([0, 1], [0, 1]), "f32") * 0.125)
    softmax(p, "slices", scores, v, ([0, 1], [0, 1]))


def groups(name, rows, score=None):
    """Three query heads for each head of keys."""
    p = programs.Program()
    q = p.argument("q", [2, 2, 3, rows, 64])
    k, v = (p.argument(n, [2, 2, 170, 64]) for n in "kv")
    scores = q.dot(k, ([4], [3]), ([0, 1], [0, 1]), "f32") * 0.125
    if score:
        square = [rows, 170]
        keep = score(p.iota(0, square), p.iota(1, square))
        scores = keep.like(scores, [3, 4]).select(scores, -math.inf)
    softmax(p, name, scores, v, ([0, 1], [0, 1]))


def grouped(name, rows, heads=3, condition=None, order=(0, 1, 2, 3, 4)):
    """Groups of query heads as they lie in memory, [b, s, groups, heads, d]: a
    kernel puts them side by side. `order`: of the scores in the softmax."""
    p = programs.Program()
    q = p.argument("q", [2, rows, 2 * heads, 64])
    k, v = (p.argument(n, [2, 170, 2, 64]) for n in "kv")
    raw = q.reshape(2, rows, 2, heads, 64).dot(k, ([4], [3]), ([0, 2], [0, 2]),
                                               "f32")
    scores = raw.transpose(*order) * 0.125
    if condition:
        keep = condition(p.iota(order.index(2), scores.shape),
                         p.iota(4, scores.shape))
        scores = keep.select(scores, -math.inf)
    e = (scores - scores.reduce("max", 4).like(scores, [0, 1, 2, 3])).unary(
        "exp")
    e = e / e.reduce("add", 4).like(e, [0, 1, 2, 3])
    out = e.to("bf16").dot(v, ([4], [1]), ([0, 1], [0, 2]))
    back = [0, order.index(2), 1, order.index(3), 4]
    give(name, p, out.transpose(*back).reshape(2, rows, 2 * heads, 64),
         kernels=2)


def transposed(name, score=None):
    """The second dot takes the weights on the right, heads lie inside."""
    p = programs.Program()
    q = p.argument("q", [2, 150, 3, 64])
    k, v = p.argument("k", [2, 170, 3, 64]), p.argument("v", [2, 170, 3, 64])
    scores = q.dot(k, ([3], [3]), ([0, 2], [0, 2]), "f32") * 0.125
    if score:
        scores = score(p, scores)
    top = scores.reduce("max", 3).transpose(1, 2, 0)
    # Between the scores and their difference with the maximum, too.
    scores = scores.transpose(1, 2, 0, 3)
    e = (scores - top.like(scores, [0, 1, 2])).unary("exp")
    e = e / e.reduce("add", 3).like(e, [0, 1, 2])
    out = v.dot(e.to("bf16"), ([1], [3]), ([0, 2], [2, 0]))
    give(name, p, out.transpose(0, 3, 1, 2))


def few(name, rows, keys, depth, score=None, b=2, h=1):
    """Few rows beside many keys: blocks share these."""
    attention(f"few_{name}", b, h, rows, keys, depth, score=score)


def decoding(name, heads, groups, row=(), masked=False):
    """One row of queries for each head of a cache, [b, s, groups, d]; as in
    JAX, with a dimension of that row or without. masked: by lengths in memory.
    """
    p = programs.Program()
    each = [heads // groups] if heads > groups else []
    q = p.argument("q", [4, *row, groups, *each, 64])
    k, v = (p.argument(n, [4, 1100, groups, 64]) for n in "kv")
    group, depth = 1 + len(row), len(q.shape) - 1
    scores = q.dot(k, ([depth], [3]), ([0, group], [0, 2]), "f32") * 0.125
    last = len(scores.shape) - 1
    if masked:
        lengths = p.argument("lengths", [4], "i8").to("i32")
        keep = p.iota(last, scores.shape).compare(
            "lt", lengths.like(scores, [0]) * 8)
        scores = keep.select(scores, -math.inf)
    softmax(p, name, scores, v, ([0, 1], [0, 2]), keys=1)


def shared():
    """Keys that are the values, too."""
    p = programs.Program()
    q, k = p.argument("q", [3, 90, 64]), p.argument("k", [3, 120, 64])
    scores = q.dot(k, ([2], [2]), ([0], [0]), "f32") * 0.125
    softmax(p, "shared", scores, k, ([0], [0]))


def epilogue():
    """Elementwise code and other tensors behind the second dot."""
    p = programs.Program()
    q, k, v = (p.argument(n, [4, 130, 128]) for n in "qkv")
    r, w = p.argument("r", [4, 130, 128]), p.argument("w", [128])
    raw = q.dot(k, ([2], [2]), ([0], [0]), "f32") * 0.1
    e = (raw - raw.reduce("max", 2).like(raw, [0, 1])).unary("exp")
    e = e / e.reduce("add", 2).like(e, [0, 1])
    out = e.to("bf16").dot(v, ([2], [1]), ([0], [0]), "f32")
    out = out * w.to("f32").like(out, [2]) + r.to("f32")
    give("epilogue", p, out.to("bf16"))


def stored(name, b, h, rows, keys, depth, columns=None, score=None,
           element="bf16"):
    """Scores, and each row's maximum and sum, are results too."""
    p = programs.Program()
    q = p.argument("q", [b, h, rows, depth], element)
    k = p.argument("k", [b, h, keys, depth], element)
    v = p.argument("v", [b, h, keys, columns or depth], element)
    scores = q.dot(k, ([3], [3]), ([0, 1], [0, 1]),
                   "f32") * (1 / math.sqrt(depth))
    if score:
        scores = score(p, scores)
    top = scores.reduce("max", 3)
    e = (scores - top.like(scores, [0, 1, 2])).unary("exp")
    total = e.reduce("add", 3)
    w = (e / total.like(e, [0, 1, 2])).to(element)
    out = w.dot(v, ([3], [2]), ([0, 1], [0, 1]), "f32").to(element)
    give(name, p, scores, total, out, top)


def gradients(name, b, h, rows, keys, depth, score=None):
    """Of all three factors, as JAX derives them: the scores are stored, of which
    the gradients' kernels compute exponentials again."""
    p = programs.Program()
    q, g = (p.argument(n, [b, h, rows, depth]) for n in "qg")
    k, v = (p.argument(n, [b, h, keys, depth]) for n in "kv")
    scores = q.dot(k, ([3], [3]), ([0, 1], [0, 1]),
                   "f32") * (1 / math.sqrt(depth))
    if score:
        scores = score(p, scores)
    row = [0, 1, 2]
    e = (scores - scores.reduce("max", 3).like(scores, row)).unary("exp")
    total = e.reduce("add", 3)
    weights = e / total.like(e, row)
    w = weights.to("bf16")
    out = w.dot(v, ([3], [2]), ([0, 1], [0, 1]), "f32").to("bf16")
    dv = w.dot(g, ([2], [2]), ([0, 1], [0, 1]), "f32").to("bf16")
    dw = g.dot(v, ([3], [3]), ([0, 1], [0, 1]), "f32")
    inner = (dw * weights).reduce("add", 3)
    ds = ((dw - inner.like(dw, row)) * weights).to("bf16")
    dq = ds.dot(k, ([3], [2]), ([0, 1], [0, 1]), "f32").to("bf16")
    dk = ds.dot(q, ([2], [2]), ([0, 1], [0, 1]), "f32").to("bf16")
    # A sum of products of two tensors along rows is no promise's product.
    give(name, p, out, dq, dk, dv, kernels=6, promise="hbm_bytes = 100000000")


def fill():
    for i, (name, condition) in enumerate(MASKS.items()):
        sizes = (1, 2, 200, 330, 64) if i % 2 else (2, 1, 330, 200, 128)
        attention(f"mask_{name}", *sizes, score=keeping(condition))
    sizes = [(64, 64), (33, 47), (129, 257), (500, 131), (128, 512)]
    for i, (rows, keys) in enumerate(sizes):
        attention(f"size_{rows}x{keys}", 2, 2, rows, keys, 64 << i % 2)
    # More tiles than multiprocessors: blocks go from one to the next.
    attention("many", 7, 20, 200, 150, 64)
    attention("many_long", 2, 35, 130, 400, 128)
    attention("many_pairs", 2, 33, 400, 400, 16, score=keeping(MASKS["causal"]))
    attention("many_softcap", 7, 10, 256, 200, 64, score=softcap)
    for mask in ("causal", "window", "empty_rows", "empty_end", "no_key"):
        attention(f"many_{mask}", 7, 10, 256, 256, 64,
                  score=keeping(MASKS[mask]))
    few("one", 1, 5000, 128)
    few("rows", 5, 1000, 64, b=3, h=5)
    few("pair", 40, 300, 128, b=20, h=2)
    few("tiles", 100, 2000, 64)
    few("ragged", 2, 1090, 40)
    few("end", 3, 1500, 64, score=keeping(lambda i, j: (i + 1490).compare(
        "ge", j)))
    # Most of the blocks have no key for a row, or for any; one row has none.
    few("apart", 3, 1600, 64, score=keeping(lambda i, j: (j / 800).compare(
        "eq", i)))
    few("no_key", 4, 1600, 64, score=keeping(lambda i, j: (j / 1600).compare(
        "gt", i)))
    few("softcap", 3, 1200, 128, score=softcap)
    few("documents_of_data", 7, 1200, 64, score=masked_by_data)
    few("bias", 7, 1200, 64, score=bias("f32", 0, 1, 2, 3))
    decoding("decoding", 6, 6)
    decoding("decoding_row", 6, 6, row=[1])
    decoding("decoding_groups", 8, 2)
    decoding("decoding_lengths", 8, 2, masked=True)
    # Weights of 1, of which nothing is rounded, for results of f32.
    mean = {"result": "f32", "late": True, "scale": 2.0 ** -30}
    attention("many_wide", 2, 35, 130, 300, 128,
              score=keeping(MASKS["off_diagonal"]), **mean)
    attention("few_wide", 1, 2, 9, 1700, 128,
              score=keeping(MASKS["off_diagonal"]), **mean)
    attention("wide_values", 1, 2, 150, 150, 64, 128)
    attention("narrow_values", 1, 2, 150, 150, 128, 64)
    attention("f16", 2, 2, 150, 210, 64, element="f16")
    attention("unscaled", 2, 2, 150, 210, 64, scale=1.0)
    attention("late", 2, 2, 150, 210, 64, late=True)
    attention("sharp", 1, 2, 150, 210, 64, scale=40.0)
    attention("negative", 1, 2, 150, 210, 64, scale=-0.125)
    scores = {"alibi": alibi, "softcap": softcap, "rounded": rounded,
              "documents_of_data": masked_by_data,
              "bias_of_keys": bias("f32", 3), "bias_of_rows": bias("bf16", 2),
              "bias_of_heads": bias("bf16", 1, 2, 3),
              "bias_of_all": bias("f32", 0, 1, 2, 3)}
    for name, score in scores.items():
        attention(f"score_{name}", 2, 3, 140, 270, 64, score=score)
        if name in ("alibi", "softcap"):
            causal = keeping(MASKS["causal"])
            attention(f"score_{name}_causal", 1, 3, 200, 200, 128,
                      score=lambda p, s, f=score, c=causal: c(p, f(p, s)))
    heads()
    slices()
    groups("groups", 128)
    groups("groups_odd", 50)
    groups("groups_causal", 128, MASKS["causal"])
    groups("groups_odd_causal", 50, MASKS["causal"])
    grouped("grouped", 128)
    grouped("grouped_causal", 150, 4, MASKS["causal"])
    grouped("grouped_odd_causal", 150, 3, MASKS["causal"])
    grouped("grouped_window", 130, 8, MASKS["window"])
    grouped("grouped_one", 1, 4)
    grouped("grouped_transposed", 77, 4, None, (0, 1, 3, 2, 4))
    grouped("grouped_transposed_causal", 150, 4, MASKS["causal"],
            (0, 1, 3, 2, 4))
    transposed("transposed")
    transposed("transposed_causal", keeping(MASKS["causal"]))
    shared()
    epilogue()
    stored("stored", 2, 2, 150, 212, 64)
    stored("stored_wide", 1, 2, 200, 328, 128)
    stored("stored_few", 2, 1, 40, 36, 64)
    stored("stored_narrow", 1, 3, 192, 256, 128, 64, element="f16")
    for mask in ("causal", "window", "empty_rows", "empty_end", "few_keys"):
        stored(f"stored_{mask}", 2, 2, 330, 332, 64, score=keeping(MASKS[mask]))
    stored("stored_by_blocks", 1, 3, 4, 1600, 64)
    stored("stored_by_blocks_causal", 1, 3, 60, 1600, 128,
           score=keeping(lambda i, j: (i + 1540).compare("ge", j)))
    stored("stored_many", 7, 10, 150, 212, 64)
    stored("stored_softcap", 2, 2, 200, 200, 64, score=softcap)
    stored("stored_alibi", 1, 3, 200, 200, 64, score=alibi)
    gradients("gradients", 2, 2, 200, 264, 64)
    gradients("gradients_causal", 2, 3, 256, 256, 64,
              score=keeping(MASKS["causal"]))
    gradients("gradients_window", 2, 3, 256, 256, 64,
              score=keeping(MASKS["window"]))


if __name__ == "__main__":
    fill()
    sys.exit(gpu_programs.main(__doc__, list(cases.items())))
