# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench's programs, as text of the mlopt dialect.

Each function below the line takes sizes and returns a `Program`. Arguments are
laid out as PyTorch has them (a linear layer's weights are [out, in]), so that
all contenders read the same memory. Small floats are computed in f32 between
load and store unless a function says otherwise.
"""

import math
import os

SHAPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes")


def tensor(shape, element):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def number(value, element):
    """A float as MLIR's text has it; infinities by their bits."""
    if element[0] == "i":
        return str(int(value))
    if math.isinf(value):
        bits = {"f32": "0x7F800000", "bf16": "0x7F80", "f16": "0x7C00"}[element]
        sign = 1 << (len(bits) * 4 - 9)
        return bits if value > 0 else hex(int(bits, 16) | sign)
    text = repr(float(value))
    return text if "." in text or "e" not in text else text.replace("e", ".0e")


class Value:
    """A tensor of a program under construction; + - * / add operations."""

    def __init__(self, program, name, shape, element):
        self.program, self.name = program, name
        self.shape, self.element = tuple(shape), element

    @property
    def type(self):
        return tensor(self.shape, self.element)

    def emit(self, words, shape=None, element=None):
        """An operation whose result has this shape and element, or others."""
        return self.program.emit(words, self.shape if shape is None else shape,
                                 element or self.element)

    def __add__(self, other):
        return self.program.binary("add", self, other)

    def __sub__(self, other):
        return self.program.binary("sub", self, other)

    def __mul__(self, other):
        return self.program.binary("mul", self, other)

    def __truediv__(self, other):
        return self.program.binary("div", self, other)

    def unary(self, operation):
        return self.emit(f"{operation} {self.name} : {self.type}")

    def max(self, other):
        return self.program.binary("max", self, other)

    def to(self, element):
        if element == self.element:
            return self
        to = tensor(self.shape, element)
        return self.emit(f"convert {self.name} : {self.type} -> {to}",
                         element=element)

    def broadcast(self, shape, dims):
        to = tensor(shape, self.element)
        return self.emit(f"broadcast {self.name} dims {list(dims)} : "
                         f"{self.type} -> {to}", shape)

    def like(self, other, dims):
        """Along the given dimensions of another value."""
        return self.broadcast(other.shape, dims)

    def reduce(self, kind, *dims):
        shape = [n for i, n in enumerate(self.shape) if i not in dims]
        return self.emit(f"reduce {kind} {self.name} dims {list(dims)} : "
                         f"({self.type}) -> {tensor(shape, self.element)}",
                         shape)

    def reshape(self, *shape):
        to = tensor(shape, self.element)
        return self.emit(f"reshape {self.name} : {self.type} -> {to}", shape)

    def transpose(self, *order):
        shape = [self.shape[i] for i in order]
        to = tensor(shape, self.element)
        return self.emit(f"transpose {self.name} perm {list(order)} : "
                         f"{self.type} -> {to}", shape)

    def compare(self, predicate, other):
        other = self.program.value(other, self)
        return self.emit(f"compare {predicate}, {self.name}, {other.name} : "
                         f"{self.type}", element="i1")

    def both(self, other):
        return self.program.binary("and", self, other)

    def either(self, other):
        return self.program.binary("or", self, other)

    def select(self, yes, no):
        no = self.program.value(no, yes)
        return yes.emit(f"select {self.name}, {yes.name}, {no.name} : "
                        f"{yes.type}")

    def dot(self, other, contract, batch=((), ()), element=None):
        free = lambda value, side: [n for i, n in enumerate(value.shape)
                                    if i not in batch[side]
                                    and i not in contract[side]]
        shape = [*(self.shape[i] for i in batch[0]), *free(self, 0),
                 *free(other, 1)]
        element = element or self.element
        words = f"dot {self.name}, {other.name} "
        if batch[0]:
            words += f"batch {list(batch[0])} x {list(batch[1])} "
        words += f"contract {list(contract[0])} x {list(contract[1])}"
        return self.emit(f"{words} : ({self.type}, {other.type}) -> "
                         f"{tensor(shape, element)}", shape, element)


class Program:
    """A function @main under construction, or a finished text.

    arguments, results: (name, shape, element) in order.
    """

    def __init__(self, numerics=None):
        self.numerics = numerics
        self.arguments, self.results, self.lines = [], [], []
        self.source = None

    @classmethod
    def from_text(cls, text, arguments, results):
        self = cls()
        self.source, self.arguments, self.results = text, arguments, results
        return self

    def argument(self, name, shape, element="bf16"):
        self.arguments.append((name, tuple(shape), element))
        return Value(self, f"%{name}", shape, element)

    def emit(self, words, shape, element):
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = mlopt.{words}")
        return Value(self, name, shape, element)

    def constant(self, value, shape, element):
        words = (number(value, element) if not isinstance(value, list)
                 else str([float(v) for v in value]))
        return self.emit(f"constant dense<{words}> : {tensor(shape, element)}",
                         shape, element)

    def iota(self, dim, shape, element="i32"):
        return self.emit(f"iota dim {dim} : {tensor(shape, element)}", shape,
                         element)

    def value(self, value, like):
        if isinstance(value, Value):
            return value
        return self.constant(value, like.shape, like.element)

    def binary(self, operation, a, b):
        b = self.value(b, a)
        return a.emit(f"{operation} {a.name}, {b.name} : {a.type}")

    def gather(self, operand, indices, attributes, shape):
        return operand.emit(
            f"gather {operand.name}, {indices.name} {attributes} : "
            f"({operand.type}, {indices.type}) -> "
            f"{tensor(shape, operand.element)}", shape)

    def give(self, *values, names=("y", "z")):
        self.given = values
        self.results = [(names[i] if i < len(names) else f"y{i}", v.shape,
                         v.element) for i, v in enumerate(values)]
        return self

    @property
    def text(self):
        if self.source is not None:
            return self.source
        arguments = ", ".join(f"%{name}: {tensor(shape, element)}"
                              for name, shape, element in self.arguments)
        types = [tensor(shape, element) for _, shape, element in self.results]
        result = types[0] if len(types) == 1 else f"({', '.join(types)})"
        attributes = ("" if self.numerics is None else " attributes "
                      f"{{mlopt.numerics = #mlopt.numerics<{self.numerics}>}}")
        names = ", ".join(v.name for v in self.given)
        return "\n".join([f"func.func @main({arguments}) -> {result}"
                          f"{attributes} {{", *self.lines,
                          f"  return {names} : {', '.join(types)}", "}", ""])


# ---- Pieces ------------------------------------------------------------------


def gelu(x):
    """GELU by tanh."""
    inner = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)
    return x * 0.5 * (inner.unary("tanh") + 1.0)


