"""Prints for each model of a folder how many kernels fusion makes of it."""

import pathlib
import re
import subprocess
import sys

pipeline = "builtin.module(mlopt-import,canonicalize,cse,func.func(mlopt-fuse))"
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.mlir")):
    if path.name.endswith(".generic.mlir"):
        continue
    text = subprocess.run(
        ["mlopt-opt", path, f"--pass-pipeline={pipeline}"],
        check=True, capture_output=True, text=True,
    ).stdout
    found = re.search(
        r"mlopt.traffic = {hbm_bytes = (\d+) : i64, kernels = (\d+) : i64, least_bytes = (\d+)",
        text,
    )
    moved, kernels, least = found.groups()
    print(f"{path.stem}: {kernels} kernels, {moved} bytes, at least {least}")
