#!/usr/bin/env bash
# Runs the execution tests of mlopt with the tools beside this script: each
# program in tests/ on the CPU, and on the GPU if there is one. The last line is
# "N passed, N failed, N skipped".
#
#   ./run-tests.sh [PROGRAM.mlir...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0 skipped=0

# A program that is right says so with its exit code. Of one that is not, the
# output is shown.
run_test() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$name" "$output"
  fi
}

gpu_test() {
  if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then
    run_test "$@"
  else
    skipped=$((skipped + 1))
  fi
}

# Its first RUN line that needs nothing but the program has the options.
options() {
  sed -nE 's/^\/\/ RUN: mlopt-run %s([^%|]*)(\| FileCheck.*)?$/\1/p' "$1" | head -n1
}

[ $# -gt 0 ] || set -- "$here"/tests/*.mlir
for program; do
  for device in cpu cuda; do
    test=run_test
    [ "$device" = cpu ] || test=gpu_test
    # shellcheck disable=SC2046 # the options are words
    "$test" "$(basename "$program") on $device" "$here/bin/mlopt-run" "$program" \
      --device="$device" $(options "$program")
  done
done
gpu_test runtime_gpu "$here/bin/runtime_gpu"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
