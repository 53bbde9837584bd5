"""Prints a program of test/bench/programs.py: NAME ARGUMENT..., numbers as such."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, os.pardir, "bench"))

import programs  # noqa: E402

name, *arguments = sys.argv[1:]
values = [int(a) if a.lstrip("-").isdigit() else {"False": False}.get(a, a)
          for a in arguments]
print(getattr(programs, name)(*values).text)
