#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of random sizes beside cuBLAS: where is a cliff?

  sweep.py --make DIR --compiler build/bin/mlopt-compile     makes the programs
  sweep.py --run DIR --out sweep.jsonl                       where the GPU is
  sweep.py --show sweep.jsonl                                the worst, by cause

M, N and K are drawn log-uniformly from 1 to 16384, as they come: seven of eight
rows are no multiple of 16 bytes. A is [M, K], B is [N, K], as a linear layer
has them, in bf16; cuBLAS is torch.matmul into a result that is there.

Each shape is held against float64 first, with the result poisoned; then both
run in turn, L2 emptied and left clean before each, as compare.py's bursts. With
`--variants FILE`, a JSON object of shapes "MxNxK" to lists of schedules (text of
the attribute), the programs are also made with these pinned.

One JSON line for a shape:
  {"m", "n", "k", "schedule", "kernels", "ours_us", "cublas_us", "ratio",
   "error", "variants": [{"schedule", "us", "error"}]}
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import programs

MOST = 16384


def draw(count, seed):
    """The shapes, without repetition."""
    generator, shapes = random.Random(seed), []
    while len(shapes) < count:
        shape = tuple(round(2 ** generator.uniform(0, math.log2(MOST)))
                      for _ in range(3))
        if shape not in shapes:
            shapes.append(shape)
    return shapes


# ---- Programs ----------------------------------------------------------------


def schedules(compiler, text):
    """Those of a program's kernels, as the launch plan has them."""
    plan = subprocess.run([compiler, "--emit=plan", "-"], input=text, text=True,
                          capture_output=True, check=True).stdout
    kernels = re.findall(r"llvm\.func @\S+\(.*", plan)
    found = [re.search(r"mlopt\.schedule = (\{[^}]*\})", line)
             for line in kernels]
    return [match.group(1) if match else "generic" for match in found]


def pin(compiler, text, schedule):
    """The program with a schedule pinned for the fusion with its product."""
    fused = subprocess.run([compiler, "--emit=fused", "-"], input=text,
                           text=True, capture_output=True, check=True).stdout
    before, after = fused.rsplit(" = mlopt.fusion", 1)
    after = after.replace("\n    }\n",
                          f"\n    }} {{mlopt.schedule = {schedule}}}\n", 1)
    return f"{before} = mlopt.fusion{after}"


def compile(compiler, text, path):
    run = subprocess.run([compiler, "--ptxas", "-o", path, "-"], input=text,
                         text=True, capture_output=True)
    return None if run.returncode == 0 else run.stderr.strip()[-300:]


def make(folder, compiler, shapes, variants):
    os.makedirs(folder, exist_ok=True)
    rows = []
    for m, n, k in shapes:
        text = programs.matmul(m, n, k).text
        name = f"{m}x{n}x{k}"
        row = {"m": m, "n": n, "k": k, "artifact": f"{name}.mlopt",
               "schedule": schedules(compiler, text), "variants": []}
        failed = compile(compiler, text, os.path.join(folder, row["artifact"]))
        if failed:
            row["failed"] = failed
        for i, schedule in enumerate(variants.get(name, ())):
            part = {"schedule": schedule, "artifact": f"{name}.{i}.mlopt"}
            failed = compile(compiler, pin(compiler, text, schedule),
                             os.path.join(folder, part["artifact"]))
            if failed:
                print(f"{name}: {schedule}: {failed}", file=sys.stderr)
            else:
                row["variants"].append(part)
        rows.append(row)
    with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as f:
        json.dump(rows, f, indent=0)


# ---- Measuring ---------------------------------------------------------------


