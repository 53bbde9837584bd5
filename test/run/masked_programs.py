#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and compiles attention whose probabilities are kept, under masks.

  test/run/masked_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU, three times for the same bits. What lies beyond a
mask is left out where nobody reads it, and stored where somebody does; where
rows or tiles do not fit the mask, nothing is left out. What is left out changes
no number: each is run a second time with a mask that is known at run time only,
so that everything is computed, and gives the same results.

A product of what was rounded to bf16 is bf16: which way that was rounded may hang
on the order of an f32 sum, so that the product is not within f32's bound. Where
all is f32 on the way, the product is, and is held to it.
"""

import sys

import gpu_programs


class Attention:
    """Scores of `rows` queries and `columns` keys, b matrices of each."""

    def __init__(self, b, rows, columns, offset=0, depth=64,
                 masked="column > row", hidden=0, known=True):
        self.b, self.rows, self.columns, self.depth = b, rows, columns, depth
        self.lines, self.count = [], 0
        square = self.matrix("i32")
        i = self.add(f"iota dim 1 : {square}")
        if offset:
            by = self.add(f"constant dense<{offset}> : {square}")
            i = self.add(f"add {i}, {by} : {square}")
        self.known = known
        if not known:  # the compiler does not know that %z is below 8
            eight = self.add("constant dense<8> : tensor<i32>")
            none = self.add(f"div %z, {eight} : tensor<i32>")
            none = self.add(f"broadcast {none} dims [] : tensor<i32> -> {square}")
            i = self.add(f"add {i}, {none} : {square}")
        j = self.add(f"iota dim 2 : {square}")
        self.kept = masked == "column > row"
        words = f"ge, {i}, {j}" if self.kept else f"gt, {j}, {i}"
        self.condition = self.add(f"compare {words} : {square}")
        if hidden:  # keys that no row sees, so that the first rows see none
            first = self.add(f"constant dense<{hidden}> : {square}")
            seen = self.add(f"compare ge, {j}, {first} : {square}")
            self.condition = self.add(
                f"and {self.condition}, {seen} : {self.matrix('i1')}")

    def add(self, text):
        self.count += 1
        self.lines.append(f"  %{self.count} = mlopt.{text}")
        return f"%{self.count}"

    def matrix(self, element):
        return f"tensor<{self.b}x{self.rows}x{self.columns}x{element}>"

    def row(self, element="f32"):
        return f"tensor<{self.b}x{self.rows}x{element}>"

    def factor(self, size, element="bf16"):
        return f"tensor<{self.b}x{size}x{self.depth}x{element}>"

    def binary(self, name, x, y):
        return self.add(f"{name} {x}, {y} : {self.matrix('f32')}")

    def splat(self, value):
        return self.add(f"constant dense<{value}> : {self.matrix('f32')}")

    def select(self, x, masked):
        a, b = (x, masked) if self.kept else (masked, x)
        return self.add(f"select {self.condition}, {a}, {b} : {self.matrix('f32')}")

    def reduce(self, kind, x):
        r = self.add(f"reduce {kind} {x} dims [2] : ({self.matrix('f32')}) -> {self.row()}")
        return r, self.add(f"broadcast {r} dims [0, 1] : {self.row()} -> {self.matrix('f32')}")

    def to(self, x, element, other):
        return self.add(f"convert {x} : {self.matrix(element)} -> {self.matrix(other)}")

    def scores(self, q="%q", k="%k"):
        return self.add(
            f"dot {q}, {k} batch [0] x [0] contract [2] x [2] : "
            f"({self.factor(self.rows)}, {self.factor(self.columns)}) -> {self.matrix('f32')}")

    def softmax(self):
        """exp(s - max), its sum, and the quotient."""
        scale = self.splat("1.25e-1")
        s = self.select(self.binary("mul", self.scores(), scale), self.splat("0xFF800000"))
        _, m = self.reduce("max", s)
        e = self.add(f"exp {self.binary('sub', s, m)} : {self.matrix('f32')}")
        total, spread = self.reduce("add", e)
        return e, total, spread, self.binary("div", e, spread)

    def times(self, p, x, element, contract, by="bf16"):
        """p x, or where rows are contracted, p transposed times x."""
        sizes = {2: (self.columns, self.rows), 1: (self.rows, self.columns)}[contract]
        return self.add(
            f"dot {p}, {x} batch [0] x [0] contract [{contract}] x [1] : "
            f"({self.matrix(element)}, {self.factor(sizes[0])}) -> {self.factor(sizes[1], by)}")

    def gradient(self, e, total, spread, element="bf16"):
        """Of the scores, as JAX derives it from the softmax."""
        dp = self.add(
            f"dot %g, %v batch [0] x [0] contract [2] x [2] : "
            f"({self.factor(self.rows)}, {self.factor(self.columns)}) -> {self.matrix(element)}")
        if element != "f32":
            dp = self.to(dp, element, "f32")
        square = self.add(f"mul {total}, {total} : {self.row()}")
        one = self.add(f"constant dense<1.0> : {self.row()}")
        inverse = self.add(f"div {one}, {square} : {self.row()}")
        inverse = self.add(f"broadcast {inverse} dims [0, 1] : {self.row()} -> {self.matrix('f32')}")
        _, delta = self.reduce("add", self.binary("mul", self.binary("mul", dp, inverse), e))
        inner = self.binary("sub", self.binary("div", dp, spread), delta)
        return self.select(self.binary("mul", inner, e), self.splat("0.0"))

    def give(self, *results):
        types = ", ".join(t for _, t in results)
        arguments = ", ".join(f"%{n}: {self.factor(s)}" for n, s in
                              [("q", self.rows), ("k", self.columns),
                               ("v", self.columns), ("g", self.rows)])
        arguments += "" if self.known else ", %z: tensor<i32>"
        return "\n".join([f"func.func @main({arguments}) -> ({types}) {{", *self.lines,
                          f"  return {', '.join(v for v, _ in results)} : {types}", "}", ""])


def training(*sizes, **options):
    """Forwards and backwards: nobody sees a matrix."""
    a = Attention(*sizes, **options)
    e, total, spread, p = a.softmax()
    half = a.to(p, "f32", "bf16")
    ds = a.gradient(e, total, spread)
    out = [(a.times(half, "%v", "bf16", 2), a.factor(a.rows)),
           (a.times(half, "%g", "bf16", 1), a.factor(a.columns)),
           (a.times(ds, "%k", "f32", 2), a.factor(a.rows)),
           (a.times(ds, "%q", "f32", 1), a.factor(a.columns))]
    return a.give(*out)


def wide(*sizes, **options):
    """The same without a bf16 number on the way."""
    a = Attention(*sizes, **options)
    e, total, spread, p = a.softmax()
    ds = a.gradient(e, total, spread, "f32")
    out = [(a.times(x, y, "f32", contract, "f32"),
            a.factor(a.rows if contract == 2 else a.columns, "f32"))
           for x, y, contract in [(p, "%v", 2), (p, "%g", 1), (ds, "%k", 2), (ds, "%q", 1)]]
    return a.give(*out)


def returned(*sizes, **options):
    """The probabilities are a result: all of them are stored."""
    a = Attention(*sizes, **options)
    _, _, _, p = a.softmax()
    half = a.to(p, "f32", "bf16")
    return a.give((half, a.matrix("bf16")),
                  (a.times(half, "%v", "bf16", 2), a.factor(a.rows)))


def read_whole(*sizes, **options):
    """Somebody adds up all columns of the probabilities."""
    a = Attention(*sizes, **options)
    _, _, _, p = a.softmax()
    half = a.to(p, "f32", "bf16")
    wide = a.to(half, "bf16", "f32")
    columns = f"tensor<{a.b}x{a.columns}xf32>"
    total = a.add(f"reduce add {wide} dims [1] : ({a.matrix('f32')}) -> {columns}")
    return a.give((total, columns),
                  (a.times(half, "%v", "bf16", 2), a.factor(a.rows)),
                  (a.times(half, "%g", "bf16", 1), a.factor(a.columns)))


def not_neutral(*sizes, **options):
    """What is masked is zero before the softmax, which counts."""
    a = Attention(*sizes, **options)
    s = a.select(a.scores(), a.splat("0.0"))
    _, m = a.reduce("max", s)
    e = a.add(f"exp {a.binary('sub', s, m)} : {a.matrix('f32')}")
    _, spread = a.reduce("add", e)
    half = a.to(a.binary("div", e, spread), "f32", "bf16")
    return a.give((a.times(half, "%v", "bf16", 2), a.factor(a.rows)),
                  (a.times(half, "%g", "bf16", 1), a.factor(a.columns)))


def both(attention, *sizes, **options):
    """Under a mask that the compiler knows, and that it does not."""
    return [attention(*sizes, known=known, **options) for known in (True, False)]


PROGRAMS = {
    "training_512": both(training, 36, 512, 512),
    "training_1024": both(training, 10, 1024, 1024),
    "training_2048": both(training, 2, 2048, 2048),
    "training_flipped": both(training, 36, 512, 512, masked="column <= row"),
    "training_prefix": both(training, 20, 512, 768, offset=256),
    "training_short_prefix": both(training, 40, 512, 520, offset=8),
    "training_few_keys": both(training, 40, 1024, 512),
    "training_uneven": both(training, 40, 392, 392),
    "training_small": both(training, 3, 256, 256),
    "wide_512": both(wide, 36, 512, 512),
    "wide_prefix": both(wide, 20, 512, 768, offset=256),
    "wide_uneven": both(wide, 40, 392, 392),
    "wide_small": both(wide, 3, 256, 256),
    "returned_512": both(returned, 36, 512, 512),
    "returned_prefix": both(returned, 20, 512, 1024, offset=512),
    "returned_empty_rows": both(returned, 36, 512, 512, hidden=5),
    "read_whole_512": both(read_whole, 36, 512, 512),
    "not_neutral_512": both(not_neutral, 36, 512, 512),
}

if __name__ == "__main__":
    sys.exit(gpu_programs.main(
        __doc__, [(name, known) for name, (known, _) in PROGRAMS.items()],
        {name: unknown for name, (_, unknown) in PROGRAMS.items()}))