def silu(x):
    return x * x.unary("logistic")


def softmax_of(x, dim):
    """Softmax of an f32 value along a dimension."""
    rest = [i for i in range(len(x.shape)) if i != dim]
    e = (x - x.reduce("max", dim).like(x, rest)).unary("exp")
    return e / e.reduce("add", dim).like(x, rest)


def norm_of(x):
    """1 / root mean square along the last dimension, for every element."""
    last = len(x.shape) - 1
    mean = (x * x).reduce("add", last) * (1.0 / x.shape[-1])
    return (mean + 1e-6).unary("rsqrt").like(x, range(last))


# ---- Pointwise and layout ----------------------------------------------------


def add_relu_cos(n, element):
    p = Program()
    x, y = p.argument("x", [n], element), p.argument("w", [n], element)
    return p.give((x + y).max(0.0).unary("cos"))


def bias_gelu(rows, columns, inner="f32"):
    """inner: what is computed in; with bf16 every operation rounds."""
    p = Program()
    x = p.argument("x", [rows, columns]).to(inner)
    b = p.argument("b", [columns]).to(inner)
    return p.give(gelu(x + b.like(x, [1])).to("bf16"))


def scale_transpose(n):
    p = Program()
    return p.give(p.argument("x", [n, n]).transpose(1, 0) * 2.0)


def transpose4d(a, b, c, d, plus=0.0):
    p = Program()
    x = p.argument("x", [a, b, c, d])
    return p.give((x + plus if plus else x).transpose(0, 2, 1, 3))


# ---- Rows --------------------------------------------------------------------


def softmax(rows, columns):
    p = Program()
    x = p.argument("x", [rows, columns]).to("f32")
    return p.give(softmax_of(x, 1).to("bf16"))


