#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the elementary functions on a GPU, on all f32 or bf16 numbers.

  test/unit/math_gpu.py --make DIR [--tools=build/bin] [--ptxas]
  test/unit/math_gpu.py DIR [NAME ...]        on the GPU machine

The first compiles one program for each function and type, and the function that
the CPU has (`cpu`), which is the same arithmetic everywhere. The second runs
them on every argument and prints a line of JSON for each: the largest error in
units in the last place of the result's type, and at which argument; for the
numerics mode `fast` and what `mlopt.absolute` marks, as a part of the larger of 1
and the result; what `mlopt.narrowed` marks, of the larger of 2^-126 and the result.
Divisors are every number, and what they divide is random. The reference is PyTorch's function in f64. A result that should be NaN or infinite
and is not, or the reverse, counts as infinite error. The exit code is 1 if one
exceeds the bound in passes/math_accuracy.def.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

UNARY = ("acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 "
         "expm1 log log10 log1p log2 rsqrt sin sinh tan tanh").split()
TYPES = {"f32": 1 << 24, "bf16": 1 << 16, "cpu": 1 << 24, "fast": 1 << 24,
         "absolute": 1 << 24, "narrowed": 1 << 24}
# What the error of a small result is a part of; of others, units.
LEAST = {"fast": 1.0, "absolute": 1.0, "narrowed": 2.0 ** -126}


def program(function, kind):
    element = "bf16" if kind == "bf16" else "f32"
    flags = ("fastmath<reassoc,arcp,contract,afn> " if kind == "fast" else "")
    mark = f"{{mlopt.{kind}}} " if kind in ("absolute", "narrowed") else ""
    type = f"tensor<{TYPES[kind]}x{element}>"
    operation, names = (("arith.divf", ["x", "y"]) if function == "div" else
                        (f"math.{function}", ["x"]))
    listed = lambda form: ", ".join(form.format(n) for n in names)
    return f"""#map = affine_map<(d0) -> (d0)>
func.func @main({listed(f"%{{}}: {type}")}) -> {type} {{
  %e = tensor.empty() : {type}
  %r = linalg.generic {{indexing_maps = [{", ".join(["#map"] * (len(names) + 1))}],
                       iterator_types = ["parallel"]}}
      ins({listed("%{}")} : {", ".join([type] * len(names))}) outs(%e : {type}) {{
  ^bb0({listed(f"%a_{{}}: {element}")}, %b: {element}):
    %v = {operation} {listed("%a_{}")} {flags}{mark}: {element}
    linalg.yield %v : {element}
  }} -> {type}
  return %r : {type}
}}
"""


def make(args):
    os.makedirs(args.dir, exist_ok=True)
    bounds = read_bounds()
    for name in (f"{function}_{kind}" for function, kind in bounds):
        path = os.path.join(args.dir, name)
        text = program(*name.rsplit("_", 1))
        if name.endswith("cpu"):
            text = subprocess.run(
                [os.path.join(args.tools, "mlopt-opt"), "-mlopt-expand-math"],
                input=text, capture_output=True, text=True, check=True).stdout
        with open(path + ".mlir", "w") as file:
            file.write(text)
        subprocess.run([os.path.join(args.tools, "mlopt-compile"),
                        path + ".mlir", "-o", path + ".mlopt"]
                       + ["--ptxas"] * args.ptxas, check=True)
        os.remove(path + ".mlir")


def reference(torch, function, x, *rest):
    x = x.double()
    if function == "div":
        return x / rest[0].double()
    if function == "cbrt":
        y = x.abs().pow(1 / 3)
        y = torch.where((y > 0) & y.isfinite(), y - (y - x.abs() / (y * y)) / 3, y)
        return torch.copysign(y, x)
    return getattr(torch, function)(x)


