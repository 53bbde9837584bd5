#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and compiles sorts of every kind.

  test/run/sort_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU, three times for the same bits. Keys are integers of
few values, so that many rows are equal and only a stable sort is right; lengths
are those at which a thread, a warp, a block and a merge have a row too many.
"""

import sys

import gpu_programs


def program(shape, dim, keys=("i32",), order="", body="", more=""):
    """Sorts by keys of these types, where each row has come from, of i64."""
    tensor = lambda type: f"tensor<{'x'.join(map(str, [*shape, type]))}>"
    types = [tensor(type) for type in keys]
    names = [f"%k{i}" for i in range(len(keys))]
    at = tensor("i64")
    out = ", ".join([*types, at])
    result = f"  return {', '.join(f'%r#{i}' for i in range(len(keys) + 1))} : {out}"
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    if not body:
        order = f" keys {len(keys)}" + order
    return f"""func.func @main({arguments}) -> ({out}) {{
  %i = mlopt.iota dim {dim} : {at}
  %r:{len(keys) + 1} = mlopt.sort {", ".join(names)}, %i dim {dim}{order}
      : ({out}) -> ({out}){body}
{more or result}
}}
"""


# By the last digit, then the others the other way round.
DIGITS = """ {
  ^bb0(%a: i32, %b: i32, %m: i64, %n: i64):
    %ten = mlopt.constant 4 : i32
    %c = mlopt.rem %a, %ten : i32
    %d = mlopt.rem %b, %ten : i32
    %less = mlopt.compare lt, %c, %d : i32
    %same = mlopt.compare eq, %c, %d : i32
    %more = mlopt.compare gt, %a, %b : i32
    %both = mlopt.and %same, %more : i1
    %before = mlopt.or %less, %both : i1
    mlopt.yield %before : i1
  }"""

LENGTHS = (2, 3, 9, 10, 31, 33, 63, 257, 511, 1023, 1024, 1025, 2305, 4095,
           4096, 4097, 8191, 8193, 16385, 50001)

PROGRAMS = {f"line_{n}": program((3, n), 1) for n in LENGTHS}
PROGRAMS |= {
    "many_short": program((1001, 7), 1),
    "one": program((100003,), 0, ("f32",)),
    "columns": program((300, 41), 0, ("f32",)),
    "long_columns": program((5000, 7), 0, ("f32",)),
    "middle": program((3, 100, 5), 1, ("bf16",)),
    "two_keys": program((2, 9001), 1, ("i8", "f32")),
    "wide_keys": program((2, 9001), 1, ("f64", "i64")),
    "three_keys": program((9001,), 0, ("f64", "i32", "i64"), " descending"),
    "many_keys": program((3, 70), 1, ("f64",) * 12),
    "bits": program((2, 5001), 1, ("i1",)),
    "total": program((2, 5001), 1, ("f16",), " total_order"),
    "region": program((2, 700), 1, body=DIGITS),
    "long_region": program((2, 9001), 1, body=DIGITS),
    "largest": program((3, 6000), 1, ("f32",), " descending", more="""\
  %v = mlopt.slice %r#0 starts [0, 0] limits [3, 40] strides [1, 1]
      : tensor<3x6000xf32> -> tensor<3x40xf32>
  %n = mlopt.slice %r#1 starts [0, 0] limits [3, 40] strides [1, 1]
      : tensor<3x6000xi64> -> tensor<3x40xi64>
  return %v, %n : tensor<3x40xf32>, tensor<3x40xi64>""").replace(
        "-> (tensor<3x6000xf32>, tensor<3x6000xi64>) {\n  %i",
        "-> (tensor<3x40xf32>, tensor<3x40xi64>) {\n  %i"),
}


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, list(PROGRAMS.items())))
