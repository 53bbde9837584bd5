"""fold_program.py TYPE: prints a program that folds to constants entirely.

Its function applies every elementwise operation that folds to two constants of
this element type: all pairs of 32 values, special ones first. Results are
integers, floats by their bits and with one NaN for all, so that running the
program and running what it folds to can be compared exactly.
"""

import random
import sys

# Width and stored mantissa bits.
FLOATS = {
    "f64": (64, 52),
    "f32": (32, 23),
    "f16": (16, 10),
    "bf16": (16, 7),
    "f8E4M3FN": (8, 3),
    "f8E5M2": (8, 2),
}
INTS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
VALUES = 32
COUNT = VALUES * VALUES  # as many as fold
FEW = COUNT // 8  # as many as become no more in an eighth of the width

FLOAT_UNARY = "abs neg sign ceil floor round roundeven sqrt"
FLOAT_BINARY = "add sub mul div rem max min"
INT_UNARY = "abs neg sign not ctpop ctlz"
INT_BINARY = (
    "add sub mul div divu rem remu pow max maxu min minu and or xor shl shrs shru"
)
I1_BINARY = "add mul max min and or xor"
SIGNED = "eq ne lt le gt ge"
UNSIGNED = "ult ule ugt uge"
PRECISIONS = [(5, 10), (8, 7), (4, 3), (3, 0), (1, 2), (11, 1), (2, 1)]


def width(element):
    return FLOATS[element][0] if element in FLOATS else INTS[element]


def nan_bits(element):
    bits, mantissa = FLOATS[element]
    exponent = ((1 << (bits - mantissa - 1)) - 1) << mantissa
    every = (1 << mantissa) - 1  # the one NaN of a type without infinities
    return exponent | (every if element == "f8E4M3FN" else 1 << (mantissa - 1))


def special_values(element):
    bits = width(element)
    sign = 1 << (bits - 1)
    if element not in FLOATS:
        return [0, 1, 2 * sign - 1, sign, sign - 1, 2, 3, 7, bits, bits - 1, bits + 1]
    mantissa = FLOATS[element][1]
    top = (1 << (bits - mantissa - 1)) - 1  # the greatest exponent field
    one = (top >> 1) << mantissa
    positive = [
        0,
        1,  # the least denormal
        (1 << mantissa) - 1,
        1 << mantissa,  # the least normal
        one - (1 << mantissa),
        one,
        one | 1 << (mantissa - 1),
        one + (1 << mantissa) | 1 << (mantissa - 2),
        (top << mantissa) - 1,
        top << mantissa,  # infinity, if there is one
        nan_bits(element),
    ]
    return positive + [sign | value for value in positive]


def values(element):
    """32 codes of the type; the random ones of floats are mostly near 1."""
    rng = random.Random(element)
    bits = width(element)
    codes = special_values(element)[:VALUES]
    codes = [code % (1 << bits) for code in codes]
    while len(codes) < VALUES:
        code = rng.getrandbits(bits)
        if element in FLOATS and rng.random() < 0.7:
            mantissa = FLOATS[element][1]
            bias = ((1 << (bits - mantissa - 1)) - 1) >> 1
            code &= (1 << mantissa) - 1 | 1 << (bits - 1)
            code |= bias + rng.randrange(-3, 4) << mantissa
        codes.append(code)
    return codes


def dense(element, codes):
    if element == "i1":
        return f"dense<[{', '.join('true' if code else 'false' for code in codes)}]>"
    size = width(element) // 8
    data = b"".join(code.to_bytes(size, "little") for code in codes)
    return f'dense<"0x{data.hex().upper()}">'


def tensor(element, *shape):
    return f"tensor<{'x'.join(map(str, shape or (COUNT,)))}x{element}>"