def measure_shape(machine, folder, row, seconds, repeats):
    import measure
    import mlopt
    import torch
    m, n, k = row["m"], row["n"], row["k"]
    generator = torch.Generator(device=machine.device)
    generator.manual_seed(m * n + k)
    random = lambda *shape: torch.randn(shape, device=machine.device,
                                        generator=generator).bfloat16()
    a, b = random(m, k), random(n, k)
    c, peer = (torch.empty(m, n, dtype=torch.bfloat16,
                           device=machine.device)
               for _ in range(2))
    wanted = torch.cat([p.double() @ b.double().t()
                        for p in a.split(max(1, (1 << 28) // max(n, k)))])
    out = {key: row[key] for key in ("m", "n", "k", "schedule")}
    contenders = []

    def add(label, call, result, part):
        contender = measure.Contender(label, call, 1)
        contender.row = part
        try:
            measure.poison([result])
            call(0)
            norm, worst = measure.errors(result, wanted, 0)
            part["error"] = norm
            bounds = measure.TOLERANCE[torch.bfloat16]
            if not (norm <= bounds[0] and worst <= bounds[1]):
                part["wrong"] = worst
            if repeats and label != "cublas":
                first = result.clone()
                for _ in range(repeats):
                    measure.poison([result])
                    call(0)
                    if not torch.equal(first.view(torch.int16),
                                       result.view(torch.int16)):
                        part["wrong"] = "other bits in another run"
            contender.warm(machine)
            contenders.append(contender)
        except Exception as error:
            part["failed"] = " ".join(str(error).split())[:200]

    def ours(part, label):
        try:
            loaded = mlopt.load(os.path.join(folder, part["artifact"]))
        except mlopt.Error as error:
            part["failed"] = str(error)
            return None
        add(label, lambda i: loaded(a, b, out=c), c, part)
        return loaded.launch_count

    mine, theirs = {"artifact": row["artifact"]}, {}
    out["variants"] = [dict(part) for part in row["variants"]]
    out["kernels"] = ours(mine, "mlopt")
    add("cublas", lambda i: torch.matmul(a, b.t(), out=peer), peer, theirs)
    for i, part in enumerate(out["variants"]):
        ours(part, f"variant {i}")
    if contenders:
        measure.time_burst(machine, contenders, seconds * len(contenders))
    for part in [mine, theirs] + out["variants"]:
        if "ms" in part:
            part["us"] = part.pop("ms") * 1e3
            part.pop("ms_quartiles"), part.pop("repetitions")
        part.pop("artifact", None)
    out["error"] = mine.get("error")
    for key in ("wrong", "failed"):
        if key in mine:
            out[key] = mine[key]
    out["ours_us"], out["cublas_us"] = mine.get("us"), theirs.get("us")
    if out["ours_us"] and out["cublas_us"]:
        out["ratio"] = out["cublas_us"] / out["ours_us"]
    return out


def run(folder, path, seconds, checked, deadline):
    import measure
    import worker  # finds the Python module
    machine = measure.Gpu()
    begun = time.perf_counter()
    with open(os.path.join(folder, "sweep.json"), encoding="utf-8") as file:
        rows = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        for i, row in enumerate(rows):
            if "failed" not in row and time.perf_counter() - begun > deadline:
                row = {**row, "failed": "out of time"}
            if "failed" not in row:
                row = measure_shape(machine, folder, row, seconds,
                                    300 if i < checked else 0)
            file.write(json.dumps(worker.printable(row)) + "\n")
            file.flush()
    print(f"{len(rows)} shapes in {time.perf_counter() - begun:.0f} s")


# ---- Showing -----------------------------------------------------------------


def short(schedule):
    """A schedule's family, tile and what is not as usual."""
    words = re.findall(r'(\w+) = (?:array<i64: ([^>]*)>|"?(\w+)"?)', schedule)
    named = {k: (a or b).replace(", ", "x") for k, a, b in words}
    if "alternate" in schedule:
        named["alternate"] = "1"
    keys = ("tile", "splits", "cluster", "alternate", "groups", "line", "lanes",
            "vectors")
    return " ".join([named.get("family", schedule)] + [
        f"{'' if key == 'tile' else key}{named[key]}"
        for key in keys if key in named])


def show(path, worst):
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    timed = [row for row in rows if "ratio" in row]
    bad = [row for row in rows if "ratio" not in row or "wrong" in row]
    for row in bad:
        print(f"{row['m']}x{row['n']}x{row['k']}:",
              row.get("failed") or row.get("wrong"))
    mean = math.exp(sum(math.log(row["ratio"]) for row in timed) / len(timed))
    under = sum(row["ratio"] < 0.8 for row in timed)
    print(f"{len(timed)} shapes, {len(bad)} failed or wrong; geometric mean "
          f"{mean:.3f}, {under} under 0.8")
    for row in sorted(timed, key=lambda row: row["ratio"])[:worst]:
        name = f"{row['m']}x{row['n']}x{row['k']}"
        print(f"{row['ratio']:6.3f} {name:20} {row['ours_us']:9.2f} us, cuBLAS "
              f"{row['cublas_us']:9.2f}  " +
              "; ".join(short(s) for s in row["schedule"]))
        for part in row["variants"]:
            if "us" in part:
                print(f"       {part['us']:9.2f} us {short(part['schedule'])}"
                      f"{'  WRONG' if 'wrong' in part else ''}")
            else:
                print(f"       {part.get('failed')} {short(part['schedule'])}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--make", metavar="DIR")
    parser.add_argument("--run", metavar="DIR")
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--compiler", default="build/bin/mlopt-compile")
    parser.add_argument("--variants", metavar="FILE")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shapes", default="",
                        help="these, as MxNxK,MxNxK,... instead of drawn ones")
    parser.add_argument("--out", default="sweep.jsonl")
    parser.add_argument("--seconds", type=float, default=0.05,
                        help="of timing, for each contender of a shape")
    parser.add_argument("--checked", type=int, default=5,
                        help="shapes that are run 300 times for equal bits")
    parser.add_argument("--deadline", type=float, default=1e9)
    parser.add_argument("--worst", type=int, default=10)
    options = parser.parse_args()
    shapes = draw(options.count, options.seed)
    if options.shapes:
        shapes = [tuple(map(int, shape.split("x")))
                  for shape in options.shapes.split(",")]
    variants = {}
    if options.variants:
        with open(options.variants, encoding="utf-8") as file:
            variants = json.load(file)
    if options.make:
        make(options.make, options.compiler, shapes, variants)
    if options.run:
        run(options.run, options.out, options.seconds, options.checked,
            options.deadline)
    if options.show:
        show(options.show, options.worst)


if __name__ == "__main__":
    main()
