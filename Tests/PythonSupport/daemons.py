"""Starts the daemon under test. Each one has a socket and a state directory of its own."""
import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from wire import PATIENCE, Client, wait_until

PROGRAM = shlex.split(os.environ.get("VIEWMODELD", ""))
_default_ctl = str(Path(PROGRAM[0]).with_name("viewmodelctl")) if PROGRAM else ""
CTL = shlex.split(os.environ.get("VIEWMODELCTL", _default_ctl))

_libc = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def clean_environment(home, **more) -> dict:
    """The environment without what configures a daemon or speaks for a service manager."""
    service = {"NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID", "STATE_DIRECTORY",
               "JOURNAL_STREAM", "CREDENTIALS_DIRECTORY", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "PYTEST_CURRENT_TEST", "COLUMNS", "LINES"}
    kept = {k: v for k, v in os.environ.items() if k not in service and not k.startswith("VIEWMODEL")}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(Path(home, "no-configuration")), **more}


class Program:
    """A process of a test, which writes a log."""

    process: subprocess.Popen | None = None
    log_file: Path
    prefix: list[str] = []
    """The command that runs the program, if there is one."""

    def spawn(self, command, **popen):
        """Starts the process. It ends with the tests, also when they are killed."""
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_die_with_parent, **popen)

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def log(self) -> str:
        return self.log_file.read_text("utf-8", "replace") if self.log_file.exists() else ""

    @property
    def last_words(self) -> str:
        """The log from the message of a crash on, or its end."""
        log = self.log
        found = [log[at:at + 2500] for mark in ("Fatal error", " crashed:", "Current stack trace") if (at := log.rfind(mark)) >= 0]
        return "\n".join(found) or log[-1500:]

    @property
    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kill(self):
        """SIGKILL."""
        if self.is_alive:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait(PATIENCE)

    def stop(self, patience=PATIENCE) -> int:
        """SIGTERM, and the exit code."""
        self.process.terminate()
        return self.process.wait(patience)


