"""Programs, each in ten spellings that compute the same.

    spellings.py PROGRAM     writes softmax, layer_norm, ...
    spellings.py --count     compiles all, and says how many spellings of each
                             become kernels of one kind
    spellings.py --ptx       compiles all, and says how many spellings of each
                             have the PTX of the first one
    spellings.py --consumers says for how many values of each it costs no kernel
                             that the program gives them too

Each spelling is a function of its own, named after how it is written.
"""

import collections
import re
import subprocess
import sys

ROWS, COLUMNS = 16, 64


def tensor(shape, element):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return tensor(self.shape, self.element)


class Spelling:
    """As in a textbook: rows x columns, each step once. Others differ in it."""

    def __init__(self):
        self.arguments, self.lines = [], []

    def emit(self, words, shape, element):
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = mlopt.{words}")
        return Value(name, shape, element)

    # What the programs are written with.

    def argument(self, shape, element="bf16"):
        self.arguments.append(Value(f"%a{len(self.arguments)}", shape, element))
        return self.arguments[-1]

    def space(self):
        """The shape in which rows and columns are computed."""
        return (ROWS, COLUMNS)

    def row_dims(self):
        return [0]

    def column_dims(self):
        return [1]

    def enter(self, value):
        """From rows x columns to the space."""
        return value

    def leave(self, value):
        return value

    def unary(self, name, x):
        return self.emit(f"{name} {x.name} : {x.type}", x.shape, x.element)

    def binary(self, name, x, y):
        return self.emit(f"{name} {x.name}, {y.name} : {x.type}", x.shape, x.element)

    def convert(self, x, element):
        to = tensor(x.shape, element)
        return self.emit(f"convert {x.name} : {x.type} -> {to}", x.shape, element)

    def wide(self, x):
        return self.convert(x, "f32")

    def constant(self, number, like):
        return self.emit(f"constant dense<{number}> : {like.type}", like.shape, like.element)

    def plain_broadcast(self, x, shape, dims):
        to = tensor(shape, x.element)
        return self.emit(f"broadcast {x.name} dims {dims} : {x.type} -> {to}", shape, x.element)

    def broadcast(self, x, dims):
        return self.plain_broadcast(x, self.space(), dims)

    def along_rows(self, x):
        """A value of each row."""
        return self.broadcast(x, self.row_dims())

    def along_columns(self, x):
        """A value of each column, rank 1."""
        return self.broadcast(x, self.column_dims())

    def reduce(self, kind, x):
        dims = self.column_dims()
        shape = [n for i, n in enumerate(x.shape) if i not in dims]
        to = tensor(shape, x.element)
        return self.emit(f"reduce {kind} {x.name} dims {dims} : ({x.type}) -> {to}",
                         shape, x.element)

    def reshape(self, x, shape):
        to = tensor(shape, x.element)
        return self.emit(f"reshape {x.name} : {x.type} -> {to}", shape, x.element)

    def transpose(self, x):
        shape = x.shape[::-1]
        to = tensor(shape, x.element)
        return self.emit(f"transpose {x.name} perm [1, 0] : {x.type} -> {to}", shape, x.element)

    def maximum(self, x):
        return self.reduce("max", x)

    def inverse_root(self, x):
        return self.unary("rsqrt", x)

    def quotient(self, x, per_row):
        return self.binary("div", x, self.along_rows(per_row))

    def function(self, name, results):
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        return "\n  ".join([
            f"func.func @{name}({arguments}) -> ({types}) {{", *self.lines,
            f"return {', '.join(r.name for r in results)} : {types}"]) + "\n}\n"


class Swapped(Spelling):
    """Operands of commutative operations the other way around."""

    def binary(self, name, x, y):
        if name in ("add", "mul", "max"):
            x, y = y, x
        return super().binary(name, x, y)


class TwoBroadcasts(Spelling):
    """Each broadcast in two steps, the first one to unit dimensions."""

    def broadcast(self, x, dims):
        shape = [n if i in dims else 1 for i, n in enumerate(self.space())]
        first = self.plain_broadcast(x, shape, dims)
        return self.plain_broadcast(first, self.space(), list(range(len(shape))))


class KeptDims(Spelling):
    """Reductions keep their dimension, as a reshape."""

    def reduce(self, kind, x):
        return self.reshape(super().reduce(kind, x), (ROWS, 1))

    def along_rows(self, x):
        return self.plain_broadcast(x, self.space(), [0, 1])


