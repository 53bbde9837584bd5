# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring: inputs, checks, times, power. compare.py says how and why."""

import math
import random
import statistics
import threading
import time
import zlib

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
          "bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn,
          "f8E5M2": torch.float8_e5m2,
          "i1": torch.bool, "i8": torch.int8, "i32": torch.int32,
          "i64": torch.int64}

# The largest error that passes: norm of the difference over norm, largest
# difference over largest magnitude.
TOLERANCE = {torch.float64: (1e-10, 1e-10), torch.float32: (1e-4, 1e-4),
             torch.float16: (2e-3, 5e-3), torch.bfloat16: (1e-2, 2e-2),
             torch.int8: (0, 0), torch.int32: (0, 0), torch.int64: (0, 0)}

ROTATED_BYTES = 256 << 20  # four times the L2


class Refused(Exception):
    """What is asked for would not be a fair measurement."""


class Missing(Exception):
    """Something that was to be made beforehand is not there."""


class Wrong(Exception):
    """A result is not what it should be."""


# ---- Machines ----------------------------------------------------------------


class Gpu:
    """CUDA, through PyTorch and Triton."""

    device = "cuda"

    def __init__(self):
        import triton_kernels
        self.name = torch.cuda.get_device_name()
        self.dirty = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
        self.clean = torch.zeros(1 << 27, device="cuda")
        self.read = triton_kernels.make_read(self.clean)
        self.synchronize = torch.cuda.synchronize
        self.nvml = open_nvml()

    def flush(self):
        """Empties the L2, and leaves it full of lines nobody wrote to."""
        self.dirty.zero_()
        self.read(self.clean)

    def spin(self, microseconds):
        """Keeps the GPU busy with nothing, so that launching is not timed."""
        torch.cuda._sleep(int(microseconds * 2000))

    def event(self):
        return torch.cuda.Event(enable_timing=True)

    def reading(self):
        """Clocks and power now: sm_mhz, mem_mhz, power_w."""
        return self.nvml() if self.nvml else None

    def about(self):
        return {"gpu": self.name, "torch": torch.__version__,
                "cuda": torch.version.cuda, "driver": driver_version()}

    def release(self):
        torch.cuda.empty_cache()


class Rehearsal:
    """The same on a CPU, so that all but the figures can be tried there."""

    device = "cpu"
    name = "rehearsal on a CPU"

    class Event:
        def record(self):
            self.at = time.perf_counter()

        def query(self):
            return False

        def elapsed_time(self, end):
            return max((end.at - self.at) * 1e3, 1e-6)

    event = Event

    def synchronize(self):
        pass

    flush = release = synchronize

    def spin(self, microseconds):
        pass

    def reading(self):
        return None

    def about(self):
        return {"gpu": self.name, "torch": torch.__version__}


