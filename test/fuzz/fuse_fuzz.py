"""Random programs: fused they must compute what they compute as written.

    fuse_fuzz.py [--first=SEED] [--count=N] [--keep=DIR]
    fuse_fuzz.py --artifacts=DIR [--first=SEED] [--count=N]
    fuse_fuzz.py --compare=DIR --runner=MLOPT_RUN [--seconds=N]

Each program is a random graph of mlopt operations over a few shapes. In numerics
mode `strict` it gives the same bits fused and as written, where all NaNs are
alike. In the default mode, where the order of sums is free, it stays within
mlopt-run's bounds of what the CPU computes as written; there, what jumps
(comparisons, rounding, the place of a maximum) is only asked of values that
every order of sums leaves alike, and what has a pole at zero (rsqrt) of values
that are normal numbers.

Without a folder both run on the CPU, every other program in `strict`. With
--artifacts the programs are compiled for a GPU machine that has no compiler, each
three times: in `strict` fused, and with its operations kept apart, and in the
default mode. There, --compare runs them: the first two must give the same bits,
the third one stays within mlopt-run's bounds of the oracle.

A program that differs, or that a tool refuses, is printed (and written to DIR)
and the exit code is 1. The tools are those of the PATH.
"""

import argparse
import collections
import concurrent.futures
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

# exact: of the same bits whatever the order of sums; coarse: else the shortest
# significand that it went through.
V = collections.namedtuple("V", "name shape element exact coarse")

FLOATS = ("f32", "f32", "f32", "bf16", "bf16", "f16", "f64", "f8E4M3FN", "f8E5M2")
WIDE = ("f32", "bf16", "f16")  # what has functions on the GPU, and sums well
BITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8E4M3FN": 4, "f8E5M2": 3}
INTEGERS = ("i32", "i32", "i8", "i64", "i16")

SMALL = [(4, 6), (3, 8), (2, 3, 4), (5, 7), (2, 2, 6), (1, 9), (6, 1)]
LARGE = SMALL + [(17, 64), (33, 100), (8, 256), (4, 1000), (64, 32), (2, 40, 48), (128, 24),
                 (1, 2048), (300, 3), (2, 3, 4, 32), (65, 129)]


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def precision(element):
    return BITS.get(element, 64)


def typed(value):
    return tensor(value.shape, value.element)


