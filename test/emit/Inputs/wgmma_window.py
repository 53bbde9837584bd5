# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads PTX and looks for what ptxas calls a function for (divisions, remainders,
roots) between products on wgmma and the wait for them: behind a call, ptxas 13.0
forgets the products under way and reads their accumulators early. Prints what it
found and how many kernels have products; the exit code is 1 if it found any."""

import re
import sys

CALL = re.compile(r"^\s*(@\S+\s+)?(div|rem|sqrt\.r|rcp\.r|call)\b")


def kernels(text):
    for part in re.split(r"^\.visible \.entry ", text, flags=re.M)[1:]:
        yield part.split("(")[0], part.split("\n")


def calls_under_way(lines):
    under_way, suspects = False, []
    for line in lines:
        if "wgmma.mma_async" in line:
            under_way = True
            yield from suspects
            suspects = []
        elif "wgmma.wait_group.sync.aligned 0" in line:
            yield from suspects
            under_way, suspects = False, []
        elif under_way and CALL.match(line):
            suspects.append(line.strip())


found, counted = 0, 0
for name, lines in kernels(sys.stdin.read()):
    counted += any("wgmma.mma_async" in line for line in lines)
    for line in calls_under_way(lines):
        print(f"{name}: {line}")
        found += 1
print(f"{counted} kernels with products, {found} calls under way")
sys.exit(found > 0)
