#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests runtime/python/mlopt with the stand-in driver, whose GPU memory is the
host's, and the programs of runtime_plans.h.

  python_test.py BUILD            a build of the runtime; --time times calls

Needs neither a GPU nor a Python package; NumPy's part is skipped without it.
"""

import ctypes
import gc
import glob
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "runtime", "python"))

WIDTH = 8
SINGLE, CHAIN, COPIES, CONSTANT, LOOP, SWITCH, EMPTY = 0, 1, 3, 5, 7, 9, 10
STREAM = 0x5000  # the stand-in does not look at it

try:
    import numpy
except ImportError:
    numpy = None


# ---- The stand-in driver and its kernels -------------------------------------

KERNEL = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p))
keep = []


def value(parameters, index, kind):
    return ctypes.cast(parameters[index], ctypes.POINTER(kind))[0]


def floats(parameters, index):
    return (ctypes.c_float * WIDTH).from_address(
        value(parameters, index, ctypes.c_uint64))


def add1(parameters):
    for i, x in enumerate(list(floats(parameters, 0))):
        floats(parameters, 1)[i] = x + 1


def scale(parameters):
    by = value(parameters, 2, ctypes.c_float)
    for i, x in enumerate(list(floats(parameters, 0))):
        floats(parameters, 1)[i] = x * by


def add(parameters):
    for i in range(WIDTH):
        floats(parameters, 2)[i] = (floats(parameters, 0)[i] +
                                    floats(parameters, 1)[i])


def define_kernels(driver):
    unused = lambda parameters: None
    for name, body, sizes in (
            ("add1", add1, (8, 8)), ("scale", scale, (8, 8, 4)),
            ("sum", add, (8, 8, 8)), ("load", unused, (128, 8)),
            ("less", unused, (8, 4, 8)), ("inc", unused, (8,))):
        body = KERNEL(body)
        keep.append(body)
        driver.fakeDefineKernel(name.encode(), body, len(sizes),
                                (ctypes.c_size_t * len(sizes))(*sizes))


def set_up(build):
    """Opens everything; returns the folder of the programs."""
    global driver, mlopt
    find = lambda pattern: glob.glob(os.path.join(build, pattern))[0]
    fakes = [build, os.path.join(build, "runtime")]
    fake = next(path for path in (os.path.join(f, "fake", "libcuda.so.1")
                                  for f in fakes) if os.path.exists(path))
    os.environ["MLOPT_LIBCUDA"] = fake
    os.environ["MLOPT_RUNTIME_LIBRARY"] = find("lib/libmlopt_runtime.so.0")
    driver = ctypes.CDLL(fake)
    driver.fakeTrace.restype = ctypes.c_char_p
    define_kernels(driver)
    folder = tempfile.TemporaryDirectory()
    keep.append(folder)
    os.environ["XDG_CACHE_HOME"] = folder.name
    subprocess.run([find("bin/runtime_write_plan"), folder.name], check=True,
                   stdout=subprocess.DEVNULL)
    import mlopt
    return folder.name


# ---- Tensors of made-up libraries --------------------------------------------


class Memory:
    """Eight floats "on the GPU"; its subclasses hand them over."""

    def __init__(self, values=(0.0,) * WIDTH):
        self.block = (ctypes.c_float * (WIDTH + 4))(*([0.0] * 4), *values)

    @property
    def address(self):
        return (ctypes.addressof(self.block) + 15) // 16 * 16

    @property
    def values(self):
        return list((ctypes.c_float * WIDTH).from_address(self.address))

    @classmethod
    def of(cls, values, **more):
        self = cls()
        (ctypes.c_float * WIDTH).from_address(self.address)[:] = values
        self.__dict__.update(more)
        return self


class Pointed(Memory):
    def data_ptr(self):
        return self.address


class Described(Pointed):
    shape, dtype, contiguous = (WIDTH,), "float32", True

    def is_contiguous(self):
        return self.contiguous


class Interface(Memory):
    typestr, shape, strides, stream = "<f4", (WIDTH,), None, None

    @property
    def __cuda_array_interface__(self):
        return {"typestr": self.typestr, "shape": self.shape, "version": 3,
                "data": (self.address, False), "strides": self.strides,
                "stream": self.stream}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("device", ctypes.c_int32),
                ("ordinal", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_uint64),
                ("strides", ctypes.c_uint64), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_uint64), ("deleter", ctypes.c_uint64)]


class Exchange(Memory):
    """Offers DLPack, and an array namespace to make more."""

    device, ordinal, code, bits, shape, strides = 2, 0, 2, 32, (WIDTH,), None
    streams = ()

    def __dlpack__(self, stream=None):
        self.streams += (stream,)
        self.sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        self.steps = self.strides and (ctypes.c_int64 * len(self.strides))(
            *self.strides)
        at = lambda array: ctypes.addressof(array) if array else 0
        self.tensor = DLTensor(self.address - 4, self.device, self.ordinal,
                               len(self.shape), self.code, self.bits, 1,
                               at(self.sizes), at(self.steps), 4)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def __array_namespace__(self):
        def empty(shape, *, dtype):
            assert shape == (WIDTH,) and dtype == "an f32"
            return Exchange()

        return types.SimpleNamespace(empty=empty, float32="an f32")


def make_torch(guards=False):
    """A module that has what mlopt uses of PyTorch."""
    torch = types.ModuleType("torch")

    class Float32:
        def __str__(self):
            return "torch.float32"

    class Tensor(Described):
        dtype, where, strange = Float32(), 0, False

        def get_device(self):
            return self.where

        def stride(self):
            return (1,) if self.contiguous else (2,)

    def empty(shape, *, dtype, device):
        assert (shape, dtype) == ((WIDTH,), torch.float32)
        assert device == ("cuda", 0)
        return Tensor()

    torch.Tensor, torch.empty = Tensor, empty
    torch.float32 = Tensor.dtype
    torch.device = lambda kind, ordinal: (kind, ordinal)
    torch.cuda = types.SimpleNamespace(is_initialized=lambda: True,
                                       current_device=lambda: 0)
    torch._C = types.SimpleNamespace(
        _cuda_getCurrentRawStream=lambda ordinal: STREAM)
    if guards:
        torch._C._dynamo = types.SimpleNamespace(
            guards=types.SimpleNamespace(TensorGuards=Guards))
    return torch


class Guards:
    """PyTorch's check of several tensors at once. It may say no to what fits:
    here to a tensor that comes twice, as PyTorch's does, and to `strange`."""

    made = said_yes = 0

    def __init__(self, *tensors, dynamic_dims_sizes, dynamic_dims_strides):
        assert dynamic_dims_sizes is None and dynamic_dims_strides is None
        self.like = [self.about(t) for t in tensors]
        Guards.made += 1

    @staticmethod
    def about(t):
        return type(t), t.dtype, t.shape, t.contiguous, t.where, t.strange

    def check(self, *tensors):
        if len(tensors) != len(self.like):
            raise TypeError("wrong length")
        yes = (len({id(t) for t in tensors}) == len(tensors)
               and all(hasattr(t, "where") and self.about(t) == about
                       for t, about in zip(tensors, self.like)))
        Guards.said_yes += yes
        return yes


