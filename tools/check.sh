#!/usr/bin/env bash
# Every test there is. Installs and builds what is missing first, then runs
#
#   the test suite (lit) on what Clang built,
#   the runtime's tests (ctest), which need neither LLVM nor a GPU,
#   the bridge's test as g++ builds it, and under ThreadSanitizer,
#   the bundle for other machines: its size, its start, its own tests,
#   the corpus of other people's programs, where ../shared holds it,
#
# and ends with one line, "N passed, N failed, N skipped".
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$tools")
cd "$root"

say() { printf '== %s\n' "$*"; }
passed=0 failed=0 skipped=0

# Runs a command that counts as one test.
one_test() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $name"
  fi
}

# Adds "PASSED FAILED SKIPPED", as printed by a counting script.
add_counts() {
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

tools/setup.sh

say "lit"
results=build/test/results.json
rm -f "$results"
python3 /usr/lib/llvm-22/bin/lit -sv --order=lexical -o "$results" build/test ||
  true
add_counts $(python3 - "$results" <<'END'
import collections, json, sys
counts = collections.Counter(t["code"] for t in json.load(open(sys.argv[1]))["tests"])
good = counts["PASS"] + counts["XFAIL"] + counts["FLAKYPASS"]
print(good, sum(counts.values()) - good - counts["UNSUPPORTED"], counts["UNSUPPORTED"])
END
)
gpu_runs=$({ grep -rhoE '%if sm_[0-9]+ %\{' test || true; } | wc -l)
[ "$gpu_runs" = 0 ] || command -v nvidia-smi >/dev/null ||
  say "$gpu_runs runs on a GPU were left out: there is none here"

say "the runtime"
cmake --build build --target mlopt-runtime-tests
rm -f build/runtime.xml
ctest --test-dir build -E '^lit$' --output-on-failure \
  --output-junit "$root/build/runtime.xml" || true
add_counts $(python3 - build/runtime.xml <<'END'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().attrib
total, failed, skipped = (int(suite[key]) for key in ("tests", "failures", "skipped"))
print(total - failed - skipped, failed, skipped)
END
)

say "the bridge under g++"
tools/setup.sh gcc
one_test "bridge_test (g++)" build-gcc/test/unit/bridge_test

say "the bridge under ThreadSanitizer"
tools/setup.sh tsan
one_test "bridge_test (ThreadSanitizer)" build-tsan/test/unit/bridge_test

say "the bundle"
cmake --build build --target bundle
one_test "the bundle" tools/check_bundle.sh

if [ -d ../shared/corpus ]; then
  say "other people's programs"
  one_test "the corpus" tools/corpus.py ../shared --table=build/corpus.txt
else
  say "no ../shared/corpus here: left out"
  skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
