#!/usr/bin/env python3
"""Times the start of mlopt-opt against mlir-opt, on a file that asks for nothing.

  test/bench/startup.py [--build=build] [--runs=41]

The two are run in turn, so that a busy machine slows both alike, and the median
of each pair's ratio is taken. Prints one JSON line; test/bench/startup.jsonl
keeps those that were recorded.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def seconds(program, file):
    start = time.perf_counter()
    subprocess.run([program, file], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--peer", default="/usr/lib/llvm-22/bin/mlir-opt")
    parser.add_argument("--runs", type=int, default=41)
    args = parser.parse_args()
    ours = os.path.join(args.build, "bin", "mlopt-opt")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                   "  return %x : tensor<4xf32>\n}\n")
        file.flush()
        for program in (ours, args.peer):  # both files are in memory after this
            seconds(program, file.name)
        pairs = [(seconds(ours, file.name), seconds(args.peer, file.name))
                 for _ in range(args.runs)]
    median = lambda values: round(statistics.median(values), 4)
    print(json.dumps({
        "bench": "start-up of a trivial file",
        "runs": args.runs,
        "mlopt-opt_s": median(a for a, _ in pairs),
        "mlir-opt_s": median(b for _, b in pairs),
        "ratio": median(a / b for a, b in pairs),
    }))


if __name__ == "__main__":
    main()
