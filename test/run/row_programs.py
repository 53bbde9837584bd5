#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and compiles reductions of rows of every length.

  test/run/row_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU, three times for the same bits. Rows are held in
registers or shared memory, by a part of a warp, a block or a cluster, or gone
along several times; they are whole numbers of vectors or start anywhere in one.
"""

import sys

import gpu_programs


def tensor(sizes, element):
    return f"tensor<{'x'.join(map(str, [*sizes, element]))}>"


class Rows:
    """A program over x, of this shape, whose last `reduced` dimensions are
    reduced."""

    def __init__(self, element, *shape, reduced=1):
        self.element, self.shape = element, shape
        self.kept = shape[:len(shape) - reduced]
        self.dims = list(range(len(shape) - reduced, len(shape)))
        self.lines, self.count = [], 0

    def add(self, text):
        self.count += 1
        self.lines.append(f"  %{self.count} = mlopt.{text}")
        return f"%{self.count}"

    def type(self, element="f32"):
        return tensor(self.shape, element)

    def row(self, element="f32"):
        return tensor(self.kept, element)

    def convert(self, x, element, to):
        if element == to:
            return x
        return self.add(f"convert {x} : {self.type(element)} -> {self.type(to)}")

    def reduce(self, kind, x, element="f32"):
        return self.add(f"reduce {kind} {x} dims {self.dims} : "
                        f"({self.type(element)}) -> {self.row(element)}")

    def spread(self, m, element="f32"):
        return self.add(f"broadcast {m} dims {list(range(len(self.kept)))} : "
                        f"{self.row(element)} -> {self.type(element)}")

    def binary(self, name, a, b):
        return self.add(f"{name} {a}, {b} : {self.type()}")

    def give(self, *results, inputs="x"):
        arguments = ", ".join(f"%{name}: {self.type(self.element)}"
                              for name in inputs)
        types = ", ".join(type for _, type in results)
        values = ", ".join(value for value, _ in results)
        return (f"func.func @main({arguments}) -> ({types}) {{\n"
                + "\n".join(self.lines)
                + f"\n  return {values} : {types}\n}}\n")


def reduction(kind, element, *shape, **more):
    p = Rows(element, *shape, **more)
    return p.give((p.reduce(kind, "%x", element), p.row(element)))


def softmax(element, *shape, **more):
    p = Rows(element, *shape, **more)
    x = p.convert("%x", element, "f32")
    d = p.binary("sub", x, p.spread(p.reduce("max", x)))
    e = p.add(f"exp {d} : {p.type()}")
    q = p.binary("div", e, p.spread(p.reduce("add", e)))
    return p.give((p.convert(q, "f32", element), p.type(element)))


def argmax(element, *shape):
    p = Rows(element, *shape)
    both = f"({p.row(element)}, {p.row('i32')})"
    p.lines.append(f"  %a:2 = mlopt.arg_reduce max %x dim {len(shape) - 1} : "
                   f"{p.type(element)} -> {both}")
    return p.give(("%a#0", p.row(element)), ("%a#1", p.row("i32")))


def places(element, *shape):
    """Several reductions, one of which needs where elements stand."""
    p = Rows(element, *shape)
    x = p.convert("%x", element, "f32")
    i = p.add(f"iota dim {len(shape) - 1} : {p.type()}")
    return p.give((p.reduce("add", p.binary("mul", x, i)), p.row()),
                  (p.reduce("add", x), p.row()),
                  (p.reduce("max", x), p.row()))


def columns(element, *shape):
    p = Rows(element, *shape)
    x = p.convert("%x", element, "f32")
    column = tensor(shape[1:], "f32")
    sums = [p.add(f"reduce {kind} {x} dims [0] : ({p.type()}) -> {column}")
            for kind in ("add", "max")]
    return p.give(*((s, column) for s in sums))


def norm(element, *shape):
    """What is normalised is kept, and so are its squares' sums."""
    p = Rows(element, *shape)
    x = p.binary("add", p.convert("%x", element, "f32"),
                 p.convert("%y", element, "f32"))
    s = p.reduce("add", p.binary("mul", x, x))
    one = p.add(f"constant dense<1.0> : {p.row()}")
    t = p.add(f"rsqrt {p.add(f'add {s}, {one} : {p.row()}')} : {p.row()}")
    y = p.binary("mul", x, p.spread(t))
    return p.give((p.convert(x, "f32", element), p.type(element)),
                  (p.convert(y, "f32", element), p.type(element)),
                  (s, p.row()), inputs="xy")


