#!/usr/bin/env bash
# Whether a bundle is what it should be: at most 40 MB, linked to glibc 2.36 or
# older and nothing else, started in under 30 ms, and right in an empty
# environment. Prints the figures.
#
#   tools/check_bundle.sh [build/mlopt-bundle.tar.xz]
set -euo pipefail
cd "$(dirname "$0")/.."
archive=${1:-build/mlopt-bundle.tar.xz}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0

# limit NAME VALUE MOST
limit() {
  printf '%s: %s (at most %s)\n' "$1" "$2" "$3"
  [ "$2" -le "$3" ] || bad=1
}

tar -xJf "$archive" -C "$folder"
bundle=$folder/mlopt-bundle
limit bytes "$(stat -c %s "$archive")" 40000000

for file in bin/mlopt bin/runtime_gpu lib/libmlopt_runtime.so; do
  symbols=$(/usr/lib/llvm-22/bin/llvm-readelf -d -V "$bundle/$file")
  others=$(grep NEEDED <<<"$symbols" | grep -vE '\[(libc|libm|ld-linux-x86-64)\.so\.' || true)
  [ -z "$others" ] || { printf '%s: %s\n' "$file" "$others"; bad=1; }
  minor=$(grep -oE 'GLIBC_2\.[0-9]+' <<<"$symbols" | cut -d. -f2 | sort -n | tail -n1)
  limit "minor version of the glibc that $file needs" "$minor" 36
done

# The quickest of ten starts; a busy machine slows most of them.
times=$(for _ in {1..10}; do
  start=$(date +%s%N)
  env -i "$bundle/bin/mlopt" opt "$bundle/tests/print.mlir" >/dev/null
  echo $((($(date +%s%N) - start) / 1000000))
done)
limit "milliseconds to start" "$(sort -n <<<"$times" | head -n1)" 30

env -i "$bundle/run-tests.sh" || bad=1
exit "$bad"
