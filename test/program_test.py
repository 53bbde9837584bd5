"""The format of unit tests: a program that exits with 0 if it passed."""

import os
import subprocess

import lit.formats.base
import lit.Test


class ProgramTest(lit.formats.base.FileBasedTest):
    """NAME_test.c stands for the program NAME_test in a folder of the build."""

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
