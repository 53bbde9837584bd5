#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes seeds for the loader's fuzzer: real artifacts without their kernels.

  test/fuzz/artifact_seeds.py DIR ARTIFACT...

PTX is most of an artifact, and the loader does not look into it. In a seed it
is a line for each kernel, and there are neither cubins nor the program, so that
what a fuzzer changes is the plan. The loader accepts what this writes.
"""

import os
import struct
import sys

HEADER, SECTIONS, ALIGNMENT = 128, 5, 64  # of runtime/artifact.h
PLAN_MODULES, MODULE_PTX, MODULE_CUBINS = 3, 3, 4  # of runtime/artifact.proto
TEXT = b".version 8.6\n\0"


# ---- The plan's encoding, protobuf's -----------------------------------------


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def fields(message):
    """(number, value) of each: an int, or bytes."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        value, at = read_varint(message, at)
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        elif key & 7:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value) if value else b""
    return varint(number << 3 | 2) + varint(len(value)) + value


# ---- Artifacts ---------------------------------------------------------------


def without_kernels(plan):
    """The plan, and the section of PTX that it refers to."""
    out, ptx = bytearray(), bytearray()
    for number, value in fields(plan):
        if number == PLAN_MODULES:
            module = bytearray()
            for inner, part in fields(value):
                if inner == MODULE_PTX:
                    part = field(1, len(ptx)) + field(2, len(TEXT))
                    ptx += TEXT
                if inner != MODULE_CUBINS:
                    module += field(inner, part)
            value = bytes(module)
        out += field(number, value)
    return bytes(out), bytes(ptx)


def checksum(state, data):
    """mloptChecksum."""
    prime, mask = 0x9E3779B185EBCA87, (1 << 64) - 1
    lanes = [(state + prime * (i + 1)) & mask for i in range(4)]
    whole = len(data) // 32 * 32
    for at in range(0, whole, 32):
        for i, word in enumerate(struct.unpack_from("<4Q", data, at)):
            mixed = (lanes[i] ^ word) * prime & mask
            lanes[i] = mixed ^ mixed >> 29
    value = len(data) * prime & mask
    for lane in lanes:
        value = (value ^ lane) * prime & mask
        value ^= value >> 32
    for byte in data[whole:]:
        value = (value ^ byte) * prime & mask
    return value ^ value >> 31


def shrink(artifact):
    spans = [struct.unpack_from("<QQ", artifact, 32 + 16 * i)
             for i in range(SECTIONS)]
    plan, constants = (artifact[at:at + size] for at, size in spans[:2])
    plan, ptx = without_kernels(plan)
    body, table = bytearray(), b""
    for section in (plan, constants, ptx, b"", b""):
        body += bytes(-len(body) % ALIGNMENT)
        table += struct.pack("<QQ", HEADER + len(body), len(section))
        body += section
    start = artifact[:16] + struct.pack("<Q", HEADER + len(body))
    rest = table + bytes(HEADER - 32 - len(table))
    seal = checksum(checksum(0, start + bytes(8) + rest), bytes(body))
    return start + struct.pack("<Q", seal) + rest + body


def main():
    folder, *paths = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for path in paths:
        with open(path, "rb") as file:
            seed = shrink(file.read())
        with open(os.path.join(folder, os.path.basename(path)), "wb") as file:
            file.write(seed)


if __name__ == "__main__":
    main()
