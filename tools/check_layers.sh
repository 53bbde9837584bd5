#!/usr/bin/env bash
# Folders depend one way: what each may include of the others is below. C++ lives
# in dialect/bridge/ alone. Prints each include that breaks the rule.
#
#   tools/check_layers.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
bad=0

complain() {
  printf '%s\n' "$1"
  bad=1
}

# headers FOLDER...: the names of the headers in these folders, one a line, as
# an include may spell them.
headers() {
  find "$@" -name '*.h' -o -name '*.def' | sed -e 'p' -e 's|.*/||' | sort -u
}

# forbid FOLDER PATTERN WHY: no source in the folder includes what matches.
forbid() {
  local hits
  hits=$(grep -rnE "^ *# *include *[<\"](\.\./)*($2)" "$1" \
    --include='*.c' --include='*.h' --include='*.cpp' --include='*.def' || true)
  [ -z "$hits" ] || complain "$hits
  $3"
}

# own FOLDER OTHER...: the headers that only this folder has.
own() {
  local folder=$1
  shift
  comm -23 <(headers "$folder") <(headers "$@")
}

# One pattern for header names.
any_of() { sed -e 's|[.+]|\\&|g' | paste -sd '|' | sed 's|.*|(&)[>"]|'; }

dialect=$(own dialect passes runtime tools | any_of)
passes=$(own passes dialect runtime tools | any_of)
runtime=$(own runtime dialect passes tools | any_of)
tools=$(own tools dialect passes runtime | any_of)
# The artifact's schema is what passes write and the runtime reads.
private=$(own runtime dialect passes tools | grep -v artifact | any_of)

forbid dialect "$passes" "dialect may not include passes"
forbid dialect "$runtime" "dialect may not include the runtime"
forbid dialect "$tools" "dialect may not include tools"
forbid passes "$private" "passes may include the artifact's schema alone of the runtime"
forbid passes "$tools" "passes may not include tools"
forbid runtime "$dialect" "the runtime may not include the dialect"
forbid runtime "$passes" "the runtime may not include passes"
forbid runtime "$tools" "the runtime may not include tools"
forbid runtime "(mlir|mlir-c|llvm|llvm-c)/" "the runtime may not include LLVM or MLIR"
for folder in passes runtime tools; do
  forbid "$folder" "(mlir|llvm)/" "C++ headers are for dialect/bridge only"
done
hits=$(grep -rnE '^ *# *include *[<"](mlir|llvm)/' dialect --include='*.c' --include='*.h' |
  grep -v '^dialect/bridge/' || true)
[ -z "$hits" ] || complain "$hits
  C++ headers are for dialect/bridge only"

cpp=$(find dialect passes runtime tools test -name '*.cpp' -o -name '*.cc' \
  -o -name '*.cxx' | grep -v '^dialect/bridge/' || true)
[ -z "$cpp" ] || complain "$cpp
  C++ is for dialect/bridge only"
exit "$bad"
