#!/bin/sh
# on_free_gpu.sh COUNT PROGRAM ARGUMENTS...: runs `PROGRAM ARGUMENTS... --device I` on the first of COUNT GPUs that no other call of
# this script holds, and waits for one where all are taken. The lock ends with the program.
set -eu
count=$1
shift
while :; do
    device=0
    while [ "$device" -lt "$count" ]; do
        exec 9>>"${TMPDIR:-/tmp}/psflip-gpu$device.lock"
        if flock --nonblock 9; then
            exec "$@" --device "$device"
        fi
        exec 9>&-
        device=$((device + 1))
    done
    sleep 1
done