X = [float(i) for i in range(WIDTH)]


# ---- Tests -------------------------------------------------------------------


class Calls(unittest.TestCase):
    def setUp(self):
        # Instances that exceptions of other tests hold are waited for, and
        # counted, when they go.
        gc.collect()

    def load(self, number, **options):
        return mlopt.load(os.path.join(folder, f"{number}.mlopt"), **options)

    def fails(self, words, function, *arguments, **more):
        with self.assertRaises(mlopt.Error) as caught:
            function(*arguments, **more)
        self.assertIn(words, str(caught.exception))
        return caught.exception

    def test_signature(self):
        program = self.load(SWITCH)
        self.assertEqual(program.entry, "main")
        self.assertEqual(program.arguments[0], ("x", "f32", (WIDTH,), 32, 16))
        self.assertEqual(program.arguments[1][:3], ("s", "i32", ()))
        self.assertEqual(program.results[0].name, "y")
        self.assertIn("(8xf32, i32) -> (8xf32)", repr(program))
        self.assertIn("sm_90", repr(program.device))
        self.assertIn("add1", program.explain())

    def test_pointers(self):
        for kind in (Pointed, Described, Interface, Exchange):
            program = self.load(SINGLE)
            x, y = kind.of(X), kind()
            self.assertIs(program(x, out=y), y)
            self.assertEqual(y.values, [v + 1 for v in X])
            self.assertEqual(program(y, out=[x], stream=STREAM), [x])
            self.assertEqual(x.values, [v + 2 for v in X])

    def test_several_results(self):
        program = self.load(COPIES)
        y, z = Pointed(), Pointed()
        program(Pointed.of(X), out=(y, z))
        self.assertEqual(y.values, X)
        self.assertEqual(bytes(z.block)[z.address - ctypes.addressof(z.block):]
                         [:4], b"\7\0\7\0")
        self.fails("gives 2 results, out= has 1", program, y, out=(y,))
        self.fails("out= must be a sequence", program, y, out=y)

    def test_no_elements(self):
        program = self.load(EMPTY)
        nothing = Interface.of(X, shape=(0, 4), strides=(16, 4))
        program(nothing, out=Interface.of(X, typestr="<V2", shape=(0,)))

    def test_short_way(self):
        """Later calls check and bind as the first does."""
        program = self.load(COPIES)
        pairs = [(Exchange.of(X), Exchange(), Exchange.of(X, bits=16, code=0))
                 for _ in range(3)]
        for i in range(9):
            x, y, z = pairs[i % 3]
            (ctypes.c_float * WIDTH).from_address(y.address)[:] = [0.0] * WIDTH
            self.assertEqual(program(x, out=(y, z), stream=STREAM), (y, z))
            self.assertEqual(y.values, X)
        self.assertEqual(program.statistics().runs, 9)
        wrong = Exchange.of(X, shape=(9,))
        self.fails("main: argument 0 (x): shape is (9)", program, wrong,
                   out=(y, z), stream=STREAM)
        self.fails("main: result 0 (y): elements are", program, x, out=(z, y),
                   stream=STREAM)
        self.fails("gives 2 results, out= has 1", program, x, out=[y],
                   stream=STREAM)
        self.fails("takes 1 arguments, 0 were given", program, out=(y, z),
                   stream=STREAM)
        program(Pointed.of(X), out=(y, z), stream=STREAM)  # another kind
        again = Exchange.of(X, block=x.block)
        self.fails("share memory", program, x, out=(again, z), stream=STREAM)
        program(x, out=(y, z), stream=STREAM)
        self.assertEqual(program.statistics().runs, 11)

    def test_making_results(self):
        program = self.load(SINGLE)
        y = program(Exchange.of(X))
        self.assertEqual(y.values, [v + 1 for v in X])
        self.fails("result 0 (y): cannot be made by the library of Pointed; "
                   "pass out=", program, Pointed.of(X))

    def test_mistakes(self):
        program, y = self.load(SINGLE), Pointed()
        for tensor, words in (
                (Described.of(X, shape=(4, 2)), "shape is (4, 2), not (8,)"),
                (Described.of(X, dtype="float64"),
                 "elements are float64, not float32"),
                (Described.of(X, contiguous=False), "is not contiguous"),
                (Interface.of(X, typestr="<f8"), "elements are <f8, not <f4"),
                (Interface.of(X, shape=(8, 1)), "shape is (8, 1), not (8,)"),
                (Interface.of(X, strides=(8,)), "is not contiguous"),
                (Exchange.of(X, device=1), "is on the CPU; the program is on"),
                (Exchange.of(X, ordinal=3), "is on GPU 3; the program is on"),
                (Exchange.of(X, bits=64),
                 "elements are of DLPack's type 2 with 64 bits, not f32"),
                (Exchange.of(X, shape=(9,)), "shape is (9), not (8)"),
                (Exchange.of(X, shape=(2, 4)), "shape is (2x4), not (8)"),
                (Exchange.of(X, strides=(2,)), "is not contiguous"),
                ([1.0] * 8, "is a list, which has neither data_ptr")):
            self.fails("main: argument 0 (x): " + words, program, tensor, out=y)
            self.fails("main: result 0 (y): " + words, program, Pointed.of(X),
                       out=tensor if not isinstance(tensor, list) else [tensor])
        self.fails("takes 1 arguments, 2 were given", program, y, y)
        self.fails("stream= is a str", program, y, out=y, stream="s")
        x = Pointed.of(X)
        x.data_ptr = lambda: x.address + 4
        self.fails("main", program, x, out=y)  # the runtime knows of alignment
        program(Pointed.of(X), out=y)
        self.assertEqual(y.values, [v + 1 for v in X])

    def test_streams(self):
        program, y = self.load(SINGLE), Pointed()
        count = lambda: driver.fakeCount(b"cuStreamSynchronize")
        before = count()
        program(Pointed.of(X), out=y)  # nobody else would wait
        self.assertEqual(count(), before + 1)
        for stream in (STREAM, types.SimpleNamespace(cuda_stream=STREAM),
                       types.SimpleNamespace(ptr=STREAM),
                       types.SimpleNamespace(
                           __cuda_stream__=lambda: (0, STREAM)),
                       types.SimpleNamespace(
                           handle=ctypes.c_void_p(STREAM))):
            program(Pointed.of(X), out=y, stream=stream)
        self.assertEqual(count(), before + 1)
        x = Exchange.of(X)
        program(x, out=y)
        program(x, out=y, stream=STREAM)
        self.assertEqual(x.streams, (1, STREAM))
        # One that is written on another stream is waited for.
        before = count()
        program(Interface.of(X, stream=STREAM), out=y, stream=STREAM)
        program(Interface.of(X, stream=1), out=y, stream=0)
        self.assertEqual(count(), before)
        program(Interface.of(X, stream=STREAM + 1), out=y, stream=STREAM)
        self.assertEqual(count(), before + 1)

    def test_bindings(self):
        program = self.load(CHAIN)
        tensors = [(Pointed.of(X), Pointed()) for _ in range(3)]
        for _ in range(5):
            for x, y in tensors:
                program(x, out=y, stream=STREAM)
        for _, y in tensors:
            self.assertEqual(y.values, [(v + 1) * 3 + 1 for v in X])
        done = program.statistics()
        self.assertEqual((done.runs, done.graph_launches), (15, 15))
        self.assertGreater(done.bindings_recalled, 0)
        plain = self.load(CHAIN, mode="plain")
        plain(*tensors[0][:1], out=tensors[0][1])
        self.assertEqual(plain.statistics().plain_steps, 3)
        self.fails("mode is 'fast'", self.load, CHAIN, mode="fast")

    def test_failures(self):
        error = self.fails("nothing.mlopt", mlopt.load, "nothing.mlopt")
        self.assertEqual(error.code, mlopt.Code.IO)
        self.fails("has no entry tail; it has main", self.load, SINGLE,
                   entry="tail")
        path = os.path.join(folder, "bad.mlopt")
        with open(path, "wb") as file:
            file.write(b"nothing" * 100)
        error = self.fails("", mlopt.load, path)
        self.assertEqual(error.code, mlopt.Code.BAD_ARTIFACT)
        program, x, y = self.load(SINGLE), Pointed.of(X), Pointed()
        driver.fakeFail(b"cuLaunchKernelEx", 1, 1)
        error = self.fails("kernel add1", program, x, out=y)
        self.assertEqual((error.code, error.driver_error),
                         (mlopt.Code.LAUNCH, 1))
        program(x, out=y)
        self.assertEqual(y.values, [v + 1 for v in X])

    def test_threads(self):
        program, wrong = self.load(CHAIN), []

        def work(number):
            x, y = Pointed.of([v * number for v in X]), Pointed()
            for i in range(100):
                program(x, out=y, stream=STREAM + i % 2)
                if y.values != [(v * number + 1) * 3 + 1 for v in X]:
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_nothing_is_left(self):
        gc.collect()
        before = driver.fakeLive()
        program, x, y = self.load(CHAIN), Pointed.of(X), Pointed()
        loaded = driver.fakeLive()
        with program:
            program(x, out=y)
            thread = threading.Thread(target=program, args=(x,),
                                      kwargs={"out": y})
            thread.start()
            thread.join()
            program(x, out=y, stream=STREAM)
            self.assertGreater(driver.fakeLive(), loaded)
        gc.collect()
        self.assertEqual(driver.fakeLive(), loaded)
        program(x, out=y)
        del program
        gc.collect()
        self.assertEqual(driver.fakeLive(), before)

    def test_device(self):
        lines, blocks = [], {}

        def allocate(size):
            block = ctypes.create_string_buffer(size + 256)
            at = (ctypes.addressof(block) + 255) // 256 * 256
            blocks[at] = block
            return at

        device = mlopt.Device(0, cache_directory="", compile_threads=1,
                              log=lambda level, line: lines.append(line),
                              allocate=allocate, release=blocks.pop)
        program = self.load(CHAIN, device=device)
        y = Pointed()
        program(Pointed.of(X), out=y)
        self.assertEqual(y.values, [(v + 1) * 3 + 1 for v in X])
        self.assertTrue(blocks and lines)
        del program
        gc.collect()
        self.assertFalse(blocks)
        self.fails("go together", mlopt.Device, 0, allocate=allocate)

        def refuse(size):
            raise MemoryError

        poor = self.load(CHAIN, device=mlopt.Device(
            0, allocate=refuse, release=blocks.pop))
        error = self.fails("allocator refused", poor, y, out=y)
        self.assertEqual(error.code, mlopt.Code.OUT_OF_MEMORY)
        self.fails("", mlopt.Device, 5)

    def test_run_function(self):
        """What CPython calls without ctypes, and what others call with it."""
        name = sys.implementation.name
        for sys.implementation.name in ("cpython", "another"):
            try:
                program = self.load(SINGLE)
                x, y = Pointed.of(X), Pointed()
                program(x, out=y, stream=STREAM)
                run = program._local.instances[STREAM].run
                self.assertEqual(y.values, [v + 1 for v in X])
                program(y, out=x, stream=STREAM)
                self.assertEqual(x.values, [v + 2 for v in X])
                self.assertFalse(run(STREAM))  # as bound
                status = run(STREAM, x.address, x.address)
                self.assertIn("share memory", str(mlopt._library.error_from(
                    status)))
                if isinstance(run, types.BuiltinFunctionType):
                    self.assertRaises(TypeError, run, "no stream")
                    self.assertRaises(TypeError, run, STREAM, None, x.address)
                del run
                program.close()
            finally:
                sys.implementation.name = name

    def test_torch(self):
        self.check_torch(make_torch())

    def test_torch_guards(self):
        """The same where PyTorch looks at all tensors at once."""
        Guards.made = Guards.said_yes = 0
        self.check_torch(make_torch(guards=True))
        self.assertEqual(Guards.made, 1)
        self.assertEqual(Guards.said_yes, 9)  # not where out is a list

    def check_torch(self, torch):
        real = sys.modules.get("torch")
        sys.modules["torch"] = torch
        try:
            program = self.load(CHAIN)
            x = torch.Tensor.of(X)
            before = driver.fakeCount(b"cuStreamSynchronize")
            y = program(x)
            self.assertIsInstance(y, torch.Tensor)
            self.assertEqual(y.values, [(v + 1) * 3 + 1 for v in X])
            self.assertIs(program(x, out=y), y)
            self.assertEqual(driver.fakeCount(b"cuStreamSynchronize"), before)
            pairs = [(torch.Tensor.of([v + i for v in X]), torch.Tensor())
                     for i in range(3)]
            for i in range(9):
                x, y = pairs[i % 3]
                out = [y] if i % 2 else y
                self.assertIs(program(x, out=out), out)
                self.assertEqual(y.values,
                                 [(v + i % 3 + 1) * 3 + 1 for v in X])
            y = program(pairs[1][0])
            self.assertIsInstance(y, torch.Tensor)
            self.assertEqual(y.values, [(v + 2) * 3 + 1 for v in X])
            self.assertIsNot(program(pairs[1][0]), y)
            self.assertEqual(program.statistics().runs, 13)
            self.fails("cannot be made by the library", program, Pointed.of(X))
            # What that says no to is looked at one by one.
            strange = torch.Tensor.of(X, strange=True)
            self.assertIs(program(strange, out=y), y)
            self.assertEqual(y.values, [(v + 1) * 3 + 1 for v in X])
            self.fails("share memory", program, x, out=x)
            program.close()
            program(x, out=y)
            driver.fakeFail(b"cuGraphLaunch", 1, 1)
            self.fails("a graph of 3 steps", program, x, out=y)
            for more, words in (
                    ({"where": -1}, "is on the CPU; the program is on GPU 0"),
                    ({"where": 1}, "is on GPU 1"),
                    ({"dtype": "torch.int32"}, "elements are int32"),
                    ({"shape": (1,)}, "shape is (1,)"),
                    ({"contiguous": False}, "is not contiguous")):
                self.fails(words, program, torch.Tensor.of(X, **more), out=y)
        finally:
            sys.modules.pop("torch")
            if real:
                sys.modules["torch"] = real

    @unittest.skipIf(numpy is None, "NumPy is not there")
    def test_numpy(self):
        program = self.load(CONSTANT)
        x = numpy.arange(WIDTH, dtype=numpy.float32)
        y = program(x)
        self.assertEqual(y.tolist(), [v + v + 0.5 for v in X])
        self.assertEqual(program(x.astype(">f4")).tolist(), y.tolist())
        self.assertEqual(program(numpy.repeat(x, 2)[::2]).tolist(), y.tolist())
        self.assertIs(program(y, out=x), x)
        x.flags.writeable = False
        self.fails("cannot be written", program, y, out=x)
        self.fails("elements are float64", program, y.astype("f8"))
        self.fails("is no NumPy array", program, y, out=Pointed())
        self.fails("is a NumPy array beside", program, Pointed(), out=y)
        self.fails("pass no stream=", program, y, stream=STREAM)

    def test_compile(self):
        tool = os.path.join(folder, "compile")
        with open(tool, "w") as file:
            file.write("#!/bin/sh\n"
                       '[ "$1 $2" = "--fast -o" ] || exit 3\n'
                       'case $(cat "$4") in *bad*) '
                       "echo 'program.mlir:1:1: error: bad' >&2; exit 2;; "
                       "esac\n"
                       f'cp "{folder}/{SINGLE}.mlopt" "$3"\n')
        os.chmod(tool, stat.S_IRWXU)
        os.environ["MLOPT_COMPILE"] = tool
        try:
            y = Pointed()
            source = os.path.join(folder, "p.mlir")
            with open(source, "w") as file:
                file.write("good")
            kept = os.path.join(folder, "kept.mlopt")
            for program in ("a good\nprogram", b"good", source):
                mlopt.compile(program, flags=["--fast"], output=kept)(
                    Pointed.of(X), out=y)
                self.assertEqual(y.values, [v + 1 for v in X])
            mlopt.load(kept)
            error = self.fails("program.mlir:1:1: error: bad", mlopt.compile,
                               "bad\n", flags=["--fast"])
            self.assertEqual(error.code, mlopt.Code.COMPILE)
            self.fails("ended with 3", mlopt.compile, "good\n")
            os.environ["MLOPT_COMPILE"] = os.path.join(folder, "no-tool")
            self.fails("no-tool: No such file", mlopt.compile, "good\n")
        finally:
            del os.environ["MLOPT_COMPILE"]


def time_calls():
    """Microseconds of a call by hand and through the module."""
    runtime = mlopt._library.library()
    program = mlopt.load(os.path.join(folder, f"{CHAIN}.mlopt"))
    for kind in (Pointed, Exchange):
        x, y = kind.of(X), kind()
        program(x, out=y, stream=STREAM)
        instance = program._local.instances[STREAM]
        run, handle = runtime.mloptRunInstance, instance.handle

        def per_call(call, count=2000):
            start = time.perf_counter()
            for _ in range(count):
                call()
            return (time.perf_counter() - start) / count * 1e6

        calls = [(per_call(lambda: run(handle, STREAM)),
                  per_call(lambda: program(x, out=y, stream=STREAM)))
                 for _ in range(9)]
        bare, whole = (sorted(times)[4] for times in zip(*calls))
        print(f"{kind.__name__}: a call {whole:.2f} us, "
              f"{whole - bare:.2f} us of them the module's")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    folder = set_up(arguments[0])
    if "--time" in arguments:
        time_calls()
    else:
        unittest.main(argv=sys.argv[:1])
