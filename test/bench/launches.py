# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring what surrounds kernels: calls, replays, compiling, starting.

Each function takes the worker, a case whose `how` is its name, and its row.
"""

import contextlib
import os
import re
import statistics
import subprocess
import sys
import time

import torch

import measure
import peers

HERE = os.path.dirname(os.path.abspath(__file__))


def per_call(machine, call, calls=200, turns=5):
    """Milliseconds of a call by the host's clock, the GPU's end included."""
    for i in range(10):
        call(i)
    machine.synchronize()
    times = []
    for _ in range(turns):
        begun = time.perf_counter()
        for i in range(calls):
            call(i)
        machine.synchronize()
        times.append((time.perf_counter() - begun) / calls * 1e3)
    return statistics.median(times)


def cpu_us(machine, call, calls=50, turns=40):
    """Microseconds until a call returns; the queue is empty when a batch of
    calls begins."""
    times = []
    for turn in range(turns):
        begun = time.perf_counter()
        for i in range(calls):
            call(turn * calls + i)
        times.append((time.perf_counter() - begun) / calls * 1e6)
        machine.synchronize()
    return statistics.median(times)


# ---- Many small kernels ------------------------------------------------------


def replays(worker, case, row):
    """Whole calls back to back, by the host's clock, for everyone alike."""
    machine = worker.machine
    calls = 5 if worker.small else 200
    sets, contenders = worker.prepare(case, row)
    row["note"] = "calls back to back by the host's clock"
    for c in contenders:
        c.row["ms"] = per_call(machine, lambda i: c.call(0), calls)
        kernels = c.row.get("kernels")
        if kernels:
            c.row["us_per_kernel"] = c.row["ms"] * 1e3 / kernels
    for part in row["peers"].values():
        if "function" in part:
            import jax
            function, arrays = part["function"]
            part["ms"] = measure.time_queue(
                machine, lambda i: function(*arrays),
                lambda last=None: jax.block_until_ready(last), 1.0)


# ---- One call ----------------------------------------------------------------


