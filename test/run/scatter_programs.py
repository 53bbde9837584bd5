#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and compiles scatters of every kind.

  test/run/scatter_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU, three times for the same bits. Indices are numbers
of four octal digits, which is what random integers are good for. They meet few
elements or one alone, so that the blocks' lists of windows are empty, short, or
run over.
"""

import sys

import gpu_programs


def index_of(windows, rank, element, scale, offset):
    """The lines that compute %i, `rank` numbers a window, from %d0 to %d3."""
    type = f"tensor<{windows}x{rank}x{element}>"
    lines = [f"  %i0 = mlopt.constant dense<{offset}> : {type}"]
    for digit in range(4):
        lines += [
            f"  %w{digit} = mlopt.constant dense<{scale * 8 ** digit}> : {type}",
            f"  %m{digit} = mlopt.mul %d{digit}, %w{digit} : {type}",
            f"  %i{digit + 1} = mlopt.add %i{digit}, %m{digit} : {type}"]
    return type, "\n".join(lines)


def program(kind, operand, windows, window=(), starts=1, type="f32",
            index="i32", scale=1, offset=0, body="", more=False):
    """A scatter into `operand`, whose first `starts` dimensions have indices and
    whose last ones windows of this shape; with `more`, something follows it."""
    shape = lambda sizes, element=type: f"tensor<{'x'.join(map(str, [*sizes, element]))}>"
    x, u = shape(operand), shape([windows, *window])
    i, lines = index_of(windows, starts, index, scale, offset)
    inserted = list(range(len(operand) - len(window)))
    along = list(range(1, 1 + len(window)))
    digits = ", ".join(f"%d{k}: {i}" for k in range(4))
    out = f"({x}, {shape(operand, 'f64')})" if more else x
    return f"""func.func @main(%x: {x}, %u: {u}, {digits}) -> {out} {{
{lines}
  %r = mlopt.scatter {kind} %x, %i4, %u
      update_window_dims {along} inserted_window_dims {inserted}
      scatter_dims_to_operand_dims {list(range(starts))} index_vector_dim 1
      : ({x}, {i}, {u}) -> {x}{body}
""" + (f"""  %s = mlopt.convert %r : {x} -> {shape(operand, 'f64')}
  %t = mlopt.mul %s, %s : {shape(operand, 'f64')}
  return %r, %t : {x}, {shape(operand, 'f64')}
}}
""" if more else f"  return %r : {x}\n}}\n")


# What an update leaves behind depends on all before it.
BLEND = """ {
  ^bb0(%old: f32, %new: f32):
    %half = mlopt.constant 0.5 : f32
    %a = mlopt.mul %old, %half : f32
    %b = mlopt.add %a, %new : f32
    mlopt.yield %b : f32
  }"""

PROGRAMS = {
    "rows": program("add", (4000, 37), 5000, (37,)),
    "rows_outside": program("add", (3000, 19), 4000, (19,), offset=-500,
                            index="i64"),
    "far_outside": program("add", (64, 16), 500, (16,), index="i64",
                           scale=2 ** 31),
    "rows_bf16": program("add", (301, 33), 3000, (33,), type="bf16"),
    "few_bins": program("add", (10,), 20000, scale=1, offset=-4000, type="i32"),
    "one_bin": program("add", (1000,), 9000, scale=0, offset=77, type="i32"),
    "many_bins": program("add", (100000,), 30000, scale=23),
    "last_one": program("set", (4096,), 30000, type="f64", index="i64"),
    "least": program("min", (500,), 3000, type="i8"),
    "windows": program("add", (50, 60), 700, (5, 7), starts=2, scale=0,
                       offset=-3),
    "windows_apart": program("add", (4200, 60), 700, (5, 7), more=True),
    "wide_rows": program("add", (700, 64), 5000, (64,), more=True),
    "wide_rows_bf16": program("add", (301, 5, 24), 3000, (5, 24), type="bf16"),
    "wide_rows_f64": program("max", (1200, 3, 6), 4100, (6,), starts=2,
                             type="f64", offset=-700),
    "nothing": program("add", (50, 3), 0, (3,)),
    "planes": program("max", (9, 4096, 3), 2000, (3,), starts=2),
}
PROGRAMS["region"] = program("", (500,), 9000, body=BLEND)


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, list(PROGRAMS.items())))