class Program:
    """A function under construction."""

    def __init__(self, seed, strict, shapes=SMALL):
        self.r = random.Random(seed)
        self.strict = strict
        self.lines, self.values, self.args = [], [], []
        base = self.r.choice(shapes)
        element = self.r.choice(FLOATS)
        for _ in range(self.r.randint(1, 3)):
            self.arg(base, self.r.choice([element, element, "f32", "bf16", "i32"]))
        if self.r.random() < 0.6:
            self.arg(base[-1:], "f32")
        if self.r.random() < 0.4:
            self.arg(base[:1], "i32")
        if self.r.random() < 0.3:
            self.arg(base, self.r.choice(INTEGERS))
        self.results = self.build()

    def arg(self, shape, element):
        self.args.append(V(f"%a{len(self.args)}", tuple(shape), element, True, "f64"))
        self.values.append(self.args[-1])

    def emit(self, text, shape, element, sources, results=1, exact=True):
        """An operation; exact: it gives the same bits whatever sums' order."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name}{f':{results}' if results > 1 else ''} = mlopt.{text}")
        exact = exact and all(v.exact for v in sources)
        coarse = min([v.coarse for v in sources if not v.exact] + [element], key=precision)
        self.values.append(V(name + ("#0" if results > 1 else ""), tuple(shape), element, exact,
                             coarse))
        return self.values[-1]

    def pick(self, elements=None, rank=0, exact=False):
        """A value of these elements, recent ones more often: long chains."""
        fit = [v for v in self.values
               if (not elements or v.element in elements) and len(v.shape) >= rank
               and v.element != "i1" and (v.exact or not exact or self.strict)]
        return fit[-1 - min(int(self.r.expovariate(0.35)), len(fit) - 1)] if fit else None

    def like(self, value, exact=False):
        """Another value of the same type, made by broadcast if need be."""
        fits = lambda v: v.element == value.element and (v.exact or not exact or self.strict)
        same = [v for v in self.values if fits(v) and v.shape == value.shape]
        smaller = [v for v in self.values if fits(v) and len(v.shape) < len(value.shape)]
        self.r.shuffle(smaller)
        if self.r.random() < 0.6:
            for other in smaller:
                dims = self.place(other.shape, value.shape)
                if dims is not None:
                    return self.broadcast(other, value.shape, dims)
        return self.r.choice(same)

    def place(self, small, shape):
        dims, at = [], 0
        if self.r.random() < 0.5:  # trailing first
            at = len(shape) - len(small)
        for d in small:
            while at < len(shape) and shape[at] != d and d != 1:
                at += 1
            if at == len(shape):
                return None
            dims.append(at)
            at += 1
        return dims

    def broadcast(self, v, shape, dims):
        to = tensor(shape, v.element)
        return self.emit(f"broadcast {v.name} dims {dims} : {typed(v)} -> {to}", shape,
                         v.element, [v])

    def normal(self, v):
        """No less than the type's smallest normal number. Below it a sum keeps
        but a few bits, and which ones is its order's choice: what grows without
        bound towards zero would make a large error of that."""
        t = tensor((), v.element)
        least = "6.1035e-05" if v.element == "f16" else "1.1755e-38"
        c = self.emit(f"constant dense<{least}> : {t}", (), v.element, [])
        c = self.broadcast(c, v.shape, [])
        return self.emit(f"max {v.name}, {c.name} : {typed(v)}", v.shape, v.element, [v])

    # One method for each kind of step; each may decline by returning None.

    def step_unary(self):
        v = self.pick(WIDE)
        op = self.r.choice(["neg", "abs", "exp", "tanh", "logistic", "sqrt", "rsqrt", "log1p"])
        if v and op == "rsqrt" and not v.exact:
            v = self.normal(v)
        # The CPU's functions and the GPU's differ in the last place.
        return v and self.emit(f"{op} {v.name} : {typed(v)}", v.shape, v.element, [v],
                               exact=op in ("neg", "abs"))

    def step_round(self):
        v = self.pick(WIDE, exact=True)
        op = self.r.choice(["floor", "ceil", "sign"])
        return v and self.emit(f"{op} {v.name} : {typed(v)}", v.shape, v.element, [v])

    def step_binary(self):
        v = self.pick()
        w = v and self.like(v)
        op = self.r.choice(["add", "sub", "mul", "max", "min", "add", "mul"])
        a, b = (v, w) if self.r.random() < 0.5 else (w, v)
        return v and self.emit(f"{op} {a.name}, {b.name} : {typed(v)}", v.shape, v.element, [a, b])

    def step_clamp(self):
        v = self.pick(WIDE + ("i32",))
        if not v:
            return None
        low, high = (-1, 2) if v.element == "i32" else (-0.5, 0.75)
        t = tensor((), v.element)
        a = self.emit(f"constant dense<{low}> : {t}", (), v.element, [])
        b = self.emit(f"constant dense<{high}> : {t}", (), v.element, [])
        a, b = (self.broadcast(x, v.shape, []) for x in (a, b))
        return self.emit(f"clamp {a.name}, {v.name}, {b.name} : {typed(v)}", v.shape, v.element,
                         [v])

    def step_select(self):
        v = self.pick(exact=True)
        if not v:
            return None
        w, x, y = self.like(v, exact=True), self.like(v), self.like(v)
        p = self.r.choice(["lt", "eq", "ge"])
        c = self.emit(f"compare {p}, {v.name}, {w.name} : {typed(v)}", v.shape, "i1", [v, w])
        return self.emit(f"select {c.name}, {x.name}, {y.name} : {typed(v)}", v.shape, v.element,
                         [c, x, y])

    def step_convert(self):
        v = self.pick()
        if not v:
            return None
        if v.element in FLOATS:
            to = self.r.choice([e for e in FLOATS if e != v.element])
        else:
            to = self.r.choice(["f32", "i32", "i64"] if v.element != "i32" else ["f32", "i8", "i64"])
        return self.emit(f"convert {v.name} : {typed(v)} -> {tensor(v.shape, to)}", v.shape, to, [v])

    def step_reduce(self):
        v = self.pick(WIDE + ("f64", "i32", "i8"), 1)
        if not v:
            return None
        rank = len(v.shape)
        dims = sorted(self.r.sample(range(rank), self.r.choice([1, 1, 1, min(2, rank)])))
        if self.r.random() < 0.5:
            dims = [rank - 1]
        shape = [d for i, d in enumerate(v.shape) if i not in dims]
        kind = self.r.choice(["add", "max", "min", "add"])
        text = f"reduce {kind} {v.name} dims {dims} : ({typed(v)}) -> {tensor(shape, v.element)}"
        return self.emit(text, shape, v.element, [v], exact=kind != "add" or v.element[0] == "i")

    def step_arg_reduce(self):
        v = self.pick(WIDE + ("i32",), 1, exact=True)
        if not v:
            return None
        dim = self.r.choice([len(v.shape) - 1, self.r.randrange(len(v.shape))])
        shape = [d for i, d in enumerate(v.shape) if i != dim]
        kind = self.r.choice(["max", "min"])
        u, i = tensor(shape, v.element), tensor(shape, "i32")
        return self.emit(f"arg_reduce {kind} {v.name} dim {dim} : {typed(v)} -> ({u}, {i})", shape,
                         v.element, [v], 2)

    def step_normalise(self):
        """Elements and something that depends on their whole row or column."""
        v = self.pick(("f32", "bf16"), 1)
        if not v:
            return None
        dim = len(v.shape) - 1 if self.r.random() < 0.7 else self.r.randrange(len(v.shape))
        shape = [d for i, d in enumerate(v.shape) if i != dim]
        kind = self.r.choice(["add", "max"])
        m = self.emit(f"reduce {kind} {v.name} dims [{dim}] : ({typed(v)}) -> "
                      f"{tensor(shape, v.element)}", shape, v.element, [v], exact=kind == "max")
        b = self.broadcast(m, v.shape, [i for i in range(len(v.shape)) if i != dim])
        op = self.r.choice(["sub", "mul"])
        return self.emit(f"{op} {v.name}, {b.name} : {typed(v)}", v.shape, v.element, [v, b])

    def step_transpose(self):
        v = self.pick(rank=2)
        if not v:
            return None
        perm = list(range(len(v.shape)))
        self.r.shuffle(perm)
        shape = [v.shape[p] for p in perm]
        to = tensor(shape, v.element)
        return self.emit(f"transpose {v.name} perm {perm} : {typed(v)} -> {to}", shape, v.element,
                         [v])

    def step_reshape(self):
        v = self.pick(rank=1)
        if not v:
            return None
        n, shape = math.prod(v.shape), []
        while n > 1 and len(shape) < 4:
            d = self.r.choice([d for d in range(1, n + 1) if n % d == 0])
            shape.append(d)
            n //= d
        shape = (shape or [1]) + ([n] if n > 1 else [])
        to = tensor(shape, v.element)
        return self.emit(f"reshape {v.name} : {typed(v)} -> {to}", shape, v.element, [v])

    def step_slice(self):
        v = self.pick(rank=1)
        if not v:
            return None
        starts = [self.r.randint(0, d - 1) for d in v.shape]
        limits = [self.r.randint(s + 1, d) for s, d in zip(starts, v.shape)]
        strides = [self.r.choice([1, 1, 2]) for _ in v.shape]
        shape = [-(-(l - s) // k) for s, l, k in zip(starts, limits, strides)]
        text = (f"slice {v.name} starts {starts} limits {limits} strides {strides} : {typed(v)} -> "
                f"{tensor(shape, v.element)}")
        return self.emit(text, shape, v.element, [v])

    def step_pad(self):
        v = self.pick(WIDE, 1)
        if not v:
            return None
        c = self.emit(f"constant dense<1.5> : {tensor((), v.element)}", (), v.element, [])
        low = [self.r.randint(0, 1) for _ in v.shape]
        high = [self.r.randint(0, 2) for _ in v.shape]
        shape = [a + d + b for a, d, b in zip(low, v.shape, high)]
        text = (f"pad {v.name}, {c.name} low {low} high {high} interior {[0] * len(low)} : "
                f"{typed(v)}, {typed(c)} -> {tensor(shape, v.element)}")
        return self.emit(text, shape, v.element, [v])

    def step_concat(self):
        v = self.pick(rank=1)
        if not v:
            return None
        w = self.like(v)
        dim = self.r.randrange(len(v.shape))
        shape = list(v.shape)
        shape[dim] *= 2
        text = (f"concat {v.name}, {w.name} dim {dim} : ({typed(v)}, {typed(w)}) -> "
                f"{tensor(shape, v.element)}")
        return self.emit(text, shape, v.element, [v, w])

    def step_reverse(self):
        v = self.pick(rank=1)
        dim = v and self.r.randrange(len(v.shape))
        return v and self.emit(f"reverse {v.name} dims [{dim}] : {typed(v)}", v.shape, v.element, [v])

    def step_iota(self):
        v = self.pick(("f32", "i32"), 1)
        dim = v and self.r.randrange(len(v.shape))
        return v and self.emit(f"iota dim {dim} : {typed(v)}", v.shape, v.element, [])

    def step_constant(self):
        v = self.pick(WIDE)
        return v and self.emit(f"constant dense<0.75> : {typed(v)}", v.shape, v.element, [])

    def step_dynamic(self):
        """A part of a value that an argument places, read or replaced."""
        v = self.pick(rank=2)
        places = [a for a in self.args if a.element == "i32" and len(a.shape) == 1]
        if not v or not places:
            return None
        one = tensor((1,), "i32")
        i = self.emit(f"slice {places[0].name} starts [0] limits [1] strides [1] : "
                      f"{typed(places[0])} -> {one}", (1,), "i32", [])
        i = self.emit(f"reshape {i.name} : {one} -> tensor<i32>", (), "i32", [])
        sizes = [self.r.randint(1, d) for d in v.shape]
        u = tensor(sizes, v.element)
        index = ", ".join([i.name] * len(sizes))
        types = ", ".join(["tensor<i32>"] * len(sizes))
        w = self.emit(f"dynamic_slice {v.name}, {index} sizes {sizes} : ({typed(v)}, {types}) -> {u}",
                      sizes, v.element, [v])
        if self.r.random() < 0.5:
            return w
        w = self.emit(f"add {w.name}, {w.name} : {u}", sizes, v.element, [w])
        return self.emit(f"dynamic_update_slice {v.name}, {w.name}, {index} : ({typed(v)}, {u}, "
                         f"{types}) -> {typed(v)}", v.shape, v.element, [v, w])

    def step_gather(self):
        """Rows of a matrix, as an embedding reads them, or one element of each."""
        v, i = self.pick(WIDE, 2), self.pick(("i32",), 1, exact=True)
        if not v or not i or len(v.shape) != 2 or len(i.shape) != 1:
            return None
        if i.shape[0] == v.shape[0] and self.r.random() < 0.5:
            k = self.emit(f"reshape {i.name} : {typed(i)} -> {tensor((*i.shape, 1), 'i32')}",
                          (*i.shape, 1), "i32", [i])
            text = (f"gather {v.name}, {k.name} collapsed_slice_dims [1] operand_batching_dims [0]"
                    f" start_indices_batching_dims [0] start_index_map [1] index_vector_dim 1"
                    f" slice_sizes [1, 1] : ({typed(v)}, {typed(k)}) -> "
                    f"{tensor(i.shape, v.element)}")
            return self.emit(text, i.shape, v.element, [v, i])
        shape = (i.shape[0], v.shape[1])
        text = (
            f"gather {v.name}, {i.name} offset_dims [1] collapsed_slice_dims [0] start_index_map [0]"
            f" index_vector_dim 1 slice_sizes [1, {v.shape[1]}] : ({typed(v)}, {typed(i)}) -> "
            f"{tensor(shape, v.element)}")
        return self.emit(text, shape, v.element, [v, i])

    def step_dot(self):
        v = self.pick(("f32", "bf16"), 2)
        if not v or len(v.shape) != 2:
            return None
        n = v.shape[0]
        text = f"dot {v.name}, {v.name} contract [1] x [1] : ({typed(v)}, {typed(v)}) -> "
        return self.emit(text + tensor((n, n), "f32"), (n, n), "f32", [v], exact=False)

    def step_scan(self):
        v = self.pick(("f32", "i32"), 1)
        return v and self.emit(f"scan add {v.name} dim 0 : ({typed(v)}) -> {typed(v)}", v.shape,
                               v.element, [v], exact=v.element == "i32")

    def step_sort(self):
        v = self.pick(("f32", "i32"), 1)
        return v and self.emit(f"sort {v.name} dim 0 keys 1 : ({typed(v)}) -> {typed(v)}", v.shape,
                               v.element, [v])

    WEIGHTS = {
        "unary": 5, "round": 1, "binary": 8, "clamp": 1, "select": 3, "convert": 4, "reduce": 5,
        "arg_reduce": 1, "normalise": 4, "transpose": 3, "reshape": 3, "slice": 1, "pad": 1,
        "concat": 1, "reverse": 1, "iota": 1, "constant": 1, "dynamic": 1, "gather": 1, "dot": 1,
        "scan": 0.3, "sort": 0.3,
    }

    def build(self):
        kinds, weights = zip(*self.WEIGHTS.items())
        for kind in self.r.choices(kinds, weights, k=self.r.randint(4, 30)):
            getattr(self, "step_" + kind)()
        made = [v for v in self.values[len(self.args):] if v.element != "i1"]
        # Not only what the last lines compute.
        some = made[-2:] + self.r.sample(made, min(len(made), self.r.randint(0, 3)))
        return [self.give(v) for v in dict.fromkeys(some)] or self.values[:1]

    def give(self, v):
        """A value in a type whose bound holds for it."""
        if v.exact or v.coarse == v.element:
            return v
        text = f"convert {v.name} : {typed(v)} -> {tensor(v.shape, v.coarse)}"
        return self.emit(text, v.shape, v.coarse, [v])

    def text(self, strict, apart=False):
        """apart: no two operations may share a kernel."""
        lines = self.lines
        if apart:
            lever = ' {mlopt.fuse = {group = "all", keep = "apart"}} : '
            lines = [line if "constant" in line else lever.join(line.rsplit(" : ", 1))
                     for line in lines]
        types = ", ".join(map(typed, self.results))
        mode = "attributes {mlopt.numerics = #mlopt.numerics<strict>} " if strict else ""
        return (
            f"func.func @main({', '.join(f'{a.name}: {typed(a)}' for a in self.args)})"
            f" -> ({types}) {mode}{{\n  "
            + "\n  ".join(lines)
            + f"\n  return {', '.join(v.name for v in self.results)} : {types}\n}}\n"
        )


# An array's element type as .npz has it: how it unpacks, and the bits that a
# NaN exceeds when its sign is off.
NPZ_FLOATS = {"<f4": ("I", 0x7F800000), "<f8": ("Q", 0x7FF0000000000000)}


def one_nan(data):
    """A .npy file whose NaNs all have the same bits: which of them an operation
    gives is no part of what it computes."""
    start = 10 + int.from_bytes(data[8:10], "little")
    kind = re.search(rb"'descr': '([^']*)'", data[:start])[1].decode()
    if kind not in NPZ_FLOATS:
        return data
    letter, infinity = NPZ_FLOATS[kind]
    size = struct.calcsize(letter)
    bits = struct.unpack(f"<{(len(data) - start) // size}{letter}", data[start:])
    sign = 1 << 8 * size - 1
    return data[:start] + struct.pack(
        f"<{len(bits)}{letter}", *(-1 % sign if b % sign > infinity else b for b in bits))


def contents(path):
    with zipfile.ZipFile(path) as z:
        return {name: z.read(name) for name in z.namelist()}


def differing(a, b):
    """The results that differ between two files, other than in which NaN they have."""
    a, b = contents(a), contents(b)
    # NaNs are rare, and finding them is slow.
    return [n for n in sorted({*a, *b}) if n not in a or n not in b
            or a[n] != b[n] and one_nan(a[n]) != one_nan(b[n])]


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def tool(*command):
    """What is wrong with a command, or None."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return f"{command[0]} takes too long"
    text = run.stderr[:2000] or run.stdout[-2000:]
    return f"{command[0]} exits with {run.returncode}: {text}" if run.returncode else None


