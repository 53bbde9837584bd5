# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices and programs."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
import weakref
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Callable, NamedTuple

from . import _library
from ._library import Error, check
from ._tensors import Host, Kind, Slot, kind_of

MODES = ("graph", "plain", "checked")


class TensorInfo(NamedTuple):
    """An argument or result, as the program declares it."""

    name: str
    element: str
    shape: tuple[int, ...]
    byte_size: int
    alignment: int


class Statistics(NamedTuple):
    """What a program's calls have done so far, all threads together."""

    runs: int
    captured_runs: int
    graph_launches: int
    plain_steps: int
    graphs_built: int
    steps_patched: int
    bindings_recalled: int
    device_bytes: int


class _Handle:
    """Owns an object of the runtime."""

    __slots__ = ("value", "_release", "__weakref__")

    def __init__(self, release: Callable[[c_void_p], None]) -> None:
        self.value = c_void_p()
        self._release = release

    def __del__(self) -> None:
        # At the end of the process the driver may be gone before us.
        if self.value.value and not sys.is_finalizing():
            self._release(self.value)


# ---- Devices -----------------------------------------------------------------


class Device:
    """One GPU. `load` opens those it needs; open one yourself for options.

    cache_directory: where cubins made from PTX are kept; "" for nowhere.
    log: called with a level (0 detail, 1 warning) and a line, from any thread.
    allocate, release: where arenas, constants and host runs get their memory;
    `allocate(bytes)` returns an address that is a multiple of 256.
    """

    def __init__(self, ordinal: int = 0, *, cache_directory: str | None = None,
                 compile_threads: int = 0,
                 log: Callable[[int, str], None] | None = None,
                 allocate: Callable[[int], int] | None = None,
                 release: Callable[[int], None] | None = None) -> None:
        runtime = _library.library()
        options = _library.DeviceOptionsStruct()
        options.compile_threads = compile_threads
        if cache_directory is not None:
            options.cache_directory = os.fsencode(cache_directory)
        if log is not None:
            options.log = _library.LOG(
                lambda _, level, line: log(level,
                                           line.decode(errors="replace")))
        if (allocate is None) != (release is None):
            raise Error("allocate and release go together")
        if allocate is not None and release is not None:
            options.allocate = _library.ALLOCATE(_allocate_with(allocate))
            options.release = _library.RELEASE(lambda _, at: release(at))
        self._options = options  # the hooks live as long as the device
        self._handle = _Handle(runtime.mloptReleaseDevice)
        check(runtime.mloptOpenDevice(ordinal, byref(options),
                                      byref(self._handle.value)))
        self.ordinal = ordinal
        self.name: str = runtime.mloptGetDeviceName(self._handle.value).decode()
        self.chip: str = runtime.mloptGetDeviceChip(self._handle.value).decode()

    def synchronize(self, stream: int = 0) -> None:
        """Waits for a stream; faults of kernels on it are raised here."""
        check(_library.library().mloptSynchronizeStream(self._handle.value,
                                                        stream))

    def __repr__(self) -> str:
        return f"<mlopt.Device {self.ordinal}: {self.name}, {self.chip}>"


def _allocate_with(allocate: Callable[[int], int]) -> Callable[..., int]:
    def hook(_: Any, size: int, out: Any) -> int:
        try:
            out[0] = allocate(size)
        except Exception:  # refused, in the runtime's terms
            return 1
        return 0

    return hook


_devices: dict[int, Device] = {}
_devices_lock = threading.Lock()


def _device(which: Device | int | None) -> Device:
    if isinstance(which, Device):
        return which
    if which is None:
        torch = sys.modules.get("torch")
        which = 0
        if torch is not None and torch.cuda.is_initialized():
            which = torch.cuda.current_device()
    assert isinstance(which, int)
    with _devices_lock:
        if which not in _devices:
            _devices[which] = Device(which)
        return _devices[which]


# ---- Instances ---------------------------------------------------------------


