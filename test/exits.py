"""exits.py CODE COMMAND...: succeeds if the command exits with CODE."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    sys.exit(f"{sys.argv[2]} exited with {code}, not {sys.argv[1]}")
