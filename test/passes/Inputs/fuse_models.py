"""Prints for programs how many kernels fusion makes of each.

    fuse_models.py models DIR     the programs of a folder
    fuse_models.py bench DIR      those of the bench, which lies there

    fuse_models.py plain DIR      prints those of the bench that have a kernel of
                                  no family, a thread for each element
    fuse_models.py ptxas DIR TOOL prints those of the bench in whose kernels
                                  ptxas finds fault, registers that spill say
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

PIPELINE = ("builtin.module(mlopt-import,canonicalize,cse,"
            "func.func(mlopt-fuse{wgmma=true}))")


def show(name, program):
    text = subprocess.run(
        ["mlopt-opt", "-", f"--pass-pipeline={PIPELINE}"],
        input=program, check=True, capture_output=True, text=True,
    ).stdout
    found = re.search(
        r"mlopt.traffic = {hbm_bytes = (\d+) : i64, kernels = (\d+) : i64, least_bytes = (\d+)",
        text,
    )
    moved, kernels, least = found.groups()
    print(f"{name}: {kernels} kernels, {moved} bytes, at least {least}")


def models(folder):
    for path in sorted(pathlib.Path(folder).glob("*.mlir")):
        if not path.name.endswith(".generic.mlir"):
            show(path.stem, path.read_text())


def bench(folder):
    """Each program at its first size, each kind of attention and of block."""
    sys.path.insert(0, folder)
    import cases

    seen = set()
    for case in cases.cases:
        kind = case.name.split("_bf16")[0]
        key = kind if re.match("attention/|block/", kind) else case.program
        if case.program and key not in seen:
            seen.add(key)
            show(case.name, case.build().text)


def programs(folder):
    sys.path.insert(0, folder)
    import cases

    found = [case for case in cases.cases if case.program]
    print(len(found) > 200)
    return found


def plain(folder):
    for case in programs(folder):
        plan = subprocess.run(
            ["mlopt-compile", "-", "--emit=plan"],
            input=case.build().text, check=True, capture_output=True, text=True,
        ).stdout
        kernels = re.findall(r"llvm\.func @.*", plan)
        if not kernels or not all("mlopt.schedule" in k for k in kernels):
            print(case.name)


def ptxas(folder, tool):
    with tempfile.TemporaryDirectory() as at, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def says(case):
            return subprocess.run(
                ["mlopt-compile", "-", "-o", f"{at}/{case.file}.mlopt", f"--ptxas={tool}"],
                input=case.build().text, check=True, capture_output=True, text=True,
            ).stderr

        found = programs(folder)
        for case, message in zip(found, pool.map(says, found)):
            if message:
                print(case.name)


modes = {"models": models, "bench": bench, "plain": plain, "ptxas": ptxas}
modes[sys.argv[1]](*sys.argv[2:])