def check_on_cpu(seed, folder):
    """Fused and as written; the program's text and what is wrong, or None."""
    program = Program(seed, seed % 2 == 0)
    text = program.text(program.strict)
    written = write(os.path.join(folder, f"{seed}.mlir"), text)
    fused = os.path.join(folder, f"{seed}.fused.mlir")
    pipeline = ("builtin.module(func.func("
                "mlopt-push-numerics,mlopt-fuse,mlopt-check-promises))")
    bound = ["--tolerance=0"] if program.strict else []
    fault = (
        tool("mlopt-opt", written, f"--pass-pipeline={pipeline}", "-o", fused)
        or tool("mlopt-run", "--device=cpu", written, f"--outputs={written}.npz")
        or tool("mlopt-run", "--device=cpu", fused, f"--expect={written}.npz",
                f"--outputs={fused}.npz", *bound))
    if not fault and program.strict and differing(written + ".npz", fused + ".npz"):
        fault = "other bits"
    return text, fault


KINDS = {"fused": (True, False), "apart": (True, True), "default": (False, False)}


def compile_for_gpu(seed, options):
    """Into the folder of artifacts; the program's text and what is wrong."""
    program = Program(seed, False, LARGE)
    name = os.path.join(options.artifacts, str(seed))
    # Where the order of sums decides even as written, there is nothing to hold
    # a kernel against.
    source = write(name + ".mlir", program.text(False))
    fault = tool("mlopt-run", "--device=cpu", source, "--oracle")
    os.remove(source)
    if fault:
        return program.text(False), "ill-conditioned: " + fault
    for kind, how in KINDS.items():
        source = write(f"{name}.{kind}.mlir", program.text(*how))
        fault = tool("mlopt-compile", source, "-o", f"{name}.{kind}.mlopt")
        os.remove(source)
        if fault:
            return program.text(*how), fault
    return program.text(False), None


