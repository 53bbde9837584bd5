"""Random programs: fused and unfused must compute the same bits on the CPU.

    fuse_fuzz.py [--first=SEED] [--count=N] [--keep=DIR]

Each program is a random graph of mlopt operations over a few small shapes. It
runs as written and after mlopt-fuse, on the same random arguments, and the
results are compared byte for byte. A program that differs, or that a tool
refuses, is printed (and written to DIR) and the exit code is 1. The tools are
those of the PATH.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import zipfile


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def count(shape):
    n = 1
    for d in shape:
        n *= d
    return n


class Program:
    """A function under construction: a list of (name, shape, element)."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = []
        self.values = []
        self.args = []
        base = self.r.choice([(4, 6), (3, 8), (2, 3, 4), (5, 7), (2, 2, 6), (1, 9), (6, 1)])
        for _ in range(self.r.randint(1, 3)):
            self.arg(base, self.r.choice(["f32", "f32", "bf16"]))
        if self.r.random() < 0.6:
            self.arg(base[-1:], "f32")
        if self.r.random() < 0.4:
            self.arg(base[:1], "i32")

    def arg(self, shape, element):
        self.args.append((f"%a{len(self.args)}", shape, element))
        self.values.append(self.args[-1])

    def emit(self, text, shape, element, results=1):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name}{f':{results}' if results > 1 else ''} = mlopt.{text}")
        self.values.append((name + ("#0" if results > 1 else ""), tuple(shape), element))
        return self.values[-1]

    def pick(self, elements=("f32", "bf16", "i32"), rank=None):
        fit = [
            v
            for v in self.values
            if v[2] in elements and (rank is None or len(v[1]) >= rank)
        ]
        # Recent values more often: long chains.
        return fit[-1 - min(int(self.r.expovariate(0.35)), len(fit) - 1)] if fit else None

    def like(self, value):
        """Another value of the same type, made by broadcast if need be."""
        name, shape, element = value
        same = [v for v in self.values if v[1:] == value[1:]]
        smaller = [
            v
            for v in self.values
            if v[2] == element and len(v[1]) < len(shape) and count(v[1]) > 0
        ]
        self.r.shuffle(smaller)
        if self.r.random() < 0.6:
            for other in smaller:
                dims = self.place(other[1], shape)
                if dims is not None:
                    return self.broadcast(other, shape, dims)
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

    def broadcast(self, value, shape, dims):
        t, u = tensor(value[1], value[2]), tensor(shape, value[2])
        return self.emit(f"broadcast {value[0]} dims {dims} : {t} -> {u}", shape, value[2])

    # One method for each kind of step; each may decline by returning None.

    def step_unary(self):
        v = self.pick(("f32", "bf16"))
        op = self.r.choice(["neg", "abs", "exp", "tanh", "logistic", "sqrt", "floor"])
        return v and self.emit(f"{op} {v[0]} : {tensor(*v[1:])}", v[1], v[2])

    def step_binary(self):
        v = self.pick()
        w = v and self.like(v)
        op = self.r.choice(["add", "sub", "mul", "max", "min", "add", "mul"])
        a, b = (v, w) if self.r.random() < 0.5 else (w, v)
        return v and self.emit(f"{op} {a[0]}, {b[0]} : {tensor(*v[1:])}", v[1], v[2])

    def step_select(self):
        v = self.pick()
        if not v:
            return None
        w, x = self.like(v), self.like(v)
        t = tensor(*v[1:])
        c = self.emit(f"compare lt, {v[0]}, {w[0]} : {t}", v[1], "i1")
        return self.emit(f"select {c[0]}, {w[0]}, {x[0]} : {t}", v[1], v[2])

    def step_convert(self):
        v = self.pick(("f32", "bf16"))
        to = v and {"f32": "bf16", "bf16": "f32"}[v[2]]
        return v and self.emit(
            f"convert {v[0]} : {tensor(*v[1:])} -> {tensor(v[1], to)}", v[1], to
        )

    def step_reduce(self):
        v = self.pick(rank=1)
        if not v:
            return None
        rank = len(v[1])
        dims = sorted(self.r.sample(range(rank), self.r.choice([1, 1, 1, min(2, rank)])))
        if self.r.random() < 0.5:
            dims = [rank - 1]
        shape = [d for i, d in enumerate(v[1]) if i not in dims]
        kind = self.r.choice(["add", "max", "min", "add"])
        t, u = tensor(*v[1:]), tensor(shape, v[2])
        return self.emit(f"reduce {kind} {v[0]} dims {dims} : ({t}) -> {u}", shape, v[2])

    def step_arg_reduce(self):
        v = self.pick(rank=1)
        if not v:
            return None
        dim = len(v[1]) - 1
        t = tensor(*v[1:])
        u, i = tensor(v[1][:-1], v[2]), tensor(v[1][:-1], "i32")
        return self.emit(f"arg_reduce max {v[0]} dim {dim} : {t} -> ({u}, {i})", v[1][:-1], v[2], 2)

    def step_normalise(self):
        """The row and something that depends on the whole row."""
        v = self.pick(("f32",), 1)
        if not v:
            return None
        t, u = tensor(*v[1:]), tensor(v[1][:-1], "f32")
        rank = len(v[1])
        kind = self.r.choice(["add", "max"])
        m = self.emit(f"reduce {kind} {v[0]} dims [{rank - 1}] : ({t}) -> {u}", v[1][:-1], "f32")
        b = self.broadcast(m, v[1], list(range(rank - 1)))
        return self.emit(f"{self.r.choice(['sub', 'mul'])} {v[0]}, {b[0]} : {t}", v[1], "f32")

    def step_transpose(self):
        v = self.pick(rank=2)
        if not v:
            return None
        perm = list(range(len(v[1])))
        self.r.shuffle(perm)
        shape = [v[1][p] for p in perm]
        t, u = tensor(*v[1:]), tensor(shape, v[2])
        return self.emit(f"transpose {v[0]} perm {perm} : {t} -> {u}", shape, v[2])

    def step_reshape(self):
        v = self.pick(rank=1)
        if not v:
            return None
        n, shape = count(v[1]), []
        while n > 1 and len(shape) < 4:
            d = self.r.choice([d for d in range(1, n + 1) if n % d == 0])
            shape.append(d)
            n //= d
        shape = (shape or [1]) + ([n] if n > 1 else [])
        t, u = tensor(*v[1:]), tensor(shape, v[2])
        return self.emit(f"reshape {v[0]} : {t} -> {u}", shape, v[2])

    def step_slice(self):
        v = self.pick(rank=1)
        if not v:
            return None
        starts = [self.r.randint(0, d - 1) for d in v[1]]
        limits = [self.r.randint(s + 1, d) for s, d in zip(starts, v[1])]
        strides = [self.r.choice([1, 1, 2]) for _ in v[1]]
        shape = [-(-(l - s) // k) for s, l, k in zip(starts, limits, strides)]
        t, u = tensor(*v[1:]), tensor(shape, v[2])
        text = f"slice {v[0]} starts {starts} limits {limits} strides {strides} : {t} -> {u}"
        return self.emit(text, shape, v[2])

    def step_pad(self):
        v = self.pick(("f32",), 1)
        if not v:
            return None
        c = self.emit("constant dense<1.5> : tensor<f32>", (), "f32")
        low = [self.r.randint(0, 1) for _ in v[1]]
        high = [self.r.randint(0, 2) for _ in v[1]]
        shape = [a + d + b for a, d, b in zip(low, v[1], high)]
        t, u = tensor(*v[1:]), tensor(shape, "f32")
        zeros = [0] * len(low)
        text = f"pad {v[0]}, {c[0]} low {low} high {high} interior {zeros} : {t}, tensor<f32> -> {u}"
        return self.emit(text, shape, "f32")

    def step_concat(self):
        v = self.pick(rank=1)
        if not v:
            return None
        w = self.like(v)
        dim = self.r.randrange(len(v[1]))
        shape = list(v[1])
        shape[dim] *= 2
        t, u = tensor(*v[1:]), tensor(shape, v[2])
        return self.emit(f"concat {v[0]}, {w[0]} dim {dim} : ({t}, {t}) -> {u}", shape, v[2])

    def step_reverse(self):
        v = self.pick(rank=1)
        return v and self.emit(f"reverse {v[0]} dims [0] : {tensor(*v[1:])}", v[1], v[2])

    def step_iota(self):
        v = self.pick(("f32", "i32"), 1)
        return v and self.emit(f"iota dim 0 : {tensor(*v[1:])}", v[1], v[2])

    def step_constant(self):
        v = self.pick(("f32", "bf16"))
        return v and self.emit(f"constant dense<0.75> : {tensor(*v[1:])}", v[1], v[2])

    def step_gather(self):
        """Rows of a matrix, as an embedding reads them."""
        v, i = self.pick(("f32", "bf16"), 2), self.pick(("i32",), 1)
        if not v or not i or len(v[1]) != 2 or len(i[1]) != 1:
            return None
        shape = (i[1][0], v[1][1])
        t, u, w = tensor(*v[1:]), tensor(*i[1:]), tensor(shape, v[2])
        text = (
            f"gather {v[0]}, {i[0]} offset_dims [1] collapsed_slice_dims [0] start_index_map [0]"
            f" index_vector_dim 1 slice_sizes [1, {v[1][1]}] : ({t}, {u}) -> {w}"
        )
        return self.emit(text, shape, v[2])

    def step_dot(self):
        v = self.pick(("f32",), 2)
        if not v or len(v[1]) != 2:
            return None
        t, u = tensor(*v[1:]), tensor((v[1][0], v[1][0]), "f32")
        text = f"dot {v[0]}, {v[0]} contract [1] x [1] : ({t}, {t}) -> {u}"
        return self.emit(text, (v[1][0], v[1][0]), "f32")

    def step_scan(self):
        v = self.pick(("f32", "i32"), 1)
        t = v and tensor(*v[1:])
        return v and self.emit(f"scan add {v[0]} dim 0 : ({t}) -> {t}", v[1], v[2])

    def step_sort(self):
        v = self.pick(rank=1)
        t = v and tensor(*v[1:])
        return v and self.emit(f"sort {v[0]} dim 0 keys 1 : ({t}) -> {t}", v[1], v[2])

    WEIGHTS = {
        "unary": 5, "binary": 8, "select": 3, "convert": 4, "reduce": 5, "arg_reduce": 1,
        "normalise": 4, "transpose": 3, "reshape": 3, "slice": 1, "pad": 1, "concat": 1,
        "reverse": 1, "iota": 1, "constant": 1, "gather": 1, "dot": 1, "scan": 0.3, "sort": 0.3,
    }

    def build(self):
        steps = self.r.randint(4, 30)
        kinds, weights = zip(*self.WEIGHTS.items())
        for kind in self.r.choices(kinds, weights, k=steps):
            getattr(self, "step_" + kind)()
        made = [v for v in self.values[len(self.args):] if v[2] != "i1"]
        # Not only what the last lines compute.
        some = made[-2:] + self.r.sample(made, min(len(made), self.r.randint(0, 3)))
        results = list(dict.fromkeys(some)) or self.values[:1]
        types = ", ".join(tensor(*v[1:]) for v in results)
        return (
            "func.func @main("
            + ", ".join(f"{a[0]}: {tensor(*a[1:])}" for a in self.args)
            + f") -> ({types}) {{\n  "
            + "\n  ".join(self.lines)
            + f"\n  return {', '.join(v[0] for v in results)} : {types}\n}}\n"
        )


def contents(path):
    with zipfile.ZipFile(path) as z:
        return {name: z.read(name) for name in z.namelist()}


def check(text, folder):
    """What is wrong with a program, or None."""
    program, fused = os.path.join(folder, "p.mlir"), os.path.join(folder, "f.mlir")
    with open(program, "w") as f:
        f.write(text)
    pipeline = "builtin.module(func.func(mlopt-fuse,mlopt-check-promises))"
    outputs = []
    commands = [["mlopt-opt", program, f"--pass-pipeline={pipeline}", "-o", fused]]
    for path in (program, fused):
        outputs.append(path + ".npz")
        commands.append(["mlopt-run", "--device=cpu", path, "--outputs=" + outputs[-1]])
    for command in commands:
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            return f"{command[0]} exits with {run.returncode}: {run.stderr[:2000]}"
    return None if contents(outputs[0]) == contents(outputs[1]) else "other results"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep")
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            text = Program(seed).build()
            fault = check(text, folder)
            if not fault:
                continue
            bad += 1
            print(f"// seed {seed}: {fault}\n{text}")
            if options.keep:
                with open(os.path.join(options.keep, f"fuse-{seed}.mlir"), "w") as f:
                    f.write(text)
    print(f"{options.count - bad} of {options.count} programs agree")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
