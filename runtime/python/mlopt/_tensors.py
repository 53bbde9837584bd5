# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of other libraries: where they are, what they are, making new ones.

A `Slot` is what a program expects in one place of its signature. A `Kind` is
one way of handing over a tensor; which one a type offers is found out once and
remembered. Kinds check all that would make a kernel read the wrong memory:
type, shape, strides and device. A kind may also have a short way for calls
whose tensors are all of it; see _short.py.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable, Sequence

from . import _short
from ._elements import ELEMENTS
from ._library import Error, library


class Slot:
    """An argument or a result of a program."""

    __slots__ = ("label", "element", "shape", "byte_size", "ordinal", "names",
                 "torch_dtypes", "torch_device", "strides", "typestrs",
                 "item_size", "synchronize", "locate")

    def __init__(self, label: str, element: str, shape: tuple[int, ...],
                 byte_size: int, ordinal: int,
                 synchronize: Callable[[int], None],
                 locate: Callable[[int], int]) -> None:
        info = ELEMENTS[element]
        self.label = label
        self.element = element
        self.shape = (byte_size,) if info.packed else shape
        self.byte_size = byte_size
        self.ordinal = ordinal
        self.synchronize = synchronize
        self.locate = locate
        self.names = info.names
        self.typestrs = info.typestrs
        self.item_size = info.size
        strides: list[int] = []
        step = 1
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        self.strides = tuple(strides)
        self.torch_dtypes: tuple[Any, ...] = ()
        self.torch_device: Any = None

    def reject(self, why: str) -> Error:
        return Error(f"{self.label}: {why}")

    def check_dtype(self, name: str) -> None:
        name = name.rpartition(".")[2]
        if name not in self.names:
            raise self.reject(f"elements are {name}, not {self.names[0]} "
                              f"({self.element})")

    def check_shape(self, shape: Any) -> None:
        if tuple(shape) != self.shape:
            raise self.reject(f"shape is {tuple(shape)}, not {self.shape}")

    def check_strides(self, strides: Any, unit: int) -> None:
        """Strides are in elements times `unit`; where there is nothing to step
        over they may be anything."""
        if not self.byte_size:
            return
        for size, have, want in zip(self.shape, strides, self.strides):
            if size > 1 and have != want * unit:
                raise self.reject("is not contiguous (strides "
                                  f"{tuple(strides)}); make it so first")

    def check_ordinal(self, ordinal: int) -> None:
        if ordinal != self.ordinal:
            where = f"on GPU {ordinal}" if ordinal >= 0 else "on the CPU"
            raise self.reject(f"is {where}; the program is on GPU "
                              f"{self.ordinal}")


class Kind:
    """One way of handing over a tensor."""

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        """The address of the tensor on the GPU, ready for the stream."""
        raise NotImplementedError

    def current_stream(self, tensor: Any, ordinal: int) -> tuple[Any, bool]:
        """The stream to run on if the caller names none, a handle or an
        object, and whether to wait for the run because nothing else would."""
        if type(tensor).__module__.partition(".")[0] == "cupy":
            return sys.modules["cupy"].cuda.get_current_stream(), False
        return 0, True

    def create(self, slot: Slot, like: Any) -> Any:
        """A new tensor for a result, from the library of another."""
        try:
            library = like.__array_namespace__()
        except AttributeError:
            library = sys.modules.get(type(like).__module__.partition(".")[0])
        dtype = getattr(library, slot.names[0], None)
        if dtype is None or not hasattr(library, "empty"):
            raise slot.reject(
                f"cannot be made by the library of {type(like).__qualname__}; "
                "pass out=")
        try:
            return library.empty(slot.shape, dtype=dtype, device=like.device)
        except TypeError:
            return library.empty(slot.shape, dtype=dtype)


    def short(self, arguments: Sequence[Slot], results: Sequence[Slot],
              names: dict[str, Any],
              tensors: Sequence[Any]) -> Callable[..., Any] | None:
        """The short way of a program with these slots, if there is one; tensors
        that fit. names: `call`, see _short.py."""
        return None

    def maker(self, results: Sequence[Slot]) -> Callable[[], list[Any]] | None:
        """What makes results for the short way, if that needs no tensor of the
        same library to go by."""
        return None