def run_list(number, lines, options, deadline):
    """Runs a list in one process, and goes on behind what ends it; what it says of
    each line, as far as the time goes."""
    says = []
    while len(says) < len(lines) and time.monotonic() < deadline:
        name = write(os.path.join(options.compare, f"list-{number}.txt"),
                     "\n".join(lines[len(says):]) + "\n")
        command = [options.runner, "--device=cuda", f"--list={os.path.basename(name)}"]
        try:
            run = subprocess.run(command, cwd=options.compare, capture_output=True,
                                 timeout=deadline - time.monotonic())
            out, why = run.stdout, run.stderr
        except subprocess.TimeoutExpired as late:
            out, why = late.stdout or b"", b""
        said = [line for line in out.decode(errors="replace").splitlines()
                if line.startswith(("passed ", "skipped ", "FAILED "))]
        says += said
        if not said or len(says) < len(lines) and time.monotonic() < deadline:
            last = why.decode(errors="replace").strip().splitlines()[-1:]
            name = lines[len(says)].split()[0]
            says.append(f"FAILED {name}: the process ended: {''.join(last)}")
    return says


def other_bits(seed, folder):
    """How the results of a program that is `strict` differ, or None."""
    paths = [os.path.join(folder, f"{seed}.{k}.npz") for k in ("fused", "apart")]
    if not all(map(os.path.exists, paths)):
        return f"FAILED {seed}: no results"
    differ = differing(*paths)
    return f"FAILED {seed}: other bits in {differ}" if differ else None


