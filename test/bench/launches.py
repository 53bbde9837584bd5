# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring what surrounds kernels: calls, replays, compiling, starting.

Each function takes the worker, a case whose `how` is its name, and its row.
"""

import contextlib
import ctypes
import os
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


SOME = 16  # twice what an instance remembers


def interleaved(machine, batches, calls=50, turns=60):
    """Microseconds of a call, the median over batches of each kind, which take
    turns so that all meet the same clocks. A batch is a function of how many
    calls, and returns the microseconds of one. The queue is empty when it
    begins, and some calls before have bound its sets of pointers again."""
    times = {name: [] for name in batches}
    names = list(batches)
    for turn in range(turns):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            batches[name](SOME)
            machine.synchronize()
            times[name].append(batches[name](calls))
            machine.synchronize()
    return {name: statistics.median(some) for name, some in times.items()}


def batch_of(call):
    """The batch of a function of a call's number."""
    def batch(count):
        begun = time.perf_counter()
        for i in range(count):
            call(i)
        return (time.perf_counter() - begun) / count * 1e6

    return batch


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
    """CPU time of one call: the driver's, through C, through Python."""
    import mlopt
    machine = worker.machine
    program = mlopt.load(worker.artifact(case))
    sets = measure.draw_sets(case, case.build(), case.sizes, machine)
    x = sets[0][0]
    y = torch.empty_like(x)
    stream = torch.cuda.current_stream().cuda_stream
    program(x, out=y)
    instance = program._local.instances[stream]
    run, handle = mlopt._library.library().mloptRunInstance, instance.address
    dx, dy = Exported(x), Exported(y)
    pairs = [(torch.randn_like(x), torch.empty_like(x)) for _ in range(100)]
    batches = {
        "data_ptr": batch_of(lambda i: program(x, out=y)),
        "ctypes": batch_of(lambda i: run(handle, stream)),
        "dlpack": batch_of(lambda i: program(dx, out=dy, stream=stream)),
        "results_allocated": batch_of(lambda i: program(x)),
        "four_sets_of_pointers": batch_of(
            lambda i: program(pairs[i % 4][0], out=pairs[i % 4][1])),
        "hundred_sets_of_pointers": batch_of(
            lambda i: program(pairs[i % 100][0], out=pairs[i % 100][1])),
    }
    batches.update(c_batches(instance, stream, x, y, pairs))
    interleaved(machine, batches, turns=5)  # warms up
    figures = interleaved(machine, batches)
    ours = row["ours"] = {"kernels": program.launch_count}
    row["c_api"] = {f"{name[2:]}_us": us for name, us in figures.items()
                    if name.startswith("c_")}
    for name, us in figures.items():
        if not name.startswith("c_"):
            ours[f"{name}_us"] = us
    if "c_call" in figures:
        before = program.statistics().steps_patched
        batches["c_hundred_sets"](100)
        patched = (program.statistics().steps_patched - before) / 100
        if patched:  # kernels that take a pointer, each time another
            row["c_api"]["us_per_new_pointer"] = (
                figures["c_hundred_sets"] - figures["c_same_pointers"]
            ) / patched
        for way in ("data_ptr", "dlpack"):
            ours[f"{way}_over_c_us"] = figures[way] - figures["c_call"]
    ours["ms"] = per_call(machine, lambda i: program(x, out=y))
    if program.launch_count:
        ours["us_per_kernel"] = ours["ms"] * 1e3 / program.launch_count


def c_batches(instance, stream, x, y, pairs):
    """Batches of calls that C makes (runtime_calls.c) of the same instance. New
    pointers are more sets in turn than an instance remembers, none of which
    has been seen a while ago."""
    path = os.environ.get("MLOPT_CALLS_LIBRARY")
    if not path:
        return {}
    folders = {os.path.dirname(os.path.realpath(one))
               for one in (path, os.environ.get("MLOPT_RUNTIME_LIBRARY", ""))}
    if len(folders) > 1:
        raise measure.Refused(f"{path} knows the insides of the runtime beside "
                              "it, which is not the one in use")
    library = ctypes.CDLL(path)
    pointer, count = ctypes.c_void_p, ctypes.c_int
    for name, parameters in (
            ("mloptTimeRuns", (pointer, pointer, count)),
            ("mloptTimeDriver", (pointer, pointer, count)),
            ("mloptTimeBoundRuns", (pointer, pointer, count, pointer, count))):
        function = getattr(library, name)
        function.restype, function.argtypes = ctypes.c_double, parameters
    at = instance.address

    def bound(tensors):
        flat = [t.data_ptr() for pair in tensors for t in pair]
        array = (ctypes.c_uint64 * len(flat))(*flat)

        def batch(calls):
            return library.mloptTimeBoundRuns(at, stream, calls, array,
                                              len(tensors))

        return batch

    return {"c_call": lambda calls: library.mloptTimeRuns(at, stream, calls),
            "c_driver": lambda calls: library.mloptTimeDriver(at, stream,
                                                              calls),
            "c_same_pointers": bound([(x, y)]),
            "c_four_sets": bound(pairs[:4]), "c_hundred_sets": bound(pairs)}


# ---- Compiling and starting --------------------------------------------------


@contextlib.contextmanager
def as_at_first():
    """PyTorch compiles as it does for who never did: nothing in its caches, on
    all cores."""
    from torch._inductor import config, utils
    fresh = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache
    with fresh(), config.patch(compile_threads=min(32, os.cpu_count() or 1)):
        yield


TRIES, PEER_TRIES = 5, 2  # a peer takes ten seconds and more


def time_tool(worker, case):
    """Milliseconds of mlopt-compile, as a process, and where that was: here if
    the tool is here, else where the artifact was made."""
    tool = worker.options["compiler"]
    if not tool:
        entry = worker.manifest["cases"].get(case.name, {})
        if not entry.get("compile_ms"):
            raise measure.Missing(entry.get("error", "there is no artifact"))
        return entry["compile_ms"], "the machine that made the artifact"
    source = os.path.join(worker.options["artifacts"], case.file + ".mlir")
    times = []
    for _ in range(TRIES):
        begun = time.perf_counter()
        subprocess.run([tool, *case.flags, "-o", os.devnull, "--emit=artifact",
                        source], check=True, capture_output=True, timeout=60)
        times.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(times), "this machine"


def compile_time(worker, case, row):
    """A first call without caches; ours is the tool's time."""
    row["ours"] = {}
    try:
        row["ours"]["ms"], where = time_tool(worker, case)
        row["note"] = f"ours: mlopt-compile, a process, on {where}"
    except Exception as error:
        row["ours"]["error"] = f"{type(error).__name__}: {error}"[:300]
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
