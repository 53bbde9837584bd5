"""Prints a program of mode strict whose one kernel takes a function of what is known
when it is compiled.

    known.py FUNCTION ELEMENT WAY

WAY is how its argument comes to be constant: `splat`, one element of an `iota`,
one of two that an argument selects (`select`), or each element of an iota in a
loop that reduces them (`loop`).
"""

import sys

function, element, way = sys.argv[1:]
n = 4 if way == "loop" else 1
given, made = f"tensor<{n}xi32>", f"tensor<{n}x{element}>"
result = f"tensor<{element}>" if way == "loop" else made
ways = {
    "splat": f"%x = mlopt.constant dense<0.703125> : {made}",
    "iota": f"""%i = mlopt.iota dim 0 : tensor<9x{element}>
  %x = mlopt.slice %i starts [3] limits [4] strides [1] : tensor<9x{element}> -> {made}""",
    "select": f"""%b = mlopt.constant dense<0.703125> : {made}
  %c = mlopt.constant dense<1.328125> : {made}
  %z = mlopt.constant dense<0> : {given}
  %p = mlopt.compare lt, %a, %z : {given}
  %x = mlopt.select %p, %b, %c : {made}""",
    "loop": f"""%i = mlopt.iota dim 0 : {made}
  %b = mlopt.constant dense<0.703125> : {made}
  %x = mlopt.add %i, %b : {made}""",
}
last = f"%r = mlopt.reduce add %y dims [0] : ({made}) -> {result}" if way == "loop" else ""
print(f"""func.func @main(%a: {given}) -> {result}
    attributes {{mlopt.numerics = #mlopt.numerics<strict>, mlopt.expect = {{kernels = 1}}}} {{
  {ways[way]}
  %y = mlopt.{function} %x : {made}
  {last}
  return %{"r" if last else "y"} : {result}
}}""")
