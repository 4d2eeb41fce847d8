# Functions that install, quickstart, check and wheel share: packages of the machine, the Python environment, the build.
# To be sourced. Everything made here lies in .psflip/ and build*/, which git ignores.

set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$repo/.psflip
venv=$work/venv
mkdir -p "$work"

build_packages=(g++ cmake ninja-build pkg-config libhdf5-dev libyaml-cpp-dev libfmt-dev libspdlog-dev libcli11-dev libxxhash-dev libdeflate-dev
                libboost-dev libopenmpi-dev openmpi-bin openssh-client python3 python3-dev python3-venv) # mpirun of Open MPI wants ssh, also on one machine
check_packages=(doctest-dev clang-format-14 clang-tidy-14 libomp-14-dev zsh fish)
# A Slurm for the test of the cluster profile; without it that test is skipped.
slurm_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge)

# handle_argument WORD: prints the comment at the head of the script for -h and --help, and refuses any other word.
handle_argument() {
    case $1 in
        -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
        *) fail 1 "${0##*/}: unknown argument '$1'; '$0 --help' lists what it takes" ;;
    esac
}

say() { printf 'psflip: %s\n' "$*"; }
fail() { # exit code, message
    printf 'psflip: %s\n' "$2" >&2
    exit "$1"
}

# how_far LOG: what the log of ninja, apt-get or pip tells: `120 of 345 steps`, or its last package.
how_far() {
    local steps
    steps=$(tail -c 4000 "$1" | grep -o '^ *\[[0-9]*/[0-9]*\]' | tail -n 1 | tr -d '[] ')
    if [ -n "$steps" ]; then
        echo "${steps%/*} of ${steps#*/} steps"
    else
        grep -aoE '^(Get:[0-9]+|(Unpacking|Setting up|Collecting|Downloading) [^ ]*|Installing collected packages)' "$1" | tail -n 1
    fi
}

# tell_progress LOG: a line whenever `how_far` has changed, at most every few seconds; runs until it is killed.
tell_progress() {
    local begin=$SECONDS before= now
    while sleep "${PSFLIP_PROGRESS_SECONDS:-10}" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        now=$(how_far "$1") || continue
        if [ -n "$now" ] && [ "$now" != "$before" ]; then say "    $now, $((SECONDS - begin)) s"; fi
        before=$now
    done
}

# run_logged NAME COMMAND...: output goes to .psflip/NAME.log, and how far it is to the terminal; the end of the log is shown where the command fails.
run_logged() {
    local log=$work/$1.log status=0
    shift
    : >"$log"
    tell_progress "$log" &
    local teller=$!
    "$@" >"$log" 2>&1 </dev/null || status=$?
    { kill "$teller" && wait "$teller"; } 2>/dev/null || true
    [ $status != 0 ] || return 0
    printf 'psflip: failed: %s\npsflip: last lines of %s:\n' "$*" "$log" >&2
    tail -n 30 "$log" >&2
    return $status
}

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
    done
}

# Packages of the distribution (Debian 12, Ubuntu 24.04). PSFLIP_SKIP_INSTALL=1: they are there by other means.
install_packages() {
    [ "${PSFLIP_SKIP_INSTALL:-0}" != 1 ] || return 0
    command -v dpkg-query >/dev/null || fail 2 "no dpkg here: install the equivalents of these packages by other means \
and set PSFLIP_SKIP_INSTALL=1: $*"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        say "missing packages: ${missing[*]}" >&2
        say "they are installed by:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
        fail 2 "then run this again (or set PSFLIP_SKIP_INSTALL=1 if they are here by other means)"
    fi
    say "installing ${#missing[@]} packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    run_logged apt-update apt-get update || exit 2
    run_logged apt-install apt-get install -y --no-install-recommends "${missing[@]}" || exit 2
}

