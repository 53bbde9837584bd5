#!/usr/bin/env bash
# Runs artifacts on a GPU and checks their numbers. Needs the NVIDIA driver and
# mlopt-run, and nothing else of mlopt, LLVM or Python.
#
#   gpu_check.sh DIR [MLOPT_RUN [OPTION...]]
#
# DIR/list.txt has a line for each program, with the options for it, as
# tools/gpu_artifacts.py writes it. The programs share one process and its GPU.
# When a program ends that process, loses the GPU or does not end at all, it has
# failed, and another process goes on behind it. DIR/report.txt gets a line for
# each program; here those that failed are shown, and in the end
#
#   N passed, N failed, N skipped
#
# The exit code is 0 if none failed, 2 without a GPU. SECONDS_EACH (60) is how
# long a program may take.
set -u
[ $# -ge 1 ] || { sed -n '2,18s/^# \{0,1\}//p' "$0"; exit 2; }
cd "$1" || exit 2
run=${2:-mlopt-run}
shift $(($# < 2 ? $# : 2))
each=${SECONDS_EACH:-60}
report=report.txt
list=$(mktemp) && messages=$(mktemp) || exit 2
trap 'rm -f "$list" "$messages"; kill $(jobs -p) 2> /dev/null' EXIT

grep -v -e '^#' -e '^[[:space:]]*$' list.txt > "$list" || exit 2
total=$(wc -l < "$list")
: > "$report"

count() { grep -c "^$1 " "$report"; }
finished() { grep -c -e '^passed ' -e '^FAILED ' -e '^skipped ' "$report"; }

# Runs what is left of the list and ends the process when $each seconds go by
# without a new line in the report.
run_rest() {
  tail -n +$(($(finished) + 1)) "$list" |
    "$run" --device=cuda --list=- "$@" 2> "$messages" |
    grep --line-buffered -v -E '^[0-9]+ passed, ' >> "$report" &
  local before=-1 now waited=0
  while kill -0 $! 2> /dev/null; do
    sleep 0.2
    now=$(finished)
    if [ "$now" != "$before" ]; then
      before=$now waited=0
    elif [ $((waited += 1)) -gt $((each * 5)) ]; then
      echo "it took over $each seconds" > "$messages"
      kill -KILL $(jobs -p) $(pgrep -P $$ 2> /dev/null) 2> /dev/null
      break
    fi
  done
  wait 2> /dev/null
}

while [ "$(finished)" -lt "$total" ]; do
  before=$(finished)
  run_rest "$@"
  now=$(finished)
  [ "$now" -lt "$total" ] || break
  if [ "$now" = 0 ] && grep -q -e '--device=cuda: ' "$messages"; then
    cat "$messages" >&2
    echo "0 passed, 0 failed, $total skipped"
    exit 2
  fi
  # A GPU that is lost has its program in the report already.
  if [ "$now" = "$before" ] || ! grep -q 'the GPU is lost' "$messages"; then
    read -r name _ <<< "$(tail -n +$((now + 1)) "$list" | head -n 1)"
    echo "FAILED $name: the process ended: $(tail -n 1 "$messages")" >> "$report"
  fi
done

grep -v -e '^passed ' -e '^skipped ' "$report"
echo "$(count passed) passed, $(count FAILED) failed, $(count skipped) skipped"
[ "$(count FAILED)" = 0 ]
