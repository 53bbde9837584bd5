#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in ten spellings: does each take the same time?

  spelled.py --make DIR --compiler build/bin/mlopt-compile   where the compiler is
  spelled.py --run DIR --out spelled.jsonl                   where the GPU is

The spellings are those of test/passes/Inputs/spellings.py, at a size that memory
decides. All of a program are timed in turn on the same buffers, as compare.py's
bursts are. One JSON line for a program:
  {"program", "rows", "columns", "spellings": {name: {"ms", "ms_quartiles",
   "kernels", "difference"}}, "slowest_over_fastest"}
difference: the largest from the first spelling's results, over their largest.
"""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "passes", "Inputs"),
                os.path.join(ROOT, "runtime", "python")]
import spellings

spellings.ROWS, spellings.COLUMNS = 8192, 4096


def spell(program, spelling):
    """The text, the arguments and the results."""
    s = spelling()
    results = program(s)
    return s.function("main", results), s.arguments, results


def make(folder, compiler):
    os.makedirs(folder, exist_ok=True)
    for program in spellings.PROGRAMS:
        for spelling in spellings.SPELLINGS:
            path = os.path.join(folder, f"{program.__name__}.{spelling.__name__}.mlopt")
            subprocess.run([compiler, "--ptxas", "-o", path, "-"], check=True, text=True,
                           input=spell(program, spelling)[0])


def run(folder, seconds):
    """A row for each program."""
    import measure
    import mlopt
    import torch
    gpu = measure.Gpu()

    def draw(value):
        if value.element == "i32":
            return torch.randint(0, spellings.COLUMNS, value.shape, dtype=torch.int32,
                                 device="cuda")
        return torch.randn(value.shape, device="cuda").to(measure.DTYPES[value.element])

    for program in spellings.PROGRAMS:
        _, arguments, _ = spell(program, spellings.SPELLINGS[0])
        torch.manual_seed(0)
        inputs = [draw(a) for a in arguments]
        contenders, first, rows = [], None, {}
        for spelling in spellings.SPELLINGS:
            name = spelling.__name__
            _, _, results = spell(program, spelling)
            loaded = mlopt.load(os.path.join(folder, f"{program.__name__}.{name}.mlopt"))
            out = [torch.empty(r.shape, dtype=measure.DTYPES[r.element], device="cuda")
                   for r in results]
            measure.poison(out)
            call = lambda i, loaded=loaded, out=out: loaded(*inputs, out=out)
            call(0)
            gpu.synchronize()
            first = first or out
            c = measure.Contender(name, call, 1)
            c.row = rows[name] = {
                "kernels": loaded.launch_count,
                "difference": max(((a.double() - b.double().view(a.shape)).abs().max() /
                                   b.double().abs().max()).item()
                                  for a, b in zip(out, first))}
            c.warm(gpu)
            contenders.append(c)
        measure.time_burst(gpu, contenders, seconds)
        times = [row["ms"] for row in rows.values()]
        yield {"machine": gpu.about(), "program": program.__name__, "rows": spellings.ROWS,
               "columns": spellings.COLUMNS, "spellings": rows,
               "slowest_over_fastest": max(times) / min(times)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--make", metavar="DIR")
    parser.add_argument("--compiler", default=os.path.join(ROOT, "build", "bin", "mlopt-compile"))
    parser.add_argument("--run", metavar="DIR")
    parser.add_argument("--seconds", type=float, default=2, help="for each program")
    parser.add_argument("--out", help="append JSON lines to this file")
    options = parser.parse_args()
    if options.make:
        return make(options.make, options.compiler)
    for row in run(options.run, options.seconds):
        print(f"{row['program']}: slowest over fastest {row['slowest_over_fastest']:.3f}")
        for name, part in row["spellings"].items():
            print(f"    {name:<16} {part['ms'] * 1e3:8.2f} us  {part['kernels']} kernels  "
                  f"difference {part['difference']:.1e}", flush=True)
        if options.out:
            with open(options.out, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
