"""What only a real process shows: bytes of paths and values, outputs that are full or closed, descriptors, core dumps, the journal.

`UnixIOTests` have each kind of file that an output may be, and how each byte keeps its value.
"""
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from accounts import type_in
from daemons import CTL, PROGRAM, clean_environment, needs_ctl, root_only
from gateways import GATEWAY, Gateway
from web import Answer
from wire import wait_until

pytestmark = needs_ctl
NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
PROGRAMS = {"daemon": PROGRAM, "ctl": CTL, "gateway": GATEWAY}
LATIN = b"caf\xe9"
# Latin-1, the beginning of a character with a byte that no text has, and two valid names beside them.
NAMES = [os.fsdecode(LATIN), os.fsdecode(b"\xffcut\xe2\x82"), "caf\ufffd", "\U0010ffe9"]


def run(*command, home="/nonexistent", environment=None, **how):
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60, **how}
    return subprocess.run([*map(os.fsencode, command)], env={**clean_environment(home), **(environment or {})}, **how)


# Bytes that are not UTF-8: a path is used byte by byte in every program, and a value is refused.

@pytest.fixture(params=NAMES, ids=ascii)
def odd(request):
    """A folder whose name is odd, in a folder of its own, in which nothing else is made."""
    parent = Path(tempfile.mkdtemp(prefix="v", dir="/tmp"))
    folder = parent / request.param
    folder.mkdir()
    yield folder
    assert [os.fsencode(name) for name in os.listdir(parent)] == [os.fsencode(request.param)]
    shutil.rmtree(parent)


def shown(path) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


def plain(text) -> str:
    """A log or an error without the escape of the private character among the names."""
    text = text.decode() if isinstance(text, bytes) else text
    assert "\0" not in text and "u{0}" not in text
    return text.replace("\\u{10ffe9}", "\U0010ffe9").replace("\\udbff\\udfe9", "\U0010ffe9")


def test_every_program_uses_the_bytes_of_its_paths(odd, own, name):
    daemon = own({"log": {"level": "debug"}}, folder=odd, socket=odd / odd.name)
    c = daemon.connect(name)
    assert c.value("daemon", "socket")["path"] == shown(daemon.socket) and c.value("daemon", "storage")["path"] == shown(daemon.state)
    c.call("calculator.press", ["7"])
    contract, client, backup, restored = (odd / (letter + odd.name) for letter in "cpbr")
    contract.write_bytes(run(*CTL, "rpc", "rpc.discover", environment={"VIEWMODELD_SOCKET": str(daemon.socket)}).stdout)
    assert run(*CTL, "generate", "python", "--from", contract, "--output", client).returncode == 0 and client.exists()
    result = run(*CTL, "--socket", daemon.socket, "watch", "lab", "value", "--count", "0", "--exec", 'printf %s "$VIEWMODELD_SOCKET"')
    assert result.stdout == os.fsencode(daemon.socket)
    gateway = Gateway(daemon)
    shutil.rmtree(gateway.folder)
    gateway.folder, gateway.runtime, gateway.log_file = odd, odd / "run-of-gateway", odd / "gateway.log"
    try:
        gateway.start()
        assert gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "viewModel.list"}).status == 200 and shown(daemon.socket) in plain(gateway.log)
    finally:
        gateway.kill()
    daemon.restart()
    result = run(*PROGRAM, "backup", "--state-directory", daemon.state, backup)
    assert result.returncode == 0 and plain(result.stdout).endswith(f" to {shown(backup)}.\n")
    daemon.stop()
    assert shown(daemon.socket) in plain(daemon.log) and {"viewmodeld.sqlite", "vault.key", "lock"} <= set(os.listdir(daemon.state))
    assert run(*PROGRAM, "restore", "--state-directory", restored, backup).returncode == 0
    daemon.state = restored
    daemon.start()
    assert daemon.connect(name).value("calculator", "led") == "7"
    for command, code in ((PROGRAM, 78), (GATEWAY, 78)):
        result = run(*command, "--check-config", "--config", odd / "missing" / odd.name)
        assert result.returncode == code and shown(odd / "missing" / odd.name) in plain(result.stderr)
    for arguments in (["--socket", odd / "none", "status"], ["diff", odd / "none", odd / "none"]):
        assert shown(odd / "none") in plain(run(*CTL, *arguments).stderr)


@pytest.mark.parametrize("arguments, input", [
    (["call", "lab.code", "--text", LATIN], b""), (["call", "lab.code", b"value=" + LATIN], b""),
    (["--session", LATIN, "status"], b""), (["call", b"lab." + LATIN], b""),
    (["call", "lab.code", "--json", b'{"value":"' + LATIN + b'"}'], b""), (["call", "lab.code", "value=@-"], LATIN),
    (["script"], b"call lab.code " + LATIN + b"\n"),
    (["generate", "python", "--from", "-"], b'{"info":{"title":"caf\xe9"}}'), (["read", "lab", LATIN], b""),
    (["wait", "lab", b"code=" + LATIN], b""), (["new", LATIN], b""),
])
def test_a_value_that_is_not_utf_8_is_refused(daemon, tmp_path, arguments, input):
    result = run(*CTL, "--socket", daemon.socket, *arguments, home=tmp_path, stdin=None, input=input, cwd=tmp_path)
    assert result.returncode == 64 and "not UTF-8 text" in plain(result.stderr) and not result.stdout and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", ["daemon", "gateway"])
