# A unit test is a program, built from NAME_test.c, that exits with 0.

import os
import subprocess

import lit.formats.base
import lit.Test


class Program(lit.formats.base.FileBasedTest):
    def __init__(self, folder):
        self.folder = folder

    def execute(self, test, lit_config):
        name = os.path.splitext(test.path_in_suite[-1])[0]
        program = os.path.join(self.folder, name)
        if not os.path.exists(program):
            return lit.Test.FAIL, f"{program} is not built: name it in CMakeLists.txt"
        run = subprocess.run(
            [program],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=test.config.environment,
        )
        return (lit.Test.FAIL if run.returncode else lit.Test.PASS), run.stdout


config.test_format = Program(os.path.join(config.test_exec_root, "unit"))
config.suffixes = ["_test.c"]
