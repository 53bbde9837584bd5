#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times mlopt's programs beside what a user would pick instead.

  make_artifacts.sh DIR                      where the compiler is
  compare.py --artifacts DIR --cases '^rows/' --out run.jsonl --picture run.svg
                                             where the GPU, PyTorch and JAX are
  compare.py --dry-run                       on a CPU: is everything right?
  compare.py --list                          what there is

How it measures:

- A case runs in one process, all contenders on the same random buffers, one
  after the other, each round in another random order. Each has one place for
  its results, as PyTorch's allocator gives it, whatever its inputs. Inputs that
  are mostly zeros are refused: they draw less power and run faster than data
  does.
- Every result is first held against float64 on the same inputs. What is wrong,
  fails or hangs is a row with the error; no case is left out.
- Burst: single runs after a pause, timed by events, with the L2 emptied and
  left clean before each (a memset would leave dirty lines, whose write-back a
  kernel that only reads would then pay for). Launching is not timed: the GPU is
  kept busy before, for everyone by the same rule, and a run that it got to
  before all of it was queued does not count. The median counts.
- Sustained: runs back to back, a slice of each contender at a time, over as
  many sets of buffers as leave nothing useful in the L2; launching included.
  Large products run at other clocks there, since power is what limits them.
- XLA has no events to record. Its burst figure is the sum of its kernels'
  times, L2 treated alike, which leaves gaps between kernels out; it is not
  among the "comparable", but ratio_any counts it. Where its profiler cannot be
  had a queue is timed by the host's clock. Its sustained figure is always that.
- The ceiling is measured in the same rounds: a copy of as many bytes (half
  read, half written), or a read of them by a kernel that writes nothing; for
  products, cuBLAS on 8192 cubed in that element type.
- With --deadline what fits into the time is measured, the most important parts
  first (plan.py), and what is left out is listed, with the reason. PyTorch's
  compiled peers are compiled before, in many processes at once, where there are
  several; what compiling and starting cost is measured without that.

What it writes: one JSON line for each case,
  {"date", "commit", "machine": {gpu, driver, torch, cuda}, "case", "kind",
   "ours": {"ms", "ms_quartiles", "sustained_ms", "sustained_clocks", "kernels",
            "error_norm", "error_worst", "repeatable", ...} or {"error"},
   "peers": {label: the same}, "ceiling": {"what", "ms"},
   "gbps" or "tflops", "best", "ratio", "ratio_sustained", "ratio_any",
   "of_ceiling", "moved_bytes", "flops", "burst_clocks", "left_out", ...}
where a ratio is the best comparable peer's time over ours: above 1 we win.
`mlopt-run --bench` writes lines of the same form, without peers.
"""

import argparse
import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import cases as table
import picture
import plan
import workers


# ---- Artifacts ---------------------------------------------------------------


def commit():
    git = lambda *words: subprocess.run(["git", "-C", ROOT, *words],
                                        capture_output=True, text=True)
    head = git("rev-parse", "--short=12", "HEAD")
    if head.returncode:
        return None
    changed = git("status", "--porcelain", "--untracked-files=no").stdout
    return head.stdout.strip() + ("+" if changed.strip() else "")


def write_programs(chosen, folder, small=False):
    """Each case's program; returns the files."""
    os.makedirs(folder, exist_ok=True)
    files = {}
    for case in chosen:
        program = case.build(small)
        if program is not None:
            files[case.name] = os.path.join(folder, case.file + ".mlir")
            with open(files[case.name], "w", encoding="utf-8") as file:
                file.write(program.text)
    return files


