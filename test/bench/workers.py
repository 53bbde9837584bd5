# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that measure (worker.py): started, fed, ended.

Needs no package.
"""

import atexit
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from queue import Empty, Queue

import plan

HERE = os.path.dirname(os.path.abspath(__file__))


class Workers:
    """Runs cases in a process that is replaced when a case takes it along."""

    def __init__(self, options, timeout):
        self.options, self.timeout = options, timeout
        self.about = {}
        self.process = self.lines = self.reader = None

    def run(self, job, timeout=None):
        """The row of a job, whose "case" is a name."""
        if self.process is None:
            self.start()
        try:
            self.send(job)
        except OSError:  # it ended after its last row
            self.end()
            self.start()
            self.send(job)
        row = None
        while True:
            try:
                line = self.lines.get(timeout=timeout or self.timeout)
            except Empty:
                self.end()
                return {"case": job["case"], "error": "hung: nothing for "
                        f"{timeout or self.timeout:.0f} s; the process was "
                        "ended"}
            if line is None:
                code = self.end()
                return row or {"case": job["case"],
                               "error": f"the process ended with {code}"}
            said = json.loads(line)
            self.about = said.get("about", self.about)
            row = said.get("row", row)
            if "ready" in said and row:
                return row

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "worker.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = Queue()
        self.reader = threading.Thread(target=self.read, daemon=True,
                                       args=(self.process, self.lines))
        self.reader.start()
        self.send(self.options)

    @staticmethod
    def read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def send(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def end(self):
        """Ends the process if there is one; returns how it ended."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        try:
            process.stdin.close()
        except OSError:
            pass
        try:
            # What has closed its output is about to end by itself.
            code = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        self.reader.join(timeout=1)
        if not self.reader.is_alive():
            process.stdout.close()
        return code


# ---- Compiling ahead ---------------------------------------------------------


def shares(costs, count):
    """Names with their seconds, dealt to as many lists as even out."""
    dealt = [(0.0, i, []) for i in range(count)]
    for name, seconds in sorted(costs.items(), key=lambda item: -item[1]):
        least = min(dealt)
        dealt.remove(least)
        dealt.append((least[0] + seconds, least[1], least[2] + [name]))
    return [names for _, _, names in sorted(dealt, key=lambda one: one[1])
            if names]


def compile_ahead(costs, options, seconds):
    """Lets PyTorch compile the peers of these cases, many processes at once,
    into a cache on disk from which the one that measures takes them. Which of
    several configurations of a kernel is the fastest is not taken along: that
    was found out on a busy GPU. Returns the names that were done.
    """
    folder = tempfile.mkdtemp(prefix="mlopt-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
    # A process each is enough, and what measures must not have more.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    count = max(1, min(14, len(costs), (os.cpu_count() or 2) - 2))
    deadline = time.monotonic() + seconds
    processes = []
    for names in shares(costs, count):
        processes.append(subprocess.Popen(
            [sys.executable, os.path.join(HERE, "worker.py"), "--ahead"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True))
        json.dump(dict(options, cases=names), processes[-1].stdin)
        processes[-1].stdin.close()
    done = []
    for process in processes:
        try:
            process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
        done += process.stdout.read().split()
        process.wait()
        process.stdout.close()
    for path in glob.glob(os.path.join(folder, "**", "*.best_config"),
                          recursive=True):
        os.remove(path)
    return done


def ahead_costs(cases, makers):
    """Seconds that compiling takes, of the cases where it can be ahead."""
    costs = {}
    for case in cases:
        if case.how in ("bench", "replays"):
            seconds = sum(plan.MAKING[name] for name in
                          (maker.partition(":")[0] for maker in makers(case))
                          if name in plan.COMPILED_AHEAD)
            if seconds:
                costs[case.name] = seconds * (3 if "train" in case.name else 1)
    return costs