def gradients(element, *shape):
    """Reductions of rows, and sums of columns beside them."""
    p = Rows(element, *shape)
    x = p.convert("%x", element, "f32")
    d = p.binary("sub", x, p.spread(p.reduce("max", x)))
    e = p.binary("mul", d, p.spread(p.reduce("add", d)))
    column = tensor(shape[-1:], "f32")
    sums = [p.add(f"reduce {kind} {of} dims {list(range(len(shape) - 1))} : "
                  f"({p.type()}) -> {column}")
            for kind, of in (("add", d), ("max", e))]
    return p.give((p.convert(e, "f32", element), p.type(element)),
                  *((s, column) for s in sums))


PROGRAMS = {
    # Whole vectors.
    "warp": softmax("bf16", 3001, 1024),
    "block": softmax("bf16", 301, 4096),
    "staged": softmax("bf16", 150, 8192),
    "staged_turns": softmax("bf16", 140, 16384),
    "staged_cluster": softmax("bf16", 140, 65536),
    "one_wave": softmax("bf16", 70, 131072),
    "one_wave_less": softmax("bf16", 70, 130048),
    "one_wave_norm": norm("bf16", 70, 61440),
    "one_wave_f32": softmax("f32", 70, 65536),
    "few": softmax("bf16", 5, 16384),
    "ahead": norm("f32", 6149, 1024),
    # Vectors that the rows' ends cut.
    "odd": softmax("bf16", 241, 8191),
    "odd_block": softmax("f16", 601, 4099),
    "odd_warp": softmax("f32", 2113, 1023),
    "even": softmax("bf16", 241, 8190),
    "quarters": softmax("bf16", 243, 8188),
    "odd_dims": softmax("bf16", 5, 81, 63, 129, reduced=2),
    "odd_norm": norm("bf16", 1333, 1501),
    "odd_norm_f32": norm("f32", 1333, 1501),
    "odd_min": reduction("min", "i32", 2113, 1023),
    "odd_max_bytes": reduction("max", "i8", 1001, 2047),
    "odd_sum": reduction("add", "f32", 601, 4097),
    "odd_sum_f64": reduction("add", "f64", 601, 2047),
    "odd_argmax": argmax("f32", 601, 4099),
    "odd_argmax_bf16": argmax("bf16", 601, 4099),
    # Elements.
    "odd_long": softmax("bf16", 140, 20001),
    "odd_short": softmax("bf16", 3001, 31),
    # In pieces, each with its own largest element.
    "pieces": softmax("bf16", 2, 2000000),
    # Little that fills none is reduced with what the pieces gave.
    "pieces_left": softmax("f32", 1, 1500007),
    "pieces_left_sum": reduction("add", "f64", 127, 127, 127, reduced=3),
    "pieces_left_min": reduction("min", "i32", 3, 500009),
    "pieces_left_places": places("f32", 1000003),
    "pieces_left_columns": columns("f32", 131101, 40),
    "pieces_left_columns_few": columns("bf16", 1048577, 5),
    "pieces_left_much": reduction("add", "f32", 2987707),
    # Columns beside them: in equal pieces of rows, or with some left over.
    "columns": gradients("f32", 2112, 1000),
    "columns_left": gradients("f32", 2113, 1000),
    "columns_left_bf16": gradients("bf16", 1201, 4096),
    "columns_left_short": gradients("f32", 20011, 64),
    "columns_dims": gradients("bf16", 4, 521, 1024),
}


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, list(PROGRAMS.items())))