def layernorm(rows, columns, element="bf16"):
    p = Program()
    x = p.argument("x", [rows, columns], element).to("f32")
    w = p.argument("w", [columns], element).to("f32")
    b = p.argument("b", [columns], element).to("f32")
    c = x - (x.reduce("add", 1) * (1.0 / columns)).like(x, [0])
    variance = (c * c).reduce("add", 1) * (1.0 / columns)
    n = c * (variance + 1e-5).unary("rsqrt").like(x, [0])
    return p.give((n * w.like(x, [1]) + b.like(x, [1])).to(element))


def add_rmsnorm(rows, columns):
    p = Program()
    x, r = p.argument("x", [rows, columns]), p.argument("r", [rows, columns])
    w = p.argument("w", [columns])
    h = x + r
    f = h.to("f32")
    return p.give(h, (f * norm_of(f)).to("bf16") * w.like(h, [1]))


def column_sum(rows, columns):
    p = Program()
    return p.give(p.argument("x", [rows, columns]).to("f32").reduce("add", 0))


def full_sum(n):
    p = Program()
    return p.give(p.argument("x", [n]).to("f32").reduce("add", 0))


def pick(x, labels):
    """One element of each row."""
    rows = x.shape[0]
    return x.program.gather(
        x, labels.reshape(rows, 1), "collapsed_slice_dims [1] "
        "operand_batching_dims [0] start_indices_batching_dims [0] "
        "start_index_map [1] index_vector_dim 1 slice_sizes [1, 1]", [rows])


def cross_entropy(rows, vocabulary):
    """The mean over rows of log-sum-exp minus the logit of the label."""
    p = Program()
    x = p.argument("x", [rows, vocabulary])
    labels = p.argument("labels", [rows], "i64")
    f = x.to("f32")
    top = f.reduce("max", 1)
    total = (f - top.like(f, [0])).unary("exp").reduce("add", 1)
    loss = total.unary("log") + top - pick(x, labels).to("f32")
    return p.give(loss.reduce("add", 0) * (1.0 / rows))


def take_rows(p, table, ids, rows):
    """Rows of a matrix, by index."""
    width = table.shape[1]
    return p.gather(
        table, ids.reshape(rows, 1), "offset_dims [1] collapsed_slice_dims [0] "
        f"start_index_map [0] index_vector_dim 1 slice_sizes [1, {width}]",
        [rows, width])


def embedding(rows, vocabulary, width, element="bf16"):
    p = Program()
    table = p.argument("table", [vocabulary, width], element)
    ids = p.argument("ids", [rows], "i64")
    return p.give(take_rows(p, table, ids, rows))


def rmsnorm_backward(rows, columns, element="bf16"):
    """The gradients of x and w of y = x / rms(x) * w."""
    p = Program()
    x = p.argument("x", [rows, columns], element).to("f32")
    w = p.argument("w", [columns], element).to("f32")
    dy = p.argument("dy", [rows, columns], element).to("f32")
    scale = norm_of(x)
    n = x * scale
    dn = dy * w.like(x, [1])
    mean = (dn * n).reduce("add", 1) * (1.0 / columns)
    dx = (dn - n * mean.like(x, [0])) * scale
    return p.give(dx.to(element), (dy * n).reduce("add", 0).to(element),
                  names=("dx", "dw"))


def layernorm_backward(rows, columns, element="bf16"):
    """The gradients of x, w and b of a layer norm."""
    p = Program()
    x = p.argument("x", [rows, columns], element).to("f32")
    w = p.argument("w", [columns], element).to("f32")
    p.argument("b", [columns], element)
    dy = p.argument("dy", [rows, columns], element).to("f32")

    def mean(v):
        return (v.reduce("add", 1) * (1.0 / columns)).like(x, [0])

    c = x - mean(x)
    scale = ((c * c).reduce("add", 1) * (1.0 / columns) + 1e-5).unary("rsqrt")
    scale = scale.like(x, [0])
    n, dn = c * scale, dy * w.like(x, [1])
    dx = (dn - (mean(dn) + n * mean(dn * n))) * scale
    return p.give(dx.to(element), (dy * n).reduce("add", 0).to(element),
                  dy.reduce("add", 0).to(element), names=("dx", "dw", "db"))


