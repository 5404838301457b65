"""A Slurm cluster on this machine: Debian's own programs, several nodes, GPUs that are none.

All of it, and what a test starts on it, has a network of its own with nothing but loopback. Every
node has a process tree, a host name and an /etc/slurm of its own, so that its end is that of a
machine that loses its power. Nothing is a service: the daemons are children of the tests and end
with them. Needs root, who may make such namespaces, and no control groups.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

#: Programs of the cluster and of its accounting -> Debian's package.
PROGRAMS = {
    "ip": "iproute2",
    "munged": "munge",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
}
ACCOUNTING = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server"}

#: Where Debian puts daemons; not every user's PATH has it.
SEARCHED = f"{os.environ['PATH']}{os.pathsep}/usr/sbin"

#: Who slurmctld and slurmdbd become; Debian's packages make this user.
DAEMON = "slurm"

#: A network without a way out, which lasts as long as this process. The address beside 127.0.0.1 is
#: one for documentation: without any other, names are not looked up at all.
NETWORK = """
ip link set lo up && ip address add 192.0.2.1/32 dev lo && echo ready && exec sleep infinity
"""
ALONE = ["unshare", "--net", "sh", "-c", NETWORK]

#: What gives a node its own host name, mounts and processes.
SEPARATE = ["unshare", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

#: A GPU has to be a character device: these are two that every machine has.
GRES_CONF = "Name=gpu Type=test File=/dev/null,/dev/zero\n"

#: What a node's first process does. It outlives slurmd while the file NODE.hold is there.
NODE = """
hostname "$1" && mount --bind "$2/hosts" /etc/hosts && mount --bind "$2/etc" /etc/slurm || exit
while :; do
    slurmd -D -N "$1" -f "$2/etc/slurm.conf"
    [ -e "$2/$1.hold" ] || exit
    while [ -e "$2/$1.hold" ]; do sleep 0.2; done
done
"""

SLURM_CONF = """
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser={daemon}
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job that is queued again waits for as long as its credential may live.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/log/slurmctld.pid
SlurmdPidFile={folder}/log/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
GresTypes=gpu
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdTimeout=30
KillWait=8
CompleteWait=0
InactiveLimit=0
UnkillableStepTimeout=180
ReturnToService=2
JobRequeue=1
MinJobAge=600
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{accounting}
NodeName=DEFAULT CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 \
RealMemory=64000 Gres=gpu:test:2 State=UNKNOWN
{nodes}
PartitionName=DEFAULT Nodes=ALL DefaultTime=10 State=UP
PartitionName=cpu Default=YES MaxTime=7-00:00:00 PriorityTier=1 PreemptMode=REQUEUE GraceTime=2
PartitionName=gpu MaxTime=7-00:00:00 PriorityTier=1 PreemptMode=REQUEUE GraceTime=2
PartitionName=urgent MaxTime=2:00:00 PriorityTier=10 PreemptMode=OFF
"""

WITH_ACCOUNTING = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePass={folder}/munge.socket
AccountingStoreFlags=job_comment
AccountingStorageTRES=gres/gpu
"""

SLURMDBD_CONF = """
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
SlurmUser={daemon}
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/log/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
"""


def missing(accounting: bool = False) -> list[str]:
    """Debian's packages that are needed and not there."""
    programs = PROGRAMS | ACCOUNTING if accounting else PROGRAMS
    return [
        package for program, package in programs.items() if not shutil.which(program, path=SEARCHED)
    ]


def may_isolate() -> bool:
    """Whether this user may make namespaces."""
    inside = "hostname probe && mount --bind /etc /etc/slurm"
    probe = ["unshare", "--net", *SEPARATE, "sh", "-c", inside]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


