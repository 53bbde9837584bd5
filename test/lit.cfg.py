# The test suite of mlopt. `cmake --build build --target check-mlopt` runs it;
# `lit -sv build/test --filter=NAME` runs a part.
#
#   %build       the build
#   %exits N     runs what follows; it must exit with N
#   %make_npz    writes an .npz file, see make_npz.py
#   %nvdisasm    NVIDIA's disassembler of cubins
#   %ptxas       NVIDIA's assembler of PTX
#   %plugin      flags that load libMLOpt.so into mlir-opt
#   %python      the interpreter that runs lit
#   %source      the checkout
#   %stand_in    runs what follows with the stand-in for the GPU's driver
#   %shared      the folder of other people's programs
#
# Features: `shared` where the corpus of other people's programs lies beside the
# checkout, `sm_90` where there is a Hopper GPU, `ptxas` and `nvdisasm` where
# CUDA's assembler and disassembler are in $PATH or in their usual place.

import os
import shutil
import subprocess

import lit.formats

config.name = "mlopt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "shapes"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mlopt_build_dir, "test")

tools = os.path.join(config.mlopt_build_dir, "bin")
plugin = os.path.join(config.mlopt_build_dir, "lib", "libMLOpt.so")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
here = config.test_source_root
stand_in = os.path.join(config.mlopt_build_dir, "runtime", "fake", "libcuda.so.1")
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
config.substitutions += [
    ("%build", config.mlopt_build_dir),
    ("%exits", f"{config.python} {here}/exits.py"),
    ("%make_npz", f"{config.python} {here}/make_npz.py"),
    ("%plugin", f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"),
    ("%python", config.python),
    ("%source", config.mlopt_source_dir),
    ("%stand_in", f"env MLOPT_LIBCUDA={stand_in}"),
]

shared = os.path.join(os.path.dirname(config.mlopt_source_dir), "shared")
if os.path.isdir(os.path.join(shared, "corpus")):
    config.available_features.add("shared")
    config.substitutions.append(("%shared", shared))


for tool in ("ptxas", "nvdisasm"):
    path = shutil.which(tool) or shutil.which(f"/usr/local/cuda/bin/{tool}")
    if path:
        config.available_features.add(tool)
        config.substitutions.append((f"%{tool}", path))


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