# Packages that only add tests: installed where that goes without asking, else told.
install_optional_packages() {
    [ "${PSFLIP_SKIP_INSTALL:-0}" != 1 ] && command -v dpkg-query >/dev/null || return 0
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ] && (install_packages "$@"); then return; fi
    say "not installed: ${missing[*]}; the tests that need them are skipped"
}

# The package psflip of this checkout in .psflip/venv, and its command .psflip/venv/bin/psflip.
install_command() {
    [ -x "$venv/bin/python" ] || return 0
    echo "$repo/workflows" >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/psflip.pth"
    printf '#!/bin/sh\nexec "%s" -P -m psflip "$@"\n' "$venv/bin/python" >"$venv/bin/psflip"
    chmod +x "$venv/bin/psflip"
}

# install_python run|check: Python packages in .psflip/venv, installed anew only if their list changed. `run`: packages of
# envs/requirements-run.in; `check`: all of envs/requirements.in. envs/requirements.txt has the versions of both.
install_python() {
    [ "${PSFLIP_SKIP_INSTALL:-0}" != 1 ] || return 0
    make_venv
    local kind=$1 want stamp=$venv/requirements.sha256
    want="$(cat "$repo"/envs/requirements* | sha256sum) $kind"
    if [ ! -f "$stamp" ] || [[ "$(cat "$stamp")" != "${want% *} "@($kind|check) ]]; then
        say "installing Python packages into .psflip/venv"
        local list=requirements.in
        [ "$kind" = check ] || list=requirements-run.in
        run_logged pip "$venv/bin/python" -m pip install --disable-pip-version-check --no-compile \
            -c "$repo/envs/requirements.txt" -r "$repo/envs/$list" || exit 2
        echo "$want" >"$stamp"
    fi
    install_command
}
make_venv() {
    # The distribution's own Python, which python3-venv belongs to, or another one if that is absent.
    local python=/usr/bin/python3
    [ -x $python ] || python=python3
    "$venv/bin/python" -c '' 2>/dev/null || run_logged venv "$python" -m venv --clear "$venv" || exit 2
}

# gpus_here prints why GPUs can be used from here, and fails if there are none. grep reads to the end, because of pipefail.
gpus_here() {
    if nvidia-smi -L 2>/dev/null | grep '^GPU ' >/dev/null; then
        echo "this machine has a GPU"
    elif timeout 20 sinfo -h -o %G 2>/dev/null | grep gpu >/dev/null; then
        echo "the Slurm of this machine offers GPUs"
    else
        return 1
    fi
}

# The Python that runs workflow and tests: the venv's, else (PSFLIP_SKIP_INSTALL=1) the one on the PATH.
python_path() { if [ -x "$venv/bin/python" ] || [ "${PSFLIP_SKIP_INSTALL:-0}" != 1 ]; then echo "$venv/bin/python"; else command -v python3; fi; }

# is_new FOLDER succeeds if the build folder is not configured yet.
is_new() { [ ! -f "$repo/$1/CMakeCache.txt" ]; }

# Options of a new build folder. The files of a room of libcore compile as one unit, in half of the time.
new_build_options=(-DCMAKE_UNITY_BUILD=ON)

# configure_and_build PRESET TARGET [CMake options]: builds in the preset's folder, with ccache if it is here.
configure_and_build() {
    local preset=$1 target=$2 log=build-$1
    shift 2
    local options=("$@" -DPSFLIP_PYTHON="$(python_path)")
    if command -v ccache >/dev/null; then
        options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    fi
    run_logged "$log-configure" cmake -S "$repo" --preset "$preset" "${options[@]}" || exit 1
    sed -n 's/^-- psflip: //p' "$work/$log-configure.log" | while read -r line; do say "$line"; done
    local folder=build
    [ "$preset" = release ] || folder=build-$preset
    run_logged "$log" cmake --build "$repo/$folder" --parallel "$(nproc)" --target "$target" || exit 1
}

# step TITLE: a heading with the seconds since the start.
step() { say "[$((SECONDS / 60)) min $((SECONDS % 60)) s] $*"; }
