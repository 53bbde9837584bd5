# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases and prints a JSON line for each.

  worker.py          the options are a line of standard input, and each job,
                     {"case": name, "without": [parts of plan.py]}, is another;
                     a row is followed by {"ready"}, if all is well
  worker.py --ahead  only makes PyTorch compile the peers of options["cases"],
                     and prints the names

A process of its own, so that a kernel that hangs or faults takes nothing but
its own row along; workers.py starts it again for the rows that are left.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback

import torch

import cases
import measure
import peers
import plan
import references
from measure import Contender, Missing, Refused, Wrong

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)),
                                "runtime", "python"))
OURS = "mlopt"
EXPECTED = (Missing, Refused, Wrong)
# What only a GPU can do; not rehearsed.
GPU_MAKERS = ("read", "triton_softmax", "sdpa:cudnn", "captured")
GPU_HOWS = ("calls", "compile_time", "start")


def words_of(error):
    text = str(error) or type(error).__name__
    if not isinstance(error, EXPECTED):
        text = f"{type(error).__name__}: {text}"
    return " ".join(text.split())[:300]


class Worker:
    """What all cases share: the machine, the options, measured ceilings."""

    def __init__(self, options):
        self.options = options
        self.small = options["dry_run"]
        self.machine = (measure.Rehearsal if self.small else measure.Gpu)()
        self.products = {}
        self.without = ()  # parts that are left out of the case
        self.manifest = {"cases": {}}
        path = os.path.join(options["artifacts"], "manifest.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.manifest = json.load(file)

    def sizes(self, case):
        return case.small if self.small else case.sizes

    def artifact(self, case):
        entry = self.manifest["cases"].get(case.name)
        if entry is None:
            raise Missing("there is no artifact; make_artifacts.sh makes them")
        if not entry.get("artifact"):
            raise Missing(entry.get("error", "there is no artifact"))
        return os.path.join(self.options["artifacts"], entry["artifact"])

    def wanted(self, label, maker):
        return (plan.kind_of(maker) not in self.without
                and re.search(self.options["peers"], label) is not None)

    # -- Contenders

    def ours(self, case, program, sets):
        """Our program on each set of inputs, and its number of kernels."""
        if self.small:
            return Contender(OURS, Rehearsed(self, case, program, sets).call,
                             len(sets)), None
        import mlopt
        loaded = mlopt.load(self.artifact(case))
        # One place for the results of all sets, which is what PyTorch's
        # allocator gives the others.
        outputs = [torch.empty(shape, dtype=measure.DTYPES[element],
                               device=self.machine.device)
                   for _, shape, element in program.results]

        def call(i):
            return loaded(*sets[i], out=outputs)

        measure.poison(outputs)
        return Contender(OURS, call, len(sets)), loaded.launch_count

    def peer(self, case, label, maker, sets):
        function = peers.make(case, maker, self.sizes(case), sets[0])
        sets = sets[:1] if maker == "captured" else sets
        return Contender(label, lambda i: function(*sets[i]), len(sets))

    def ceiling(self, case, sets):
        """What memory does with as many bytes; a contender like the others."""
        kind = case.ceiling
        size = case.moved // (2 if kind == "copy" else 1)
        size -= size % 16384
        count = len(sets)
        if self.small:
            size, kind = 1 << 14, "copy"
        blocks = [torch.randn(size // 2, device=self.machine.device).to(
            torch.bfloat16) for _ in range(count)]
        function = peers.make(case, kind, (), blocks[:1])
        return Contender(f"ceiling: {kind}", lambda i: function(blocks[i]),
                         count)

    def product(self, case):
        """TFLOP/s of cuBLAS on 8192 cubed in the case's type, measured once."""
        kind = (case.build(True).arguments[0][2],
                case.sizes[6] if case.program == "matmul" else None)
        if kind not in self.products:
            n = 64 if self.small else 8192
            like = next(c for c in cases.cases if c.program == "matmul"
                        and c.sizes[:4] == (8192, 8192, 8192, "nt")
                        and (c.sizes[4], c.sizes[6]) == kind and not c.inputs)
            a, b = (torch.randn(n, n, device=self.machine.device).to(
                measure.DTYPES[kind[0]]) for _ in range(2))
            label, maker = like.peers[0]
            function = peers.make(like, maker, like.sizes, [a, b])
            contender = Contender(label, lambda i: function(a, b), 1)
            contender.warm(self.machine)
            measure.time_burst(self.machine, [contender], 0.3)
            self.products[kind] = 2e-9 * n ** 3 / contender.row["ms"]
        return kind[0], self.products[kind]

    # -- One case

    def run(self, case, without):
        self.without = without
        row = {"case": case.name, "kind": case.how}
        entry = self.manifest["cases"].get(case.name, {})
        for key in ("flags", "compile_ms"):
            if entry.get(key):
                row[key] = entry[key]
        torch._dynamo.reset()
        try:
            if self.small and case.how in GPU_HOWS:
                row["note"] = "needs a GPU"
            elif case.how == "bench":
                self.bench(case, row)
            else:
                import launches
                getattr(launches, case.how)(self, case, row)
        except Refused as error:
            row["refused"] = str(error)
        except Exception as error:
            traceback.print_exc()
            row["error"] = words_of(error)
        return row

    def prepare(self, case, row):
        """Draws inputs, makes and checks all contenders; those that are wrong
        or fail are in the row alone."""
        sizes, program = self.sizes(case), case.build(self.small)
        if program is None:
            size = sizes[0] // 2
            sets = [[torch.randn(size, device=self.machine.device).to(
                torch.bfloat16)] for _ in range(1)]
            wanted = None
        else:
            sets = measure.draw_sets(case, program, sizes, self.machine)
            for some in sets:
                measure.refuse_zeros(some)
            with torch.no_grad():
                wanted = getattr(references, case.reference or case.program)(
                    sizes, *sets[0])
        good = []
        makers = [(OURS, None)] if program is not None else []
        row["peers"] = {}
        for label, maker in makers + list(case.peers):
            if label != OURS and not self.wanted(label, maker):
                continue
            if self.small and maker in GPU_MAKERS:
                continue
            part = row.setdefault("ours", {}) if label == OURS else \
                row["peers"].setdefault(label, {})
            try:
                if label == OURS:
                    contender, kernels = self.ours(case, program, sets)
                    if kernels is not None:
                        part["kernels"] = kernels
                elif maker == "xla":
                    self.xla(case, maker, sets, wanted, part)
                    continue
                else:
                    contender = self.peer(case, label, maker, sets)
                contender.row = part
                begun = time.perf_counter()
                outputs = measure.as_tuple(contender.call(0))
                self.machine.synchronize()
                part["first_call_s"] = time.perf_counter() - begun
                if wanted is not None:
                    part.update(measure.check(outputs, wanted, case))
                if label == OURS:
                    self.check_bits(contender, outputs, part)
                contender.warm(self.machine)
                good.append(contender)
            except Exception as error:
                part["error"] = words_of(error)
                if not isinstance(error, EXPECTED):
                    traceback.print_exc()
                self.machine.synchronize()  # or there is no going on
        if case.incomparable:
            for label in case.incomparable:
                row["peers"].get(label, {})["comparable"] = False
        return sets, good

    def check_bits(self, contender, outputs, part):
        """Whether a second run gives the same bits."""
        first = [t.clone() for t in outputs]
        again = measure.as_tuple(contender.call(0))
        self.machine.synchronize()
        part["repeatable"] = all(same_bits(a, b)
                                 for a, b in zip(first, again))
        contender.first = first

    def bench(self, case, row):
        sets, contenders = self.prepare(case, row)
        timed = list(contenders)
        if case.ceiling in ("copy", "read") and case.program:
            ceiling = self.ceiling(case, sets)
            ceiling.warm(self.machine)
            timed.append(ceiling)
        row["inputs"] = {"sets": len(sets), "seed": "the case's name"}
        if case.flops:
            row["flops"] = case.flops
        if case.ceiling in ("copy", "read"):
            row["moved_bytes"] = case.moved
        if timed:
            before = self.machine.reading()
            measure.time_burst(self.machine, timed, self.options["burst_s"])
            row["burst_clocks"] = {"before": before,
                                   "after": self.machine.reading()}
            if self.options["sustained_s"] and "sustained" not in self.without:
                measure.time_sustained(self.machine, contenders or timed,
                                       self.options["sustained_s"])
        for c in contenders:
            first = getattr(c, "first", None)
            if first is not None:
                again = measure.as_tuple(c.call(0))
                self.machine.synchronize()
                c.row["same_after_timing"] = all(
                    same_bits(a, b) for a, b in zip(first, again))
        if case.ceiling in ("copy", "read") and case.program:
            row["ceiling"] = {"what": f"{case.ceiling} of as many bytes",
                              "ms": ceiling.row["ms"]}
        elif case.ceiling == "dots":
            element, speed = self.product(case)
            row["ceiling"] = {"what": f"cuBLAS, {element}, 8192 cubed",
                              "tflops": speed, "ms": case.flops / speed * 1e-9}

    def xla(self, case, maker, sets, wanted, part):
        function = peers.make(case, maker, self.sizes(case), sets[0])
        arrays = peers.to_jax(sets[0])
        begun = time.perf_counter()
        outputs = measure.as_tuple(function(*arrays))
        for output in outputs:
            output.block_until_ready()
        part["first_call_s"] = time.perf_counter() - begun
        part.update(measure.check(
            [torch.from_dlpack(o) for o in outputs], wanted, case))
        seconds = min(1.0, self.options["burst_s"])
        if case.how == "bench":
            measure.time_xla(self.machine, function, arrays, seconds, part)
        part["function"] = function, arrays  # for launches.py; not printed

    def lost(self):
        """Whether the GPU's context is beyond use."""
        try:
            self.machine.synchronize()
            return False
        except Exception:
            return True


def same_bits(a, b):
    return torch.equal(a.reshape(-1).view(torch.uint8),
                       b.reshape(-1).view(torch.uint8))


class Rehearsed:
    """Our program by mlopt-run on the CPU, once for each set of inputs."""

    def __init__(self, worker, case, program, sets):
        self.tool = worker.options["runner"]
        self.program, self.sets, self.done = program, sets, {}

    def call(self, i):
        if i not in self.done:
            self.done[i] = self.run(self.sets[i])
        return self.done[i]

    def run(self, tensors):
        import numpy
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name)
            with open(path("p.mlir"), "w", encoding="utf-8") as file:
                file.write(self.program.text)
            foreign = (torch.bfloat16, torch.float8_e4m3fn,
                       torch.float8_e5m2)
            wide = lambda t: t.float() if t.dtype in foreign else t
            numpy.savez(path("in.npz"), **{
                f"in{i}": wide(t).numpy() for i, t in enumerate(tensors)})
            run = subprocess.run(
                [self.tool, path("p.mlir"), "--device=cpu",
                 f"--inputs={path('in.npz')}", f"--outputs={path('out.npz')}"],
                capture_output=True, text=True)
            if run.returncode:
                raise Wrong(run.stderr.strip()[-300:])
            arrays = numpy.load(path("out.npz"))
            return [torch.from_numpy(arrays[f"out{i}"]).reshape(shape).to(
                measure.DTYPES[element])
                for i, (_, shape, element) in enumerate(self.program.results)]