def ulps(torch, y, exact):
    """The error of each result."""
    digits = 7 if y.dtype == torch.bfloat16 else 23
    least, most = -126, 127
    exponent = ((exact.abs().view(torch.int64) >> 52) - 1023).clamp(least, most)
    unit = ((exponent - digits + 1023) << 52).view(torch.float64)
    # An infinity is the number after the largest.
    end = 2.0 ** (most + 1)
    value, wanted = y.double().clamp(-end, end), exact.clamp(-end, end)
    error = (value - wanted).abs() / unit
    wrong = y.isnan() != exact.isnan()
    return torch.where(wrong, float("inf"),
                       torch.where(exact.isnan(), 0.0, error))


def relative(torch, y, exact, least):
    """The error of each result, as a part of the larger of `least` and it."""
    end = 2.0 ** 128
    value, wanted = y.double().clamp(-end, end), exact.clamp(-end, end)
    error = (value - wanted).abs() / wanted.abs().clamp(min=least)
    wrong = y.isnan() != exact.isnan()
    return torch.where(wrong, float("inf"),
                       torch.where(exact.isnan(), 0.0, error))


def read_bounds():
    """{(function, kind): the largest error that passes}"""
    path = os.path.join(HERE, "..", "..", "passes", "math_accuracy.def")
    bounds = {}
    with open(path) as file:
        text = file.read()
        for row in re.findall(r"^MLOPT_ACCURACY\((.*)\)", text, re.M):
            function, *numbers = row.split(",")
            if function not in UNARY:
                continue
            cpu, _, f32, bf16 = map(float, numbers)
            bounds[function, "cpu"] = cpu
            bounds[function, "f32"] = f32 or cpu
            # Without one of its own, the f32 result is rounded once more.
            bounds[function, "bf16"] = bf16 or 0.51
        for kind, function, bound in re.findall(
                r"^MLOPT_(FAST|ABSOLUTE|NARROWED)_ACCURACY\((\w+), *(.*)\)", text,
                re.M):
            bounds[function, kind.lower()] = float(bound)
    return bounds


def measure(torch, mlopt, directory, name, bounds):
    function, kind = name.rsplit("_", 1)
    run = mlopt.load(os.path.join(directory, name + ".mlopt"))
    half = kind == "bf16"
    worst = {"error": -1.0}
    for start in range(0, 1 << (16 if half else 32), TYPES[kind]):
        codes = torch.arange(start, start + TYPES[kind], device="cuda")
        x = (codes.to(torch.int16).view(torch.bfloat16) if half else
             codes.to(torch.int32).view(torch.float32))
        operands = [x]
        if function == "div":
            operands.insert(0, torch.randint(-1 << 31, 1 << 31, codes.shape,
                                             dtype=torch.int32, device="cuda")
                            .view(torch.float32))
        y = run(*operands)
        exact = reference(torch, function, *operands)
        error = (relative(torch, y, exact, LEAST[kind]) if kind in LEAST else
                 ulps(torch, y, exact))
        error, place = error.max(0)
        if float(error) > worst["error"]:
            worst = {"error": float(f"{float(error):.4g}"), "at": float(x[place]),
                     "got": float(y[place]), "exact": float(exact[place])}
    exceeds = not worst["error"] <= bounds[function, kind]
    print(json.dumps({"function": function, "kind": kind, **worst,
                      **({"exceeds": True} if exceeds else {})}), flush=True)
    return exceeds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--tools", default="build/bin")
    parser.add_argument("--ptxas", action="store_true")
    args = parser.parse_args()
    if args.make:
        return make(args)
    sys.path.insert(0, os.path.join(HERE, "..", "..", "runtime", "python"))
    import mlopt
    import torch
    names = args.names or sorted(file[:-6] for file in os.listdir(args.dir)
                                 if file.endswith(".mlopt"))
    bounds = read_bounds()
    return any([measure(torch, mlopt, args.dir, name, bounds)
                for name in names])


if __name__ == "__main__":
    sys.exit(main())
