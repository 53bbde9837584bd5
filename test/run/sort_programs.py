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
    `make`, if given, computes %n from %x and the row's number %at, all integers
    as wide as the key; <c> is a constant. The key is %n's bits."""
    tensor = lambda type: f"tensor<{'x'.join(map(str, [*shape, type]))}>"
    types = [tensor(type) for type in keys]
    names = [f"%k{i}" for i in range(len(keys))]
    at = tensor("i64")
    out = ", ".join([*types, at])
    result = f"  return {', '.join(f'%r#{i}' for i in range(len(keys) + 1))} : {out}"
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    if make:
        integer = "i64" if keys[0] in ("i64", "f64") else "i32"
        number = tensor(integer)
        arguments = f"%x: {number}"
        lines = [f"%at = mlopt.iota dim {dim}"]
        lines += [f"%c{n} = mlopt.constant dense<{n}>"
                  for n in sorted(set(re.findall(r"<(\d+)>", make)))]
        lines += re.sub(r"<(\d+)>", r"%c\1", make).split("; ")
        make = "".join(f"  {line} : {number}\n" for line in lines)
        names = ["%n"]
        if keys[0] != integer:
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


def made(bits):
    mixed, exponent = {32: (1640531535, 23), 64: (7046029254386353131, 52)}[bits]
    mixed = f"%h = mlopt.mul %at, <{mixed}>; %n = mlopt.xor %h, %x"
    return {
        "mixed": mixed,
        "few": "%n = mlopt.rem %x, <3>",
        # Random integers are below 8; what is constant would be sorted already.
        "one": "%n = mlopt.div %x, <8>",
        "rising": "%n = mlopt.add %at, %x",
        "falling": "%n = mlopt.sub %x, %at",
        # The sign, the exponent, and the last bit.
        "floats": mixed.replace("%n", "%m") + f"""; \
%s = mlopt.shl <{(1 << bits - exponent) - 1}>, <{exponent}>; \
%l = mlopt.or %s, <1>; %n = mlopt.and %m, %l""",
    }


def digits(bits):
    """Sorts by keys of so many bits, of each kind and in each order."""
    number, float = f"i{bits}", f"f{bits}"
    kinds = made(bits)
    of = lambda kind, key, order="": program((LONG,), 0, (key,), order,
                                             make=kinds[kind])
    return ({kind: of(kind, number) for kind in kinds if kind != "floats"}
            | {"unsigned": of("mixed", number, " descending unsigned_keys")}
            | {"floats" + order.replace(" ", "_"): of("floats", float, order)
               for order in ("", " descending", " total_order")})


PROGRAMS = {f"line_{n}": program((3, n), 1) for n in LENGTHS}
PROGRAMS |= {
    "many_short": program((1001, 7), 1),
    "one": program((100003,), 0, ("f32",)),
    "columns": program((300, 41), 0, ("f32",)),
    "long_columns": program((5000, 7), 0, ("f32",)),
    "middle": program((3, 100, 5), 1, ("bf16",)),
    "two_keys": program((2, 9001), 1, ("i8", "f32")),
    "wide_keys": program((2, 9001), 1, ("f64", "i64")),
    "long_wide_key": program((2, 100001), 1, ("i64",)),
    "three_keys": program((9001,), 0, ("f64", "i32", "i64"), " descending"),
    "many_keys": program((3, 70), 1, ("f64",) * 12),
    "bits": program((2, 5001), 1, ("i1",)),
    "total": program((2, 5001), 1, ("f16",), " total_order"),
    "region": program((2, 700), 1, body=DIGITS),
    "long_region": program((2, 100001), 1, body=DIGITS),
    "largest": program((3, 6000), 1, ("f32",), " descending", more="""\
  %v = mlopt.slice %r#0 starts [0, 0] limits [3, 40] strides [1, 1]
      : tensor<3x6000xf32> -> tensor<3x40xf32>
  %n = mlopt.slice %r#1 starts [0, 0] limits [3, 40] strides [1, 1]
      : tensor<3x6000xi64> -> tensor<3x40xi64>
  return %v, %n : tensor<3x40xf32>, tensor<3x40xi64>""").replace(
        "-> (tensor<3x6000xf32>, tensor<3x6000xi64>) {\n  %i",
        "-> (tensor<3x40xf32>, tensor<3x40xi64>) {\n  %i"),
}
PROGRAMS |= {f"digits_{name}": text for name, text in digits(32).items()}
PROGRAMS |= {f"digits64_{name}": text for name, text in digits(64).items()}
PROGRAMS |= {
    "digits_lines": program((3, 1000003), 1, ("i16",), " descending"),
    "digits_bits": program((2, 3, 100001), 2, ("i1",)),
    "digits_bytes": program((500001,), 0, ("i8",)),
    "digits_bf16": program((1048576,), 0, ("bf16",)),
    "digits64_lines": program((3, 4200001), 1, ("i64",), " descending"),
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
    "digits64_payload": """\
func.func @main(%k: tensor<4200001xi64>, %v: tensor<4200001xbf16>, %w: tensor<4200001xi8>)
    -> (tensor<4200001xi64>, tensor<4200001xbf16>, tensor<4200001xi8>) {
  %r:3 = mlopt.sort %k, %v, %w dim 0
      : (tensor<4200001xi64>, tensor<4200001xbf16>, tensor<4200001xi8>)
      -> (tensor<4200001xi64>, tensor<4200001xbf16>, tensor<4200001xi8>)
  return %r#0, %r#1, %r#2 : tensor<4200001xi64>, tensor<4200001xbf16>, tensor<4200001xi8>
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
