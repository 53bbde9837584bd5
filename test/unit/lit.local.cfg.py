import os
import sys

sys.path.append(config.test_source_root)
from program_test import ProgramTest  # workers must find the class by name

config.test_format = ProgramTest(os.path.join(config.test_exec_root, "unit"))
config.suffixes = ["_test.c"]
# The runtime builds apart from MLIR and runs its own tests: runtime/tests.cmake.
here = os.path.join(config.test_source_root, "unit")
config.excludes = [name for name in os.listdir(here) if name.startswith("runtime_")]
