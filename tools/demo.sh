#!/usr/bin/env bash
# What mlopt does, on one program: a transformer block, written by hand in the
# mlopt dialect. Installs and builds what is missing first.
#
#   tools/demo.sh [PROGRAM.mlir]
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
program=${1:-$tools/../test/run/transformer_block.mlir}
"$tools/setup.sh"
bin=$tools/../build/bin
stages=$(mktemp -d)
trap 'rm -rf "$stages"' EXIT

say() { printf '\n== %s\n' "$*"; }
# The first lines of a stage that say something, without the long constants.
show() { cut -c 1-110 "$1" | sed -n "$2"; }

say "the program: $(basename "$program")"
show "$program" '/func.func/,/^  }/p' | head -n 24
echo "..."

say "compiled, run on random inputs, and checked against f64 accumulation"
"$bin/mlopt-run" "$program" --oracle --seed=1 --dump="$stages"

say "what it became: linalg on tensors (mlopt-compile --emit=linalg)"
show "$stages/02-linalg.mlir" '/func.func/,$p' | head -n 16
echo "..."

say "what it became: loops over buffers, then the llvm dialect"
show "$stages/03-loops.mlir" '/scf.for/,$p' | head -n 12
echo "..."
wc -l "$stages"/*.mlir | sed '$d' | awk '{ print $2 ": " $1 " lines" }' |
  sed "s|$stages/||"

say "the same, by hand"
echo "build/bin/mlopt-run ${program#"$PWD/"} --oracle --seed=1 --dump=stages"
