#!/usr/bin/env bash
# Compiles the bench's programs, for a GPU machine that has no compiler.
#
#   test/bench/make_artifacts.sh DIR [--cases=REGEX] [--ptxas] [--compiler=TOOL]
#
# DIR gets NAME.mlir and NAME.mlopt for each, and manifest.json: the commit, how
# long each took, and why one could not be compiled; and what the GPU machine
# needs besides. With --ptxas the artifacts hold cubins.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
dir=$1
shift
exec python3 "$(dirname "$0")/compare.py" --make-artifacts "$dir" "$@"
