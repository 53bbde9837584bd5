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

import re
import sys

import gpu_programs


def program(shape, dim, keys=("i32",), order="", body="", more="", make=""):
    """Sorts by keys of these types, where each row has come from, of i64.
    `make`, if given, computes %n from %x and the row's number %at, all of i32;
    <c> is a constant. The key is %n, or its bits as an f32."""
    tensor = lambda type: f"tensor<{'x'.join(map(str, [*shape, type]))}>"
    types = [tensor(type) for type in keys]
    names = [f"%k{i}" for i in range(len(keys))]
    at = tensor("i64")
    out = ", ".join([*types, at])
    result = f"  return {', '.join(f'%r#{i}' for i in range(len(keys) + 1))} : {out}"
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    if make:
        number = tensor("i32")
        arguments = f"%x: {number}"
        lines = [f"%at = mlopt.iota dim {dim}"]
        lines += [f"%c{n} = mlopt.constant dense<{n}>"
                  for n in sorted(set(re.findall(r"<(\d+)>", make)))]
        lines += re.sub(r"<(\d+)>", r"%c\1", make).split("; ")
        make = "".join(f"  {line} : {number}\n" for line in lines)
        names = ["%n"]
        if keys[0] != "i32":
            names = ["%k0"]
            make += f"  %k0 = mlopt.bitcast %n : {number} -> {types[0]}\n"
    if not body:
        order = f" keys {len(keys)}" + order
    return f"""func.func @main({arguments}) -> ({out}) {{
{make}  %i = mlopt.iota dim {dim} : {at}
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

# Keys of long lines, which are ordered one digit after the other: all values,
# few, one, in order, in the opposite order; and bits of floats, with both zeros,
# infinities and NaNs, many of them equal.
LONG = 4200001
MADE = {
    "mixed": "%h = mlopt.mul %at, <1640531535>; %n = mlopt.xor %h, %x",
    "few": "%n = mlopt.rem %x, <3>",
    "one": "%n = mlopt.shl %x, <40>",
    "rising": "%n = mlopt.add %at, %x",
    "falling": "%n = mlopt.sub %x, %at",
}
FLOATS = ("%h = mlopt.mul %at, <1640531535>; %m = mlopt.xor %h, %x; "
          "%s = mlopt.shl <511>, <23>; %l = mlopt.or %s, <1>; "
          "%n = mlopt.and %m, %l")

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
PROGRAMS |= {f"digits_{name}": program((LONG,), 0, make=make)
             for name, make in MADE.items()}
PROGRAMS |= {f"digits_floats{order.replace(' ', '_')}": program(
                 (LONG,), 0, ("f32",), order, make=FLOATS)
             for order in ("", " descending", " total_order")}
PROGRAMS |= {
    "digits_unsigned": program((LONG,), 0, ("i32",), " descending unsigned_keys",
                               make=MADE["mixed"]),
    "digits_lines": program((3, 1000003), 1, ("i16",), " descending"),
    "digits_bits": program((2, 3, 100001), 2, ("i1",)),
    "digits_bytes": program((500001,), 0, ("i8",)),
    "digits_bf16": program((1048576,), 0, ("bf16",)),
    "digits_wide": program((LONG,), 0, ("f64",), " descending"),
    # What is no wider than a row's number goes along.
    "digits_payload": """\
func.func @main(%k: tensor<600001xf16>, %v: tensor<600001xi8>, %w: tensor<600001xbf16>)
    -> (tensor<600001xf16>, tensor<600001xi8>, tensor<600001xbf16>) {
  %r:3 = mlopt.sort %k, %v, %w dim 0
      : (tensor<600001xf16>, tensor<600001xi8>, tensor<600001xbf16>)
      -> (tensor<600001xf16>, tensor<600001xi8>, tensor<600001xbf16>)
  return %r#0, %r#1, %r#2 : tensor<600001xf16>, tensor<600001xi8>, tensor<600001xbf16>
}
""",
    "digits_alone": """\
func.func @main(%k: tensor<2x600001xi16>) -> tensor<2x600001xi16> {
  %r = mlopt.sort %k dim 1 : (tensor<2x600001xi16>) -> tensor<2x600001xi16>
  return %r : tensor<2x600001xi16>
}
""",
}


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, list(PROGRAMS.items())))
