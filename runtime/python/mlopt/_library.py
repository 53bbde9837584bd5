# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C API of libmlopt_runtime.so, declared once."""

from __future__ import annotations

import ctypes
import enum
import os
import sys
import threading
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t
from ctypes import c_ssize_t, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Callable

SONAME = "libmlopt_runtime.so.0"


class Code(enum.IntEnum):
    """What kind of failure an `Error` is; MloptCode of mlopt_runtime.h."""

    INVALID_ARGUMENT = 1
    BAD_ARTIFACT = 2
    IO = 3
    NO_DRIVER = 4
    NO_DEVICE = 5
    UNSUPPORTED = 6
    OUT_OF_MEMORY = 7
    COMPILE = 8
    LAUNCH = 9
    DEVICE_LOST = 10


class Error(RuntimeError):
    """A failure, with the runtime's words.

    code: its kind. driver_error: the driver's number, 0 if it was not the
    driver that failed.
    """

    def __init__(self, message: str, code: Code = Code.INVALID_ARGUMENT,
                 driver_error: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.driver_error = driver_error


# ---- Structures of mlopt_runtime.h -------------------------------------------


class TensorInfoStruct(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("element", c_char_p),
        ("rank", c_uint32),
        ("shape", POINTER(c_int64)),
        ("byte_size", c_uint64),
        ("alignment", c_uint32),
    ]


class CheckInfoStruct(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("actual", c_uint32),
        ("expected", c_uint32),
        ("min_ulp", c_uint64),
        ("max_ulp", c_uint64),
        ("tolerance", c_double),
    ]


class EntryInfoStruct(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("argument_count", c_uint32),
        ("arguments", POINTER(TensorInfoStruct)),
        ("result_count", c_uint32),
        ("results", POINTER(TensorInfoStruct)),
        ("arena_bytes", c_uint64),
        ("launch_count", c_uint32),
        ("has_control_flow", c_bool),
        ("argument_source_count", c_uint32),
        ("argument_sources", POINTER(c_uint32)),
        ("check_count", c_uint32),
        ("checks", POINTER(CheckInfoStruct)),
    ]


ALLOCATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(c_uint64))
RELEASE = ctypes.CFUNCTYPE(None, c_void_p, c_uint64)
LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class DeviceOptionsStruct(ctypes.Structure):
    _fields_ = [
        ("user", c_void_p),
        ("allocate", ALLOCATE),
        ("release", RELEASE),
        ("log", LOG),
        ("cache_directory", c_char_p),
        ("compile_threads", c_uint),
    ]


class InstanceOptionsStruct(ctypes.Structure):
    _fields_ = [("mode", c_int), ("remembered_bindings", c_uint32)]


class StatisticsStruct(ctypes.Structure):
    _fields_ = [
        (name, c_uint64)
        for name in (
            "runs", "captured_runs", "graph_launches", "plain_steps",
            "graphs_built", "steps_patched", "bindings_recalled",
            "device_bytes",
        )
    ]


# ---- Functions ---------------------------------------------------------------

