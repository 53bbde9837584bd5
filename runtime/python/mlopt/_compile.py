# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling by calling the tool."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence

from ._library import Code, Error
from ._program import Program, load

TOOL = "mlopt-compile"


def _find_tool() -> str:
    said = os.environ.get("MLOPT_COMPILE")
    if said:
        return said
    for folder in list(Path(__file__).resolve().parents)[:5]:
        for near in (folder / "bin" / TOOL, folder / "build" / "bin" / TOOL):
            if near.exists():
                return str(near)
    found = shutil.which(TOOL)
    if not found:
        raise Error(f"{TOOL} is not on the PATH; set MLOPT_COMPILE to where "
                    "it is", Code.IO)
    return found


def _is_path(program: str | bytes) -> bool:
    return isinstance(program, str) and "\n" not in program and (
        os.path.exists(program) or program.endswith((".mlir", ".mlirbc")))


def compile(program: str | bytes | os.PathLike[str], *,
            flags: Sequence[str] = (),
            output: str | os.PathLike[str] | None = None,
            **load_options: Any) -> Program:
    """Compiles a program and loads it.

    program: the path of a file, or the program itself: MLIR's text (a string)
    or bytecode (bytes). flags: more options of mlopt-compile. output: where to
    keep the artifact; it is not kept by default. The other options are those
    of `load`. What the tool has to say about a bad program is the error's
    message.
    """
    with tempfile.TemporaryDirectory(prefix="mlopt-") as folder:
        if isinstance(program, os.PathLike) or _is_path(program):
            source = os.fspath(program)
        else:
            source = os.path.join(folder, "program.mlir")
            data = program.encode() if isinstance(program, str) else program
            Path(source).write_bytes(data)
        artifact = os.fspath(output or os.path.join(folder, "program.mlopt"))
        command = [_find_tool(), *flags, "-o", artifact, str(source)]
        try:
            run = subprocess.run(command, capture_output=True, text=True,
                                 errors="replace")
        except OSError as error:
            raise Error(f"{command[0]}: {error.strerror}", Code.IO) from error
        if run.returncode:
            raise Error(run.stderr.strip() or
                        f"{TOOL} ended with {run.returncode}", Code.COMPILE)
        # The runtime keeps the file mapped, under whatever name.
        return load(artifact, **load_options)