class Exported:
    """A tensor of which only DLPack is known."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None):
        return torch._C._to_dlpack(self.tensor)


def calls(worker, case, row):
    """CPU time of one call, through Python and through C alone."""
    import mlopt
    machine = worker.machine
    program = mlopt.load(worker.artifact(case))
    sets = measure.draw_sets(case, case.build(), case.sizes, machine)
    x = sets[0][0]
    y = torch.empty_like(x)
    stream = torch.cuda.current_stream().cuda_stream
    program(x, out=y)
    instance = program._local.instances[stream]
    run, handle = mlopt._library.library().mloptRunInstance, instance.handle
    dx, dy = Exported(x), Exported(y)
    pairs = [(torch.randn_like(x), torch.empty_like(x)) for _ in range(100)]
    times = {
        "c_api_through_ctypes_us": lambda i: run(handle, stream),
        "data_ptr_us": lambda i: program(x, out=y),
        "dlpack_us": lambda i: program(dx, out=dy, stream=stream),
        "results_allocated_us": lambda i: program(x),
        "four_sets_of_pointers_us": lambda i: program(pairs[i % 4][0],
                                                      out=pairs[i % 4][1]),
        "hundred_sets_of_pointers_us": lambda i: program(pairs[i % 100][0],
                                                         out=pairs[i % 100][1]),
    }
    ours = row["ours"] = {"kernels": program.launch_count}
    for _ in range(2):  # the first time warms up
        for name, call in times.items():
            ours[name] = cpu_us(machine, call)
    ours["ms"] = per_call(machine, times["data_ptr_us"])
    if program.launch_count:
        ours["us_per_kernel"] = ours["ms"] * 1e3 / program.launch_count
    tool = worker.options["runtime_gpu"]
    if tool:
        row["c_api"] = c_figures(tool, "chain of 64" if case.sizes[1] > 1
                                 else "one kernel")
        base = row["c_api"].get("call_us")
        if base:
            for way in ("data_ptr", "dlpack"):
                ours[f"{way}_over_c_us"] = ours[f"{way}_us"] - base


def c_figures(tool, name):
    """What runtime_gpu --time says of its own program of that kind."""
    run = subprocess.run([tool, "--time"], capture_output=True, text=True,
                         timeout=120)
    found = {}
    number = r"([0-9.]+)"
    line = re.search(rf"a? ?{name}: a call {number} and {number} us, the bare "
                     rf"driver's {number} us; {number} us a kernel", run.stdout)
    if line:
        values = [float(v) for v in line.groups()]
        found = {"call_us": (values[0] + values[1]) / 2, "bare_us": values[2],
                 "us_per_kernel": values[3]}
    for key, words in (("four_sets_us", "four sets of pointers in turn"),
                       ("hundred_sets_us", "a hundred sets in turn")):
        line = re.search(rf"{name}: {words} {number} us", run.stdout)
        if line:
            found[key] = float(line.group(1))
    return found or {"error": (run.stdout + run.stderr)[-200:]}


# ---- Compiling and starting --------------------------------------------------


@contextlib.contextmanager
def as_at_first():
    """PyTorch compiles as it does for who never did: nothing in its caches, on
    all cores."""
    from torch._inductor import config, utils
    fresh = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache
    with fresh(), config.patch(compile_threads=min(32, os.cpu_count() or 1)):
        yield


def compile_time(worker, case, row):
    """A first call without caches; ours is from where the artifact was made."""
    entry = worker.manifest["cases"].get(case.name, {})
    row["note"] = "ours: mlopt-compile on the machine that made the artifact"
    row["ours"] = ({"ms": entry["compile_ms"]} if entry.get("compile_ms") else
                   {"error": entry.get("error", "there is no artifact")})
    program, sizes = case.build(worker.small), worker.sizes(case)
    tensors = measure.draw_sets(case, program, sizes, worker.machine)[0]
    row["peers"] = {}
    for label, maker in case.peers:
        if not worker.wanted(label, maker):
            continue
        part = row["peers"][label] = {}
        try:
            some = peers.to_jax(tensors) if maker == "xla" else tensors
            with as_at_first():
                begun = time.perf_counter()
                outputs = peers.make(case, maker, sizes, tensors)(*some)
                if maker == "xla":
                    outputs.block_until_ready()
                worker.machine.synchronize()
                part["ms"] = (time.perf_counter() - begun) * 1e3
        except Exception as error:
            part["error"] = f"{type(error).__name__}: {error}"[:300]


TRIES, PEER_TRIES = 5, 2  # a peer takes ten seconds and more


def start(worker, case, row):
    """From the start of a process to its first result, caches off, and from
    the moment the driver's context is up."""
    row["note"] = "ms: process start to first result; after_context_ms: from " \
                  "when the bare context was up"
    row["peers"] = {}
    ways = [("mlopt, artifact", "ours")]
    tool = worker.options["compiler"]
    if tool:
        ways.append(("mlopt, text", "text"))
    ways += [(label, maker) for label, maker in case.peers
             if worker.wanted(label, maker)]
    source = None
    for label, way in ways:
        part = row["ours"] = row.get("ours", {}) if way == "ours" else \
            row.get("ours", {})
        if way != "ours":
            part = row["peers"][label] = {}
        try:
            extra = []
            if way == "ours":
                extra = [worker.artifact(case)]
            elif way == "text":
                source = os.path.join(worker.options["artifacts"],
                                      case.file + ".mlir")
                extra = [source, tool]
            tries = TRIES if way in ("ours", "text") else PEER_TRIES
            runs = [first_result(way, extra) for _ in range(tries)]
            part["tries"] = tries
            for key in runs[0]:
                part[key] = statistics.median(r[key] for r in runs)
        except Exception as error:
            part["error"] = " ".join(f"{type(error).__name__}: {error}"
                                     .split())[-300:]


def first_result(way, extra):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("TORCHINDUCTOR_", "TRITON_"))}
    environment.update(CUDA_CACHE_DISABLE="1",
                       TORCHINDUCTOR_FORCE_DISABLE_CACHES="1",
                       JAX_ENABLE_COMPILATION_CACHE="false")
    command = [sys.executable, os.path.join(HERE, "first_result.py"), way,
               repr(time.monotonic()), *extra]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120,
                         env=environment)
    if run.returncode:
        raise RuntimeError(run.stderr.strip()[-300:] or
                           f"ended with {run.returncode}")
    stamps = dict(line.split("=") for line in run.stdout.split("\n")
                  if "=" in line)
    return {key: float(value) for key, value in stamps.items()}
