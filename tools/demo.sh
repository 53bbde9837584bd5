#!/usr/bin/env bash
# What mlopt does, on one program: a transformer block, written by hand in the
# mlopt dialect. Installs and builds what is missing first.
#
#   tools/demo.sh [PROGRAM.mlir]
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$tools")
bin=$root/build/bin
program=${1:-$root/test/run/transformer_block.mlir}
"$tools/setup.sh"
stages=$(mktemp -d)
trap 'rm -rf "$stages"' EXIT

say() { printf '\n== %s\n' "$*"; }
# show FILE PATTERN N: N lines from the first one that matches.
show() {
  awk -v pattern="$2" -v n="$3" \
    '$0 ~ pattern { on = 1 } on && n-- > 0 { print substr($0, 1, 110) }' "$1"
  echo "..."
}

say "the program: $(basename "$program")"
show "$program" '^ *func.func ' 24

say "compiled, run on random inputs, checked against a run that accumulates in f64"
"$bin/mlopt-run" "$program" --oracle --seed=1 --dump="$stages"

say "what it became: the mlopt dialect, calls inlined"
show "$stages/01-mlopt.mlir" 'mlopt.dot' 6
say "linalg on tensors"
show "$stages/02-linalg.mlir" 'linalg.generic' 12
say "loops over buffers"
show "$stages/03-loops.mlir" 'scf.for' 10
say "the llvm dialect"
show "$stages/04-llvm.mlir" 'llvm.fmul' 5

say "by hand"
cat <<END
build/bin/mlopt-run $program --oracle --seed=1 --dump=stages
build/bin/mlopt-compile --emit=linalg $program
END
