"""A Debian machine with its own systemd, in a container of systemd-nspawn."""

import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

SOCKET = "/run/viewmodeld/viewmodeld.sock"
# A busy computer boots slowly: then each unit may take its 90 seconds.
BOOT_SECONDS = 120
# The error of a request that reaches a daemon after its STOPPING=1. Its client reconnects.
SHUTTING_DOWN = -32007


class Machine:
    """Boots a copy of a root directory. The copy is removed at the end."""

    def __init__(self, root, folder):
        self.root = pathlib.Path(folder) / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", str(root), str(self.root)], check=True)
        self.console = pathlib.Path(folder) / "console.log"
        # The process of the machine's systemd.
        self.leader = None

    def boot(self):
        """Starts the systemd of the machine, and waits until it has started its units."""
        command = ["systemd-nspawn", "--quiet", "--directory", self.root, "--register=no", "--keep-unit", "--boot", "--private-network"]
        with open(self.console, "wb") as console:
            # A session of its own: a signal for the tests is none for the machine.
            self.nspawn = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True)
        try:
            until(self.has_booted, BOOT_SECONDS)
        except AssertionError as error:
            said = self.console.read_text(errors="replace")[-2000:]
            raise AssertionError(f"The machine did not boot: {error}. systemd-nspawn and the console said:\n{said}") from None

    def has_booted(self):
        assert self.nspawn.poll() is None, f"systemd-nspawn ended with {self.nspawn.returncode}"
        self.leader = self.find_leader()
        return self.leader and self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded")

    def find_leader(self):
        """The child of systemd-nspawn that is process 1 of the machine. Its first child prepares the machine and ends."""
        for child in pathlib.Path(f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children").read_text().split():
            with contextlib.suppress(OSError):
                ids = next(line for line in pathlib.Path(f"/proc/{child}/status").read_text().splitlines() if line.startswith("NSpid:")).split()[1:]
                if len(ids) == 2 and ids[1] == "1":
                    return int(child)
        return None

    def remove(self):
        # Nothing of the machine is kept, so that an orderly end would only take time.
        if self.nspawn.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.leader or self.nspawn.pid, signal.SIGKILL)
        self.nspawn.wait()
        shutil.rmtree(self.root)

    def command(self, *words, user=None):
        """The command of this machine that runs the words, perhaps as a user with a systemd of their own."""
        if user:
            uid = self.uid(user)
            words = ["runuser", "-u", user, "--", "env", f"HOME=/home/{user}", f"XDG_RUNTIME_DIR=/run/user/{uid}", *words]
        return ["nsenter", "--target", str(self.leader), "--all", "--wd=/", *map(str, words)]

    def run(self, *words, user=None, check=True, stdin=None):
        done = subprocess.run(self.command(*words, user=user), input=stdin or "", capture_output=True, text=True, timeout=300)
        assert not check or done.returncode == 0, f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def ctl(self, *words, user=None, check=True, stdin=None):
        """Runs viewmodelctl on the daemon of the machine."""
        return self.run("viewmodelctl", "--socket", SOCKET, *words, user=user, check=check, stdin=stdin)

    def read(self, session, instance, output, user=None):
        return json.loads(self.ctl("--session", session, "read", instance, output, user=user).stdout)[output]

    def uid(self, user):
        return int(next(line for line in (self.root / "etc/passwd").read_text().splitlines() if line.startswith(f"{user}:")).split(":")[2])

    def show(self, unit, *properties, user=None):
        """The properties of a unit, in the order of the names."""
        scope = ["--user"] if user else []
        lines = self.run("systemctl", *scope, "show", unit, *(f"--property={name}" for name in properties), user=user).stdout
        values = dict(line.split("=", 1) for line in lines.splitlines())
        return [values[name] for name in properties]

    def main_process(self, unit="viewmodeld.service", user=None):
        return int(self.show(unit, "MainPID", user=user)[0])

    def kill(self, name, process):
        """Sends a signal. The machine has no /bin/kill."""
        self.run("sh", "-c", f"kill -{name} {process}")

    def is_running(self, program):
        """Whether a process of this machine runs the program."""
        return program in [path.read_text().strip() for path in pathlib.Path(self.path("/proc")).glob("[0-9]*/comm")]

    def journal(self, *options):
        """The records of the daemon of the machine."""
        lines = self.run("journalctl", "--quiet", "--output=json", "--unit=viewmodeld.service", *options).stdout
        return [json.loads(line) for line in lines.splitlines()]

    def path(self, path=SOCKET):
        """The path at which this side opens a socket or file of the machine, also one of its /run."""
        return f"/proc/{self.leader}/root{path}"


def until(condition, seconds=20):
    """Waits until the condition returns something true, and returns it."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.02)
    return value


class Clients:
    """Many clients that come, read the calculator and go, again and again, while the body of `with` runs."""

    def __init__(self, path, count):
        self.path, self.count = path, count
        self.refused, self.cut, self.answered = [], 0, 0
        self.longest = 0.0

    def __enter__(self):
        self.isOver = False
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()))
        self.thread.start()
        self.until(lambda: self.answered >= self.count)
        return self

    def until(self, condition):
        """Waits until the condition comes true or a client was refused."""
        until(lambda: self.isOver or condition(), 60)

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()

    async def all(self):
        await asyncio.gather(*(self.one(number) for number in range(self.count)))

    async def one(self, number):
        while not self.isOver:
            begin = time.monotonic()
            # A client whose connection is cut reconnects. It may not be refused.
            while not self.isOver and not await self.visit(number):
                pass
            self.longest = max(self.longest, time.monotonic() - begin)
            await asyncio.sleep(0.2)

    async def visit(self, number):
        """Whether the client got its answers. Otherwise the daemon ended meanwhile."""
        try:
            return await asyncio.wait_for(self.talk(number), 20)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            self.refused.append(error)
            self.isOver = True
            return True

    async def talk(self, number):
        reader, writer = await asyncio.open_unix_connection(self.path)
        try:
            writer.write(line("session.attach", {"session": f"visitor{number % 100}"}, 1) + line("viewModel.read", {"id": "calculator"}, 2))
            replies = [json.loads(await reader.readline()) for _ in range(2)]
        except (ConnectionError, ValueError):
            # The daemon ended: the end of the stream is an empty line.
            self.cut += 1
            return False
        finally:
            writer.close()
        if any(reply.get("error", {}).get("code") == SHUTTING_DOWN for reply in replies):
            self.cut += 1
            return False
        if any("result" not in reply for reply in replies):
            self.refused.append(replies)
            self.isOver = True
        self.answered += 1
        return True


def line(method, params, id):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"
