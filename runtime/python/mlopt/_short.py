# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The short way of a call: nothing to make, nothing to find out.

A loop over a signature costs as much as the launch that it leads to. So each
program gets a function written for its own signature and for one kind of
tensor, with the same checks as the long way. For one argument and one result of
PyTorch it reads

    def call(local, arguments, out, stream):
        try:
            t0, = arguments
            if out.__class__ is tuple or out.__class__ is list:
                t1, = out
            else:
                t1 = out
            if stream is None:
                stream = current_stream(0)
            instance = local.instances[stream]
            if not (like(t0, t1) or t0.dtype in dtypes0 and ...):
                return False
            pointers = (t0.data_ptr(), t1.data_ptr(),)
        except (AttributeError, KeyError, TypeError, ValueError):
            return False
        if instance.pointers != pointers:
            instance.bind(pointers)
        status = run(instance.address, stream)
        if status:
            raise error_from(status)
        return True

False says that the call is for the long way, which finds out why: another kind
of tensor, the first call on a stream, or a mistake.
"""

from __future__ import annotations

from typing import Any, Callable

from ._library import error_from

Call = Callable[[Any, tuple[Any, ...], Any, Any], bool]

_TEXT = """
def call(local, arguments, out, stream):
    try:
        {arguments} = arguments
        {results}
        {stream}
        instance = local.instances[stream]
        {read}
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    {bind}
    status = run(instance.address, stream)
    if status:
        raise error_from(status)
    return True
"""

_ONE_RESULT = """\
if out.__class__ is tuple or out.__class__ is list:
            {0}, = out
        else:
            {0} = out"""


def never(local: Any, arguments: tuple[Any, ...], out: Any,
          stream: Any) -> bool:
    """The short way of a program that has none yet."""
    return False


def write(names: dict[str, Any], argument_count: int, result_count: int,
          stream: str, read: str, bind: str) -> Call:
    """Such a function. stream, read and bind are the lines of a kind, names is
    what they refer to; t0, t1, ... are arguments, then results."""
    tensors = [f"t{i}" for i in range(argument_count + result_count)]
    arguments = tensors[:argument_count]
    results = tensors[argument_count:]
    text = _TEXT.format(
        arguments=", ".join(arguments) + "," if arguments else "()",
        results=_ONE_RESULT.format(*results) if len(results) == 1 else
        (", ".join(results) or "()") + " = out",
        stream=stream, read=read, bind=bind)
    names = dict(names, error_from=error_from)
    exec(compile(text, "<mlopt: the short way of a call>", "exec"), names)
    return names["call"]
