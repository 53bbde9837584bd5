#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions of every layout and ragged sizes, for a GPU.

  products.py DIR [--compiler=mlopt-compile] [--chip=CHIP] [--filter=REGEX]

DIR gets an artifact for each and list.txt, which has each compared with a run
on the CPU that accumulates in f64, three times with the same bits. There,

  test/run/gpu_check.sh DIR MLOPT_RUN

runs them. --chip=sm_90 compiles without wgmma.
"""

import os
import sys

import gpu_programs

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "bench"))

import programs  # noqa: E402

cases = {}


def dot(name, a, b, contract, element, batch=((), ()), result=None, other=None):
    """A dot of two arguments of these shapes."""
    p = programs.Program()
    left = p.argument("a", a, element)
    right = p.argument("b", b, other or element)
    cases[name] = p.give(left.dot(right, contract, batch, result))


def matmul(m, n, k, layout, element, result=None, other=None):
    a = [m, k] if layout[0] == "n" else [k, m]
    b = [k, n] if layout[1] == "n" else [n, k]
    elements = f"{element}_{other}" if other else element
    dot(f"{elements}_{layout}_{m}x{n}x{k}", a, b,
        ([int(layout[0] == "n")], [int(layout[1] == "t")]), element,
        result=result, other=other)


def conv(name, n, size, channels, features, window, element="bf16", stride=1,
         low=1, high=1, dilation=1, spread=1, groups=1):
    """A square convolution, channels last."""
    out = ((size - 1) * spread + 1 + low + high -
           (dilation * (window - 1) + 1)) // stride + 1
    p = programs.Program()
    x = p.argument("x", [n, size, size, channels], element)
    w = p.argument("w", [window, window, channels // groups, features], element)
    shape = [n, out, out, features]
    words = " ".join(f"{key} [{value}, {value}]" for key, value in (
        ("strides", stride), ("low", low), ("high", high),
        ("input_dilation", spread), ("window_dilation", dilation)))
    if groups > 1:
        words += f" groups {groups}"
    cases[f"conv_{name}"] = p.give(x.emit(
        f"conv {x.name}, {w.name} {words} : ({x.type}, {w.type}) -> "
        f"{programs.tensor(shape, element)}", shape))


def scaled(m, n, k, source, element, along, transposed=False, first=False,
           numerics=None):
    """A product with weights of another type, which are converted and
    multiplied with a scale for each of their rows or of k."""
    p = programs.Program(numerics)
    shape = [k, n] if transposed else [n, k]
    x, w = p.argument("x", [m, k], element), p.argument("w", shape, source)
    wide = w.to(element)
    dim = int((along == "k") != transposed)
    if along:
        scale = p.argument("scale", [shape[dim]], element)
        wide = wide * scale.like(wide, [dim])
    contract = [int(not transposed)]
    y = wide.dot(x, (contract, [1])) if first else x.dot(wide, ([1], contract))
    words = [source, element, along or "cast", "nn" if transposed else "nt",
             *["first"] * first, *[numerics] * bool(numerics)]
    cases[f"scaled_{'_'.join(words)}_{m}x{n}x{k}"] = p.give(y)


def gathered(name, m, rows, n, k, element="bf16", scale=False, two=False):
    """A product with rows of a table, perhaps scaled, or two that share them."""
    p = programs.Program()
    table, ids = p.argument("x", [rows, k], element), p.argument("i", [m], "i64")
    x = programs.take_rows(p, table, ids, m)
    if scale:
        x = x * p.argument("s", [m], element).like(x, [0])
    y = x.dot(p.argument("w", [n, k], element), ([1], [1]))
    if two:
        y = y * x.dot(p.argument("v", [n, k], element), ([1], [1]))
    cases[f"gathered_{name}"] = p.give(y)


def masked(name, m, n, k, side, predicate, offset, transposed=False,
           element="f32"):
    """A product, of this and of bf16, whose first or second factor is zero where its
    row and its k, plus an offset, do not compare so."""
    a, b = ([k, m] if transposed else [m, k]), [k, n]
    types = [programs.tensor(shape, element) for shape, element in
             ((a, "bf16" if side else element), (b, element if side else "bf16"))]
    shape = b if side else a
    mask = programs.tensor(shape, element)
    integers, bits = (programs.tensor(shape, e) for e in ("i32", "i1"))
    result = programs.tensor([m, n], "f32")
    factors = ["%x", "%y"]
    factors[side] = "%s"
    cases[name] = programs.Program.from_text(f"""
