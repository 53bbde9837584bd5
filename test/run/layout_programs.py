#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and compiles programs that move elements about, of odd sizes.

  test/run/layout_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU, three times for the same bits.
"""

import sys

import gpu_programs


def tensor(shape, element):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def function(arguments, lines, value, result):
    text = ", ".join(f"%{name}: {type}" for name, type in arguments)
    body = "\n".join(f"  {line}" for line in lines)
    return (f"func.func @main({text}) -> {result} {{\n{body}\n"
            f"  return {value} : {result}\n}}\n")


def concat(element, dim, *shapes):
    types = [tensor(s, element) for s in shapes]
    shape = list(shapes[0])
    shape[dim] = sum(s[dim] for s in shapes)
    names = [f"a{i}" for i in range(len(shapes))]
    result = tensor(shape, element)
    words = ", ".join("%" + name for name in names)
    return function(zip(names, types),
                    [f"%r = mlopt.concat {words} dim {dim} : "
                     f"({', '.join(types)}) -> {result}"], "%r", result)


def pad(element, shape, low, high, interior=None):
    interior = interior or [0] * len(shape)
    x, value = tensor(shape, element), tensor((), element)
    zero = "0" if element[0] == "i" else "0.5"
    result = tensor([n + (n - 1) * i + a + b for n, a, b, i in
                     zip(shape, low, high, interior)], element)
    return function([("x", x)],
                    [f"%z = mlopt.constant dense<{zero}> : {value}",
                     f"%r = mlopt.pad %x, %z low {low} high {high} interior "
                     f"{interior} : {x}, {value} -> {result}"], "%r", result)


def cut(element, shape, starts, limits, strides=None):
    strides = strides or [1] * len(shape)
    x = tensor(shape, element)
    result = tensor([-(-(b - a) // s) for a, b, s in
                     zip(starts, limits, strides)], element)
    return function([("x", x)],
                    [f"%r = mlopt.slice %x starts {starts} limits {limits} "
                     f"strides {strides} : {x} -> {result}"], "%r", result)


def reverse(element, shape, *dims):
    x = tensor(shape, element)
    return function([("x", x)],
                    [f"%r = mlopt.reverse %x dims {list(dims)} : {x}"], "%r", x)


def transpose(element, shape, *order):
    """Twice the transposed, and the transposed of another."""
    x, result = tensor(shape, element), tensor([shape[i] for i in order],
                                               element)
    lines = [f"%{name} = mlopt.transpose %{of} perm {list(order)} : {x} -> "
             f"{result}" for name, of in (("a", "x"), ("b", "y"))]
    return function([("x", x), ("y", x)],
                    [*lines, f"%c = mlopt.add %a, %b : {result}"], "%c", result)


def transpose_scaled(element, rows, columns):
    """The transposed plus a number for each row and one for each column."""
    x, result = tensor((rows, columns), element), tensor((columns, rows),
                                                         element)
    a, b = tensor((columns,), element), tensor((rows,), element)
    return function([("x", x), ("a", a), ("b", b)], [
        f"%0 = mlopt.transpose %x perm [1, 0] : {x} -> {result}",
        f"%1 = mlopt.broadcast %a dims [0] : {a} -> {result}",
        f"%2 = mlopt.broadcast %b dims [1] : {b} -> {result}",
        f"%3 = mlopt.add %0, %1 : {result}",
        f"%4 = mlopt.add %3, %2 : {result}"], "%4", result)


def together(element):
    """A sum of a concatenation, a reversed slice of another, and a row."""
    a, b, c = (tensor(s, element) for s in ((33, 65), (33, 50), (115,)))
    x, s = tensor((33, 115), element), tensor((31, 111), element)
    return function([("a", a), ("b", b), ("c", c)], [
        f"%0 = mlopt.concat %a, %b dim 1 : ({a}, {b}) -> {x}",
        f"%1 = mlopt.broadcast %c dims [1] : {c} -> {x}",
        f"%2 = mlopt.add %0, %1 : {x}",
        f"%3 = mlopt.slice %2 starts [1, 2] limits [32, 113] strides [1, 1] : "
        f"{x} -> {s}",
        f"%4 = mlopt.reverse %3 dims [1] : {s}",
        f"%5 = mlopt.add %3, %4 : {s}"], "%5", s)


def programs():
    for element in ("f64", "f32", "bf16", "i8", "i1"):
        yield f"concat_{element}", concat(element, 1, (37, 97), (37, 5),
                                          (37, 65))
        yield f"concat_planes_{element}", concat(element, 1, (7, 33, 65),
                                                 (7, 31, 65))
        yield f"concat_line_{element}", concat(element, 0, (1003,), (7,),
                                               (1671,))
        if element != "i1":
            yield f"pad_{element}", pad(element, (41, 95), [1, 3], [2, 7])
            yield f"crop_{element}", pad(element, (41, 95), [1, -3], [-2, 7])
            yield f"spread_{element}", pad(element, (41, 95), [1, 3], [2, 7],
                                           [0, 1])
            yield f"together_{element}", together(element)
        yield f"cut_{element}", cut(element, (49, 199), [1, 3], [48, 196])
        yield f"cut_even_{element}", cut(element, (49, 128), [0, 3], [49, 123])
        yield f"cut_steps_{element}", cut(element, (49, 199), [1, 3], [48, 196],
                                          [1, 2])
        yield f"reverse_{element}", reverse(element, (41, 95), 1)
        yield f"reverse_even_{element}", reverse(element, (41, 128), 1)
        yield f"reverse_all_{element}", reverse(element, (7, 13, 127), 0, 1, 2)
    for element in ("f64", "f32", "bf16", "i8"):
        for shape, order in (
                ((17, 13, 67), (1, 0, 2)), ((7, 27, 3, 103), (0, 2, 1, 3)),
                ((6, 7, 11, 13, 15), (4, 3, 2, 1, 0)), ((1031, 3), (1, 0)),
                ((3, 1031), (1, 0)), ((13, 13, 13, 13), (3, 0, 2, 1)),
                ((129, 257), (1, 0)), ((128, 192), (1, 0)),
                ((257, 136), (1, 0)), ((136, 257), (1, 0)),
                ((5, 131, 139), (0, 2, 1)), ((17, 31, 139), (2, 0, 1)),
                ((3, 57, 129), (2, 1, 0)), ((1, 128, 5, 64), (3, 1, 2, 0))):
            words = "x".join(map(str, shape)) + "_" + "".join(map(str, order))
            yield f"transpose_{element}_{words}", transpose(element, shape,
                                                            *order)
        for rows, columns in ((131, 261), (192, 261), (131, 192), (65, 67)):
            yield (f"transpose_scaled_{element}_{rows}x{columns}",
                   transpose_scaled(element, rows, columns))


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, list(programs())))
