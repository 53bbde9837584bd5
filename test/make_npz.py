"""make_npz.py FILE NAME:TYPE:SHAPE:VALUES...: writes arrays as numpy does.

TYPE is numpy's name of an element type (f4, i8, b1, ...), SHAPE is like 2,3 and
empty for a scalar, VALUES are separated by commas, and one alone fills the
array. For example: make_npz.py x.npz in0:f4:2,3:0 in1:i4::7
"""

import math
import struct
import sys
import zipfile

CODES = {"f8": "d", "f4": "f", "f2": "e", "b1": "?"}
CODES |= {f"{kind}{size}": code for kind, codes in (("i", "bhiq"), ("u", "BHIQ"))
          for size, code in zip((1, 2, 4, 8), codes)}


def encode(type_, shape, values):
    sizes = tuple(int(size) for size in shape.split(",") if size)
    parse = float if type_[0] == "f" else int
    numbers = [parse(value) for value in values.split(",") if value]
    if len(numbers) == 1:
        numbers *= math.prod(sizes)
    order = "|" if type_[1] == "1" else "<"
    header = f"{{'descr': '{order}{type_}', 'fortran_order': False, 'shape': {sizes}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(numbers)}{CODES[type_]}", *numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for argument in sys.argv[2:]:
        name, type_, shape, values = argument.split(":")
        archive.writestr(name + ".npy", encode(type_, shape, values))
