"""A PostgreSQL server of the tests, on a Unix socket in a directory of its own."""
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from daemons import Program
from wire import wait_until

PROGRAMS = Path(os.environ.get("POSTGRES_PROGRAMS", "/usr/lib/postgresql/15/bin"))
IS_THERE = (PROGRAMS / "initdb").exists()


def as_postgres(*command) -> list[str]:
    """PostgreSQL refuses to run as root. It ends with the tests, also when they are killed."""
    other = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=QUIT", "--"]
    return [*(other if os.geteuid() == 0 else []), *map(str, command)]


class Postgres(Program):
    """A server whose superuser needs no password on the socket. `access` is the text of its `pg_hba.conf`."""

    SUPERUSER = "viewmodeld"

    def __init__(self, folder=None, access=None, **settings):
        self.folder = folder or Path(tempfile.mkdtemp(prefix="pg-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        self.data, self.log_file = self.folder / "data", self.folder / "log"
        options = ["-D", self.data, "-U", self.SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(as_postgres(PROGRAMS / "initdb", *options), check=True, stdout=subprocess.DEVNULL, cwd="/")
        # A crash of the server's processes loses nothing that was written, so `fsync` may be off.
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off",
                    "shared_buffers": "8MB", **settings}
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        if access:
            (self.data / "pg_hba.conf").write_text(access)
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://{self.SUPERUSER}@/postgres?host={self.folder}"

    def start(self):
        self.spawn([*self.prefix, *as_postgres(PROGRAMS / "postgres", "-D", self.data)], cwd="/")
        self.wait()

    def wait(self):
        """Waits until the server answers."""
        ready = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(self.folder)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, "an answer of the database", 30)

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT ends the server at once, without a checkpoint. The next start recovers."""
        if self.is_alive:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