def test_a_flag_or_variable_that_is_not_utf_8_is_refused(program):
    result = run(*PROGRAMS[program], "--log-level", LATIN)
    assert result.returncode == 64 and b"argument 2 is not UTF-8 text" in result.stderr
    result = run(*PROGRAMS[program], "--check-config", environment={"VIEWMODELD_STORE_URL": os.fsdecode(LATIN)})
    assert result.returncode == 73 and b"the environment variable VIEWMODELD_STORE_URL is not UTF-8 text" in result.stderr


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_an_output_that_is_full_or_closed_is_an_error(program, option):
    for output, reason in ((">/dev/full", b": No space left on device"), (">&-", b"")):
        result = run("sh", "-c", f"{shlex.join(PROGRAMS[program])} {option} {output}")
        assert result.returncode == 1 and b"The output cannot be written" + reason in result.stderr, result


@pytest.mark.parametrize("ignored, code", [(False, -signal.SIGPIPE), (True, 1)])
def test_a_pipe_without_a_reader_ends_a_program_as_every_other_one(ignored, code):
    read, write = os.pipe()
    os.close(read)
    how = {"restore_signals": False, "preexec_fn": lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)} if ignored else {}
    result = run(*PROGRAM, "configuration", stdout=write, **how)
    os.close(write)
    assert result.returncode == code and ignored == (b"The output has no reader" in result.stderr)


def inherited(pid) -> dict:
    """What a child of the process would inherit beside the standard descriptors."""
    flags = {number: int(Path(f"/proc/{pid}/fdinfo/{number}").read_text().split("flags:")[1].split()[0],
        8) for number in os.listdir(f"/proc/{pid}/fd")}
    return {number: os.readlink(f"/proc/{pid}/fd/{number}") for number, each in flags.items() if int(number) > 2 and not each & os.O_CLOEXEC}


def test_nothing_is_handed_down_to_children(http_daemon, backend, name, tmp_path):
    c, answer = http_daemon.connect(name), threading.Event()
    backend.set("/login", Answer(200, {"token": "t", "auto_login": {"account": "ali"}}, after=answer))
    type_in(c)
    c.request("login.submit")
    wait_until(lambda: backend.requests, "the request, which waits for its answer")
    gateway = Gateway(http_daemon).start()
    try:
        with gateway.web_socket("act") as web_socket:
            web_socket.call("viewModel.list")
            assert inherited(http_daemon.process.pid) == inherited(gateway.process.pid) == {}
    finally:
        gateway.discard()
        answer.set()
    with http_daemon.running_ctl("wait", "lab", "value=12345", session=name) as process:
        wait_until(lambda: http_daemon.attached(name) == 2, "the client")
        assert inherited(process.pid) == {}
    command = f"sleep 600 & echo $! > {tmp_path}/pid"
    http_daemon.ctl("watch", "lab", "value", "--count", "0", "--exec", command, session=name, capture_output=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    left = int((tmp_path / "pid").read_text())
    try:
        assert set(os.listdir(f"/proc/{left}/fd")) <= {"0", "1", "2"}
        wait_until(lambda: http_daemon.attached(name) == 1, "only this client")
    finally:
        os.kill(left, signal.SIGKILL)


@pytest.mark.parametrize("program", ["daemon", "gateway"])
def test_a_server_with_closed_descriptors_has_the_null_device_there(own, gateways, program):
    server = own(start=False) if program == "daemon" else gateways(start=False)
    server.prefix = ["bash", "-c", 'exec "$@" <&- >&-', "bash"]
    server.start()
    assert [os.readlink(f"/proc/{server.process.pid}/fd/{number}") for number in (0, 1)] == ["/dev/null"] * 2
    server.survived()


@pytest.mark.parametrize("arguments", [["--check-config"], [], ["vault", "clear"]], ids=["check-config", "daemon", "vault"])
def test_core_dumps_are_off_before_the_configuration_is_read(tmp_path, arguments):
    """The configuration is a pipe. The program waits for its other end."""
    pipe = tmp_path / "viewmodeld.yaml"
    os.mkfifo(pipe)
    (tmp_path / "state").mkdir(mode=0o700)
    command = [*PROGRAM, *arguments, "--config", str(pipe), "--state-directory", str(tmp_path / "state")]
    with subprocess.Popen(command, env=clean_environment(tmp_path, XDG_RUNTIME_DIR=str(tmp_path)), stderr=subprocess.PIPE) as process:
        def writer():
            assert process.poll() is None, process.stderr.read()
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                return None
        end = wait_until(writer, "a reader of the configuration")
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        process.kill()
        os.close(end)
    assert limits.split("Max core file size")[1].split()[:2] == ["0", "0"]


@root_only
@pytest.mark.skipif(Path("/dev/log").exists(), reason="there is a syslog here, which is not ours to replace")
def test_nothing_is_written_to_syslog(own, tmp_path):
    """libdispatch complains there about priorities that a user who is not root is refused."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("/dev/log")
        try:
            Path("/dev/log").chmod(0o666)
            listener.setblocking(False)
            (tmp_path / "state").mkdir(mode=0o700)
            os.chown(tmp_path / "state", NOBODY, NOBODY)
            tmp_path.chmod(0o755)
            daemon = own()
            for command in ([*CTL, "--socket", daemon.socket, "read", "calculator", "led"],
                [*PROGRAM, "vault", "rotate", "--state-directory", tmp_path / "state"]):
                run(*AS_NOBODY, *command, home=tmp_path)
                with pytest.raises(BlockingIOError):
                    print(listener.recv(4096))
        finally:
            os.unlink("/dev/log")
