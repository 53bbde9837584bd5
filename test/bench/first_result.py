#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that gets one result of softmax(gelu(x w1) w2) and says when.

  first_result.py ours|text|compile|xla START FILE [COMPILER]

START is time.monotonic() of whoever starts it. Prints, in milliseconds:
context_ms, from the start until the driver's context is up; after_context_ms,
from then to the first result in host memory; ms, their sum.
"""

import ctypes
import os
import sys
import time

WAY, START = sys.argv[1], float(sys.argv[2])
HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, WIDTH, HIDDEN = 512, 512, 2048


def bring_up_context():
    """cuInit and the primary context, as everyone needs them."""
    driver = ctypes.CDLL(os.environ.get("MLOPT_LIBCUDA") or "libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    for error in (driver.cuInit(0),
                  driver.cuDeviceGet(ctypes.byref(device), 0),
                  driver.cuDevicePrimaryCtxRetain(ctypes.byref(context),
                                                  device)):
        if error:
            sys.exit(f"the driver says {error}")


# bf16 numbers between 2^-7 and 1, of either sign, from random high bytes.
HIGH = bytes(i & 0x80 | 0x3C | i & 3 for i in range(256))


def random_numbers(count):
    block = bytearray(os.urandom(2 * count))
    block[1::2] = block[1::2].translate(HIGH)
    return block


def run_ours(path, compiler):
    """Through the C API, with host memory."""
    sys.path.insert(0, os.path.join(HERE, "..", "..", "runtime", "python"))
    import mlopt
    os.environ.setdefault("MLOPT_COMPILE", compiler)
    inputs = [random_numbers(n) for n in (ROWS * WIDTH, WIDTH * HIDDEN,
                                          HIDDEN * WIDTH)]
    bring_up_context()
    up = time.monotonic()
    device = mlopt.Device(0, cache_directory="")
    program = (mlopt.compile(path, device=device) if WAY == "text" else
               mlopt.load(path, device=device))
    outputs = [bytearray(info.byte_size) for info in program.results]
    at = [(ctypes.c_void_p * len(blocks))(*(
        ctypes.addressof(ctypes.c_char.from_buffer(b)) for b in blocks))
        for blocks in (inputs, outputs)]
    instance = program._instance(None, None)
    mlopt._library.check(mlopt._library.library().mloptRunOnHostData(
        instance.handle, *at))
    assert any(outputs[0])
    return up


def run_torch():
    import torch
    import torch.nn.functional as F

    def f(x, w1, w2):
        return torch.softmax(F.gelu(x @ w1, approximate="tanh") @ w2, -1)

    bring_up_context()
    up = time.monotonic()
    tensors = [torch.randn(s, device="cuda", dtype=torch.bfloat16)
               for s in ((ROWS, WIDTH), (WIDTH, HIDDEN), (HIDDEN, WIDTH))]
    torch.compile(f, dynamic=False)(*tensors).cpu()
    return up


def run_jax():
    import jax
    import jax.numpy as jnp

    def f(x, w1, w2):
        return jax.nn.softmax(jax.nn.gelu(x @ w1, approximate=True) @ w2, -1)

    bring_up_context()
    up = time.monotonic()
    arrays = [jax.random.normal(jax.random.key(i), s, jnp.bfloat16) for i, s in
              enumerate(((ROWS, WIDTH), (WIDTH, HIDDEN), (HIDDEN, WIDTH)))]
    jax.device_get(jax.jit(f)(*arrays))
    return up


def main():
    if WAY in ("ours", "text"):
        up = run_ours(sys.argv[3], (sys.argv + ["", ""])[4])
    else:
        up = run_torch() if WAY == "compile" else run_jax()
    end = time.monotonic()
    print(f"context_ms={(up - START) * 1e3:.1f}")
    print(f"after_context_ms={(end - up) * 1e3:.1f}")
    print(f"ms={(end - START) * 1e3:.1f}")


if __name__ == "__main__":
    main()