class _RelaxedCapture:
    """Lets this thread take and give back memory while it captures a stream:
    an instance's memory is none of the captured work's."""

    RELAXED = 2

    def __enter__(self) -> None:
        name = os.environ.get("MLOPT_LIBCUDA") or "libcuda.so.1"
        driver = ctypes.CDLL(name)
        self.mode = ctypes.c_int(self.RELAXED)
        self.exchange = getattr(driver, "cuThreadExchangeStreamCaptureMode",
                                lambda _: 0)
        self.exchange(byref(self.mode))

    def __exit__(self, *_: Any) -> None:
        self.exchange(byref(self.mode))


class _Owner:
    """What instances need of their program; they keep it."""

    def __init__(self, device: Device, program: _Handle, entry: int, mode: int,
                 remembered: int, argument_count: int,
                 result_count: int) -> None:
        self.device = device
        self.program = program
        self.entry = entry
        self.options = _library.InstanceOptionsStruct(mode, remembered)
        self.argument_count = argument_count
        self.result_count = result_count
        self.live: weakref.WeakSet[_Instance] = weakref.WeakSet()


class _Instance:
    """An instance of the runtime, for one thread and one stream."""

    __slots__ = ("owner", "handle", "address", "run", "stream", "keeper",
                 "array", "pack", "arguments_at", "results_at", "__weakref__")

    def __init__(self, owner: _Owner, stream: int | None, keeper: Any) -> None:
        self.owner = owner
        self.stream = stream
        self.keeper = keeper  # the stream's object: it may be needed till last
        self.handle = c_void_p()
        count = owner.argument_count + owner.result_count
        self.array = (c_uint64 * (count + 1))()
        self.pack = struct.Struct(f"{count}Q").pack_into
        self.arguments_at = ctypes.addressof(self.array)
        self.results_at = self.arguments_at + 8 * owner.argument_count
        with _RelaxedCapture():
            check(_library.library().mloptCreateInstance(
                owner.program.value, owner.entry, byref(owner.options),
                byref(self.handle)))
        self.address = self.handle.value
        assert self.address is not None
        self.run = _library.run_function(self.address, owner.argument_count)
        owner.live.add(self)

    def __del__(self) -> None:
        if not self.handle.value or sys.is_finalizing():
            return
        runtime = _library.library()
        with _RelaxedCapture():
            if self.stream is not None:  # runs in flight must have ended
                runtime.mloptReleaseStatus(runtime.mloptSynchronizeStream(
                    self.owner.device._handle.value, self.stream))
            runtime.mloptReleaseInstance(self.handle)


# ---- Programs ----------------------------------------------------------------


