"""Prints a matrix product: M N K FACTORS RESULT LAYOUT [relu] [fast] [SCHEDULE].

LAYOUT says whether each factor is transposed: nt is A[M, K] times B[N, K]. With
relu, a bias and a ReLU follow in f32, before the result is rounded. fast is its
numerics mode. SCHEDULE is what is pinned: the text of entries of mlopt.schedule.
"""

import sys

RELU = """
    %1 = mlopt.broadcast %v dims [1] : tensor<{n}xf32> -> {sums}
    %2 = mlopt.add %0, %1 : {sums}
    %3 = mlopt.constant dense<0.0> : {sums}
    %4 = mlopt.max %2, %3 : {sums}
    %5 = mlopt.convert %4 : {sums} -> {out}"""


def main(m, n, k, factors, result, layout, *options):
    epilogue = "relu" in options
    mode = " {numerics = #mlopt.numerics<fast>}" if "fast" in options else ""
    pins = [o for o in options if "=" in o]
    schedule = f'family = "matmul", {pins[0]}' if pins else ""
    pin = f" {{mlopt.schedule = {{{schedule}}}}}" if pins else ""
    a = [m, k] if layout[0] == "n" else [k, m]
    b = [k, n] if layout[1] == "n" else [n, k]
    lhs = f"tensor<{a[0]}x{a[1]}x{factors}>"
    rhs = f"tensor<{b[0]}x{b[1]}x{factors}>"
    bias = f"tensor<{n}xf32>"
    out = f"tensor<{m}x{n}x{result}>"
    sums = f"tensor<{m}x{n}xf32>" if epilogue else out
    last, rest = "%0", ""
    if epilogue:
        last, rest = "%5", RELU.format(n=n, sums=sums, out=out)
    print(
        f"func.func @main(%a: {lhs}, %b: {rhs}, %c: {bias}) -> {out} {{\n"
        f"  %r = mlopt.fusion (%x = %a : {lhs}, %y = %b : {rhs}, %v = %c : {bias}) -> {out} {{\n"
        f"    %0 = mlopt.dot %x, %y contract [{a.index(k)}] x [{b.index(k)}]{mode} : "
        f"({lhs}, {rhs}) -> {sums}{rest}\n"
        f"    mlopt.yield {last} : {out}\n"
        f"  }}{pin}\n"
        f"  return %r : {out}\n}}"
    )


main(*sys.argv[1:])
