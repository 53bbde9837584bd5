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
import types
import unittest
import unittest.mock

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "test", "bench"))

import cases
import compare
import plan
import workers

WORKER = '''
import json, os, sys, time
say = lambda what: print(json.dumps(what), flush=True)
sys.stdin.readline()
say({"about": {"gpu": "none"}})
for line in sys.stdin:
    job = json.loads(line)
    name = job["case"]
    if name == "crash":
        os.abort()
    time.sleep({"hang": 60, "gemm/bf16_nt_1024x1024x1024": 3}.get(name, 0))
    say({"row": {"case": name, "took_s": 0.01, "without": job.get("without")}})
    if name == "lost":
        os._exit(3)
    say({"ready": name})
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

    def with_worker(self, run):
        """The result of a function, the worker being the one above."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "worker.py"), "w",
                      encoding="utf-8") as file:
                file.write(WORKER)
            here, workers.HERE = workers.HERE, folder
            try:
                return run()
            finally:
                workers.HERE = here

    def test_workers(self):
        names = ["a", "crash", "b", "lost", "c", "hang", "d"]
        process = workers.Workers({}, 1.5)
        rows = self.with_worker(
            lambda: [process.run({"case": name}) for name in names])
        process.end()
        self.assertEqual([row["case"] for row in rows], names)
        errors = {row["case"]: row["error"] for row in rows if "error" in row}
        self.assertEqual(set(errors), {"crash", "hang"})
        self.assertIn("ended with -6", errors["crash"])
        self.assertIn("hung", errors["hang"])
        self.assertEqual(process.about, {"gpu": "none"})

    def test_shares(self):
        self.assertEqual(workers.shares({"a": 1, "b": 5, "c": 2, "d": 3}, 2),
                         [["b", "a"], ["d", "c"]])
        self.assertEqual(workers.shares({"a": 1}, 3), [["a"]])

    def plan_all(self, seconds, **budget):
        makers = lambda case: [maker for _, maker in case.peers]
        return plan.plan(plan.in_order(cases.cases), makers,
                         plan.Budget(0.7, 1.2, **budget), seconds)

    def test_order(self):
        hows = [case.how for case in plan.in_order(cases.cases)]
        self.assertEqual(hows[:3], ["calls"] * 3)
        self.assertNotIn("replays", hows[hows.index("bench"):])
        ranks = [case.rank for case in plan.in_order(cases.cases)]
        self.assertEqual(ranks, sorted(ranks))

    def test_plan_fits(self):
        whole = plan.expected(self.plan_all(1e9)) + 1e-6
        self.assertFalse([part for part in self.plan_all(whole) if part.why])
        for seconds in (0, 1, 10, 100, 400):
            parts = self.plan_all(seconds)
            self.assertLessEqual(plan.expected(parts), seconds)
            # Time for the least of what is left out there is not.
            left = seconds - plan.expected(parts)
            for part in parts:
                if part.why:
                    self.assertTrue(part.seconds > left or "belongs" in
                                    part.why, part)

    def test_plan_takes_what_matters(self):
        parts = self.plan_all(300)
        kept = {(part.case, part.kind) for part in parts if not part.why}
        claimed = [case for case in cases.cases if case.rank == 1]
        for case in claimed:
            self.assertIn((case.name, "burst"), kept)
        self.assertIn(("gemm/bf16_nt_8192x8192x8192", "sustained"), kept)
        self.assertIn(("rows/softmax_bf16_8192x8192", "compiled"), kept)
        self.assertNotIn(("ceiling/copy_2GiB", "burst"), kept)
        self.assertNotIn("autotuned", {kind for _, kind in kept})
        # No part of a case without the case.
        for case, kind in kept:
            self.assertIn((case, "burst"), kept)

    def test_plan_learns(self):
        budget = plan.Budget(0.7, 1.2)
        for _ in range(50):
            budget.learn(2, 4)
        self.assertGreater(budget.pace, 1.7)
        slow = plan.plan(cases.cases, lambda case: [], budget, 100)
        fast = plan.plan(cases.cases, lambda case: [], plan.Budget(0.7, 1.2),
                         100)
        self.assertGreater(sum(bool(part.why) for part in slow),
                           sum(bool(part.why) for part in fast))

    def test_deadline(self):
        args = types.SimpleNamespace(deadline=compare.SPARE_S + 3.5, timeout=60,
                                     peers=".", dry_run=True)
        some = [case for case in cases.cases
                if case.name.startswith(("gemm/bf16_nt_1024", "ceiling/copy"))]
        options = {"burst_s": 0.7, "sustained_s": 1.2}
        rows = self.with_worker(
            lambda: [row for row, _ in
                     compare.measure_all(args, some, options)])
        self.assertEqual({row["case"] for row in rows},
                         {case.name for case in some})
        # The most important first; what is left out is a row that says so.
        self.assertEqual(rows[0]["case"], "gemm/bf16_nt_1024x1024x1024")
        self.assertEqual(rows[0]["without"], ["xla"])
        self.assertEqual(list(rows[0]["left_out"]), ["xla"])
        out = [row for row in rows if "burst" in row.get("left_out", {})]
        self.assertTrue(out)
        self.assertIn("left out: burst, which would take",
                      compare.describe(compare.figures(out[0])))

    def test_launching_is_not_timed(self):
        """Runs that the GPU gets to before they are queued do not count."""
        with unittest.mock.patch.dict(sys.modules,
                                      torch=unittest.mock.MagicMock()):
            import measure

        class Event:
            def record(self):
                self.lead = machine.lead

            def query(self):  # launches take 900 microseconds
                return self.lead < 900

            def elapsed_time(self, end):
                return self.lead

        class Machine:
            event = Event
            flush = synchronize = lambda self: None

            def spin(self, microseconds):
                self.lead = microseconds

        machine = Machine()
        contenders = [measure.Contender(label, lambda i: None, 1)
                      for label in ("a", "b")]
        measure.time_burst(machine, contenders, 0.001)
        for c in contenders:
            self.assertEqual(c.row["repetitions"], 7)
            self.assertGreaterEqual(c.row["ms_quartiles"][0], 900)

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
