"""Reads every program of others: shared_parse.py SHARED.

The test programs go through one mlopt-opt, split; the two forms of each
exported program must print alike.
"""

import pathlib
import subprocess
import sys


def opt(text, *flags):
    run = subprocess.run(
        ["mlopt-opt", *flags], input=text, capture_output=True, text=True
    )
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout


shared = pathlib.Path(sys.argv[1])
programs = sorted((shared / "corpus" / "stablehlo").glob("*.mlir"))
opt("\n// -----\n".join(p.read_text() for p in programs), "-split-input-file")
generic = sorted((shared / "models").glob("*.generic.mlir"))
for path in generic:
    short = path.with_name(path.name.replace(".generic", ""))
    if opt(path.read_text()) != opt(short.read_text()):
        sys.exit(f"{short} and {path} differ")
print(f"{len(programs)} programs, {len(generic)} pairs")
