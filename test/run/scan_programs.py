#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and compiles scans along rows and columns, long, short, and cut.

  test/run/scan_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU, three times for the same bits.
"""

import sys

import gpu_programs


def scan(element, shape, dim, kind="add", reverse=False, strict=False):
    type = f"tensor<{'x'.join([*map(str, shape), element])}>"
    words = " reverse" if reverse else ""
    if strict:
        words += " {numerics = #mlopt.numerics<strict>}"
    return (f"func.func @main(%x: {type}, %i: tensor<{element}>) -> {type} {{\n"
            f"  %r = mlopt.scan {kind} %x, %i dim {dim}{words} : "
            f"({type}, tensor<{element}>) -> {type}\n"
            f"  return %r : {type}\n}}\n")


def programs():
    shapes = (((41, 95), 1), ((41, 96), 1), ((300, 7), 1), ((300, 3), 1),
              ((5, 16001), 1), ((1000,), 0), ((2, 3, 5, 101), 3), ((67, 1), 0),
              # columns
              ((95, 41), 0), ((5, 95, 41), 1), ((1000, 7), 0), ((4, 3, 129), 1),
              # in pieces
              ((100003,), 0), ((3, 70001), 1), ((2, 98304), 1), ((3001, 5), 0),
              ((2, 2001, 33), 1))
    for shape, dim in shapes:
        name = "x".join(map(str, shape)) + f"_{dim}"
        for element, kind in (("i32", "add"), ("f32", "add"), ("f64", "max"),
                              ("i8", "max"), ("bf16", "add"), ("i64", "mul")):
            yield f"{kind}_{element}_{name}", scan(element, shape, dim, kind)
        yield f"reverse_{name}", scan("i32", shape, dim, reverse=True)
        if max(shape) < 1000:
            yield f"strict_{name}", scan("f32", shape, dim, strict=True)


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, list(programs())))
