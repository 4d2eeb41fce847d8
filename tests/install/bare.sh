#!/usr/bin/env bash
# Installs psflip as a new user does, in a bare Debian 12 or Ubuntu 24.04 that debootstrap makes, and runs the quickstart to its report.
#   tests/install/bare.sh SUITE checkout FOLDER          README's command `envs/quickstart`, in a clean clone
#   tests/install/bare.sh SUITE wheel FOLDER WHEEL       the wheel, by an ordinary user, with python3-venv and neither compilers nor -dev packages
#   tests/install/bare.sh SUITE sdist FOLDER SDIST       the source archive, with the packages of envs/install, by pip
#   tests/install/bare.sh SUITE container FOLDER         the steps of packaging/Dockerfile and packaging/psflip.def, without CUDA; each stage in a fresh chroot
# SUITE is bookworm, noble, or bullseye (wheel only); chroots are made in FOLDER/SUITE-WAY. As root, with debootstrap and unshare.
# MIRROR: a mirror of packages instead of the mirror of debootstrap. KEYRING: keys of noble instead of the keys of the package ubuntu-keyring (Debian 13). PIP_CERT: certificates for pip
# instead of its own. PYTHON: a folder with a Python 3.11 or later that runs on SUITE, which becomes /opt/python, because bullseye has 3.9. CACHE: a folder of ccache, which makes the times of builds meaningless. Exit code 0: the quickstart ended with its report; 77: a program, a key or root is missing. Prints what was done, with seconds, and the hash of the results, which must be equal for every way.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,/^[^#]/s/^# //p' "$0"; exit 1; }
for program in debootstrap unshare; do command -v $program >/dev/null || { echo "skipped: $program is missing"; exit 77; }; done
[ "$(id -u)" = 0 ] || { echo "skipped: needs root"; exit 77; }
unshare --mount true 2>/dev/null || { echo "skipped: needs the right to make a mount namespace"; exit 77; }
[ "$1" != noble ] || [ -f "${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}" ] || { echo "skipped: the keys of Ubuntu are missing; KEYRING names them"; exit 77; }
suite=$1 way=$2 root=$(realpath -m "$3")/$1-$2 file=${4:-}
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$3"
if [ "${BARE_NAMESPACE:-}" != 1 ]; then BARE_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child bash "$0" "$@"; fi

# Seconds of the clock, which other work on the machine changes, and of the processors.
say() {
    times >"$root.times"
    printf '%s %s: [%s s, processors %.0f s] %s\n' "$suite" "$way" "$SECONDS" "$(awk -F'[ms ]' 'NR == 2 { print 60 * ($1 + $4) + $2 + $5 }' "$root.times")" "$*"
}
fail() { say "failed: $*" >&2; exit 1; }

# inside USER COMMAND...: in the chroot, with nothing of this machine's environment.
inside() {
    local user=$1 home=/root
    shift
    [ "$user" = root ] || home=/home/$user
    chroot --userspec="$user:$user" "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LANG=C.UTF-8 \
        ${certificates:+PIP_CERT=$certificates} bash -c "cd \$HOME && $*"
}

# The mirror that debootstrap took.
mirror_of() { awk '{ print $2; exit }' "$1/etc/apt/sources.list"; }

make_chroot() {
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    case $suite in
        bookworm | bullseye)
            debootstrap --variant=minbase "$suite" "$root" "${MIRROR-}" >"$root.debootstrap.log"
            mirror=$(mirror_of "$root")
            printf 'deb %s %s main\n' "$mirror" "$suite" "$mirror" "$suite-updates" >"$root/etc/apt/sources.list" ;;
        noble)
            # All Ubuntus are made by one script of debootstrap; older versions of it lack the link for noble.
            debootstrap --variant=minbase --keyring="${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}" noble "$root" "${MIRROR-}" gutsy \
                >"$root.debootstrap.log"
            mirror=$(mirror_of "$root")
            printf 'deb %s %s main universe\n' "$mirror" noble "$mirror" noble-updates >"$root/etc/apt/sources.list" ;;
        *) fail "suites are bookworm, noble and bullseye" ;;
    esac
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/dev/shm"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    certificates=
    if [ -n "${PIP_CERT:-}" ]; then certificates=/etc/pip-certificates.crt && cp "$PIP_CERT" "$root$certificates"; fi
}

make_user() { inside root "useradd --create-home physicist"; }

# The repository as `git clone` gives it: no ignored files, nothing of a build.
from_checkout() {
    git clone --quiet --no-hardlinks "$repo" "$root/root/psflip"
    say "clone of $(git -C "$repo" describe --always --dirty)"
    inside root "cd psflip && envs/quickstart 2>&1" | sed -u "s|^|    |"
    results=$root/root/psflip/results/quickstart
}

from_wheel() {
    local python=python3
    if [ -n "${PYTHON:-}" ]; then python=/opt/python/bin/python3 && cp -a "$PYTHON" "$root/opt/python"; fi
    inside root "export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install -y --no-install-recommends python3-venv libstdc++6 ca-certificates" >"$root.apt.log" 2>&1
    make_user
    cp "$file" "$repo/configs/quickstart.yaml" "$root/home/physicist/"
    local found
    found=$(inside root "for name in cc gcc g++ clang nvcc cmake mpirun; do command -v \$name || true; done; dpkg-query -W -f '\${db:Status-Abbrev} \${Package}\n' | grep '^ii.*-dev\$' || true")
    [ -z "$found" ] || fail "not bare: $found"
    say "python3-venv is installed, neither compilers nor -dev packages are here; wheel of $(($(stat -c %s "$file") >> 20)) MiB"
    inside physicist "$python -m venv v && v/bin/pip install --quiet ./$(basename "$file")"
    run_study v/bin/psflip
}

