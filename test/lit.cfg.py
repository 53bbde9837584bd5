# The test suite of mlopt. `cmake --build build --target check-mlopt` runs it;
# `lit -sv build/test --filter=NAME` runs a part.
#
#   %exits N     runs what follows; it must exit with N
#   %make_npz    writes an .npz file, see make_npz.py
#   %plugin      flags that load libMLOpt.so into mlir-opt
#   %python      the interpreter that runs lit
#   %source      the checkout
#   %shared      the folder of other people's programs
#
# Features: `shared` where the corpus of other people's programs lies beside the
# checkout, `sm_90` where there is a Hopper GPU.

import os
import subprocess

import lit.formats

config.name = "mlopt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mlopt_build_dir, "test")

tools = os.path.join(config.mlopt_build_dir, "bin")
plugin = os.path.join(config.mlopt_build_dir, "lib", "libMLOpt.so")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
here = config.test_source_root
config.substitutions += [
    ("%exits", f"{config.python} {here}/exits.py"),
    ("%make_npz", f"{config.python} {here}/make_npz.py"),
    ("%plugin", f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"),
    ("%python", config.python),
    ("%source", config.mlopt_source_dir),
]

shared = os.path.join(os.path.dirname(config.mlopt_source_dir), "shared")
if os.path.isdir(os.path.join(shared, "corpus")):
    config.available_features.add("shared")
    config.substitutions.append(("%shared", shared))


def chip():
    """The compute capability of the first GPU as "sm_90", or None."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = answer.stdout.split()
    return "sm_" + lines[0].replace(".", "") if answer.returncode == 0 and lines else None


gpu = chip()
if gpu:
    config.available_features.add(gpu)