def open_nvml():
    """A function that reads clocks and power, or None."""
    try:
        import pynvml
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)

        def read():
            clock = lambda kind: pynvml.nvmlDeviceGetClockInfo(handle, kind)
            return {"sm_mhz": clock(pynvml.NVML_CLOCK_SM),
                    "mem_mhz": clock(pynvml.NVML_CLOCK_MEM),
                    "power_w": pynvml.nvmlDeviceGetPowerUsage(handle) // 1000}

        read()
        return read
    except Exception:  # no module, no permission: figures without clocks
        return None


def driver_version():
    try:
        import pynvml
        version = pynvml.nvmlSystemGetDriverVersion()
        return version if isinstance(version, str) else version.decode()
    except Exception:
        return None


class Watch:
    """Median clocks and power while it is open, read every 20 ms."""

    def __init__(self, machine):
        self.machine, self.readings = machine, []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        while not self.stop.wait(0.02):
            reading = self.machine.reading()
            if reading is None:
                return
            self.readings.append(reading)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def median(self):
        return {key: statistics.median(r[key] for r in self.readings)
                for key in (self.readings[0] if self.readings else ())}


# ---- Inputs ------------------------------------------------------------------


def draw(case, program, sizes, machine, generator):
    """One set of inputs."""
    tensors = []
    for name, shape, element in program.arguments:
        dtype, how = DTYPES[element], case.inputs.get(name)
        if how == "zeros":
            t = torch.zeros(shape, dtype=dtype, device=machine.device)
        elif how is not None:
            t = torch.randint(0, sizes[how], shape, dtype=dtype,
                              device=machine.device, generator=generator)
        else:
            t = torch.randn(shape, device=machine.device, generator=generator)
            if case.program == "gpt2_block" and name != "x":
                # As a layer starts: gains near one, the rest small.
                t = 1 + 0.1 * t if name in ("ln1w", "ln2w") else t * 0.02
            if dtype == torch.int8:
                t = (t * 32).clamp(-128, 127)  # all bits vary
            t = t.to(dtype)
        tensors.append(t)
    return tensors


def draw_sets(case, program, sizes, machine):
    """Enough sets of inputs that going through them leaves no warm L2."""
    generator = torch.Generator(device=machine.device)
    generator.manual_seed(zlib.crc32(case.name.encode()))
    first = draw(case, program, sizes, machine, generator)
    size = sum(t.numel() * t.element_size() for t in first)
    count = min(32, -(-ROTATED_BYTES // max(size, 1)))
    if machine.device == "cpu":
        count = min(count, 2)
    return [first] + [draw(case, program, sizes, machine, generator)
                      for _ in range(count - 1)]


def refuse_zeros(tensors):
    for i, t in enumerate(tensors):
        if not t.is_floating_point():
            continue
        if t.element_size() == 1:
            t = t.view(torch.uint8) & 0x7F
        if torch.count_nonzero(t).item() * 2 < t.numel():
            raise Refused(f"argument {i} is mostly zeros; they draw less power "
                          "and run faster than data does")


# ---- Checks ------------------------------------------------------------------


def as_tuple(outputs):
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def errors(output, reference, magnitude):
    """The two errors of one result; NaN must be where NaN is."""
    if output.shape != reference.shape:
        raise Wrong(f"shape {tuple(output.shape)}, not "
                    f"{tuple(reference.shape)}")
    norm = worst = norm_of = largest = 0.0
    for a, r in zip(output.reshape(-1).split(1 << 27),
                    reference.reshape(-1).split(1 << 27)):
        a = a.to(torch.float64)
        if not torch.equal(torch.isnan(a), torch.isnan(r)):
            raise Wrong("NaN where a number is expected, or the other way "
                        "round")
        same = (a == r) | torch.isnan(a)  # infinities too
        d = torch.where(same, 0.0, (a - r).abs())
        size = torch.where(torch.isfinite(r), r.abs(), 0.0)
        norm += d.square().sum().item()
        norm_of += size.square().sum().item()
        worst = max(worst, d.max().item())
        largest = max(largest, size.max().item())
    least = magnitude * math.sqrt(max(output.numel(), 1))
    return (math.sqrt(norm) / max(math.sqrt(norm_of), least, 1e-300),
            worst / max(largest, magnitude, 1e-300))


def check(outputs, references, case):
    """The largest errors of all results; Wrong if they are too large."""
    outputs = as_tuple(outputs)
    if len(outputs) != len(references):
        raise Wrong(f"{len(outputs)} results, not {len(references)}")
    found = [0.0, 0.0]
    for i, (output, reference) in enumerate(zip(outputs, references)):
        bounds = case.tolerance or TOLERANCE[output.dtype]
        pair = errors(output, reference, case.magnitude)
        found = [max(a, b) for a, b in zip(found, pair)]
        if not (pair[0] <= bounds[0] and pair[1] <= bounds[1]):
            raise Wrong(f"result {i}: error {pair[0]:.2g} in norm, "
                        f"{pair[1]:.2g} at worst; {bounds[0]:.2g} and "
                        f"{bounds[1]:.2g} pass")
    return {"error_norm": found[0], "error_worst": found[1]}


def poison(tensors):
    """NaN, or minus one, in every element."""
    for t in tensors:
        t.reshape(-1).view(torch.uint8).fill_(0xFF)


# ---- Times -------------------------------------------------------------------


class Contender:
    """Something that is timed: `call(i)` puts one run on the GPU, on the i-th
    set of inputs, and returns its results."""

    def __init__(self, label, call, sets):
        self.label, self.call, self.sets = label, call, sets
        self.cpu_us = self.gpu_ms = 0.0
        self.row = {}

    def warm(self, machine):
        """A few runs, to know what a run costs."""
        for i in range(3):
            self.call(i % self.sets)
        machine.synchronize()
        start, end = machine.event(), machine.event()
        machine.spin(1000)
        begun = time.perf_counter()
        start.record()
        for i in range(3):
            self.call(i % self.sets)
        end.record()
        self.cpu_us = (time.perf_counter() - begun) / 3 * 1e6
        machine.synchronize()
        self.gpu_ms = max(start.elapsed_time(end) / 3, 1e-3)


# What emptying the L2 takes; the least and the most that the GPU is kept busy
# before, so that it does not wait for a launch.
FLUSH_MS = 0.2
LEAST_LEAD_US, MOST_LEAD_US = 200, 20000


def time_run(machine, contender, i, lead):
    """Events around one run, the L2 empty and clean, and the microseconds that
    the GPU was kept busy before: twice as many, again and again, where it got
    to the run before all of it was queued."""
    while True:
        start, end = machine.event(), machine.event()
        machine.spin(lead)
        machine.flush()
        start.record()
        contender.call(i)
        end.record()
        if not start.query() or lead >= MOST_LEAD_US:
            return start, end, lead
        lead *= 2


def time_burst(machine, contenders, seconds):
    """Single runs after a pause, each round in another order: who always runs
    behind the same contender finds the GPU as that one leaves it, which is worth
    a percent of 65 us."""
    order, shuffle = list(contenders), random.Random(0).shuffle
    leads = {c.label: LEAST_LEAD_US + 2 * c.cpu_us for c in contenders}
    per_round = sum(c.gpu_ms + FLUSH_MS + leads[c.label] * 1e-3
                    for c in contenders)
    pause = min(max(per_round * 0.5e-3, 0.002), 0.05)
    rounds = int(seconds / (per_round * 1e-3 + pause))
    rounds = max(7, min(200, rounds))
    pairs = {c.label: [] for c in contenders}
    for number in range(rounds):
        shuffle(order)
        machine.synchronize()
        time.sleep(pause)
        for c in order:
            start, end, leads[c.label] = time_run(
                machine, c, number % c.sets, leads[c.label])
            pairs[c.label].append((start, end))
    machine.synchronize()
    for c in contenders:
        times = sorted(s.elapsed_time(e) for s, e in pairs[c.label])
        c.row["ms"] = statistics.median(times)
        c.row["ms_quartiles"] = [times[len(times) // 4],
                                 times[-1 - len(times) // 4]]
        c.row["repetitions"] = rounds


SLICES = 3


def time_sustained(machine, contenders, seconds):
    """Runs back to back, a slice of each contender at a time."""
    length = seconds / (SLICES * len(contenders))
    times = {c.label: [] for c in contenders}
    watches = {c.label: [] for c in contenders}
    for _ in range(SLICES):
        for c in contenders:
            each = max(c.gpu_ms, c.cpu_us * 1e-3)
            count = max(3, int(length * 1e3 / each))
            start, end = machine.event(), machine.event()
            with Watch(machine) as watch:
                machine.synchronize()
                start.record()
                for i in range(count):
                    c.call(i % c.sets)
                end.record()
                machine.synchronize()
            times[c.label].append(start.elapsed_time(end) / count)
            watches[c.label].append(watch.median())
    for c in contenders:
        c.row["sustained_ms"] = statistics.median(times[c.label])
        readings = [r for r in watches[c.label] if r]
        if readings:
            c.row["sustained_clocks"] = {
                key: statistics.median(r[key] for r in readings)
                for key in readings[0]}


def time_queue(machine, call, wait, seconds):
    """Milliseconds of a call by the host's clock, many of them queued."""
    call(0)
    wait()
    times = []
    deadline = time.perf_counter() + seconds
    while len(times) < 3 or (len(times) < 15
                             and time.perf_counter() < deadline):
        begun = time.perf_counter()
        for i in range(20):
            last = call(i)
        wait(last)
        times.append((time.perf_counter() - begun) / 20 * 1e3)
    return statistics.median(times)


# ---- XLA ---------------------------------------------------------------------


def cupti_times(machine, f, arrays, count):
    """The sum of the kernels' times of each of some runs, L2 empty and clean;
    JAX has no events to record, but its profiler's library knows kernels."""
    import jax
    from jax._src.lib import mosaic_gpu
    profiler = mosaic_gpu._mosaic_gpu_ext
    profiler._cupti_init()
    try:
        for _ in range(count):
            machine.flush()
            machine.synchronize()
            jax.block_until_ready(f(*arrays))
    finally:
        kernels = profiler._cupti_get_timings(True)
    # Each run is what lies between two flushes, whose last kernel this is.
    sums = []
    for name, ms in kernels:
        if "mlopt_bench_read" in name:
            sums.append(0.0)
        elif sums:
            sums[-1] += ms
    if len(sums) != count or min(sums) <= 0:
        raise Refused(f"{len(kernels)} kernels seen in {count} runs")
    return sums


def time_xla(machine, f, arrays, seconds, row):
    """Fills a row: kernels alone, and a queue by the host's clock."""
    import jax
    jax.block_until_ready(f(*arrays))
    try:
        count = 15
        row["ms"] = statistics.median(cupti_times(machine, f, arrays, count))
        row["note"] = "sum of its kernels' times, without gaps"
        row["repetitions"] = count
    except Exception as error:
        row["cupti"] = f"{type(error).__name__}: {error}"[:160]
    wait = lambda last=None: last is not None and jax.block_until_ready(last)
    queued = time_queue(machine, lambda i: f(*arrays), wait, seconds)
    row["sustained_ms"] = queued
    if "ms" not in row:
        row["ms"] = queued
        row["note"] = "a queue of 20 by the host's clock, warm L2"
