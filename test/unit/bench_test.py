#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the bench where there is neither a GPU nor PyTorch.

  bench_test.py BUILD

Every program at a small size runs on the CPU and is right, compared with f64
accumulation; every full one is read; rows survive workers that crash or hang.
`compare.py --dry-run` does more, where PyTorch is.
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "test", "bench"))

import cases
import compare

WORKER = '''
import json, os, sys, time
names = json.load(sys.stdin)["cases"]
say = lambda what: print(json.dumps(what), flush=True)
say({"about": {"gpu": "none"}})
for name in names:
    say({"begin": name})
    if name == "crash":
        os.abort()
    if name == "hang":
        time.sleep(60)
    say({"row": {"case": name}})
    if name == "lost":
        say({"lost": name})
        os._exit(3)
'''


class Bench(unittest.TestCase):
    def run_all(self, small, command):
        with tempfile.TemporaryDirectory() as folder:
            files = compare.write_programs(cases.cases, folder, small)
            # Several cases have one program; it is run once.
            texts = {}
            for path in files.values():
                with open(path, encoding="utf-8") as file:
                    texts.setdefault(file.read(), path)

            def run(path):
                return path, subprocess.run(command(path), text=True,
                                            capture_output=True)

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                for path, done in pool.map(run, texts.values()):
                    self.assertEqual(done.returncode, 0,
                                     path + done.stdout + done.stderr)

    def test_small_programs(self):
        self.run_all(True, lambda path: [os.path.join(build, "bin/mlopt-run"),
                                         path, "--device=cpu", "--oracle"])

    def test_full_programs(self):
        tool = os.path.join(build, "bin/mlopt-compile")
        self.run_all(False, lambda path: [tool, "--emit=mlopt", path,
                                          "-o", path + ".out"])

    def test_names(self):
        names = [case.name for case in cases.cases]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(len({case.file for case in cases.cases}), len(names))

    def test_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "worker.py"), "w",
                      encoding="utf-8") as file:
                file.write(WORKER)
            here, compare.HERE = compare.HERE, folder
            try:
                workers = compare.Workers({}, 1.5)
                names = ["a", "crash", "b", "lost", "c", "hang", "d"]
                soon = time.monotonic() + 60
                rows = list(workers.rows(names, soon))
                late = list(workers.rows(["a"], 0))
            finally:
                compare.HERE = here
        self.assertEqual([row["case"] for row in rows], names)
        errors = {row["case"]: row["error"] for row in rows if "error" in row}
        self.assertEqual(set(errors), {"crash", "hang"})
        self.assertIn("ended with -6", errors["crash"])
        self.assertIn("hung", errors["hang"])
        self.assertEqual(late, [{"case": "a",
                                 "error": "not run: out of time"}])
        self.assertEqual(workers.about, {"gpu": "none"})

    def test_figures(self):
        row = compare.figures({
            "case": "c", "flops": 2e9, "moved_bytes": 8e6,
            "ours": {"ms": 1.0, "sustained_ms": 2.0},
            "ceiling": {"ms": 0.9, "what": "copy"},
            "peers": {"a": {"ms": 1.5, "sustained_ms": 1.0},
                      "b": {"ms": 1.2, "sustained_ms": 3.0},
                      "less": {"ms": 0.1, "comparable": False},
                      "xla": {"ms": 0.8, "note": "without gaps"},
                      "bad": {"error": "no"}}})
        self.assertEqual((row["best"], row["ratio"], row["ratio_sustained"],
                          row["ratio_any"], row["of_ceiling"], row["tflops"]),
                         ("b", 1.2, 0.5, 0.8, 0.9, 2.0))
        self.assertIn("1.200 x the best", compare.describe(row))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.svg")
            compare.draw([row, {"case": "e", "error": "<bad>"}], path, {}, "c")
            with open(path, encoding="utf-8") as file:
                picture = file.read()
        self.assertIn("&lt;bad&gt;", picture)
        self.assertIn(">1.200<", picture)


if __name__ == "__main__":
    build = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