def arithmetic(element):
    """Operations with the operands' type as their result's."""
    if element in FLOATS:
        unary, binary = FLOAT_UNARY, FLOAT_BINARY
    elif element == "i1":
        unary, binary = "not", I1_BINARY
    else:
        unary, binary = INT_UNARY, INT_BINARY
    this = tensor(element)
    for name in unary.split():
        yield f"mlopt.{name} %a : {this}"
    for name in binary.split():
        yield f"mlopt.{name} %a, %b : {this}"
    yield f"mlopt.clamp %a, %b, %a : {this}"
    yield f"mlopt.clamp %b, %a, %a : {this}"
    yield f"mlopt.select %c, %a, %b : {this}"
    if element in FLOATS:
        for exponent, mantissa in PRECISIONS:
            yield (
                f"mlopt.reduce_precision %a exponent {exponent} mantissa "
                f"{mantissa} : {this}"
            )


def comparisons(element):
    this = tensor(element)
    if element in FLOATS:
        yield f"mlopt.isfinite %a : {this}"
    for name in (SIGNED if element in FLOATS else f"{SIGNED} {UNSIGNED}").split():
        yield f"mlopt.compare {name}, %a, %b : {this}"


def conversions(element):
    """Pairs of an operation and its result's shape and element type."""
    this = tensor(element)
    for other in [*FLOATS, *INTS]:
        that = tensor(other)
        yield f"mlopt.convert %a : {this} -> {that}", (COUNT,), other
        if element in INTS or other in INTS:
            yield f"mlopt.convertu %a : {this} -> {that}", (COUNT,), other
        if "i1" in (element, other):
            continue
        if width(other) > width(element):
            ratio = width(other) // width(element)
            yield (
                f"mlopt.bitcast %by{ratio} : {tensor(element, COUNT // ratio, ratio)}"
                f" -> {tensor(other, COUNT // ratio)}"
            ), (COUNT // ratio,), other
        else:
            ratio = width(element) // width(other)
            shape = (FEW, ratio) if ratio > 1 else (FEW,)
            yield (
                f"mlopt.bitcast %few : {tensor(element, FEW)} -> "
                f"{tensor(other, *shape)}"
            ), shape, other


def main(element):
    results = [(op, (COUNT,), element) for op in arithmetic(element)]
    results += [(op, (COUNT,), "i1") for op in comparisons(element)]
    results += conversions(element)
    codes = values(element)
    left = [code for code in codes for _ in codes]
    right = codes * VALUES
    this = tensor(element)
    lines = [
        f"%a = mlopt.constant {dense(element, left)} : {this}",
        f"%b = mlopt.constant {dense(element, right)} : {this}",
        f"%c = mlopt.compare lt, %a, %b : {this}",
        f"%few = mlopt.constant {dense(element, right[:FEW])} : {tensor(element, FEW)}",
    ]
    lines += [
        f"%by{n} = mlopt.reshape %a : {this} -> {tensor(element, COUNT // n, n)}"
        for n in (2, 4, 8)
    ]
    names, types = [], []
    for i, (op, shape, result) in enumerate(results):
        lines.append(f"%r{i} = {op}")
        names.append(f"%r{i}")
        types.append(tensor(result, *shape))
        if result not in FLOATS:
            continue
        bits = tensor(f"i{width(result)}", *shape)
        nan = f"0x{nan_bits(result):0{width(result) // 4}X}"
        lines += [
            f"%nan{i} = mlopt.constant dense<{nan}> : {types[-1]}",
            f"%is{i} = mlopt.compare ne, %r{i}, %r{i} : {types[-1]}",
            f"%n{i} = mlopt.select %is{i}, %nan{i}, %r{i} : {types[-1]}",
            f"%b{i} = mlopt.bitcast %n{i} : {types[-1]} -> {bits}",
        ]
        names[-1], types[-1] = f"%b{i}", bits
    print(f"func.func @main() -> ({', '.join(types)}) {{")
    print("".join(f"  {line}\n" for line in lines), end="")
    print(f"  return {', '.join(names)} : {', '.join(types)}\n}}")


main(sys.argv[1])
