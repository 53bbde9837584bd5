#!/usr/bin/env bash
# Runs artifacts on a GPU and checks their numbers. Needs the NVIDIA driver and
# mlopt-run, and nothing else of mlopt, LLVM or Python.
#
#   gpu_check.sh DIR [MLOPT_RUN [OPTION...]]
#
# DIR/list.txt has a line for each program, with the options for it, as
# tools/gpu_artifacts.py writes it; one that is set in runs after the one above
# it, whose results it may read. The programs share one process and its GPU.
# When one ends that process, loses the GPU or does not come back within
# SECONDS_EACH (60), it has failed, and another process goes on behind it.
# JOBS (1) lists that the programs are dealt to run side by side, for where the
# CPU computes what is right.
# DIR/report.txt has a line for each program; those that failed are shown here,
# and in the end
#
#   N passed, N failed, N skipped
#
# The exit code is 0 if none failed, 1 if one did, 2 without a GPU.
set -u
[ $# -ge 1 ] || { sed -n '2,20s/^# \{0,1\}//p' "$0"; exit 2; }
run=${2:-mlopt-run}
case $run in */*) run=$(cd "$(dirname "$run")" && pwd)/$(basename "$run") ;; esac
cd "$1" || exit 2
shift $(($# < 2 ? $# : 2))
each=${SECONDS_EACH:-60}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

grep -v -e '^#' -e '^[[:space:]]*$' list.txt > "$work/list" || exit 2
awk -v jobs="${JOBS:-1}" -v part="$work/part." \
  '/^[^ \t]/ { at = (at + 1) % jobs } { sub(/^[ \t]+/, ""); print > (part at) }' \
  "$work/list" || exit 2

count() { grep -c "^$1 " report.txt; }
finished() { grep -c -e '^passed ' -e '^FAILED ' -e '^skipped ' "$report"; }

# Runs what is left of the part, until it ends or a program takes too long.
run_rest() {
  tail -n +$(($(finished) + 1)) "$part" > "$part-rest"
  "$run" --device=cuda --list="$part-rest" "$@" >> "$report" 2> "$messages" &
  local process=$! before=-1 now start=$SECONDS
  while kill -0 $process 2> /dev/null; do
    sleep 0.2
    now=$(finished)
    if [ "$now" != "$before" ]; then
      before=$now start=$SECONDS
    elif [ $((SECONDS - start)) -gt "$each" ]; then
      kill -KILL $process
      echo "it took over $each seconds" >> "$messages"
    fi
  done
  wait $process 2> /dev/null
}

# Runs a part of the list; fails without a GPU.
run_part() {
  local part=$1 report=$1-report messages=$1-messages before now name why
  shift
  : > "$report"
  while [ "$(finished)" -lt "$(wc -l < "$part")" ]; do
    before=$(finished)
    run_rest "$@"
    now=$(finished)
    [ "$now" -lt "$(wc -l < "$part")" ] || break
    if [ "$now" = 0 ] && grep -q -e '--device=cuda: ' "$messages"; then
      return 1
    fi
    # What lost the GPU has its line already; what ended the process has none.
    if [ "$now" = "$before" ] || ! grep -q 'the GPU is lost' "$messages"; then
      name=$(sed -n "$((now + 1))p" "$part")
      why=$(tail -n 1 "$messages")
      echo "FAILED ${name%% *}: the process ended: ${why:-it did not say why}" >> "$report"
    fi
  done
}

processes=()
for part in "$work"/part.*; do
  run_part "$part" "$@" &
  processes+=($!)
done
for process in "${processes[@]}"; do
  if ! wait "$process"; then
    cat "$work"/part.*-messages >&2
    echo "0 passed, 0 failed, $(wc -l < "$work/list") skipped"
    exit 2
  fi
done
sed -E '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/d' "$work"/part.*-report > report.txt
grep -v -e '^passed ' -e '^skipped ' report.txt
echo "$(count passed) passed, $(count FAILED) failed, $(count skipped) skipped"
[ "$(count FAILED)" = 0 ]
