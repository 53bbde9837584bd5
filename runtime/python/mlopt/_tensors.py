# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of other libraries: where they are, what they are, making new ones.

A `Slot` is what a program expects in one place of its signature. A `Kind` is
one way of handing over a tensor; which one a type offers is found out once and
remembered. Kinds check all that would make a kernel read the wrong memory:
type, shape, strides and device.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Callable

from ._elements import ELEMENTS
from ._library import Error


class Slot:
    """An argument or a result of a program."""

    __slots__ = ("label", "element", "shape", "byte_size", "ordinal", "names",
                 "torch_dtypes", "torch_device", "dlpack_words",
                 "dlpack_sizes", "dlpack_shape", "dlpack_strides", "strides",
                 "typestrs", "item_size", "synchronize")

    def __init__(self, label: str, element: str, shape: tuple[int, ...],
                 byte_size: int, ordinal: int,
                 synchronize: Callable[[int], None]) -> None:
        info = ELEMENTS[element]
        self.label = label
        self.element = element
        self.shape = (byte_size,) if info.packed else shape
        self.byte_size = byte_size
        self.ordinal = ordinal
        self.synchronize = synchronize
        self.names = info.names
        self.typestrs = info.typestrs
        self.item_size = info.dlpack[0][1] // 8
        strides: list[int] = []
        step = 1
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        self.strides = tuple(strides)
        rank = len(self.shape)
        # As they lie in memory: rank and type, shape, strides.
        self.dlpack_words = tuple(rank | code << 32 | bits << 40 | 1 << 48
                                  for code, bits in info.dlpack)
        self.dlpack_sizes = ctypes.c_char * (8 * rank)
        self.dlpack_shape = struct.pack(f"<{rank}q", *self.shape)
        self.dlpack_strides = struct.pack(f"<{rank}q", *strides)
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


_CUDA_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged
_get_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_capsule_pointer.restype = ctypes.c_void_p
_get_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class _DLTensor(ctypes.Structure):
    """DLTensor, with rank and element type as one word."""

    _fields_ = [
        ("data", ctypes.c_uint64),
        ("device", ctypes.c_int32),
        ("ordinal", ctypes.c_int32),
        ("rank_and_type", ctypes.c_uint64),
        ("shape", ctypes.c_uint64),
        ("strides", ctypes.c_uint64),
        ("offset", ctypes.c_uint64),
    ]


class DLPack(Kind):
    """Anything with `__dlpack__`."""

    def read(self, tensor: Any, slot: Slot, stream: int) -> int:
        # A capsule that nobody took frees what it holds when it goes; the
        # tensor itself stays, since the caller has it.
        capsule = tensor.__dlpack__(stream=stream or 1)  # 1: the default one
        view = _DLTensor.from_address(_get_capsule_pointer(capsule,
                                                           b"dltensor"))
        sizes_at = slot.dlpack_sizes.from_address
        if (view.device not in _CUDA_DEVICES or view.ordinal != slot.ordinal
                or view.rank_and_type not in slot.dlpack_words
                or sizes_at(view.shape).raw != slot.dlpack_shape):
            self.explain(view, slot)
        strides = view.strides
        if strides and sizes_at(strides).raw != slot.dlpack_strides:
            slot.check_strides(struct.unpack(f"<{len(slot.shape)}q",
                                             sizes_at(strides)), 1)
        return view.data + view.offset

    @staticmethod
    def explain(view: _DLTensor, slot: Slot) -> None:
        """Says why a tensor does not fit."""
        slot.check_ordinal(view.ordinal if view.device in _CUDA_DEVICES else -1)
        rank, code, bits, _ = struct.unpack(
            "<iBBH", view.rank_and_type.to_bytes(8, "little"))
        word = len(slot.shape) | (view.rank_and_type >> 32) << 32
        if word not in slot.dlpack_words:
            raise slot.reject(f"elements are of DLPack's type {code} with "
                              f"{bits} bits, not {slot.element}")
        sizes = (ctypes.c_int64 * rank).from_address(view.shape)
        slot.check_shape(tuple(sizes))


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