class Torch(Kind):
    """PyTorch's tensors: the short way."""

    def __init__(self) -> None:
        self.torch = torch = sys.modules["torch"]
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        self.get_stream = raw or (
            lambda ordinal: torch.cuda.current_stream(ordinal).cuda_stream)

    def prepare(self, slot: Slot) -> None:
        slot.torch_dtypes = tuple(
            getattr(self.torch, name) for name in slot.names
            if hasattr(self.torch, name))
        if not slot.torch_dtypes:
            raise slot.reject(f"this PyTorch has no {slot.names[0]}")
        slot.torch_device = self.torch.device("cuda", slot.ordinal)

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        if (tensor.dtype in slot.torch_dtypes and tensor.shape == slot.shape
                and tensor.is_contiguous()
                and tensor.get_device() == slot.ordinal):
            return tensor.data_ptr()
        if not slot.torch_dtypes:
            self.prepare(slot)
            return self.read(tensor, slot, stream)
        slot.check_ordinal(tensor.get_device())
        slot.check_dtype(str(tensor.dtype))
        slot.check_shape(tensor.shape)
        slot.check_strides(tensor.stride(), 1)
        return tensor.data_ptr()

    def like(self, tensors: Sequence[Any]) -> Callable[..., bool] | None:
        """PyTorch's own check that tensors have type, elements, shape, strides
        and device of these, made for its compiler: in one call, where asking
        each tensor takes five. None if this PyTorch has none."""
        try:
            return self.torch._C._dynamo.guards.TensorGuards(
                *tensors, dynamic_dims_sizes=None,
                dynamic_dims_strides=None).check
        except (AttributeError, TypeError):
            return None

    def short(self, arguments: Sequence[Slot], results: Sequence[Slot],
              names: dict[str, Any],
              tensors: Sequence[Any]) -> Callable[..., Any] | None:
        names = dict(names, current_stream=self.get_stream,
                     like=self.like(tensors))
        checks, reads, pointers, ordinal = [], [], [], 0
        for i, slot in enumerate((*arguments, *results)):
            if not slot.torch_dtypes:
                self.prepare(slot)
            one = len(slot.torch_dtypes) == 1
            names[f"dtypes{i}"] = slot.torch_dtypes[0] if one else \
                slot.torch_dtypes
            names[f"shape{i}"] = slot.shape
            ordinal = slot.ordinal
            checks.append(f"t{i}.dtype {'is' if one else 'in'} dtypes{i} and "
                          f"t{i}.shape == shape{i} and t{i}.is_contiguous() "
                          f"and t{i}.get_device() == {ordinal}")
            reads.append(f"p{i} = t{i}.data_ptr()")
            pointers.append(f", p{i}")
        among = ", ".join(f"t{i}" for i in range(len(checks)))
        look = [*_short.unwrap(len(arguments), len(results)),
                f"if not ({' and '.join(checks) or True}):",
                "    raise ValueError"]
        if names["like"]:
            look = [f"if not like({among}):", *("    " + line for line in look)]
        return _short.write(
            names, len(arguments), len(results),
            ["if at is None:",
             f"    at = current_stream({ordinal})",
             "instance = self._local.instances[at]", *look, *reads],
            [f"status = instance.run(at{''.join(pointers)})"])

    def maker(self, results: Sequence[Slot]) -> Callable[[], list[Any]] | None:
        empty = self.torch.empty
        wanted = [(slot.shape, slot.torch_dtypes[0], slot.torch_device)
                  for slot in results]
        return lambda: [empty(shape, dtype=dtype, device=device)
                        for shape, dtype, device in wanted]

    def current_stream(self, tensor: Any, ordinal: int) -> tuple[Any, bool]:
        return self.get_stream(ordinal), False

    def create(self, slot: Slot, like: Any) -> Any:
        if not slot.torch_dtypes:
            self.prepare(slot)
        return self.torch.empty(slot.shape, dtype=slot.torch_dtypes[0],
                                device=slot.torch_device)


class DataPointer(Kind):
    """Anything with `data_ptr()`; what else it says of itself must fit."""

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        dtype = getattr(tensor, "dtype", None)
        if dtype is not None:
            slot.check_dtype(str(getattr(dtype, "name", dtype)))
        shape = getattr(tensor, "shape", None)
        if shape is not None:
            slot.check_shape(shape)
        contiguous = getattr(tensor, "is_contiguous", None)
        if contiguous is not None and not contiguous():
            raise slot.reject("is not contiguous; make it so first")
        return tensor.data_ptr()


# Both take a capsule, which must stay until the tensor has been read.
_get_capsule_pointer = ctypes.PYFUNCTYPE(
    ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi))