class Program:
    """One entry of an artifact, on a GPU. Made by `load` and `compile`.

    arguments, results: its signature. device: where it is. arena_bytes: device
    memory that each instance holds. launch_count: kernels in its plan.
    """

    def __init__(self, path: str, entry: str | None, device: Device,
                 mode: str, remembered_bindings: int) -> None:
        if mode not in MODES:
            raise Error(f"mode is {mode!r}, not one of {', '.join(MODES)}")
        runtime = _library.library()
        self.path = path
        self.device = device
        self._artifact = _Handle(runtime.mloptReleaseArtifact)
        check(runtime.mloptReadArtifact(os.fsencode(path),
                                        byref(self._artifact.value)))
        number, info = self._find(entry)
        program = _Handle(runtime.mloptReleaseProgram)
        check(runtime.mloptLoadProgram(device._handle.value,
                                       self._artifact.value,
                                       byref(program.value)))
        self.entry: str = info.name.decode()
        self.arena_bytes: int = info.arena_bytes
        self.launch_count: int = info.launch_count
        self.arguments = _infos(info.arguments, info.argument_count)
        self.results = _infos(info.results, info.result_count)
        self._owner = _Owner(device, program, number, MODES.index(mode),
                             remembered_bindings, len(self.arguments),
                             len(self.results))
        self._argument_slots = self._slots("argument", self.arguments, 0)
        self._result_slots = self._slots("result", self.results,
                                         len(self.arguments))
        self._classes: dict[type[Kind], type[Program]] = {}
        # What makes results for arguments of a type.
        self._make: Callable[[], list[Any]] | None = None
        self._made_for: type | None = None
        self._local = threading.local()

    def _find(self, entry: str | None) -> tuple[int, Any]:
        runtime = _library.library()
        count = runtime.mloptGetEntryCount(self._artifact.value)
        infos = [runtime.mloptGetEntry(self._artifact.value, i).contents
                 for i in range(count)]
        names = [info.name.decode() for info in infos]
        if entry is None:
            entry = "main" if "main" in names else names[0] if names else "main"
        if entry not in names:
            raise Error(f"{self.path} has no entry {entry}; it has "
                        f"{', '.join(names) or 'none'}")
        return names.index(entry), infos[names.index(entry)]

    def _slots(self, what: str, infos: tuple[TensorInfo, ...],
               first: int) -> tuple[Slot, ...]:
        owner, locate = self._owner, _library.library().mloptLocateDLTensor

        def locator(index: int) -> Callable[[int], int]:
            def address(tensor: int) -> int:
                out = c_uint64()
                check(locate(owner.program.value, owner.entry, index, tensor,
                             byref(out)))
                return out.value
            return address

        return tuple(
            Slot(f"{self.entry}: {what} {i} ({info.name})", info.element,
                 info.shape, info.byte_size, self.device.ordinal,
                 self.device.synchronize, locator(first + i))
            for i, info in enumerate(infos))

    def __call__(self, *arguments: Any, out: Any = None,
                 stream: Any = None) -> Any:
        """Runs the program; see the module's words for what is accepted.

        Returns the result, or a tuple if there are several or none. `out` is
        where results go: a tensor, or a sequence with one for each result.
        """
        return self._call(arguments, out, stream)

    def _call(self, arguments: tuple[Any, ...], out: Any, stream: Any) -> Any:
        """The long way of a call, which takes everything. Where results are to
        be made, and are known how from a call before, it leads to the short."""
        if (out is None and self._make is not None and arguments
                and type(arguments[0]) is self._made_for):
            results = self._make()
            out = results[0] if len(results) == 1 else tuple(results)
            return self(*arguments, out=out, stream=stream)
        slots = self._argument_slots
        if len(arguments) != len(slots):
            raise Error(f"{self.entry} takes {len(slots)} arguments, "
                        f"{len(arguments)} were given")
        like, kind = self._like(arguments, out)
        if isinstance(kind, Host):
            return self._call_on_host(arguments, out, stream, kind)
        keeper = stream
        wait = False
        if stream is None:
            stream, wait = (kind.current_stream(like, self.device.ordinal)
                            if kind is not None else (0, True))
        if type(stream) is not int:
            keeper = stream
            stream = _stream_handle(stream)
        if out is None:
            results = [self._create(slot, kind, like)
                       for slot in self._result_slots]
        else:
            results = self._as_results(out)
        slots += self._result_slots
        kinds = [kind_of(tensor, slot)
                 for tensor, slot in zip((*arguments, *results), slots)]
        pointers = [
            kind.read(tensor, slot, stream) for kind, tensor, slot
            in zip(kinds, (*arguments, *results), slots)]
        check(self._instance(stream, keeper).run(stream, *pointers))
        self._shorten(kinds, (*arguments, *results))
        if wait:
            self.device.synchronize(stream)
        if out is not None:
            return out
        return results[0] if len(results) == 1 else tuple(results)

    # -- Parts of a call

    def _like(self, arguments: tuple[Any, ...],
              out: Any) -> tuple[Any, Kind | None]:
        """The tensor whose library decides, the first one, and its kind."""
        if arguments:
            like, slot = arguments[0], self._argument_slots[0]
        elif out is not None and self._result_slots:
            like, slot = self._as_results(out)[0], self._result_slots[0]
        else:
            return None, None
        return like, kind_of(like, slot)

    def _as_results(self, out: Any) -> Any:
        slots = self._result_slots
        if isinstance(out, (list, tuple)):
            if len(out) != len(slots):
                raise Error(f"{self.entry} gives {len(slots)} results, out= "
                            f"has {len(out)}")
            return out
        if len(slots) != 1:
            raise Error(f"{self.entry} gives {len(slots)} results; out= must "
                        "be a sequence of as many")
        return (out,)

    def _shorten(self, kinds: list[Kind], tensors: tuple[Any, ...]) -> None:
        """Lets calls like this one go the short way from now on: the program
        becomes one of a class whose `__call__` is that."""
        types = {type(kind) for kind in kinds}
        if len(types) == 1:
            kind, = types
            if kind not in self._classes:
                call = kinds[0].short(
                    self._argument_slots, self._result_slots,
                    {"call": Program._call}, tensors)
                self._classes[kind] = type(
                    "Program", (Program,), {"__call__": call}) if call else \
                    Program
            self.__class__ = self._classes[kind]
            self._make = kinds[0].maker(self._result_slots)
            self._made_for = type(tensors[0]) if tensors else None

    def _create(self, slot: Slot, kind: Kind | None, like: Any) -> Any:
        if kind is None:
            raise slot.reject("an entry without arguments needs out=")
        return kind.create(slot, like)

    def _instance(self, stream: int | None, keeper: Any) -> _Instance:
        """This thread's instance for a stream; None: for runs on host data."""
        instances = self._local.__dict__.setdefault("instances", {})
        if stream not in instances:
            instances[stream] = _Instance(self._owner, stream, keeper)
        return instances[stream]

    def _call_on_host(self, arguments: tuple[Any, ...], out: Any,
                      stream: Any, host: Host) -> Any:
        if stream is not None:
            raise Error("NumPy arrays are copied and waited for, on a stream "
                        "of the program's own; pass no stream=")
        results = ([host.create(slot, None) for slot in self._result_slots]
                   if out is None else list(self._as_results(out)))
        inputs = [host.as_input(x, slot)
                  for x, slot in zip(arguments, self._argument_slots)]
        for x, slot in zip(results, self._result_slots):
            host.check_output(x, slot)
        pointers = [(c_void_p * (len(tensors) + 1))(
            *(x.ctypes.data for x in tensors)) for tensors in (inputs, results)]
        instance = self._instance(None, None)
        check(_library.library().mloptRunOnHostData(instance.handle, *pointers))
        if out is not None:
            return out
        return results[0] if len(results) == 1 else tuple(results)

    # -- The rest

    def statistics(self) -> Statistics:
        """Counts over all instances that live."""
        totals = [0] * len(Statistics._fields)
        counts = _library.StatisticsStruct()
        for instance in list(self._owner.live):
            _library.library().mloptGetStatistics(instance.handle,
                                                  byref(counts))
            for i, name in enumerate(Statistics._fields):
                totals[i] += getattr(counts, name)
        return Statistics(*totals)

    def explain(self) -> str:
        """Signature, plan, kernels, arena and constants in words."""
        runtime = _library.library()
        text = c_void_p()
        check(runtime.mloptExplainArtifact(self._artifact.value, byref(text)))
        try:
            return ctypes.string_at(text.value or 0).decode()
        finally:
            runtime.mloptReleaseText(text)

    def close(self) -> None:
        """Gives back the instances of all threads, after their runs. The
        program may be called again; it then makes new ones."""
        self._local = threading.local()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        def words(infos: tuple[TensorInfo, ...]) -> str:
            return ", ".join("x".join((*map(str, i.shape), i.element))
                             for i in infos)

        return (f"<mlopt.Program {self.entry} of {self.path}: "
                f"({words(self.arguments)}) -> ({words(self.results)})>")


def _infos(tensors: Any, count: int) -> tuple[TensorInfo, ...]:
    return tuple(
        TensorInfo(t.name.decode(), t.element.decode(),
                   tuple(t.shape[: t.rank]), t.byte_size, t.alignment)
        for t in (tensors[i] for i in range(count)))


def _stream_handle(stream: Any) -> int:
    if isinstance(stream, int):
        return int(stream)
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0)
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    raise Error(f"stream= is a {type(stream).__qualname__}; pass a handle or a "
                "stream of PyTorch or CuPy")


def load(path: str | os.PathLike[str], entry: str | None = None, *,
         device: Device | int | None = None, mode: str = "graph",
         remembered_bindings: int = 0) -> Program:
    """Reads an artifact and puts one of its entries on a GPU.

    entry: its name; "main" by default, or the first one. device: a `Device`,
    or a GPU's number; PyTorch's current one by default, else 0. mode: "graph"
    (a CUDA graph wherever there are two or more steps), "plain" (a driver call
    for each step) or "checked" (plain, waiting after each step, so that a
    fault names its kernel). remembered_bindings: how many sets of pointers an
    instance keeps ready; 8 if 0.
    """
    return Program(os.fspath(path), entry, _device(device), mode,
                   remembered_bindings)
