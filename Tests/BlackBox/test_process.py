"""What the programs do at the very start: no core dumps, no words of libdispatch in the journal."""
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from daemons import CTL, PROGRAM, clean_environment, root_only
from wire import wait_until

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
SYSLOG = Path("/dev/log")


@pytest.mark.parametrize("arguments", [["--check-config"], [], ["vault", "clear"]], ids=["check-config", "daemon", "vault"])
def test_core_dumps_are_off_before_the_configuration_is_read(tmp_path, arguments):
    """The configuration is a pipe. The program waits for its other end."""
    pipe = tmp_path / "viewmodeld.yaml"
    os.mkfifo(pipe)
    (tmp_path / "state").mkdir(mode=0o700)
    process = subprocess.Popen([*PROGRAM, *arguments, "--config", str(pipe), "--state-directory", str(tmp_path / "state")],
                               env=clean_environment(tmp_path, XDG_RUNTIME_DIR=str(tmp_path)), stderr=subprocess.PIPE)
    try:
        def writer():
            assert process.poll() is None, process.stderr.read()
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                return None
        end = wait_until(writer, "a reader of the configuration")
        line = next(line for line in Path(f"/proc/{process.pid}/limits").read_text().splitlines() if line.startswith("Max core file size"))
        os.close(end)
        assert line.split()[4:6] == ["0", "0"], line
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@root_only
@pytest.mark.parametrize("pattern, owner", [("core\n", NOBODY), ("|/bin/false %p\n", 0)], ids=["file", "pipe"])
def test_where_core_dumps_are_piped_the_process_is_undumpable(tmp_path, own, pattern, owner):
    """The kernel ignores the limit for a pipe. The files in /proc of an undumpable process belong to root."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"]).returncode:
        pytest.skip("there are no mount namespaces here")
    file = tmp_path / "core_pattern"
    file.write_text(pattern)
    file.chmod(0o644)
    daemon = own()
    daemon.stop()
    command = daemon.command()
    for path in (daemon.folder, *daemon.folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    script = 'mount --bind "$0" /proc/sys/kernel/core_pattern && exec "$@"'
    daemon.command = lambda *more: ["unshare", "-m", "sh", "-c", script, str(file), *AS_NOBODY, *command, *more]
    daemon.start()
    # It can still do what needs its own files: the figures of its memory come from /proc/self.
    assert daemon.connect().value("daemon", "residentBytes") > 0
    assert os.stat(f"/proc/{daemon.process.pid}/status").st_uid == owner
    daemon.survived()
    assert daemon.stop() == 0


@root_only
@pytest.mark.skipif(SYSLOG.exists(), reason="there is a syslog here, which is not ours to replace")
def test_nothing_is_written_to_syslog(own, tmp_path):
    """libdispatch complains there about priorities that a user who is not root is refused."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(SYSLOG))
    try:
        SYSLOG.chmod(0o666)
        listener.settimeout(0.5)
        daemon = own()
        commands = [[*CTL, "--socket", str(daemon.socket), "read", "calculator", "led"]] if CTL else []
        state = tmp_path / "state"
        state.mkdir(mode=0o700)
        os.chown(state, NOBODY, NOBODY)
        tmp_path.chmod(0o755)
        commands.append([*PROGRAM, "vault", "rotate", "--state-directory", str(state)])
        for command in commands:
            subprocess.run([*AS_NOBODY, *command], env=clean_environment(tmp_path), capture_output=True, timeout=20)
            with pytest.raises(TimeoutError):
                print(listener.recv(4096))
    finally:
        listener.close()
        SYSLOG.unlink()