class Daemon(Program):
    """A daemon process, and the folder with all that is its own."""

    made = set()
    """Those that are not discarded."""

    def __init__(self, config=None, *flags, lab=True, folder=None, socket=None, environment=None, shared=False):
        self.owns_folder = folder is None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="viewmodeld-"))
        self.state = self.folder / "state"
        self.socket = Path(socket) if socket else self.folder / "run" / "sock"
        self.log_file = self.folder / "log"
        self.flags = [*flags, *(["--lab"] if lab else [])]
        self.config = config or {}
        if shared:                      # other users reach the socket
            self.config = {"socket": {"mode": "0666"}, **self.config}
            self.folder.chmod(0o755)
            self.socket.parent.mkdir(mode=0o755, exist_ok=True)
            self.socket.parent.chmod(0o755)
        self.environment = environment or {}
        self.clients: list[Client] = []
        Daemon.made.add(self)

    def command(self, *more) -> list[str]:
        if not PROGRAM:
            pytest.exit("VIEWMODELD is not set: VIEWMODELD=path/to/viewmodeld python3 -m pytest", returncode=4)
        command = [*self.prefix, *PROGRAM, "--socket", str(self.socket), "--state-directory", str(self.state), *self.flags, *more]
        if self.config:
            file = self.folder / "viewmodeld.yaml"
            text = self.config if isinstance(self.config, str) else json.dumps(self.config)     # JSON is YAML
            file.write_text(text)
            command += ["--config", str(file)]
        return command

    def launch(self, *more, **popen):
        """Starts the process and does not wait for it."""
        self.spawn(self.command(*more), env=clean_environment(self.folder, **self.environment), **popen)
        return self

    def start(self, *more, **popen):
        """Starts the process and returns when it answers."""
        self.launch(*more, **popen)
        self.wait_ready()
        return self

    def wait_ready(self, patience=30):
        def answers():
            assert self.is_alive, f"the daemon ended with {self.process.returncode} at its start: {self.log[-2000:]}"
            try:
                with Client(self.socket) as client:
                    client.round_trip()
                    return True
            except (FileNotFoundError, ConnectionRefusedError):
                return False
        wait_until(answers, "the daemon's first answer", patience, pause=0.01)

    def ctl_command(self, *arguments, session=None) -> list[str]:
        """A command line of `viewmodelctl` for this daemon."""
        return [*CTL, "--socket", str(self.socket), *(["--session", session] if session else []), *map(str, arguments)]

    def ctl(self, *arguments, session=None, input=None, timeout=60, environment=None, **how) -> subprocess.CompletedProcess:
        """Runs `viewmodelctl` to its end."""
        stdin = {"stdin": subprocess.DEVNULL} if input is None else {"input": input}
        return subprocess.run(self.ctl_command(*arguments, session=session), env=clean_environment(self.folder, **(environment or {})),
                              **{"capture_output": True, "text": True, "timeout": timeout, **stdin, **how})

    @contextmanager
    def running_ctl(self, *arguments, session=None, **how):
        """Starts `viewmodelctl`, and ends it."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
        options = {**pipes, "env": clean_environment(self.folder), **how}
        with subprocess.Popen(self.ctl_command(*arguments, session=session), **options) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.terminate()     # ends the command of --exec, too
                    process.communicate(timeout=PATIENCE)

    def attached(self, session) -> int:
        """How many clients the session has."""
        with Client(self.socket) as client:
            return sum(entry["attached"] for entry in client.call("session.list")["sessions"] if entry["session"] == session)

    @property
    def resident(self) -> int:
        """Bytes of resident memory."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def connect(self, session=None, *, linger=None, **how) -> Client:
        """A connection that the daemon's end closes with. `session` attaches it."""
        client = Client(self.socket, **how)
        self.clients.append(client)
        if session:
            client.attach(session, **({} if linger is None else {"linger": linger}))
        return client

    def connect_last(self) -> Client:
        """The one connection that a limit of 1 permits, once that of the start has ended."""
        def accepted():
            client = self.connect()
            with suppress(OSError):
                client.send({"jsonrpc": "2.0", "id": "probe", "method": "viewModel.list"})
                return client.answer()["id"] == "probe" and client
        return wait_until(accepted, "an accepted connection")

    def survived(self):
        """Checks that the process lives and serves a bystander."""
        time.sleep(0.02)
        assert self.is_alive, f"the daemon ended with {self.process.returncode}: {self.last_words}"
        with Client(self.socket) as other:
            assert other.value("calculator", "led") == "0"

    def restart(self, *, hard=False):
        """Ends the process and starts another on the same folder."""
        self.kill() if hard else self.stop()
        self.drop_clients()
        return self.start()

    def on_disk(self) -> bytes:
        """Every byte of every file in the state directory."""
        return b"\0".join(path.read_bytes() for path in sorted(self.state.rglob("*")) if path.is_file())

    def drop_clients(self):
        for client in self.clients:
            client.close()
        self.clients.clear()

    def discard(self):
        Daemon.made.discard(self)
        self.drop_clients()
        self.kill()
        if self.owns_folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def run_program(*arguments, environment=None, timeout=20, home="/nonexistent") -> subprocess.CompletedProcess:
    """Runs the daemon's program to its end."""
    return subprocess.run([*PROGRAM, *map(str, arguments)], env=clean_environment(home, **(environment or {})), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout, preexec_fn=_die_with_parent)


PASS_SOCKETS = """
import os, sys, fcntl
count = int(sys.argv[1])
for number, fd in enumerate([fcntl.fcntl(int(fd), fcntl.F_DUPFD, 50) for fd in sys.argv[2:2 + count]]):
    os.dup2(fd, 3 + number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(count))
os.execv(sys.argv[2 + count], sys.argv[2 + count:])
"""


def activated(command, *sockets) -> list[str]:
    """The command of a program that systemd starts with these sockets. Its process inherits them by `pass_fds`."""
    return [sys.executable, "-c", PASS_SOCKETS, str(len(sockets)), *(str(each.fileno()) for each in sockets), *command]


_names = iter(range(1, 1 << 30))


def unique(word="s") -> str:
    """A session name that no other test has."""
    return f"{word}-{os.getpid()}-{next(_names)}"


REQUIRE_ALL = os.environ.get("REQUIRE_ALL", "0") not in ("", "0")


def needs(program):
    """Skips a test whose program is not installed. With REQUIRE_ALL=1, it fails."""
    if not shutil.which(program):
        (pytest.fail if REQUIRE_ALL else pytest.skip)(f"{program} is not installed")


needs_ctl = pytest.mark.skipif(not REQUIRE_ALL and (not CTL or not os.access(CTL[0], os.X_OK)),
    reason="there is no viewmodelctl beside VIEWMODELD, and VIEWMODELCTL is not set")
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can connect as another user")
