#!/bin/sh
# resumable.sh PROGRAM ARGUMENTS...: runs the program and ends with its exit code. In a Slurm job, a program that stopped with a
# checkpoint (exit code 75: the signal before the time limit, the limit itself, --time-limit) puts the job back into the queue, where
# it keeps its number and goes on later; Snakemake sees it wait. A cancelled job stays cancelled.
set -u
[ -n "${SLURM_JOB_ID:-}" ] || exec "$@"

# Word NAME of `scontrol show job`, e.g. JobState=RUNNING.
job_field() { scontrol show job -o "$SLURM_JOB_ID" 2>/dev/null | sed -n "s/.* $1=\([^ ]*\).*/\1/p"; }

# Which start of the job this is, for the lock of the outputs; Snakemake hides it from its job steps.
SLURM_RESTART_COUNT=$(job_field Restarts)
export SLURM_RESTART_COUNT

# Slurm signals this shell too, but it is the program that decides when to stop.
trap '' INT TERM USR1
"$@"
status=$?
[ "$status" = 75 ] || exit "$status"

[ "$(job_field Restarts)" = "$SLURM_RESTART_COUNT" ] || exit 75 # back in the queue already
case "$(job_field JobState):$(job_field Reason)" in
    RUNNING:* | *:TimeLimit | PREEMPTED:*) ;;
    *) exit 75 ;;
esac
# Slurm ends this start of the job soon after. Until then it must not look like a failure.
env --default-signal=TERM sleep 300 &
patience=$!
if scontrol requeue "$SLURM_JOB_ID"; then
    echo "resumable.sh: stopped with a checkpoint; Slurm job $SLURM_JOB_ID is back in the queue"
    wait "$patience"
else
    kill -KILL "$patience"
fi
exit 75