# ---- Any shape ---------------------------------------------------------------


def wide(x):
    """Narrow floats in f32."""
    return x.to("f32") if x.element in ("bf16", "f16") else x


def any_add(element, shape):
    p = Program()
    return p.give(p.argument("x", shape, element) +
                  p.argument("r", shape, element))


def any_scale(element, shape, *dims):
    """Times a factor along some dimensions."""
    p = Program()
    x = p.argument("x", shape, element)
    w = p.argument("w", [shape[d] for d in dims], element)
    return p.give(x * w.like(x, dims))


def any_gelu(element, shape):
    p = Program()
    return p.give(gelu(wide(p.argument("x", shape, element))).to(element))


def any_transpose(element, shape, *order):
    p = Program()
    return p.give(p.argument("x", shape, element).transpose(*order))


def any_reduce(element, shape, kind, *dims):
    p = Program()
    return p.give(p.argument("x", shape, element).reduce(kind, *dims))


def any_argmax(element, shape, dim):
    p = Program()
    x = p.argument("x", shape, element)
    rest = [n for i, n in enumerate(shape) if i != dim]
    at = x.emit(f"arg_reduce max {x.name} dim {dim} : {x.type} -> "
                f"({tensor(rest, element)}, {tensor(rest, 'i64')})", rest, "i64")
    p.lines[-1] = p.lines[-1].replace(" =", ":2 =", 1)
    at.name += "#1"
    return p.give(at)


def any_softmax(element, shape, dim):
    p = Program()
    x = wide(p.argument("x", shape, element))
    return p.give(softmax_of(x, dim).to(element))


def any_layernorm(element, rows, columns):
    return layernorm(rows, columns, element)


def any_take(element, count, rows, columns):
    return embedding(count, rows, columns, element)


def any_pick(element, rows, columns):
    """One element of each row."""
    p = Program()
    x = p.argument("x", [rows, columns], element)
    labels = p.argument("labels", [rows], "i64")
    return p.give(pick(x, labels))


def any_concat(element, dim, *shapes):
    p = Program()
    parts = [p.argument(name, shape, element)
             for name, shape in zip("abcdefgh", shapes)]
    shape = list(shapes[0])
    shape[dim] = sum(s[dim] for s in shapes)
    types = ", ".join(v.type for v in parts)
    return p.give(parts[0].emit(
        f"concat {', '.join(v.name for v in parts)} dim {dim} : ({types}) -> "
        f"{tensor(shape, element)}", shape))


def any_pad(element, shape, low, high):
    """With zeros."""
    p = Program()
    x = p.argument("x", shape, element)
    to = [n + a + b for n, a, b in zip(shape, low, high)]
    zero = p.constant(0, (), element)
    return p.give(x.emit(
        f"pad {x.name}, {zero.name} low {list(low)} high {list(high)} interior "
        f"{[0] * len(shape)} : {x.type}, {zero.type} -> {tensor(to, element)}",
        to))


def any_slice(element, shape, low, high):
    """Without so many elements on either side."""
    p = Program()
    x = p.argument("x", shape, element)
    limits = [n - a for n, a in zip(shape, high)]
    to = [n - a for n, a in zip(limits, low)]
    return p.give(x.emit(
        f"slice {x.name} starts {list(low)} limits {limits} strides "
        f"{[1] * len(shape)} : {x.type} -> {tensor(to, element)}", to))


def any_reverse(element, shape, *dims):
    p = Program()
    x = p.argument("x", shape, element)
    return p.give(x.emit(f"reverse {x.name} dims {list(dims)} : {x.type}"))


def any_scatter(element, count, rows, *columns):
    """Adds rows of so many columns, or single elements, to a table."""
    p = Program()
    table = p.argument("table", [rows, *columns], element)
    ids = p.argument("ids", [count], "i64").reshape(count, 1)
    updates = p.argument("updates", [count, *columns], element)
    window = "update_window_dims [1] " if columns else ""
    return p.give(table.emit(
        f"scatter add {table.name}, {ids.name}, {updates.name} {window}"
        "inserted_window_dims [0] scatter_dims_to_operand_dims [0] "
        f"index_vector_dim 1 : ({table.type}, {ids.type}, {updates.type}) -> "
        f"{table.type}"))


