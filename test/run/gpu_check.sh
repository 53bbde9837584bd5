#!/usr/bin/env bash
# Runs artifacts on a GPU and checks their numbers. Needs the NVIDIA driver and
# mlopt-run, and nothing else of mlopt, LLVM or Python.
#
#   gpu_check.sh DIR [MLOPT_RUN [OPTION...]]
#
# DIR/list.txt has a line for each program, with the options for it, as
# tools/gpu_artifacts.py writes it. The programs share one process and its GPU.
# When one ends that process, loses the GPU or does not come back within
# SECONDS_EACH (60), it has failed, and another process goes on behind it.
# DIR/report.txt has a line for each program; those that failed are shown here,
# and in the end
#
#   N passed, N failed, N skipped
#
# The exit code is 0 if none failed, 1 if one did, 2 without a GPU.
set -u
[ $# -ge 1 ] || { sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 2; }
run=${2:-mlopt-run}
case $run in */*) run=$(cd "$(dirname "$run")" && pwd)/$(basename "$run") ;; esac
cd "$1" || exit 2
shift $(($# < 2 ? $# : 2))
each=${SECONDS_EACH:-60}
report=report.txt
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

grep -v -e '^#' -e '^[[:space:]]*$' list.txt > "$work/list" || exit 2
total=$(wc -l < "$work/list")
: > "$report"

count() { grep -c "^$1 " "$report"; }
finished() { grep -c -e '^passed ' -e '^FAILED ' -e '^skipped ' "$report"; }

# Runs what is left of the list, until it ends or a program takes too long.
run_rest() {
  tail -n +$(($(finished) + 1)) "$work/list" > "$work/rest"
  "$run" --device=cuda --list="$work/rest" "$@" >> "$report" 2> "$work/messages" &
  local process=$! before=-1 now start=$SECONDS
  while kill -0 $process 2> /dev/null; do
    sleep 0.2
    now=$(finished)
    if [ "$now" != "$before" ]; then
      before=$now start=$SECONDS
    elif [ $((SECONDS - start)) -gt "$each" ]; then
      kill -KILL $process
      echo "it took over $each seconds" >> "$work/messages"
    fi
  done
  wait $process 2> /dev/null
}

while [ "$(finished)" -lt "$total" ]; do
  before=$(finished)
  run_rest "$@"
  now=$(finished)
  [ "$now" -lt "$total" ] || break
  if [ "$now" = 0 ] && grep -q -e '--device=cuda: ' "$work/messages"; then
    cat "$work/messages" >&2
    echo "0 passed, 0 failed, $total skipped"
    exit 2
  fi
  # What lost the GPU has its line already; what ended the process has none.
  if [ "$now" = "$before" ] || ! grep -q 'the GPU is lost' "$work/messages"; then
    name=$(sed -n "$((now + 1))p" "$work/list")
    why=$(tail -n 1 "$work/messages")
    echo "FAILED ${name%% *}: the process ended: ${why:-it did not say why}" >> "$report"
  fi
done

sed -i -E '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/d' "$report"
grep -v -e '^passed ' -e '^skipped ' "$report"
echo "$(count passed) passed, $(count FAILED) failed, $(count skipped) skipped"
[ "$(count FAILED)" = 0 ]
