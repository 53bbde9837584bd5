#!/usr/bin/env python3
"""Compiles programs that others wrote, for a GPU machine that has no compiler.

  tools/gpu_artifacts.py SHARED DIR [--build=build] [--chip=sm_90a] [--no-cubins]
                         [--ptx=N] [--repeat=N] [--jobs=N] [--filter=TEXT]

SHARED holds corpus/ and models/, as for corpus.py. DIR gets an artifact for each
program of core.txt and extended.txt and of the models that have answers, the
models' data, and list.txt, which says how to check each. There,

  test/run/gpu_check.sh DIR MLOPT_RUN

runs them. The artifacts hold cubins where ptxas is found. The exit code is 0
when every program compiled, save those of extended.txt that are not supported.
"""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys

import corpus


def programs(shared):
    """(group, source, options for mlopt-run) of each."""
    folder = os.path.join(shared, "corpus")
    for group in ["core", "extended"]:
        with open(os.path.join(folder, group + ".txt")) as names:
            for name in names.read().split():
                yield group, os.path.join(folder, "stablehlo", name), []
    folder = os.path.join(shared, "models")
    for file in sorted(os.listdir(folder)):
        name, ending = os.path.splitext(file)
        if ending != ".npz":
            continue
        data = os.path.join("models", file)
        options = [f"--inputs={data}", f"--expect={data}"]
        if name in corpus.WIDER:
            options.append("--tolerance=1e-3")
        yield "models", os.path.join(folder, name + ".mlir"), options


def compile_program(args, group, source):
    """The artifact's name in DIR, what was wrong, and what else was said."""
    name = os.path.splitext(os.path.basename(source))[0]
    target = os.path.join(group, name + ".mlopt")
    command = [os.path.join(args.build, "bin", "mlopt-compile"), source]
    command += ["-o", os.path.join(args.dir, target), f"--chip={args.chip}"]
    if args.ptx:
        command.append(f"--ptx={args.ptx}")
    if args.cubins:
        command.append("--ptxas")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=300
        )
    except subprocess.TimeoutExpired:
        return target, "timeout", ""
    said = done.stderr.strip()
    if done.returncode:
        return target, said or f"exit code {done.returncode}", ""
    return target, "", said


def has_ptxas(args):
    """Whether mlopt-compile finds ptxas: it compiles an empty program."""
    command = [os.path.join(args.build, "bin", "mlopt-compile"), "-", "--ptxas", "--emit=ptx"]
    return subprocess.run(command, input="module {}", capture_output=True, text=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("shared")
    parser.add_argument("dir")
    parser.add_argument("--build", default=os.path.join(root, "build"))
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--ptx", type=int)
    parser.add_argument("--no-cubins", dest="cubins", action="store_false")
    parser.add_argument("--repeat", type=int, default=3, help="runs that must give the same bits")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="only programs with this in the path")
    args = parser.parse_args()
    args.cubins = args.cubins and has_ptxas(args)

    chosen = [p for p in programs(args.shared) if args.filter in p[1]]
    for group in ["core", "extended", "models"]:
        os.makedirs(os.path.join(args.dir, group), exist_ok=True)
    bad = unsupported = 0
    lines = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda p: compile_program(args, p[0], p[1]), chosen)
        for (group, source, options), (target, wrong, said) in zip(chosen, results):
            if said:
                print(f"{target}: {said[:300]}")
            if group == "extended" and "not supported" in wrong:
                unsupported += 1
            elif wrong:
                bad += 1
                print(f"{target}: {wrong[:300]}")
            else:
                lines.append(" ".join([target, f"--repeat={args.repeat}", *options]))
            if group == "models" and not wrong:
                shutil.copy(os.path.splitext(source)[0] + ".npz", os.path.join(args.dir, group))
    with open(os.path.join(args.dir, "list.txt"), "w") as file:
        file.write("".join(line + "\n" for line in lines))
    cubins = "with" if args.cubins else "without"
    print(
        f"{len(lines)} artifacts {cubins} cubins, {bad} programs did not compile, "
        f"{unsupported} are not supported"
    )
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
