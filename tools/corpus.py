#!/usr/bin/env python3
"""Runs programs that others wrote through mlopt-run and prints what came of them.

  tools/corpus.py SHARED [--build=build] [--jobs=N] [--table=FILE] [--filter=TEXT]

SHARED holds corpus/ (StableHLO's test programs, which check themselves, and
lists of them) and models/ (programs exported from JAX with inputs and XLA's
answers). A program is

  passed       the numbers are right
  wrong        a number is wrong
  unsupported  refused, with a list of what is not supported
  error        refused for another reason
  crash        ended by a signal
  timeout      took over a minute

The exit code is 0 when all of core.txt and of models/ pass and nothing
anywhere is wrong, an error, a crash or a timeout.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

LISTS = ["core", "extended", "complex", "other"]
OUTCOMES = ["passed", "wrong", "unsupported", "error", "crash", "timeout"]
SECONDS = 60

# Models that train or loop are held to 1e-3.
WIDER = {"mlp_train_f32", "fori_loop_f32"}

Job = collections.namedtuple("Job", "group name command mustPass")
Result = collections.namedtuple("Result", "outcome seconds detail")


def corpus_jobs(shared, run):
    folder = os.path.join(shared, "corpus")
    for group in LISTS:
        with open(os.path.join(folder, group + ".txt")) as names:
            for name in names.read().split():
                path = os.path.join(folder, "stablehlo", name)
                yield Job(group, name, [run, path], group == "core")


def model_jobs(shared, run, compile_):
    folder = os.path.join(shared, "models")
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".mlir"):
            continue
        name = file.removesuffix(".mlir").removesuffix(".generic")
        form = "generic" if ".generic" in file else "pretty"
        path = os.path.join(folder, file)
        data = os.path.join(folder, name + ".npz")
        if os.path.exists(data):
            command = [run, path, f"--inputs={data}", f"--expect={data}"]
            if name in WIDER:
                command.append("--tolerance=1e-3")
            yield Job("models, " + form, file, command, True)
        else:
            command = [compile_, "--emit=linalg", path, "-o", os.devnull]
            yield Job("full-size models to linalg", file, command, True)


def classify(code, out, err):
    if code < 0:
        return "crash", err.strip()[-300:]
    if code == 0:
        return "passed", ""
    if code == 1:
        wrong = [line for line in out.splitlines() if "WRONG" in line]
        return "wrong", wrong[0][:300] if wrong else out[-300:]
    if code == 2 and "not supported" in err:
        return "unsupported", err
    if code == 2:
        return "error", err.strip()[:300]
    return "crash", f"exit code {code}: " + err.strip()[-300:]


def run_job(job):
    start = time.monotonic()
    try:
        done = subprocess.run(
            job.command, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
        outcome, detail = classify(done.returncode, done.stdout, done.stderr)
        # A program of the corpus checks itself: no comparison is no pass.
        compares = job.group.startswith("full-size") or "right: " in done.stdout
        if outcome == "passed" and not compares:
            outcome, detail = "error", "nothing was compared"
    except subprocess.TimeoutExpired:
        outcome, detail = "timeout", f"over {SECONDS} s"
    return Result(outcome, time.monotonic() - start, detail)


def reasons(err):
    """Pairs of an operation that was refused and why, without its types."""
    pattern = r"error: '([\w.]+)' op .*?: (?:type '.*?': )?(.*not supported.*)"
    return set(re.findall(pattern, err))


def is_bad(job, result):
    if job.mustPass:
        return result.outcome != "passed"
    return result.outcome not in ("passed", "unsupported")


def print_table(results, file):
    groups = list(dict.fromkeys(job.group for job, _ in results))
    width = max(len(group) for group in groups) + 2
    columns = "".join(f"{outcome:>13}" for outcome in OUTCOMES)
    print(f"{'':{width}}{'programs':>9}{columns}{'slowest':>10}", file=file)
    for group in groups:
        rows = [result for job, result in results if job.group == group]
        counts = collections.Counter(result.outcome for result in rows)
        cells = "".join(f"{counts[outcome]:13}" for outcome in OUTCOMES)
        slowest = max(result.seconds for result in rows)
        print(f"{group:{width}}{len(rows):9}{cells}{slowest:8.1f} s", file=file)


def print_unsupported(results, file):
    programs = collections.Counter()
    operations = collections.defaultdict(set)
    for _, result in results:
        if result.outcome != "unsupported":
            continue
        found = reasons(result.detail)
        programs.update({reason for _, reason in found})
        for operation, reason in found:
            operations[reason].add(operation)
    if programs:
        print("\nNot supported, in how many programs, and met in:", file=file)
    for reason, count in programs.most_common():
        print(f"{count:6}  {reason}: {', '.join(sorted(operations[reason]))}", file=file)


def print_bad(results, file):
    bad = [(job, result) for job, result in results if is_bad(job, result)]
    if bad:
        print("\nWhat should not be:", file=file)
    for job, result in bad:
        detail = " ".join(result.detail.split())
        print(f"  {job.group}: {job.name}: {result.outcome}: {detail[:300]}", file=file)
    return bad


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("shared")
    parser.add_argument("--build", default=os.path.join(root, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", help="write the whole report to this file too")
    parser.add_argument("--filter", default="", help="only programs with this in the name")
    args = parser.parse_args()

    run = os.path.join(args.build, "bin", "mlopt-run")
    compile_ = os.path.join(args.build, "bin", "mlopt-compile")
    jobs = [*corpus_jobs(args.shared, run), *model_jobs(args.shared, run, compile_)]
    jobs = [job for job in jobs if args.filter in job.name]
    if not jobs:
        sys.exit("corpus.py: no program has that in its name")
    results = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for job, result in zip(jobs, pool.map(run_job, jobs)):
            results.append((job, result))
            if len(results) % 100 == 0:
                print(f"  {len(results)} of {len(jobs)} programs", file=sys.stderr)

    outputs = [sys.stdout] + ([open(args.table, "w")] if args.table else [])
    for file in outputs:
        print_table(results, file)
        print_unsupported(results, file)
        bad = print_bad(results, file)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
