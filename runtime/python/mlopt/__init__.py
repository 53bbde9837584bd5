# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that mlopt compiled, from Python, on an NVIDIA GPU.

    import mlopt

    softmax = mlopt.load("softmax.mlopt")
    y = softmax(x)                  # torch in, torch out, on torch's stream
    softmax(x, out=y)               # into memory that is there
    softmax(x, out=y, stream=s)     # on a stream of the caller's

    double = mlopt.compile('''
      func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %y = mlopt.add %x, %x : tensor<8xf32>
        return %y : tensor<8xf32>
      }''')

Arguments and results may be anything that has `data_ptr` (PyTorch), DLPack
(`__dlpack__`: JAX, CuPy and others) or `__cuda_array_interface__`. Nothing is
copied. NumPy arrays are the exception: they are copied to the GPU, the results
come back as NumPy arrays, and the call waits.

Without `out=`, results are made by the library of the first argument.

Streams. With PyTorch and CuPy a program runs on their current stream and the
call returns at once. Other libraries, JAX among them, have no current stream:
the program then runs on the default stream, after what produced its arguments,
and the call waits for it. With `stream=` (a handle, or a stream object of
PyTorch or CuPy) a call never waits, and the memory must stay until the run has
ended. A stream that is given by its handle must outlive the program, or the
program's `close()` comes first.

Threads. A program may be called from any number of threads and on any number
of streams: each thread keeps an instance, with an arena, for each stream that
it used, until `close()`. While PyTorch captures a graph, a call becomes part of
it; keep the program as long as the graph, and replay graphs that were captured
on one stream one after the other.

Needs `libmlopt_runtime.so` and NVIDIA's driver, and no Python package. The
environment may say where things are: MLOPT_RUNTIME_LIBRARY (the library),
MLOPT_COMPILE (the tool that `compile` calls), MLOPT_LIBCUDA (another driver).
"""

from ._compile import compile
from ._library import Code, Error
from ._program import Device, Program, Statistics, TensorInfo, load

__all__ = [
    "Code",
    "Device",
    "Error",
    "Program",
    "Statistics",
    "TensorInfo",
    "compile",
    "load",
]