# run_study PSFLIP: the quickstart's study by an ordinary user. PSFLIP: the command psflip.
run_study() {
    say "installed"
    inside physicist "$1 doctor" | sed "s|^|    |"
    inside physicist "$1 completion bash >/dev/null && $1 docs reading >/dev/null"
    say "psflip run quickstart.yaml"
    inside physicist "$1 run quickstart.yaml 2>&1" | sed -u "s|^|    |"
    results=$root/home/physicist/results/quickstart
}

from_sdist() {
    local packages
    packages=$(bash -c ". '$repo/envs/common.sh' && echo \"\${build_packages[*]}\"")
    inside root "export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install -y --no-install-recommends $packages" >"$root.apt.log" 2>&1
    use_cache /tmp
    make_user
    cp "$file" "$repo/configs/quickstart.yaml" "$root/home/physicist/"
    say "packages of envs/install are installed; source archive of $(($(stat -c %s "$file") >> 10)) KiB"
    inside physicist "python3 -m venv v && v/bin/pip install --quiet --config-settings=cmake.define.PSFLIP_CUDA=OFF ./$(basename "$file")"
    run_study v/bin/psflip
}

# use_cache FOLDER: compilers in the chroot take known results from CACHE, if it is given. FOLDER: where the sources lie.
use_cache() {
    [ -n "${CACHE:-}" ] || return 0
    inside root "apt-get install -y --no-install-recommends ccache" >>"$root.apt.log" 2>&1
    mkdir -p "$root/ccache"
    mount --bind "$CACHE" "$root/ccache"
    printf '#!/bin/sh\nexport CCACHE_DIR=/ccache CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp/ccache-$(id -u) CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=%s CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime\nexec ccache /usr/bin/c++ "$@"\n' \
        "$1" >"$root/usr/local/bin/x86_64-linux-gnu-g++"
    chmod +x "$root/usr/local/bin/x86_64-linux-gnu-g++"
}

# The instructions of the Dockerfile one by one: COPY and RUN; CUDA is OFF. The commands of psflip.def have to be the same.
from_container() {
    local dockerfile=$repo/packaging/Dockerfile keep=$root.keep word rest
    diff <(sed -n 's/^RUN //p' "$dockerfile") <(awk '/^%/ { post = $1 == "%post" } post && /^    / && !/CUDA={{/ { sub(/^ +/, ""); print }' "$repo/packaging/psflip.def") ||
        fail "packaging/Dockerfile and packaging/psflip.def have different commands"
    rm -rf "$keep"
    mkdir -p "$keep"
    while read -r word rest; do
        case $word in
            FROM)
                say "FROM $rest: $suite"
                if [ "$rest" = '${RUN}' ]; then
                    mv "$root/opt/psflip" "$keep/"
                    [ -z "${CACHE:-}" ] || umount "$root/ccache"
                    umount "$root/proc" "$root/dev/shm"
                    make_chroot
                fi ;;
            RUN)
                say "RUN ${rest:0:100}"
                inside root "CUDA=OFF; COMMIT=$(git -C "$repo" describe --always --abbrev=12); $rest" >"$root.step.log" 2>&1 || { tail -n 30 "$root.step.log"; fail "this step failed"; }
                [[ $rest != *libopenmpi-dev* ]] || use_cache /src ;;
            COPY)
                if [ "$rest" = ". /src" ]; then
                    git clone --quiet --no-hardlinks "$repo" "$root/src" && rm -rf "$root/src/.git"
                elif [ "$rest" = "--from=build /opt/psflip /opt/psflip" ]; then
                    mv "$keep/psflip" "$root/opt/"
                else
                    fail "unknown COPY $rest"
                fi ;;
            ARG | ENV | WORKDIR | ENTRYPOINT | '#'* | '') ;;
            *) fail "unknown instruction $word" ;;
        esac
    done <"$dockerfile"
    make_user
    cp "$repo/configs/quickstart.yaml" "$root/home/physicist/"
    inside root "ompi_info --parsable | grep -E '^mca:pmix:.*:version' | cut -d: -f3 | sort -u | tr '\n' ' '" | sed 's/^/    PMIx of Open MPI: /'
    echo
    run_study psflip
}

say "making the chroot"
make_chroot
say "$(. "$root/etc/os-release" && echo "$PRETTY_NAME"), $(nproc) cores, $(inside root 'dpkg-query -W -f "x\n"' | wc -l) packages"
"from_$way"
[ -s "$results/report.html" ] && [ -s "$results/study.zip" ] || fail "no report"
say "report.html $(($(stat -c %s "$results/report.html") >> 10)) KiB; results.csv $(sha256sum <"$results/results.csv" | cut -c1-16)"
say "done; load of the machine $(cut -d' ' -f2 /proc/loadavg)"