def any_cumsum(element, shape, dim):
    p = Program()
    x = p.argument("x", shape, element)
    return p.give(x.emit(f"scan add {x.name} dim {dim} : ({x.type}) -> "
                         f"{x.type}"))


def any_argsort(element, shape, dim):
    p = Program()
    x = p.argument("x", shape, element)
    at = p.iota(dim, shape, "i64")
    order = at.emit(
        f"sort {x.name}, {at.name} dim {dim} : ({x.type}, {at.type}) -> "
        f"({x.type}, {at.type}) {{\n"
        f"  ^bb0(%l: {element}, %r: {element}, %i: i64, %j: i64):\n"
        f"    %b = mlopt.compare lt, %l, %r : {element}\n"
        "    mlopt.yield %b : i1\n  }")
    p.lines[-1] = p.lines[-1].replace(" =", ":2 =", 1)
    order.name += "#1"
    return p.give(order)


# ---- Contractions ------------------------------------------------------------


def matmul(m, n, k, layout="nt", element="bf16", result=None, numerics=None):
    """layout: of a, then b, as BLAS says it; the second n means b is [k, n]."""
    p = Program(numerics)
    a = p.argument("a", [m, k] if layout[0] == "n" else [k, m], element)
    b = p.argument("b", [k, n] if layout[1] == "n" else [n, k], element)
    contract = ([1] if layout[0] == "n" else [0],
                [0] if layout[1] == "n" else [1])
    return p.give(a.dot(b, contract, element=result))


def scaled_matmul(m, n, k, scales, elements, numerics=None):
    """A product of two 8-bit types, times f32 scales of the "tensor" or of the
    "rows" of a and of b."""
    p = Program(numerics)
    a, b = p.argument("a", [m, k], elements[0]), p.argument("b", [n, k],
                                                            elements[1])
    y = a.dot(b, ([1], [1]), element="f32")
    rows = scales == "rows"
    for name, size, dim in (("left", m, 0), ("right", n, 1)):
        scale = p.argument(name, [size] if rows else [], "f32")
        y = y * scale.like(y, [dim] if rows else [])
    return p.give(y.to("bf16"))


def gathered_matmul(m, rows, n, k):
    """Tokens that an expert takes, times its weights."""
    p = Program()
    x, w = p.argument("x", [rows, k]), p.argument("w", [n, k])
    ids = p.argument("ids", [m], "i64")
    return p.give(take_rows(p, x, ids, m).dot(w, ([1], [1])))


def quantised_matmul(m, n, k, element, scaled=True):
    """Activations in bf16, weights in fewer bits, with a scale for each of
    their rows that is multiplied before the product or after it."""
    p = Program()
    x, w = p.argument("x", [m, k]), p.argument("w", [n, k], element)
    scale = p.argument("scale", [n])
    wide = w.to("bf16")
    if scaled:
        return p.give(x.dot(wide * scale.like(wide, [0]), ([1], [1])))
    y = x.dot(wide, ([1], [1]), element="f32")
    return p.give((y * scale.to("f32").like(y, [1])).to("bf16"))


def rounded_matmul(m, n, k):
    """Activations in f32, rounded for weights in bf16."""
    p = Program()
    x, w = p.argument("x", [m, k], "f32"), p.argument("w", [n, k])
    return p.give(x.to("bf16").dot(w, ([1], [1])))


def batched_matmul(batch, m, n, k, layout="nt"):
    p = Program()
    a = p.argument("a", [batch, m, k])
    b = p.argument("b", [batch, n, k] if layout == "nt" else [batch, k, n])
    return p.give(a.dot(b, ([2], [2] if layout == "nt" else [1]), ([0], [0])))


def linear_bias_gelu(m, n, k):
    p = Program()
    a, w = p.argument("a", [m, k]), p.argument("w", [n, k])
    b = p.argument("b", [n]).to("f32")
    y = a.dot(w, ([1], [1]), element="f32")
    return p.give(gelu(y + b.like(y, [1])).to("bf16"))


def linear_residual(m, n, k):
    p = Program()
    a, w = p.argument("a", [m, k]), p.argument("w", [n, k])
    r = p.argument("r", [m, n]).to("f32")
    return p.give((a.dot(w, ([1], [1]), element="f32") + r).to("bf16"))


