#!/usr/bin/env bash
# Tests, times and checks the CUDA backend on a machine with a GPU, and writes a log.
# Usage: tests/gpu/run.sh [-b BUILD_FOLDER] [-s STEPS] LOG
#   BUILD_FOLDER  default build-gpu; built first unless it holds tests/gpu/gpu_tests and bin/bench-flip already
#   STEPS         default "tests sanitize bench"; also "profile" (Nsight Compute counters of the kernels)
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$repo/build-gpu steps="tests sanitize bench"
while getopts b:s: option; do
    case $option in
        b) build=$OPTARG ;;
        s) steps=$OPTARG ;;
        *) exit 1 ;;
    esac
done
shift $((OPTIND - 1))
log=${1:?usage: run.sh [-b BUILD_FOLDER] [-s STEPS] LOG}
mkdir -p "$(dirname "$log")"
exec > >(tee "$log") 2>&1
failed=0

title() { printf '\n== %s ==\n' "$*"; }
check() { "$@" || { failed=1; echo "FAILED: $*"; }; }
has() { [[ " $steps " == *" $1 "* ]]; }

if [[ ! -x $build/tests/gpu/gpu_tests || ! -x $build/bin/bench-flip ]]; then
    title build
    cmake -S "$repo" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$build.cmake.log" 2>&1 || { tail -n 20 "$build.cmake.log"; exit 2; }
    cmake --build "$build" --target gpu_tests bench-flip | tail -n 3
fi
tests=$build/tests/gpu/gpu_tests bench=$build/bin/bench-flip
small="spins come back*,a run continued*,one burst*,known answers*,share 1 from*"

title machine
date --utc +%F
nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
nvcc --version | tail -n 2 || true
git -C "$repo" describe --always --dirty 2>/dev/null || true

if has tests; then
    title "CUDA against CPU and the naive reference, bit for bit"
    check "$tests" --duration=true
fi
if has sanitize; then
    for tool in memcheck racecheck; do
        for kernel in auto fused:1x1x1 fused:1x1x4 resident resident:0x2 tiled streaming; do
            title "compute-sanitizer $tool, kernel $kernel"
            PSFLIP_CUDA_KERNEL=$kernel check compute-sanitizer --tool $tool --error-exitcode 9 "$tests" -tc="$small"
        done
        title "compute-sanitizer $tool, other models"
        check compute-sanitizer --tool $tool --error-exitcode 9 "$tests" -tc="resident kernel of other models*"
    done
fi
if has bench; then
    title "sweeps alone, 24 temperatures, 2 replicas, 64 columns"
    check "$bench" --backend cuda --L 8,10,12,14,16 --share 128,64,32,1 --replicas 2 --temperatures 24 --columns 64
    title "with exchanges every 10 sweeps and measurements every 10 exchanges"
    check "$bench" --backend cuda --L 8,10,12,14,16 --share 128,32 --replicas 2 --temperatures 24 --columns 64 --production
    title "larger lattices"
    check "$bench" --backend cuda --L 20,24,32 --share 128 --replicas 2 --temperatures 24 --columns 16 --production
    check "$bench" --backend cuda --L 64,128 --share 128 --replicas 2 --temperatures 8 --columns 1 --production
fi
if has profile; then
    metrics=gpu__time_duration.sum,sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active
    metrics+=,sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active,smsp__issue_active.avg.pct_of_peak_sustained_active
    metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,lts__throughput.avg.pct_of_peak_sustained_elapsed
    metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active
    for L in 8 12 16 32; do
        title "counters, L = $L"
        check ncu --clock-control none --metrics $metrics --launch-skip 36 --launch-count 9 \
            "$bench" --backend cuda --L $L --share 128 --replicas 2 --temperatures 24 --columns $((L == 32 ? 8 : 64)) \
            --production --repeats 1 --seconds 0.01
    done
fi
title "result"
[[ $failed == 0 ]] && echo "all passed" || echo "something failed"
exit $failed
