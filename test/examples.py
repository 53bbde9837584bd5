"""Reads the page of operations and prints its examples as one program.

Each example becomes a function. What it uses without defining becomes an
argument, whose type the example's own type list tells: `T` for all operands,
`T, U -> V` or `(T, U) -> V` for one after the other.
"""

import re
import sys


def split_types(text):
    """The types of a list, split at commas outside brackets."""
    types, depth, start = [], 0, 0
    for at, char in enumerate(text + ","):
        depth += (char in "<({") - (char in ">)}" and text[at - 1] != "-")
        if char == "," and depth == 0:
            types.append(text[start:at].strip())
            start = at + 1
    return [type_ for type_ in types if type_]


def operand_types(example, count):
    """The types of an operation's `count` operands."""
    text = example.rsplit(" : ", 1)[1].split("->")[0].strip()
    if text.startswith("("):
        text = text[1 : text.rindex(")")]
    types = split_types(text.rstrip(")"))
    return types if len(types) == count else types * count


def function(number, example):
    head = example.split("{")[0]
    results, operation = head.split(" = ", 1) if " = " in head else ("", head)
    operands = re.findall(r"%\w+", operation.rsplit(" : ", 1)[0])
    types = operand_types(head, len(operands))
    if operation.startswith("mlopt.select") and types[0] == types[1]:
        types[0] = re.sub(r"(?<=x)[a-z]\w*>$", "i1>", types[0])  # not printed when so
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in
                          dict(zip(operands, types)).items())
    return f"func.func @example{number}({arguments}) {{\n  {example}\n  return\n}}\n"


page = sys.stdin.read()
# A terminator is no statement of a function.
examples = [text for text in re.findall(r"```mlir\n(.*?)\n```", page, re.S)
            if not text.startswith("mlopt.yield")]
for number, example in enumerate(examples):
    print(function(number, example))