func.func @main(%x: {types[0]}, %y: {types[1]}) -> {result} {{
  %i = mlopt.iota dim 0 : {integers}
  %j = mlopt.iota dim 1 : {integers}
  %c = mlopt.constant dense<{offset}> : {integers}
  %l = mlopt.add %j, %c : {integers}
  %m = mlopt.compare {predicate}, %i, %l : {integers}
  %z = mlopt.constant dense<0.0> : {mask}
  %s = mlopt.select %m, {"%y" if side else "%x"}, %z : {mask}
  %r = mlopt.dot {factors[0]}, {factors[1]} contract [{int(not transposed)}] x [0] : ({types[0]}, {types[1]}) -> {result}
  return %r : {result}
}}""", [("x", a, "f32"), ("y", b, "f32")], [("r", [m, n], "f32")])


def unsigned(name, a, b, contract_a, contract_b):
    types = programs.tensor(a, "i8"), programs.tensor(b, "i8")
    result = [a[1 - contract_a], b[1 - contract_b]]
    cases[name] = programs.Program.from_text(f"""
func.func @main(%a: {types[0]}, %b: {types[1]}) -> {programs.tensor(result, "i32")} {{
  %r = mlopt.dot %a, %b contract [{contract_a}] x [{contract_b}] {{unsigned}} : ({types[0]}, {types[1]}) -> {programs.tensor(result, "i32")}
  return %r : {programs.tensor(result, "i32")}
}}""", [("a", a, "i8"), ("b", b, "i8")], [("r", result, "i32")])


def codes(name, m, n, k, element):
    """A product of all that eight bits can be."""
    shapes = [[m, k], [n, k]]
    bits = [programs.tensor(shape, "i8") for shape in shapes]
    types = [programs.tensor(shape, element) for shape in shapes]
    result = programs.tensor([m, n], "f32")
    cases[name] = programs.Program.from_text(f"""
func.func @main(%x: {bits[0]}, %y: {bits[1]}) -> {result} {{
  %a = mlopt.bitcast %x : {bits[0]} -> {types[0]}
  %b = mlopt.bitcast %y : {bits[1]} -> {types[1]}
  %r = mlopt.dot %a, %b contract [1] x [1] : ({types[0]}, {types[1]}) -> {result}
  return %r : {result}
}}""", [("x", shapes[0], "i8"), ("y", shapes[1], "i8")],
        [("r", [m, n], "f32")])


def widened(m, n, k, layout, element, other):
    """A product in f32 of what both become, in one kernel."""
    shapes = [[m, k] if layout[0] == "n" else [k, m],
              [k, n] if layout[1] == "n" else [n, k]]
    types = [programs.tensor(shape, e) for shape, e in
             zip(shapes, (element, other))]
    wide = [programs.tensor(shape, "f32") for shape in shapes]
    result = programs.tensor([m, n], "f32")
    lines, names = "", ["%a", "%b"]
    for i in range(2):
        if types[i] != wide[i]:
            lines += (f"    %{i} = mlopt.convert {names[i]} : {types[i]} -> "
                      f"{wide[i]}\n")
            names[i] = f"%{i}"
    contract = f"[{int(layout[0] == 'n')}] x [{int(layout[1] == 't')}]"
    cases[f"widened_{element}_{other}_{layout}_{m}x{n}x{k}"] = (
        programs.Program.from_text(f"""
