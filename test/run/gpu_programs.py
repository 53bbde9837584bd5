# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts share that compile many programs for test/run/gpu_check.sh."""

import argparse
import concurrent.futures
import os
import re
import subprocess


def compile_program(options, name, text):
    """What the compiler has to say, which is nothing if all is well."""
    source = os.path.join(options.dir, name + ".mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    command = [options.compiler, source, "-o", source[:-5] + ".mlopt",
               f"--chip={options.chip}"]
    done = subprocess.run(command + ["--ptxas"] * options.ptxas,
                          capture_output=True, text=True)
    return done.stderr.strip()


def main(doc, programs, same=None):
    """Compiles pairs of a name and a program's text, as the command line says;
    writes how gpu_check.sh is to run each. same: of some programs, by name, the
    text of another whose results must be equal to theirs. The exit code is 1 if
    the compiler had anything to say."""
    same = same or {}
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--compiler", default="mlopt-compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--filter", default="", help="names that this matches")
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.dir, exist_ok=True)
    chosen = [p for p in programs if re.search(options.filter, p[0])]
    names = [name for name, _ in chosen]
    chosen += [(name + ".same", same[name]) for name in names if name in same]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        messages = list(pool.map(lambda p: compile_program(options, *p),
                                 chosen))
    with open(os.path.join(options.dir, "list.txt"), "w",
              encoding="utf-8") as file:
        for name in names:
            file.write(f"{name}.mlopt --oracle --repeat=3")
            if name in same:
                file.write(f" --outputs={name}.npz\n"
                           f"  {name}.same.mlopt --expect={name}.npz --tolerance=0")
            file.write("\n")
    wrong = [(p[0], m) for p, m in zip(chosen, messages) if m]
    for name, message in wrong:
        print(f"{name}: {message}")
    print(f"{len(chosen)} programs, {len(wrong)} not compiled cleanly")
    return bool(wrong)