def swiglu(m, n, k):
    p = Program()
    a = p.argument("a", [m, k])
    gate, up = p.argument("gate", [n, k]), p.argument("up", [n, k])
    g = a.dot(gate, ([1], [1]), element="f32")
    u = a.dot(up, ([1], [1]), element="f32")
    return p.give((silu(g) * u).to("bf16"))


def linear_squares(m, n, k):
    """With the sum of squares of each row, for a norm behind it."""
    p = Program()
    y = p.argument("a", [m, k]).dot(p.argument("w", [n, k]), ([1], [1]))
    f = y.to("f32")
    return p.give(y, (f * f).reduce("add", 1))


def linear_rmsnorm(m, n, k, length=None):
    """With the norm of each row of what is rounded, or of each `length` columns
    of it, as of heads."""
    p = Program()
    y = p.argument("a", [m, k]).dot(p.argument("w", [n, k]), ([1], [1]))
    length = length or n
    f = y.reshape(m, n // length, length).to("f32")
    g = p.argument("g", [length]).to("f32")
    z = (f * norm_of(f) * g.like(f, [2])).to("bf16")
    return p.give(z.reshape(m, n))


def gelu_gradient(m, n, k):
    """Of a product behind a GELU of h: h's gradient, and that of its bias."""
    p = Program()
    dy, w = p.argument("dy", [m, k]), p.argument("w", [k, n])
    h = p.argument("h", [m, n]).to("f32")
    c = math.sqrt(2 / math.pi)
    t = ((h + h * h * h * 0.044715) * c).unary("tanh")
    slope = (t + 1.0) * 0.5 + h * (t * t * -1.0 + 1.0) * (
        (h * h * (3 * 0.044715) + 1.0) * (0.5 * c))
    dh = (dy.dot(w, ([1], [0]), element="f32") * slope).to("bf16")
    return p.give(dh, dh.to("f32").reduce("add", 0).to("bf16"))


def projections(m, k, *widths):
    """Queries, keys and values, of fewer heads; or any products of one x."""
    p = Program()
    x = p.argument("x", [m, k])
    w = [p.argument(f"w{i}", [n, k]) for i, n in enumerate(widths)]
    return p.give(*(x.dot(wi, ([1], [1])) for wi in w))


def conv3x3(n, channels, size):
    """Channels last, as PyTorch lays such tensors out: x [n, h, w, ci], w
    [co, 3, 3, ci]; padded by one."""
    p = Program()
    x = p.argument("x", [n, size, size, channels])
    w = p.argument("w", [channels, 3, 3, channels]).transpose(1, 2, 3, 0)
    ones = "[1, 1]"
    return p.give(x.emit(
        f"conv {x.name}, {w.name} strides {ones} low {ones} high {ones} "
        f"input_dilation {ones} window_dilation {ones} : ({x.type}, {w.type}) "
        f"-> {x.type}"))


# ---- Attention ---------------------------------------------------------------


def masked(p, scores, keep):
    return keep.select(scores, -math.inf)


def mask_of(p, kind, scores, size):
    """Which of the scores [b, h, i, j] count; None for all."""
    square = [scores.shape[-2], scores.shape[-1]]
    i, j = p.iota(0, square), p.iota(1, square)
    causal = i.compare("ge", j)
    keep = {"causal": lambda: causal, "alibi": lambda: causal,
            "softcap": lambda: causal,
            "window": lambda: causal.both((i - j).compare("lt", size)),
            "documents": lambda: causal.both(
                (i / size).compare("eq", j / size)),
            "prefix": lambda: causal.either(j.compare("lt", size))}[kind]()
    return keep.like(scores, [2, 3])


def attention(b, h, s, d, kind="full", size=0):
    p = Program()
    q, k, v = (p.argument(name, [b, h, s, d]) for name in "qkv")
    scores = q.dot(k, ([3], [3]), ([0, 1], [0, 1]), "f32") * (1 / math.sqrt(d))
    if kind == "softcap":
        scores = (scores * (1.0 / size)).unary("tanh") * float(size)
    if kind == "alibi":
        slopes = p.constant([2.0 ** (-8.0 * (i + 1) / h) for i in range(h)],
                            [h], "f32")
        i, j = p.iota(0, [s, s]), p.iota(1, [s, s])
        scores = scores + (slopes.like(scores, [1]) *
                           (j - i).to("f32").like(scores, [2, 3]))
    if kind != "full":
        scores = masked(p, scores, mask_of(p, kind, scores, size))
    weights = softmax_of(scores, 3).to("bf16")
    return p.give(weights.dot(v, ([3], [2]), ([0, 1], [0, 1])))


def decode(b, h, kv, s, d):
    """One query row for each of h heads, which share kv heads of a cache."""
    p = Program()
    q = p.argument("q", [b, h, 1, d]).reshape(b, kv, h // kv, d)
    k, v = p.argument("k", [b, kv, s, d]), p.argument("v", [b, kv, s, d])
    scores = q.dot(k, ([3], [3]), ([0, 1], [0, 1]), "f32") * (1 / math.sqrt(d))
    weights = softmax_of(scores, 3).to("bf16")
    y = weights.dot(v, ([3], [2]), ([0, 1], [0, 1]))
    return p.give(y.reshape(b, h, 1, d))


# ---- Launching, compiling, whole blocks --------------------------------------


def chain(n, length, apart=False):
    """apart: every operation stays a kernel of its own."""
    p = Program()
    x = p.argument("x", [n], "f32")
    factor = p.value(1.01, x)
    lever = ' {mlopt.fuse = {group = "chain", keep = "apart"}}' if apart else ""
    for i in range(length):
        words = f"sin {x.name}" if i % 2 else f"mul {x.name}, {factor.name}"
        x = x.emit(f"{words}{lever} : {x.type}")
    return p.give(x)


def scales(n, length):
    """Multiplications, each a kernel of its own."""
    p = Program()
    x = p.argument("x", [n], "f32")
    factors = p.value(1.25, x), p.value(0.8, x)
    for i in range(length):
        x = x.emit(f"mul {x.name}, {factors[i % 2].name} {{mlopt.fuse = "
                   f'{{group = "chain", keep = "apart"}}}} : {x.type}')
    return p.give(x)


def sums(n, length):
    """Additions of the argument, each a kernel of its own that takes it."""
    p = Program()
    x = p.argument("x", [n], "f32")
    y = x
    for _ in range(length):
        y = y.emit(f"add {y.name}, {x.name} {{mlopt.fuse = "
                   f'{{group = "chain", keep = "apart"}}}} : {y.type}')
    return p.give(y)


def mlp(rows, width, layers):
    p = Program()
    h = p.argument("h", [rows, width])
    for i in range(layers):
        h = h.dot(p.argument(f"w{i}", [width, width]), ([1], [0])).max(0.0)
    return p.give(h)


def mlp_softmax(rows, width, hidden):
    """softmax(gelu(x w1) w2)"""
    p = Program()
    x = p.argument("x", [rows, width])
    w1 = p.argument("w1", [width, hidden])
    w2 = p.argument("w2", [hidden, width])
    h = gelu(x.dot(w1, ([1], [0]), element="f32")).to("bf16")
    y = h.dot(w2, ([1], [0]), element="f32")
    return p.give(softmax_of(y, 1).to("bf16"))


def gpt2_block(b, s, d, h, train=False):
    """A pre-norm transformer block, as JAX exports it (export_block.py); with
    train the mean square of its output and the gradients of everything."""
    name = f"gpt2m_{'train' if train else 'fwd'}_b{b}s{s}d{d}h{h}.mlir"
    with open(os.path.join(SHAPES, name), encoding="utf-8") as file:
        text = file.read()
    x = ("x", (b, s, d), "bf16")
    weights = [(name, shape, "bf16") for name, shape in (
        ("ln1w", (d,)), ("ln1b", (d,)), ("qkvw", (3 * d, d)),
        ("qkvb", (3 * d,)), ("projw", (d, d)), ("projb", (d,)), ("ln2w", (d,)),
        ("ln2b", (d,)), ("upw", (4 * d, d)), ("upb", (4 * d,)),
        ("downw", (d, 4 * d)), ("downb", (d,)))]
    results = [("y", (b, s, d), "bf16")]
    if train:
        results = [("loss", (), "f32"), *[(f"d{name}", shape, element)
                                          for name, shape, element in
                                          (x, *weights)]]
    return Program.from_text(text, [x, *weights], results)
