"""Prints for programs how many kernels fusion makes of each.

    fuse_models.py models DIR     the programs of a folder
    fuse_models.py bench DIR      those of the bench, which lies there
"""

import pathlib
import re
import subprocess
import sys

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


{"models": models, "bench": bench}[sys.argv[1]](sys.argv[2])
