# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The short way of a call: nothing to make, nothing to find out.

A loop over a signature costs as much as the launch that it leads to. So each
program gets a `__call__` written for its own signature and for one kind of
tensor, with the same checks as the long way. For one argument and one result of
PyTorch it reads

    def __call__(self, *arguments, out=None, stream=None):
        if out is None:
            return call(self, arguments, out, stream)
        at = stream
        try:
            t0, = arguments
            t1 = out
            if at is None:
                at = current_stream(0)
            instance = self._local.instances[at]
            if not like(t0, t1):
                if t1.__class__ is tuple or t1.__class__ is list:
                    t1, = t1
                if not (t0.dtype in dtypes0 and t0.shape == shape0 and ...):
                    raise ValueError
            p0 = t0.data_ptr()
            p1 = t1.data_ptr()
        except (AttributeError, KeyError, TypeError, ValueError):
            return call(self, arguments, out, stream)
        status = instance.run(at, p0, p1)
        if status:
            raise error_from(status)
        return out

An exception says that the call is for the long way, which finds out why:
another kind of tensor, the first call on a stream, or a mistake.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ._library import error_from

_TEXT = """
def __call__(self, *arguments, out=None, stream=None):
    if out is None:
        return call(self, arguments, out, stream)
    at = stream
    try:
        {arguments} = arguments
        {results} = out
{read}
    except (AttributeError, KeyError, TypeError, ValueError):
        return call(self, arguments, out, stream)
{run}
    if status:
        raise error_from(status)
    return out
"""


def unwrap(argument_count: int, result_count: int) -> list[str]:
    """Lines that take the only result out of a sequence, if it is in one."""
    if result_count != 1:
        return []
    t = f"t{argument_count}"
    return [f"if {t}.__class__ is tuple or {t}.__class__ is list:",
            f"    {t}, = {t}"]


def write(names: dict[str, Any], argument_count: int, result_count: int,
          read: Sequence[str], run: Sequence[str]) -> Callable[..., Any]:
    """Such a function. read and run are the lines of a kind, names is what they
    refer to; t0, t1, ... are arguments, then results, of which an only one
    may still be in a sequence."""
    tensors = [f"t{i}" for i in range(argument_count + result_count)]
    arguments = tensors[:argument_count]
    results = tensors[argument_count:]
    text = _TEXT.format(
        arguments=", ".join(arguments) + "," if arguments else "()",
        results=", ".join(results) or "()",
        read="\n".join("        " + line for line in read),
        run="\n".join("    " + line for line in run))
    names = dict(names, error_from=error_from)
    exec(compile(text, "<mlopt: the short way of a call>", "exec"), names)
    return names["__call__"]