class Reshaped(Spelling):
    """Rows in two dimensions, columns in two."""

    def space(self):
        return (4, ROWS // 4, 8, COLUMNS // 8)

    def row_dims(self):
        return [0, 1]

    def column_dims(self):
        return [2, 3]

    def enter(self, value):
        return self.reshape(value, self.space())

    def leave(self, value):
        whole = value.shape == self.space()
        return self.reshape(value, (ROWS, COLUMNS) if whole else (ROWS,))

    def along_columns(self, x):
        return self.broadcast(self.reshape(x, self.space()[2:]), self.column_dims())


class Transposed(Spelling):
    """Columns first."""

    def space(self):
        return (COLUMNS, ROWS)

    def row_dims(self):
        return [1]

    def column_dims(self):
        return [0]

    def enter(self, value):
        return self.transpose(value)

    def leave(self, value):
        return self.transpose(value) if len(value.shape) == 2 else value


class Islands(Spelling):
    """Values go to bf16 and f32 again where that is exact, and are widened
    wherever they are used."""

    def wide(self, x):
        return self.convert(self.convert(self.convert(x, "f32"), "bf16"), "f32")

    def binary(self, name, x, y):
        z = super().binary(name, x, y)
        return self.convert(self.convert(z, "f64"), "f32") if z.element == "f32" else z


class Twice(Spelling):
    """Broadcasts and their sources are written again for each use; of a value
    that nothing else needs there is a copy."""

    def broadcast(self, x, dims):
        super().broadcast(x, dims)
        return super().broadcast(x, dims)

    def unary(self, name, x):
        super().unary(name, x)
        return super().unary(name, x)


class Scalars(Spelling):
    """Constants are broadcast from one element, columns' values over rows."""

    def constant(self, number, like):
        one = self.emit(f"constant dense<{number}> : {tensor((), like.element)}", (), like.element)
        return self.plain_broadcast(one, like.shape, [])


class Jax(KeptDims):
    """As JAX writes it: guarded maxima, unit reductions, division by a root."""

    def maximum(self, x):
        m = self.reduce("max", x)
        return self.binary("max", self.constant("0xFF800000", m), m)

    def inverse_root(self, x):
        return self.binary("div", self.constant("1.0", x), self.unary("sqrt", x))

    def leave(self, value):
        if len(value.shape) == 2 and value.shape[1] == 1:
            return self.reshape(value, (ROWS,))
        units = self.reshape(value, (*value.shape, 1))
        to = value.type
        return self.emit(f"reduce max {units.name} dims [{len(value.shape)}] : "
                         f"({units.type}) -> {to}", value.shape, value.element)


# The programs.


def softmax(s):
    x = s.wide(s.enter(s.argument((ROWS, COLUMNS))))
    e = s.unary("exp", s.binary("sub", x, s.along_rows(s.maximum(x))))
    return [s.leave(s.convert(s.quotient(e, s.reduce("add", e)), "bf16"))]


def mean(s, x):
    sums = s.reduce("add", x)
    return s.binary("mul", sums, s.constant(str(1 / COLUMNS), sums))


def layer_norm(s):
    x = s.wide(s.enter(s.argument((ROWS, COLUMNS))))
    gain, bias = s.argument((COLUMNS,)), s.argument((COLUMNS,))
    d = s.binary("sub", x, s.along_rows(mean(s, x)))
    v = mean(s, s.binary("mul", d, d))
    r = s.inverse_root(s.binary("add", v, s.constant("1.0e-05", v)))
    n = s.binary("mul", d, s.along_rows(r))
    y = s.binary("mul", n, s.along_columns(s.wide(gain)))
    return [s.leave(s.convert(s.binary("add", y, s.along_columns(s.wide(bias))), "bf16"))]


def add_rms_norm(s):
    x, y = s.enter(s.argument((ROWS, COLUMNS))), s.enter(s.argument((ROWS, COLUMNS)))
    gain = s.argument((COLUMNS,))
    t = s.binary("add", x, y)
    w = s.wide(t)
    v = mean(s, s.binary("mul", w, w))
    r = s.inverse_root(s.binary("add", v, s.constant("1.0e-05", v)))
    n = s.binary("mul", s.binary("mul", w, s.along_rows(r)), s.along_columns(s.wide(gain)))
    return [s.leave(t), s.leave(s.convert(n, "bf16"))]


def cross_entropy(s):
    """With the label picked by comparison, as a one-hot product does it."""
    x = s.wide(s.enter(s.argument((ROWS, COLUMNS))))
    label = s.argument((ROWS,), "i32")
    column = s.emit(f"iota dim 0 : {tensor((COLUMNS,), 'i32')}", (COLUMNS,), "i32")
    shape = [ROWS, 1] if isinstance(s, KeptDims) else [s.space()[d] for d in s.row_dims()]
    row = label if len(shape) == 1 else s.reshape(label, shape)
    a, b = s.along_columns(column), s.along_rows(row)
    is_label = s.emit(f"compare eq, {a.name}, {b.name} : {a.type}", a.shape, "i1")
    zero = s.constant("0.0", x)
    picked = s.emit(f"select {is_label.name}, {x.name}, {zero.name} : {x.type}", x.shape, "f32")
    m = s.maximum(x)
    e = s.unary("exp", s.binary("sub", x, s.along_rows(m)))
    lse = s.binary("add", s.unary("log", s.reduce("add", e)), m)
    return [s.leave(s.binary("sub", lse, s.reduce("add", picked)))]


def gelu(s):
    x = s.wide(s.enter(s.argument((ROWS, COLUMNS))))
    x = s.binary("add", x, s.along_columns(s.wide(s.argument((COLUMNS,)))))
    cube = s.binary("mul", s.binary("mul", x, x), x)
    inner = s.binary("add", x, s.binary("mul", s.constant("0.044715", x), cube))
    t = s.unary("tanh", s.binary("mul", s.constant("0.7978845608028654", x), inner))
    half = s.binary("mul", s.constant("0.5", x), x)
    return [s.leave(s.convert(
        s.binary("mul", half, s.binary("add", s.constant("1.0", x), t)), "bf16"))]


SPELLINGS = [Spelling, Swapped, TwoBroadcasts, KeptDims, Reshaped, Transposed, Islands, Twice,
             Scalars, Jax]

PROGRAMS = [softmax, layer_norm, add_rms_norm, cross_entropy, gelu]


def write(program):
    text = ""
    for spelling in SPELLINGS:
        s = spelling()
        text += s.function(spelling.__name__, program(s))
    return text


def count(program):
    """Prints a line for each kind of outcome, schedules included."""
    plan = subprocess.run(["mlopt-compile", "--emit=plan", "-"], input=write(program), check=True,
                          capture_output=True, text=True).stdout
    schedules = re.findall(r"mlopt.schedule = ({[^}]*})", plan)
    traffic = re.findall(r"hbm_bytes = (\d+) : i64, kernels = (\d+)", plan)
    for (schedule, (moved, kernels)), n in collections.Counter(zip(schedules, traffic)).items():
        family = re.search(r'family = "(\w+)"', schedule).group(1)
        print(f"{program.__name__}: {n} spellings have {kernels} kernel{'s'[kernels == '1':]}, "
              f"{moved} bytes, {family}")


def ptx(program):
    """Prints how many spellings give the same PTX, each compiled alone."""
    texts = []
    for spelling in SPELLINGS:
        s = spelling()
        texts.append(subprocess.run(
            ["mlopt-compile", "--emit=ptx", "-"], input=s.function("main", program(s)),
            check=True, capture_output=True, text=True).stdout)
    others = [s.__name__ for s, t in zip(SPELLINGS, texts) if t != texts[0]]
    print(f"{program.__name__}: {len(SPELLINGS) - len(others)} spellings have the first one's PTX;",
          *others or ["no"], "other")


class Watched(Spelling):
    """Remembers every value but constants and what only says where it is."""

    def __init__(self):
        super().__init__()
        self.made = []

    def emit(self, words, shape, element):
        value = super().emit(words, shape, element)
        if words.split()[0] not in ("constant", "iota", "compare"):
            self.made.append(value)
        return value


def consumers(program):
    """Prints of how many values one kernel still computes the program when each is
    a result too."""
    watched = Watched()
    results = [r.name for r in program(watched)]
    others = [i for i, v in enumerate(watched.made) if v.name not in results]
    free = 0
    for i in others:
        s = Watched()
        given = program(s)
        text = subprocess.run(["mlopt-opt", "-", "--mlopt-fuse"], check=True, text=True,
                              input=s.function("main", given + [s.made[i]]),
                              capture_output=True).stdout
        free += "kernels = 1 :" in text
    print(f"{program.__name__}: {free} of {len(others)} values are results too in one kernel")


if __name__ == "__main__":
    modes = {"--consumers": consumers, "--count": count, "--ptx": ptx}
    if sys.argv[1] in modes:
        for program in PROGRAMS:
            modes[sys.argv[1]](program)
    else:
        print(write({f.__name__: f for f in PROGRAMS}[sys.argv[1]]))