# Name: result and parameters. Those that can fail return a status, as void *.
_FUNCTIONS = {
    "mloptGetStatusCode": (c_int, c_void_p),
    "mloptGetStatusMessage": (c_char_p, c_void_p),
    "mloptGetStatusDriverError": (c_int, c_void_p),
    "mloptReleaseStatus": (None, c_void_p),
    "mloptOpenDevice": (c_void_p, c_int, POINTER(DeviceOptionsStruct),
                        POINTER(c_void_p)),
    "mloptReleaseDevice": (None, c_void_p),
    "mloptGetDeviceName": (c_char_p, c_void_p),
    "mloptGetDeviceChip": (c_char_p, c_void_p),
    "mloptSynchronizeStream": (c_void_p, c_void_p, c_void_p),
    "mloptReadArtifact": (c_void_p, c_char_p, POINTER(c_void_p)),
    "mloptReleaseArtifact": (None, c_void_p),
    "mloptGetEntryCount": (c_uint32, c_void_p),
    "mloptGetEntry": (POINTER(EntryInfoStruct), c_void_p, c_uint32),
    "mloptGetSource": (c_void_p, c_void_p, POINTER(c_size_t)),
    "mloptExplainArtifact": (c_void_p, c_void_p, POINTER(c_void_p)),
    "mloptReleaseText": (None, c_void_p),
    "mloptLoadProgram": (c_void_p, c_void_p, c_void_p, POINTER(c_void_p)),
    "mloptReleaseProgram": (None, c_void_p),
    "mloptCreateInstance": (c_void_p, c_void_p, c_uint32,
                            POINTER(InstanceOptionsStruct), POINTER(c_void_p)),
    "mloptReleaseInstance": (None, c_void_p),
    "mloptBindPointers": (c_void_p, c_void_p, c_void_p, c_void_p),
    "mloptBindDLTensors": (c_void_p, c_void_p, c_void_p, c_void_p),
    "mloptLocateDLTensor": (c_void_p, c_void_p, c_uint32, c_uint32, c_void_p,
                            POINTER(c_uint64)),
    "mloptRunInstance": (c_void_p, c_void_p, c_void_p),
    "mloptRunFromPython": (c_void_p, c_void_p, c_void_p, c_ssize_t),
    "mloptRunOnHostData": (c_void_p, c_void_p, POINTER(c_void_p),
                           POINTER(c_void_p)),
    "mloptGetStatistics": (None, c_void_p, POINTER(StatisticsStruct)),
}


def _candidates() -> list[str]:
    """Where the library may be: as said, near this file, on the system."""
    said = os.environ.get("MLOPT_RUNTIME_LIBRARY")
    if said:
        return [said]
    near = []
    for folder in list(Path(__file__).resolve().parents)[:5]:
        near += [folder / SONAME, folder / "lib" / SONAME,
                 folder / "build" / "lib" / SONAME]
    return [str(path) for path in near if path.exists()] + [SONAME]


def _open() -> ctypes.CDLL:
    reasons = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
            continue
        for name, (result, *parameters) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = parameters
        return library
    raise Error("cannot open mlopt's runtime: " + "; ".join(reasons) +
                "; set MLOPT_RUNTIME_LIBRARY to the path of " + SONAME, Code.IO)


_library: ctypes.CDLL | None = None
_lock = threading.Lock()


def library() -> ctypes.CDLL:
    """The runtime, opened when it is first asked for."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _open()
    return _library


class _MethodDef(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [("name", c_char_p), ("body", c_void_p), ("flags", c_int),
                ("doc", c_char_p)]


_METH_FASTCALL = 0x80
_method: _MethodDef | None = None  # functions made of it need it


def run_function(instance: int,
                 argument_count: int) -> Callable[..., int | None]:
    """What runs an instance, given by its address: a function of a stream, then
    of all pointers, or of none if they are bound; returns the status. CPython
    calls the runtime without ctypes in between."""
    global _method
    runtime = library()
    if sys.implementation.name == "cpython":
        if _method is None:
            _method = _MethodDef(
                b"run", ctypes.cast(runtime.mloptRunFromPython, c_void_p),
                _METH_FASTCALL, None)
        make = ctypes.PYFUNCTYPE(
            ctypes.py_object, POINTER(_MethodDef), ctypes.py_object, c_void_p)(
                ("PyCFunction_NewEx", ctypes.pythonapi))
        return make(ctypes.byref(_method), instance, None)

    def run(stream: int, *pointers: int) -> int | None:
        if pointers:
            bound = (c_uint64 * len(pointers))(*pointers)
            at = ctypes.addressof(bound)
            status = runtime.mloptBindPointers(instance, at,
                                               at + 8 * argument_count)
            if status:
                return status
        return runtime.mloptRunInstance(instance, stream)

    return run


def error_from(status: int) -> Error:
    """The error for a status that is none; releases it."""
    runtime = library()
    error = Error(
        runtime.mloptGetStatusMessage(status).decode(errors="replace"),
        Code(runtime.mloptGetStatusCode(status)),
        runtime.mloptGetStatusDriverError(status),
    )
    runtime.mloptReleaseStatus(status)
    return error


def check(status: int | None) -> None:
    """Raises if a call failed."""
    if status:
        raise error_from(status)
