#!/usr/bin/env python3
"""A real Slurm on this machine alone, for tests and for trying the workflow by hand: munged, slurmctld and slurmd as root, one node
with at least eight (pretended) cores and two stand-ins for GPUs. Needs no systemd and leaves an installed Slurm and its configuration alone.

    python one_machine_slurm.py FOLDER     until Ctrl-C; Slurm's commands lie in FOLDER/bin, to be put first on the PATH
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")

# cred_expire: how long Slurm keeps a requeued job back (120 s by default). KillWait: seconds from SIGTERM at the time limit to
# SIGKILL. OverTimeLimit stays 0, so that a job ends within a minute of its limit.
CONFIGURATION = """
ClusterName=psflip
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.socket,cred_expire=6
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=100000,bf_interval=1
MpiDefault=none
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=10
SlurmdParameters=config_overrides
MinJobAge=3600
KillWait=5
PropagateResourceLimits=NONE
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} Gres=gpu:fake:2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Why Slurm cannot be started here; empty where it can."""
    if os.geteuid() != 0:
        return "needs root"
    absent = [name for name in DAEMONS + COMMANDS if not shutil.which(name, path=search_path())]
    return f"{', '.join(absent)} not installed (slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins)" if absent else ""


def search_path() -> str:
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Slurm:
    """with Slurm(folder) as slurm: ... slurm.environment has its commands on the PATH. Logs lie in folder/log."""

    def __init__(self, folder: Path):
        self.folder = Path(folder).resolve()
        self.host = socket.gethostname().split(".")[0]
        self.environment = {**os.environ, "PATH": f"{self.folder}/bin:{search_path()}", "SLURM_CONF": f"{self.folder}/slurm.conf"}
        self.daemons: list[subprocess.Popen] = []

    def __enter__(self) -> "Slurm":
        for name in ("bin", "state", "spool", "log", "run", "munge", "dev"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        try:
            self._write_configuration()
            self._start_munge()
            self._start("slurmctld", "-D", "-c")
            self.start_node()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start_node(self) -> None:
        self._start("slurmd", "-D")
        self._wait_until_up()

    def run(self, *command: str, check: bool = True) -> str:
        """Output of a Slurm command."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}\n{self.logs()}")
        return done.stdout

    def logs(self) -> str:
        return "\n".join(f"{file}:\n{file.read_text()[-3000:]}" for file in sorted((self.folder / "log").glob("*.log")))

    def stop(self) -> None:
        """Ends all jobs, steps and daemons."""
        if len(self.daemons) > 1:
            subprocess.run(["scancel", "--user=root", "--full", "--signal=KILL"], env=self.environment, capture_output=True, timeout=60)
            subprocess.run(["scancel", "--user=root"], env=self.environment, capture_output=True, timeout=60)
            self._wait_for_steps()
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons.clear()
        for number, _ in self.processes():
            kill(number)

    def processes(self) -> list[tuple[int, bytes]]:
        """Number and environment of all processes that have this Slurm's commands or configuration in their environment."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes()
            except OSError:
                continue
            if f"{self.folder}/".encode() in environment and int(process.name) != os.getpid():
                found.append((int(process.name), environment))
        return found

    def _write_configuration(self) -> None:
        """slurm.conf, gres.conf, and the commands with their configuration, since Snakemake takes SLURM_CONF from job steps."""
        for name in COMMANDS:
            command = self.folder / "bin" / name
            command.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {shutil.which(name, path=search_path())} "$@"\n')
            command.chmod(0o755)
        for name in ("gpu0", "gpu1"):
            device = self.folder / "dev" / name
            if not device.exists():
                os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20 - 512
        values = {"host": self.host, "folder": self.folder, "cores": max(8, os.cpu_count() or 1), "memory": memory}
        values |= {"controller_port": free_port(), "node_port": free_port()}
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(**values).lstrip())
        (self.folder / "gres.conf").write_text(f"NodeName={self.host} Name=gpu Type=fake File={self.folder}/dev/gpu[0-1]\n")

    def _start_munge(self) -> None:
        folder = self.folder / "munge"
        folder.chmod(0o700)
        key = folder / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        paths = {"key-file": key, "socket": self.folder / "run/munge.socket", "pid-file": self.folder / "run/munged.pid"}
        paths |= {"log-file": folder / "log", "seed-file": folder / "seed"}
        self._start("munged", "--force", "--foreground", *(f"--{name}={path}" for name, path in paths.items()))
        self._wait_for(lambda: paths["socket"].exists(), "munged made no socket")

    def _start(self, *command: str) -> None:
        """Starts a daemon in the foreground of a new session, so that Ctrl-C does not reach it before its jobs have ended."""
        with (self.folder / "log" / f"{command[0]}.out").open("w") as output:
            self.daemons.append(
                subprocess.Popen(
                    command, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
                )
            )

    def _wait_until_up(self) -> None:
        self._wait_for(lambda: self.run("sinfo", "-h", "-o", "%T", check=False).strip() in ("idle", "mixed", "allocated"), "the node did not come up")

    def _wait_for_steps(self) -> None:
        self._wait_for(lambda: not self.run("squeue", "-h", check=False).strip(), "jobs did not end", fail=False)

    def _wait_for(self, condition, message: str, fail: bool = True, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                if fail:
                    raise RuntimeError(f"{message}\n{self.logs()}")
                return
            time.sleep(0.1)


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 1
    if reason := missing():
        print(f"no Slurm here: {reason}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Slurm(Path(sys.argv[1])) as slurm:
        print(f"export PATH={slurm.folder}/bin:$PATH", flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
