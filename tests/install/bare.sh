#!/usr/bin/env bash
# Installs psflip as a new user does, in a bare Debian 12 or Ubuntu 24.04 that debootstrap makes, and runs the quickstart to its report.
#   tests/install/bare.sh SUITE checkout FOLDER          README's command `envs/quickstart`, in a clean clone
#   tests/install/bare.sh SUITE wheel FOLDER WHEEL       the wheel, by an ordinary user, with python3-venv and neither compilers nor -dev packages
# SUITE is bookworm or noble; chroots are made in FOLDER/SUITE-WAY. As root, with debootstrap and unshare.
# MIRROR: a mirror of packages instead of the mirror of debootstrap. KEYRING: keys of noble instead of the keys of the package ubuntu-keyring (Debian 13). PIP_CERT: certificates for pip
# instead of its own. Exit code 0: the quickstart ended with its report; 77: a program, a key or root is missing. Prints what was done, with seconds, and the hash of the results, which must be equal for every way.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,/^[^#]/s/^# //p' "$0"; exit 1; }
for program in debootstrap unshare; do command -v $program >/dev/null || { echo "skipped: $program is missing"; exit 77; }; done
[ "$(id -u)" = 0 ] || { echo "skipped: needs root"; exit 77; }
unshare --mount true 2>/dev/null || { echo "skipped: needs the right to make a mount namespace"; exit 77; }
[ "$1" != noble ] || [ -f "${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}" ] || { echo "skipped: the keys of Ubuntu are missing; KEYRING names them"; exit 77; }
suite=$1 way=$2 root=$(realpath -m "$3")/$1-$2 wheel=${4:-}
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
    rm -rf "$root"
    mkdir -p "$root"
    case $suite in
        bookworm)
            debootstrap --variant=minbase bookworm "$root" "${MIRROR-}" >"$root.debootstrap.log"
            mirror=$(mirror_of "$root")
            printf 'deb %s %s main\n' "$mirror" bookworm "$mirror" bookworm-updates >"$root/etc/apt/sources.list" ;;
        noble)
            # All Ubuntus are made by one script of debootstrap; older versions of it lack the link for noble.
            debootstrap --variant=minbase --keyring="${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}" noble "$root" "${MIRROR-}" gutsy \
                >"$root.debootstrap.log"
            mirror=$(mirror_of "$root")
            printf 'deb %s %s main universe\n' "$mirror" noble "$mirror" noble-updates >"$root/etc/apt/sources.list" ;;
        *) fail "suites are bookworm and noble" ;;
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
    inside root "export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install -y --no-install-recommends python3-venv" >"$root.apt.log" 2>&1
    make_user
    cp "$wheel" "$repo/configs/quickstart.yaml" "$root/home/physicist/"
    local found
    found=$(inside root "for name in cc gcc g++ clang nvcc cmake mpirun; do command -v \$name || true; done; dpkg-query -W -f '\${db:Status-Abbrev} \${Package}\n' | grep '^ii.*-dev\$' || true")
    [ -z "$found" ] || fail "not bare: $found"
    say "python3-venv is installed, neither compilers nor -dev packages are here; wheel of $(($(stat -c %s "$wheel") >> 20)) MiB"
    inside physicist "python3 -m venv v && v/bin/pip install --quiet ./$(basename "$wheel")"
    say "installed into a virtual environment by $(inside physicist 'id -un')"
    inside physicist "v/bin/psflip doctor" | sed "s|^|    |"
    say "psflip run quickstart.yaml"
    inside physicist "v/bin/psflip run quickstart.yaml 2>&1" | sed -u "s|^|    |"
    results=$root/home/physicist/results/quickstart
}

say "making the chroot"
make_chroot
say "$(. "$root/etc/os-release" && echo "$PRETTY_NAME"), $(nproc) cores, $(inside root 'dpkg-query -W -f "x\n"' | wc -l) packages"
"from_$way"
[ -s "$results/report.html" ] && [ -s "$results/study.zip" ] || fail "no report"
say "report.html $(($(stat -c %s "$results/report.html") >> 10)) KiB; results.csv $(sha256sum <"$results/results.csv" | cut -c1-16)"
say "done; load of the machine $(cut -d' ' -f2 /proc/loadavg)"