class Cluster:
    """Nodes n1, n2, ... with partitions `cpu` (the default), `gpu` and `urgent`, which preempts."""

    def __init__(self, folder: Path, nodes: int = 2, accounting: bool = False) -> None:
        """`folder` takes configuration, state and logs. Each node claims 4 cores, 64 GB and 2 GPUs
        of type test, whatever the machine has."""
        self.folder, self.accounting = folder, accounting
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def configuration(self) -> str:
        """The path of slurm.conf, which SLURM_CONF has to name."""
        return str(self.folder / "etc" / "slurm.conf")

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables under which Slurm's programs speak to this cluster."""
        return {**os.environ, "PATH": SEARCHED, "SLURM_CONF": self.configuration}

    @property
    def inside(self) -> list[str]:
        """The prefix of a command that is to run in the network of the cluster."""
        return ["nsenter", f"--net=/proc/{self.daemons['network'].pid}/ns/net"]

    def start(self) -> None:
        """Bring all of it up. Raises RuntimeError, naming the log, if a daemon does not come up."""
        self._configure()
        self._spawn("network", ALONE)
        self._wait("network", 60, lambda: (self.folder / "network.out").read_text())
        munge = ["munged", "--foreground", f"--key-file={self.folder}/munge.key"]
        munge += [f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid"]
        munge += [f"--seed-file={self.folder}/munge.seed", f"--log-file={self.folder}/munged.log"]
        self._spawn("munged", [*munge, "--force"])
        self._wait("munged", 60, lambda: (self.folder / "munge.socket").exists())
        if self.accounting:
            self._start_accounting()
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self._wait("nodes", 120, lambda: self.states() == ["idle"] * len(self.nodes))

    def start_controller(self) -> None:
        """Start slurmctld."""
        self._spawn("slurmctld", ["slurmctld", "-D"])
        self._wait("slurmctld", 120, lambda: "is UP" in self.said("scontrol", "ping"))

    def start_node(self, node: str) -> None:
        """Start a node, or slurmd of one whose daemon was killed."""
        (self.folder / f"{node}.hold").unlink(missing_ok=True)
        if node not in self.daemons or self.daemons[node].poll() is not None:
            (self.folder / f"spool.{node}").mkdir(exist_ok=True)
            command = ["bash", "-c", NODE, "slurm-node", node, str(self.folder)]
            self._spawn(node, [*SEPARATE, *command])

    def fail(self, node: str) -> None:
        """Take the power from a node: all of its processes end at once."""
        self.daemons[node].kill()
        self.daemons[node].wait()

    @contextlib.contextmanager
    def covered(self, place: Path, size: str = "10M") -> Iterator[None]:
        """For a while, put an empty folder of some size over another one, on all nodes."""

        def on_nodes(*command: str) -> None:
            for node in self.nodes:
                each = f"/proc/{self.daemons[node].pid}/ns"
                enter = ["nsenter", f"--mount={each}/mnt", f"--pid={each}/pid_for_children"]
                subprocess.run([*enter, *command, str(place)], check=True)

        on_nodes("mount", "-t", "tmpfs", "-o", f"size={size}", "none")
        try:
            yield
        finally:
            on_nodes("umount", "--lazy")

    def stop(self) -> None:
        """End everything."""
        with contextlib.suppress(RuntimeError, subprocess.SubprocessError):
            self.said("scancel", "--user=root")
        for name in reversed(list(self.daemons)):
            daemon = self.daemons[name]
            daemon.kill() if name in self.nodes else daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def said(self, *command: str) -> str:
        """The output of a program of Slurm. Raises RuntimeError if it fails."""
        captured = {"capture_output": True, "text": True, "check": False, "timeout": 60}
        done = subprocess.run([*self.inside, *command], env=self.environment, **captured)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def states(self) -> list[str]:
        """The state of each node."""
        return self.said("sinfo", "-h", "-N", "-p", "cpu", "-o", "%T").split()

    def jobs(self, fields: Sequence[str] = ("JobID", "Name", "State")) -> list[dict[str, str]]:
        """All jobs that the controller remembers, with `fields` of `squeue --Format`."""
        wanted = ",".join(f"{field}:200" for field in fields)
        lines = filter(None, self.said("squeue", "-h", "-t", "all", "-O", wanted).split("\n"))
        places = [(field, slice(200 * n, 200 * (n + 1))) for n, field in enumerate(fields)]
        return [{field: line[place].strip() for field, place in places} for line in lines]

    def job(self, number: str) -> dict[str, str]:
        """The fields of `scontrol show job`, by key."""
        words = self.said("scontrol", "-o", "show", "job", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def _configure(self) -> None:
        folder = self.folder
        for name in ["etc", "log", "state", "mysql"]:
            (folder / name).mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        names = {
            "folder": folder,
            "host": socket.gethostname().split(".")[0],
            "daemon": DAEMON,
            "nodes": "\n".join(
                f"NodeName={node} NodeHostname={node} NodeAddr=127.0.0.1 Port={port}"
                for port, node in enumerate(self.nodes, start=7001)
            ),
        }
        names["accounting"] = (
            WITH_ACCOUNTING.format(**names)
            if self.accounting
            else "AccountingStorageType=accounting_storage/none"
        )
        (folder / "etc/slurm.conf").write_text(SLURM_CONF.format(**names))
        (folder / "etc/gres.conf").write_text(GRES_CONF)
        (folder / "etc/slurmdbd.conf").write_text(SLURMDBD_CONF.format(**names))
        (folder / "etc/slurmdbd.conf").chmod(0o600)
        for path in ["log", "state", "etc/slurmdbd.conf"]:
            shutil.chown(folder / path, DAEMON)
        hosts = "".join(f"127.0.0.1 {node}\n" for node in self.nodes)
        (folder / "hosts").write_text(Path("/etc/hosts").read_text() + hosts)

    def _start_accounting(self) -> None:
        folder = self.folder
        install = ["mariadb-install-db", "--no-defaults", f"--datadir={folder}/mysql"]
        install += ["--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"]
        self.said(*install)
        database = ["mariadbd", "--no-defaults", f"--datadir={folder}/mysql", "--user=root"]
        database += [f"--socket={folder}/mysql.socket", "--port=3306"]
        database += ["--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-log-bin"]
        database += ["--innodb-buffer-pool-size=64M", "--innodb-lock-wait-timeout=900"]
        database += ["--innodb-flush-log-at-trx-commit=0", f"--pid-file={folder}/mariadbd.pid"]
        self._spawn("mariadbd", database)
        root = ["mariadb", "--no-defaults", "-u", "root", "-S", f"{folder}/mysql.socket", "-e"]
        self._wait("mariadbd", 120, lambda: self.said(*root, "SELECT 1"))
        allowed = "GRANT ALL ON slurm_acct_db.* TO slurm@'127.0.0.1' IDENTIFIED BY 'slurm'"
        self.said(*root, f"CREATE DATABASE slurm_acct_db; {allowed};")
        self._spawn("slurmdbd", ["slurmdbd", "-D"])
        self._wait("slurmdbd", 120, lambda: self.said("sacctmgr", "-n", "show", "cluster") or True)
        for words in ("cluster tests", "account tests", "user root account=tests"):
            self.said("sacctmgr", "-i", "-Q", "add", *words.split())

    def _spawn(self, name: str, command: Sequence[str]) -> None:
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                command if name == "network" else [*self.inside, *command],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait(self, name: str, seconds: float, ready: Callable[[], object]) -> None:
        """Wait until something is so; what raises RuntimeError is not yet."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):
                if ready():
                    return
            time.sleep(0.1)
        logs = sorted(self.folder.glob("log/*.log")) + sorted(self.folder.glob("*.out"))
        tails = [f"{log.name}: {log.read_text(errors='replace')[-500:]}" for log in logs]
        raise RuntimeError(f"{name} did not come up in {seconds} s:\n" + "\n".join(tails))


def wait_until(ready: Callable[[], object], seconds: float, what: str) -> None:
    """Wait for something that a test needs. Raises TimeoutError, saying `what`."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.2)