def printable(value):
    """Without what JSON has no words for; floats short."""
    if isinstance(value, dict):
        return {k: printable(v) for k, v in value.items() if k != "function"}
    if isinstance(value, (list, tuple)):
        return [printable(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.5g}")
    return value


def compile_ahead(options):
    """Makes PyTorch compile peers, once for each case."""
    class Machine:
        device = "cuda"

    by_name = {case.name: case for case in cases.cases}
    for name in options["cases"]:
        case = by_name[name]
        generator = torch.Generator(device="cuda")
        tensors = measure.draw(case, case.build(), case.sizes, Machine,
                               generator)
        for label, maker in case.peers:
            if (maker.partition(":")[0] in plan.COMPILED_AHEAD
                    and re.search(options["peers"], label)):
                torch._dynamo.reset()
                try:
                    peers.make(case, maker, case.sizes, tensors)(*tensors)
                    torch.cuda.synchronize()
                except Exception:  # it will be in the case's row
                    traceback.print_exc()
        print(name, flush=True)
        del tensors
        torch.cuda.empty_cache()


def main():
    options = json.loads(sys.stdin.readline())
    if sys.argv[1:] == ["--ahead"]:
        return compile_ahead(options)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not for our reader

    def say(what):
        out.write(json.dumps(printable(what)) + "\n")
        out.flush()

    worker = Worker(options)
    say({"about": worker.machine.about()})
    by_name = {case.name: case for case in cases.cases}
    for line in sys.stdin:
        job = json.loads(line)
        begun = time.perf_counter()
        row = worker.run(by_name[job["case"]], job.get("without", ()))
        row["took_s"] = time.perf_counter() - begun
        say({"row": row})
        if worker.lost():
            os._exit(3)
        worker.machine.release()
        say({"ready": job["case"]})


if __name__ == "__main__":
    main()