func.func @main(%x: {types[0]}, %y: {types[1]}) -> {result} {{
  %r = mlopt.fusion (%a = %x : {types[0]}, %b = %y : {types[1]}) -> {result} {{
{lines}    %2 = mlopt.dot {names[0]}, {names[1]} contract {contract} : ({wide[0]}, {wide[1]}) -> {result}
    mlopt.yield %2 : {result}
  }}
  return %r : {result}
}}""", [("x", shapes[0], element), ("y", shapes[1], other)],
            [("r", [m, n], "f32")]))


# Whole tiles, edges of tiles, odd rows.
for element in ("bf16", "f16", "f32"):
    for layout in ("nn", "nt", "tn", "tt"):
        for m, n, k in ((128, 128, 64), (100, 72, 333), (130, 136, 40),
                        (33, 65, 129), (333, 777, 101), (520, 712, 264)):
            matmul(m, n, k, layout, element)
for element, result in (("f64", None), ("i32", None), ("i8", "i32"),
                        ("f8E4M3FN", "bf16"), ("f8E5M2", "f32")):
    for layout in ("nn", "nt", "tn", "tt"):
        matmul(100, 72, 333, layout, element, result)
# Bytes on mma.sync: whole tiles, edges, odd rows, streams, a short side.
for element, other, result in (("i8", None, "i32"),
                               ("f8E4M3FN", None, "bf16"),
                               ("f8E5M2", "f8E4M3FN", "bf16")):
    for layout in ("nn", "nt", "tn", "tt"):
        for m, n, k in ((128, 128, 128), (48, 80, 176), (130, 136, 72),
                        (33, 65, 129), (520, 712, 264), (17, 1024, 640),
                        (1504, 24, 512)):
            matmul(m, n, k, layout, element, result, other)
    for m, n, k in ((1, 1024, 512), (3, 513, 144), (4, 582, 4848),
                    (600, 8, 912), (7, 2000, 320), (5, 4107, 777)):
        matmul(m, n, k, "nt", element, result, other)
unsigned("u8_nt", [100, 144], [72, 144], 1, 1)
unsigned("u8_nn", [16, 512], [512, 1024], 1, 0)
# Every code of eight bits: numbers, infinities, NaN.
for element in ("f8E4M3FN", "f8E5M2"):
    codes(f"codes_{element}", 300, 256, 16, element)
# A narrow factor beside a wider one, both in one term.
for element in ("f8E4M3FN", "f8E5M2", "i8"):
    for other in ("bf16", "f16", "f32", "i8"):
        for layout in ("nn", "nt", "tn"):
            for m, n, k in ((130, 136, 72), (33, 65, 129), (16, 1024, 512)):
                widened(m, n, k, layout, element, other)
                if other != "i8":
                    widened(m, n, k, layout, other, element)
# Transposed with zeros behind rows that TMA does not take, for wgmma.
for layout in ("nn", "tn", "tt"):
    matmul(511, 770, 1021, layout, "i8", "i32")
    matmul(511, 770, 1021, layout, "f8E4M3FN", "bf16")
# Tiles of f64, whole and not.
for layout in ("nn", "nt", "tn", "tt"):
    matmul(512, 320, 160, layout, "f64")
    matmul(1030, 1157, 39, layout, "f64")
# One factor in three terms, the other in one; streams of either.
for element, other in (("f32", "bf16"), ("bf16", "f32")):
    for layout in ("nn", "nt", "tn", "tt"):
        for m, n, k in ((128, 128, 64), (33, 65, 129), (520, 712, 264),
                        (1024, 64, 512), (64, 1504, 512), (17, 1024, 640)):
            matmul(m, n, k, layout, element, "f32", other)
# Zeros on one side of a diagonal: before, on and behind all tiles, too. Of many
# tiles, a long sum for one predicate alone: the CPU takes seconds for each.
for predicate in ("lt", "le", "gt", "ge"):
    depth = 1024 if predicate == "lt" else 256
    for side in (0, 1):
        for m, n, k, offset in ((520, 72, 512, 0), (333, 130, 401, 37),
                                (256, 264, 304, -95), (256, 256, 256, 256),
                                (256, 256, 256, -256), (1024, 768, depth, 0)):
            for t in (False, True):
                for element in ("f32", "bf16"):
                    masked(f"masked_{element}_{predicate}_{side}_{'tn'[not t]}_"
                           f"{m}x{n}x{k}_{offset}", m, n, k, side, predicate,
                           offset, t, element)
# Factors that the kernel computes, whole tiles and not.
for m, n, k in ((128, 256, 64), (333, 136, 192), (200, 264, 448)):
    for along in ("n", "k", None):
        for transposed in (False, True):
            scaled(m, n, k, "i8", "bf16", along, transposed)
            scaled(m, n, k, "i8", "bf16", along, transposed, first=True)
    for source, element in (("i8", "f16"), ("i16", "bf16"), ("bf16", "bf16"),
                            ("f8E4M3FN", "bf16"), ("f8E5M2", "f16")):
        scaled(m, n, k, source, element, "n")
    scaled(m, n, k, "f32", "bf16", None)
    scaled(m, n, k, "i8", "bf16", "n", numerics="strict")
    gathered(f"{m}x{n}x{k}", m, 70, n, k)
    gathered(f"f16_{m}x{n}x{k}", m, 999, n, k, "f16")
    gathered(f"scaled_{m}x{n}x{k}", m, 999, n, k, scale=True)
    gathered(f"two_{m}x{n}x{k}", m, 999, n, k, two=True)
# Of few rows: straight from memory, from stages of bytes, and through registers.
for m, n, k in ((1, 1100, 1040), (7, 777, 516), (16, 1100, 1028),
                (33, 1030, 644)):
    for along in ("n", "k"):
        scaled(m, n, k, "i8", "bf16", along)
    scaled(m, n, k, "f8E4M3FN", "bf16", "n", first=True)
    scaled(m, n, k, "i8", "bf16", None)
scaled(16, 1100, 1028, "i8", "bf16", "n", True)
scaled(16, 1100, 1028, "f32", "f16", None)
# Streams of one factor.
for element in ("bf16", "f32"):
    for layout in ("nn", "nt"):
        for m, n, k in ((1, 1024, 512), (13, 9000, 520), (5, 12808, 520),
                        (17, 1024, 640), (64, 1504, 512), (5, 4107, 777),
                        (2000, 1, 600), (20000, 16, 520), (13000, 40, 136)):
            matmul(m, n, k, layout, element)
# One row and more beside rows that start anywhere, few sums of long ones.
for m, n, k in ((1, 5003, 3001), (4001, 1, 2005), (1, 700, 9001),
                (2, 9001, 2549), (7, 5003, 2049), (25, 9, 11529)):
    for element in ("bf16", "f16"):
        matmul(m, n, k, "nt", element)
# A short side, straight from memory: rows and depths of no whole line, blocks
# that share k, batches.
for element in ("bf16", "f16"):
    for m, n, k in ((3, 513, 136), (4, 582, 4840), (600, 8, 904), (7, 2000, 320)):
        matmul(m, n, k, "nt", element)
    dot(f"{element}_keys", [3, 2, 4, 128], [3, 2, 1000, 128], ([3], [3]),
        element, ([0, 1], [0, 1]), "f32")
# Batches anywhere, several contracted dimensions.
for element in ("bf16", "f32"):
    dot(f"{element}_batch", [3, 70, 40], [3, 50, 40], ([2], [2]), element,
        ([0], [0]))
    dot(f"{element}_heads", [2, 33, 4, 24], [2, 40, 4, 24], ([3], [3]), element,
        ([0, 2], [0, 2]))
    dot(f"{element}_two", [16, 32, 20], [32, 48, 20], ([1, 2], [0, 2]), element)
    dot(f"{element}_order", [16, 8, 60], [60, 48, 8], ([1, 2], [2, 0]), element)
    dot(f"{element}_rows", [4, 64, 96], [4, 64, 72], ([0, 1], [0, 1]), element)
conv("same", 2, 14, 32, 48, 3)
conv("stride", 2, 15, 64, 40, 3, stride=2)
conv("dilated", 1, 20, 16, 24, 3, dilation=2, low=2, high=2)
conv("f32", 1, 12, 12, 20, 3, "f32")
conv("three", 2, 16, 3, 32, 7, stride=2, low=3, high=3)
conv("point", 2, 9, 32, 32, 1, low=0, high=0)
conv("groups", 2, 10, 32, 64, 3, groups=2)
conv("spread", 1, 8, 16, 16, 3, spread=2)
conv("f16", 2, 33, 8, 128, 3, "f16")
conv("uneven", 1, 18, 40, 64, 5, "f32", low=2, high=1)


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__,
                               [(n, p.text) for n, p in cases.items()]))
