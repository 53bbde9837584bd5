# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element types: how other libraries name them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Element:
    """What may stand for an element type.

    names: of dtypes, as PyTorch, NumPy, JAX and CuPy all spell them; results
    are made with the first. size: in bytes. typestrs: of the array interfaces.
    packed: two to a byte, handed over as a row of bytes. DLPack's types are in
    the runtime's elements.def.
    """

    names: tuple[str, ...]
    size: int
    typestrs: tuple[str, ...]
    packed: bool = False


def _integer(bits: int) -> Element:
    size = bits // 8
    order = "|" if size == 1 else "<"
    return Element((f"int{bits}", f"uint{bits}"), size,
                   (f"{order}i{size}", f"{order}u{size}"))


# Integers have no sign here: either one will do. bf16 and f8 have no typestr
# of their own; libraries that offer one write them as raw bytes.
ELEMENTS: dict[str, Element] = {
    "f64": Element(("float64",), 8, ("<f8",)),
    "f32": Element(("float32",), 4, ("<f4",)),
    "f16": Element(("float16",), 2, ("<f2",)),
    "bf16": Element(("bfloat16",), 2, ("<V2", "|V2")),
    "f8E4M3FN": Element(("float8_e4m3fn",), 1, ("|V1", "<V1")),
    "f8E5M2": Element(("float8_e5m2",), 1, ("|V1", "<V1")),
    "i1": Element(("bool",), 1, ("|b1",)),
    "i4": Element(("uint8", "int8"), 1, ("|u1", "|i1"), True),
    "i8": _integer(8),
    "i16": _integer(16),
    "i32": _integer(32),
    "i64": _integer(64),
    "index": _integer(64),
}