def make_artifacts(chosen, folder, compiler, ptxas):
    """Compiles all; what fails is noted in the manifest. Keeps what an earlier
    call made of the cases that are not chosen. With ptxas those that are run
    hold cubins."""
    path = os.path.join(folder, "manifest.json")
    files = write_programs(chosen, folder)
    manifest = {"cases": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    manifest.update(commit=commit(), made=now(), machine=platform.machine())
    failed = 0
    for case in chosen:
        if case.name not in files:
            continue
        source = files[case.name]
        artifact = source[:-len("mlir")] + "mlopt"
        if os.path.exists(artifact):
            os.remove(artifact)
        flags = case.flags
        if ptxas and case.how not in ("compile_time", "start"):
            flags += ("--ptxas",)
        begun = time.perf_counter()
        run = subprocess.run([compiler, *flags, "-o", artifact, source],
                             capture_output=True, text=True, errors="replace")
        took = (time.perf_counter() - begun) * 1e3
        with open(source, "rb") as file:
            entry = {"program": hashlib.sha256(file.read()).hexdigest()[:16],
                     "compile_ms": round(took, 1), "commit": manifest["commit"]}
        if flags:
            entry["flags"] = list(flags)
        if run.returncode or not os.path.exists(artifact):
            failed += 1
            entry["error"] = "mlopt-compile: " + " ".join(
                (run.stderr.strip() or f"ended with {run.returncode}").split()
            )[:300]
            print(f"{case.name}: {entry['error']}", file=sys.stderr)
        else:
            entry["artifact"] = os.path.basename(artifact)
            entry["bytes"] = os.path.getsize(artifact)
        manifest["cases"][case.name] = entry
    with open(path, "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
    carry_along(os.path.dirname(os.path.dirname(os.path.abspath(compiler))),
                folder)
    made = len(files) - failed
    print(f"{folder}: {made} artifacts, {failed} programs not compiled")
    return 1 if failed and not made else 0


# What the GPU machine needs besides: the runtime, and what times the C API.
ALONG = {"MLOPT_RUNTIME_LIBRARY": "lib/libmlopt_runtime.so.0",
         "MLOPT_CALLS_LIBRARY": "lib/libmlopt_calls.so"}


def carry_along(build, folder):
    for path in ALONG.values():
        source = os.path.join(build, path)
        if os.path.exists(source):
            shutil.copy(source, folder)
        else:
            print(f"{source} is not there, and not carried along",
                  file=sys.stderr)


def find_along(folder):
    """What was carried along, whatever the environment says: what times the C
    API knows the insides of the runtime that it was built with."""
    for name, path in ALONG.items():
        carried = os.path.join(folder, os.path.basename(path))
        if os.path.exists(carried):
            os.environ[name] = os.path.abspath(carried)


def now():
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


# ---- Rows --------------------------------------------------------------------


def figures(row):
    """Adds rates and ratios."""
    ours = row.get("ours") or {}
    peers = {label: part for label, part in (row.get("peers") or {}).items()
             if part.get("ms")}
    ceiling = (row.get("ceiling") or {}).get("ms")
    for part in [ours, *peers.values()]:
        if not part.get("ms"):
            continue
        if row.get("flops"):
            part["tflops"] = row["flops"] / part["ms"] * 1e-9
        elif row.get("moved_bytes"):
            part["gbps"] = row["moved_bytes"] / part["ms"] * 1e-6
    comparable = {label: part for label, part in peers.items()
                  if part.get("comparable", True)
                  and "without gaps" not in part.get("note", "")}
    if comparable:
        row["best"] = min(comparable, key=lambda label: comparable[label]["ms"])
    if not ours.get("ms"):
        return row
    for key in ("tflops", "gbps"):
        if key in ours:
            row[key] = ours[key]
    if comparable:
        row["ratio"] = comparable[row["best"]]["ms"] / ours["ms"]
        steady = [p["sustained_ms"] for p in comparable.values()
                  if p.get("sustained_ms")]
        if steady and ours.get("sustained_ms"):
            row["ratio_sustained"] = min(steady) / ours["sustained_ms"]
    alike = [p["ms"] for p in peers.values() if p.get("comparable", True)]
    if alike:
        row["ratio_any"] = min(alike) / ours["ms"]
    if ceiling:
        row["of_ceiling"] = ceiling / ours["ms"]
    return row


def rate(part):
    for key, unit in (("tflops", "TFLOP/s"), ("gbps", "GB/s")):
        if part.get(key):
            return f"{part[key]:.0f} {unit}"
    return ""


def amount(ms):
    if ms is None:
        return "-"
    return f"{ms * 1e3:.2f} us" if ms < 1 else f"{ms:.3f} ms"


def describe_check(row):
    """The lines of a row that was only rehearsed."""
    parts = [(row["case"], row), ("mlopt", row.get("ours")),
             *(row.get("peers") or {}).items()]
    lines = []
    for label, part in parts:
        if not part:
            continue
        words = part.get("error") and f"ERROR: {part['error']}"
        words = words or part.get("refused") or part.get("note") or ""
        if part.get("error_norm") is not None:
            words = (f"right, error {part['error_norm']:.1e} in norm, "
                     f"{part['error_worst']:.1e} at worst")
        lines.append(f"    {label:<30} {words}" if lines else
                     f"{label}  {words}".rstrip())
    return "\n".join(lines)


def describe(row):
    """The lines of a row."""
    head = row["case"]
    if row.get("error"):
        head += f"  ERROR: {row['error']}"
    if row.get("refused"):
        head += f"  refused: {row['refused']}"
    lines = [head]
    parts = [("mlopt", row["ours"])] if row.get("ours") else []
    parts += (row.get("peers") or {}).items()
    for kind, why in (row.get("left_out") or {}).items():
        lines.append(f"    left out: {kind}, which {why}")
    for label, part in parts:
        if part.get("error"):
            lines.append(f"    {label:<30} ERROR: {part['error']}")
            continue
        words = f"    {label:<30} {amount(part.get('ms')):>11}"
        if part.get("sustained_ms"):
            words += f"  sustained {amount(part['sustained_ms']):>11}"
        words += f"  {rate(part):>14}"
        for key, value in part.items():
            if key.endswith("_us") or key in ("kernels", "us_per_kernel",
                                              "after_context_ms"):
                words += f"  {key} {value:.4g}"
        if part.get("error_norm") is not None:
            words += f"  error {part['error_norm']:.1e}"
        for flag in ("repeatable", "same_after_timing"):
            if part.get(flag) is False:
                words += f"  NOT {flag}"
        if part.get("note"):
            words += f"  ({part['note']})"
        clocks = part.get("sustained_clocks")
        if clocks:
            words += f"  {clocks['sm_mhz']:.0f} MHz {clocks['power_w']:.0f} W"
        lines.append(words)
    tail = []
    for key, words in (("ratio", "x the best comparable peer"),
                       ("ratio_sustained", "x sustained"),
                       ("ratio_any", "x the best of all"),
                       ("of_ceiling", "of the ceiling")):
        if row.get(key):
            tail.append(f"{row[key]:.3f} {words}")
    ceiling = row.get("ceiling")
    if ceiling:
        tail.append(f"ceiling {amount(ceiling.get('ms'))}: {ceiling['what']}")
    if row.get("c_api"):
        tail.append(f"C API: {row['c_api']}")
    if tail:
        lines.append("    = " + "; ".join(tail))
    return "\n".join(lines)


def draw(rows, path, about, version):
    shown = []
    for row in rows:
        ours = row.get("ours") or {}
        shown.append({
            "label": row["case"],
            "ours": f"{amount(ours.get('ms'))}  {rate(ours)}"
            if ours.get("ms") else None,
            "best": row.get("best"), "ratio": row.get("ratio"),
            "sustained": row.get("ratio_sustained"),
            "ceiling": row.get("of_ceiling"),
            "error": row.get("error") or row.get("refused")
            or ours.get("error")
            or (row.get("left_out") or {}).get("burst")})
    with open(path, "w", encoding="utf-8") as file:
        file.write(picture.draw(
            shown, "mlopt beside the best comparable peer",
            f"{about.get('gpu', '')}, commit {version}, {now()}; bars to the "
            "right: mlopt is faster; burst, L2 empty and clean"))


# ---- The program -------------------------------------------------------------


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--cases", default=".", help="regular expression of their names")
    add("--peers", default="^(?!.*max-autotune)",
        help="regular expression of labels; all but max-autotune, which takes "
             "a minute a case")
    add("--artifacts", default=os.path.join(ROOT, "build", "bench"))
    add("--out", help="append JSON lines to this file")
    add("--picture", help="write an SVG")
    add("--quick", action="store_true", help="half a second a case, no "
        "sustained figures")
    add("--burst", type=float, default=0.7, help="seconds a case")
    add("--sustained", type=float, default=1.2, help="seconds a case; 0: none")
    add("--deadline", type=float, default=1e9,
        help="seconds; what does not fit is left out, the least important "
             "first,\nand listed")
    add("--timeout", type=float, default=100,
        help="seconds after which a case hangs")
    add("--compiler", help="mlopt-compile")
    add("--runner", default=os.path.join(ROOT, "build", "bin", "mlopt-run"))
    add("--list", action="store_true")
    add("--dry-run", action="store_true", help="small sizes on the CPU, with "
        "mlopt-run: programs, references and peers, without times")
    add("--programs", metavar="DIR", help="write the programs and end")
    add("--small", action="store_true", help="those at small sizes")
    add("--make-artifacts", metavar="DIR", help="compile them and end")
    add("--ptxas", action="store_true", help="into cubins")
    return parser.parse_args()


def main():
    args = parse()
    find_along(args.artifacts)
    chosen = [case for case in table.cases if re.search(args.cases, case.name)]
    options = {
        "artifacts": args.artifacts, "peers": args.peers,
        "dry_run": args.dry_run, "runner": args.runner,
        "compiler": args.compiler,
        "burst_s": 0.5 if args.quick else args.burst,
        "sustained_s": 0 if args.quick else args.sustained}
    if args.dry_run:
        options.update(burst_s=0.01, sustained_s=0.01)
    if not chosen:
        sys.exit(f"no case matches {args.cases}")
    if args.list:
        return show(args, chosen, options)
    if args.programs:
        files = write_programs(chosen, args.programs, args.small)
        print(len(files), "programs")
        return 0
    if args.make_artifacts:
        compiler = args.compiler or os.path.join(ROOT, "build", "bin",
                                                 "mlopt-compile")
        return make_artifacts(chosen, args.make_artifacts, compiler,
                              args.ptxas)
    return compare(args, chosen, options)


def wanted_makers(pattern):
    """A function that gives the makers of a case's peers that are wanted."""
    return lambda case: [maker for label, maker in case.peers
                         if re.search(pattern, label)]


def show(args, chosen, options):
    """Lists the cases, and what a deadline would leave out."""
    makers = wanted_makers(args.peers)
    budget = plan.Budget(options["burst_s"], options["sustained_s"])
    costs = plan_ahead(chosen, makers, budget, args.deadline)
    parts = plan.plan(plan.in_order(chosen), makers, budget,
                      args.deadline - START_S - ahead_seconds(costs))
    for case in chosen:
        mine = [part for part in parts if part.case == case.name]
        labels = ", ".join(label for label, _ in case.peers
                           if re.search(args.peers, label))
        print(f"{case.name:<48} about {plan.expected(mine):3.0f} s  "
              f"{case.moved / 1e6:10.1f} MB  {labels}")
        for part in mine:
            if part.why:
                print(f"    left out: {part.kind}, which {part.why}")
    total = START_S + ahead_seconds(costs) + plan.expected(parts)
    print(f"{len(chosen)} cases, about {total / 60:.1f} minutes, "
          f"{ahead_seconds(costs):.0f} s of them compiling ahead")
    return 0


# How many cases are worth compiling ahead for; seconds until a worker and the
# libraries of its first cases are ready; seconds for the last case to be late.
LEAST_AHEAD, START_S, SPARE_S = 4, 16, 5


def ahead_seconds(costs):
    """Seconds that compiling ahead takes, about."""
    if not costs:
        return 0
    return 9 + max(sum(costs.values()) / 10, max(costs.values()))


def plan_ahead(chosen, makers, budget, seconds):
    """The cases whose peers are worth compiling ahead, if several are, with the
    seconds that it takes: those that there will be time for. Notes in the
    budget whether there are any."""
    costs = workers.ahead_costs(chosen, makers)
    budget.ahead = len(costs) >= LEAST_AHEAD
    if not budget.ahead:
        return {}
    parts = plan.plan(plan.in_order(chosen), makers, budget,
                      seconds - START_S - ahead_seconds(costs))
    kept = {part.case for part in parts
            if part.kind == "compiled" and not part.why}
    return {name: cost for name, cost in costs.items() if name in kept}


def measure_all(args, chosen, options):
    """A row for every case, the most important first."""
    deadline = time.monotonic() + args.deadline - SPARE_S
    makers = wanted_makers(args.peers)
    budget = plan.Budget(options["burst_s"], options["sustained_s"])
    costs = {} if args.dry_run else plan_ahead(chosen, makers, budget,
                                               args.deadline)
    if costs:
        begun = time.monotonic()
        done = workers.compile_ahead(costs, options, 2 * ahead_seconds(costs))
        print(f"compiled ahead: peers of {len(done)} of {len(costs)} cases in "
              f"{time.monotonic() - begun:.0f} s", flush=True)
    process = workers.Workers(options, args.timeout)
    left = plan.in_order(chosen)
    try:
        while left:
            seconds = deadline - time.monotonic()
            parts = [part for part in plan.plan(left, makers, budget, seconds)
                     if part.case == left[0].name]
            case = left.pop(0)
            out = {part.kind: part.why for part in parts if part.why}
            if "burst" in out:
                yield {"case": case.name, "left_out": out}, process.about
                continue
            row = process.run({"case": case.name, "without": list(out)},
                              min(args.timeout, max(30.0, seconds + 10)))
            if out:
                row["left_out"] = out
            if row.get("took_s"):
                budget.learn(plan.expected(parts), row["took_s"])
            yield row, process.about
    finally:
        process.end()


def compare(args, chosen, options):
    path = os.path.join(args.artifacts, "manifest.json")
    version = commit()
    if not args.dry_run and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            version = json.load(file).get("commit")
    done, about, bad, unmeasured = [], {}, 0, 0
    for row, about in measure_all(args, chosen, options):
        row = {"date": now(), "commit": version, "machine": about,
               **figures(row)}
        done.append(row)
        print((describe_check if args.dry_run else describe)(row), flush=True)
        parts = [row.get("ours") or {}, *(row.get("peers") or {}).values(), row]
        bad += any(part.get("error") for part in parts)
        unmeasured += "burst" in (row.get("left_out") or {})
        if args.out and not args.dry_run:
            with open(args.out, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        if args.picture:
            draw(done, args.picture, about, version)
    ratios = [row["ratio"] for row in done if row.get("ratio")]
    if ratios and not args.dry_run:
        product = 1.0
        for ratio in ratios:
            product *= ratio ** (1 / len(ratios))
        print(f"{len(done)} cases; {len(ratios)} with a ratio, geometric mean "
              f"{product:.3f}, least {min(ratios):.3f}")
    print_left_out(done)
    print(f"{len(done) - bad - unmeasured} passed, {bad} failed, {unmeasured} "
          "left out")
    return 1 if bad and args.dry_run else 0


def print_left_out(rows):
    """What there was no time for, each with the reason."""
    lines = [f"    {row['case']}: {kind}, which {why}" for row in rows
             for kind, why in (row.get("left_out") or {}).items()]
    if lines:
        print("left out for want of time:", *lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