class DLPack(Kind):
    """Anything with `__dlpack__`. A capsule that nobody took frees what it
    holds when it goes; the tensor itself stays, since the caller has it."""

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        capsule = tensor.__dlpack__(stream=stream or 1)  # 1: the default one
        return slot.locate(_get_capsule_pointer(capsule, b"dltensor"))

    def short(self, arguments: Sequence[Slot], results: Sequence[Slot],
              names: dict[str, Any],
              tensors: Sequence[Any]) -> Callable[..., Any] | None:
        count = len(arguments) + len(results)
        capsules = [f"c{i} = t{i}.__dlpack__(stream=at or 1)"
                    for i in range(count)]
        places = ", ".join(f"at_capsule(c{i}, b'dltensor')"
                           for i in range(count))
        return _short.write(
            dict(names, at_capsule=_get_capsule_pointer,
                 bind=library().mloptBindDLTensors),
            len(arguments), len(results),
            ["if at is None:",
             "    raise ValueError",
             "instance = self._local.instances[at]",
             *_short.unwrap(len(arguments), len(results)), *capsules,
             f"instance.pack(instance.array, 0, {places})"],
            ["status = bind(instance.address, instance.arguments_at, "
             "instance.results_at) or instance.run(at)"])


class CudaArray(Kind):
    """Anything with `__cuda_array_interface__`."""

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        interface = tensor.__cuda_array_interface__
        if interface["typestr"] not in slot.typestrs:
            raise slot.reject(f"elements are {interface['typestr']}, not "
                              f"{slot.typestrs[0]} ({slot.element})")
        slot.check_shape(interface["shape"])
        strides = interface.get("strides")
        if strides:
            slot.check_strides(strides, slot.item_size)
        # The stream it is written on; the default one is 1 here.
        producer = interface.get("stream")
        if producer is not None and producer != (stream or 1):
            slot.synchronize(0 if producer == 1 else producer)
        return interface["data"][0] or 0


class Host(Kind):
    """NumPy's arrays, which are copied."""

    def __init__(self) -> None:
        self.numpy: Any = sys.modules["numpy"]

    def check(self, tensor: Any, slot: Slot) -> None:
        if not isinstance(tensor, (self.numpy.ndarray, self.numpy.generic)):
            raise slot.reject("is no NumPy array, but the first argument is; "
                              "pass either")
        slot.check_dtype(tensor.dtype.name)
        slot.check_shape(tensor.shape)

    def as_input(self, tensor: Any, slot: Slot) -> Any:
        """The array, or a contiguous one of native order."""
        self.check(tensor, slot)
        return self.numpy.asarray(
            tensor, dtype=tensor.dtype.newbyteorder("="), order="C")

    def check_output(self, tensor: Any, slot: Slot) -> None:
        self.check(tensor, slot)
        if not (tensor.flags.carray and tensor.dtype.isnative):
            raise slot.reject("cannot be written: it must be contiguous, "
                              "aligned, writeable and of native order")

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        raise slot.reject("is a NumPy array beside tensors on the GPU; pass "
                          "either")

    def create(self, slot: Slot, like: Any) -> Any:
        name = slot.names[0]
        try:
            dtype = self.numpy.dtype(name)
        except TypeError:
            # NumPy's own types end here; ml_dtypes has bf16 and f8.
            try:
                import ml_dtypes
            except ImportError as error:
                raise slot.reject(f"NumPy has no {name}; install ml_dtypes or "
                                  "pass out=") from error
            dtype = self.numpy.dtype(getattr(ml_dtypes, name))
        return self.numpy.empty(slot.shape, dtype=dtype)


_kinds: dict[type, Kind] = {}


def _choose(tensor: Any) -> Kind | None:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(tensor, torch.Tensor):
        return Torch()
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(tensor, (numpy.ndarray, numpy.generic)):
        return Host()
    if hasattr(tensor, "data_ptr"):
        return DataPointer()
    if hasattr(tensor, "__dlpack__"):
        return DLPack()
    if hasattr(tensor, "__cuda_array_interface__"):
        return CudaArray()
    return None


def kind_of(tensor: Any, slot: Slot) -> Kind:
    """How a tensor is handed over; an error if it cannot be."""
    kind = _kinds.get(type(tensor))
    if kind is None:
        kind = _choose(tensor)
        if kind is None:
            raise slot.reject(f"is a {type(tensor).__qualname__}, which has "
                              "neither data_ptr, __dlpack__ nor "
                              "__cuda_array_interface__")
        _kinds[type(tensor)] = kind
    return kind