def run_on_gpu(number, seeds, options, deadline):
    """Runs some of the programs; those that came to an end, and what failed."""
    kinds = list(KINDS)
    lines = [f"{seed}.{kind}.mlopt --repeat=2 " +
             ("--oracle" if kind == "default" else f"--outputs={seed}.{kind}.npz")
             for seed in seeds for kind in kinds]
    says = run_list(number, lines, options, deadline)
    done = seeds[:len(says) // len(kinds)]
    failed = [line for line in says[:len(done) * len(kinds)] if line.startswith("FAILED")]
    return done, failed + list(filter(None, (other_bits(s, options.compare) for s in done)))


def compare_on_gpu(options):
    """Runs what was compiled, as far as the time goes; how many programs were
    run, and how many of them are wrong. A process for each job: the driver takes
    as long to start one as for some programs."""
    begin = time.monotonic()
    seeds = sorted({int(f.split(".")[0]) for f in os.listdir(options.compare)
                    if f.endswith(".mlopt")})
    wrong, count = set(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = pool.map(lambda n: run_on_gpu(n, seeds[n::options.jobs], options,
                                              begin + options.seconds), range(options.jobs))
        for done, failed in parts:
            count += len(done)
            wrong |= {int(re.search(r"\d+", line)[0]) for line in failed}
            print(*failed, sep="\n", end="\n" * bool(failed), flush=True)
    print(f"{count} of {len(seeds)} programs in {time.monotonic() - begin:.0f} s")
    return count, len(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep")
    parser.add_argument("--artifacts")
    parser.add_argument("--compare")
    parser.add_argument("--runner", default="mlopt-run")
    parser.add_argument("--seconds", type=float, default=1e5)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.compare:
        count, bad = compare_on_gpu(options)
        print(f"{count - bad} of {count} programs agree")
        return bad != 0
    bad = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.artifacts:
            os.makedirs(options.artifacts, exist_ok=True)
            check = lambda seed: compile_for_gpu(seed, options)
        else:
            check = lambda seed: check_on_cpu(seed, folder)
        seeds = range(options.first, options.first + options.count)
        for seed, (text, fault) in zip(seeds, pool.map(check, seeds)):
            if not fault:
                continue
            bad += 1
            print(f"// seed {seed}: {fault}\n{text}")
            if options.keep:
                write(os.path.join(options.keep, f"fuse-{seed}.mlir"), text)
    done = "compiled" if options.artifacts else "agree"
    print(f"{options.count - bad} of {options.count} programs {done}")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
