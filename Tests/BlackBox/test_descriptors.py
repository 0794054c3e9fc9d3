"""Descriptors: children inherit none, closed standard ones are replaced, and long paths of sockets work in every program."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from accounts import type_in
from daemons import CTL, PROGRAM, clean_environment, needs_ctl
from gateways import GATEWAY, Gateway
from web import Answer
from wire import Client, wait_until

CLOSE_ON_EXEC = 0o2000000


def inherited(pid) -> dict:
    """What a child of the process would inherit beside the standard descriptors."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        flags = int(Path(f"/proc/{pid}/fdinfo/{number}").read_text().split("flags:")[1].split()[0], 8)
        if int(number) > 2 and not flags & CLOSE_ON_EXEC:
            found[number] = os.readlink(f"/proc/{pid}/fd/{number}")
    return found


def run(*command, **how):
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    return subprocess.run(command, timeout=30, **how)


def attached(client, name):
    return [s["attached"] for s in client.call("session.list")["sessions"] if s["session"] == name]


@needs_ctl
def test_what_a_command_leaves_behind_holds_no_connection(daemon, name, tmp_path):
    c = daemon.connect(name)
    file = tmp_path / "pid"
    result = run(*CTL, "--socket", str(daemon.socket), "--session", name, "watch", "lab", "value", "--count", "0",
                 "--exec", f"sleep 600 & echo $! > {file}", env=clean_environment(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    left = int(file.read_text())
    try:
        assert result.returncode == 0
        assert set(os.listdir(f"/proc/{left}/fd")) <= {"0", "1", "2"}
        wait_until(lambda: attached(c, name) == [1], "only this client")
    finally:
        os.kill(left, signal.SIGKILL)


@needs_ctl
def test_a_command_gets_bytes_of_the_environment_as_they_are(daemon, name, tmp_path):
    result = run(*CTL, "--socket", str(daemon.socket), "--session", name, "watch", "lab", "value", "--count", "0", "--exec", 'printf %s "$ODD$VIEWMODEL_INSTANCE"',
                 env={**{os.fsencode(k): os.fsencode(v) for k, v in clean_environment(tmp_path).items()}, b"ODD": b"caf\xe9"})
    assert result.stdout == b"caf\xe9lab", result


def test_daemon_and_gateway_would_hand_nothing_down(own):
    daemon = own({"account": {"provider": "local"}})
    with Client(daemon.socket) as client:
        client.round_trip()
        # A timer of the daemon's tasks has its own event loop.
        client.call("lab.sleep", {"milliseconds": 1})
        gateway = Gateway(daemon).start()
        try:
            with gateway.web_socket("act") as socket:
                socket.call("viewModel.list")
                assert inherited(daemon.process.pid) == {}
                assert inherited(gateway.process.pid) == {}
        finally:
            gateway.discard()


def test_connections_to_a_backend_are_not_handed_down(http_daemon, backend):
    c = http_daemon.connect()
    answer = threading.Event()
    backend.set("/login", Answer(200, {"token": "t", "auto_login": {"account": "ali"}}, after=answer))
    type_in(c)
    try:
        c.request("login.submit")
        wait_until(lambda: backend.requests, "the request, which waits for its answer")
        assert inherited(http_daemon.process.pid) == {}
    finally:
        answer.set()


@needs_ctl
@pytest.mark.parametrize("verb", [["watch", "lab", "value"], ["wait", "lab", "value=12345"], ["monitor"]])
def test_the_connections_of_the_shell_would_not_be_handed_down(daemon, name, tmp_path, verb):
    c = daemon.connect(name)
    process = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "--session", name, *verb], env=clean_environment(tmp_path),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: attached(c, name) == [2], "the client")
        assert inherited(process.pid) == {}
    finally:
        process.terminate()
        process.wait(10)


@needs_ctl
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_the_shell_works_with_closed_descriptors(daemon, tmp_path, closed):
    result = run("bash", "-c", f'exec "$@" {closed}', "bash", *CTL, "--socket", str(daemon.socket), "read", "lab", "value", env=clean_environment(tmp_path))
    if ">&-" in closed.replace("2>&-", ""):
        assert result.returncode == 1 and (b"The output cannot be written" in result.stderr) == ("2>&-" not in closed), result
    else:
        assert result.returncode == 0 and result.stdout and not result.stderr, result


@pytest.mark.parametrize("program", ["daemon", "gateway"])
def test_a_server_with_closed_descriptors_has_the_null_device_there(own, program):
    daemon = own(start=program == "gateway")
    server = daemon if program == "daemon" else Gateway(daemon)
    plain = server.command
    server.command = lambda *more: ["bash", "-c", 'exec "$@" <&- >&-', "bash", *plain(*more)]
    server.start()
    try:
        assert [os.readlink(f"/proc/{server.process.pid}/fd/{number}") for number in (0, 1)] == ["/dev/null"] * 2
        server.survived()
    finally:
        if server is not daemon:
            server.discard()


# Paths of sockets

def path_of(folder, count) -> Path:
    assert len(str(folder)) < count - 10, "a shorter folder"
    return Path(str(folder) + "/" + "s" * (count - len(str(folder)) - 1))


@pytest.fixture
def folder():
    path = tempfile.mkdtemp(prefix="v", dir="/tmp")
    yield path
    shutil.rmtree(path)


@needs_ctl
@pytest.mark.parametrize("count", [103, 104, 107])
def test_a_path_of_up_to_107_bytes_works_in_every_program(own, folder, name, count):
    daemon = own(socket=path_of(folder, count))
    assert json.loads(run(*CTL, "--socket", str(daemon.socket), "read", "lab", "value", env=clean_environment(folder)).stdout) is not None
    gateway = Gateway(daemon).start()
    try:
        assert "result" in gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "viewModel.list"}).json
    finally:
        gateway.discard()
    relay, transcript = path_of(folder + "/r", count), Path(folder, "transcript")
    relay.parent.mkdir()
    record = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "record", "--listen", str(relay), str(transcript)], env=clean_environment(folder),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert record.stdout.readline() == f"VIEWMODELD_SOCKET={relay}\n"
        with Client(relay) as client:
            client.attach(name)
            client.call("lab.set", [7])
    finally:
        record.terminate()
        record.wait(10)
        record.stdout.close()
    result = run(*CTL, "--socket", str(daemon.socket), "replay", str(transcript), env=clean_environment(folder))
    assert result.returncode == 0 and b"equal" in result.stdout, result


@needs_ctl
def test_a_longer_path_is_refused_with_one_sentence(folder):
    path = str(path_of(folder, 108))
    sentence = "the socket's path has 108 bytes, and the kernel takes 107"
    for code, command in [
        (73, [*PROGRAM, "--socket", path, "--state-directory", folder + "/state"]), (3, [*CTL, "--socket", path, "status"]),
        (73, [*GATEWAY, "--socket", path, "--runtime-directory", folder + "/run", "--listen", "127.0.0.1:0"]),
    ]:
        result = run(*command, env=clean_environment(folder))
        error = result.stderr.decode()
        assert result.returncode == code and sentence in error and path in error and "horter one" in error and "--socket" in error, result


@needs_ctl
@pytest.mark.parametrize("temporary", ["", "long"])
def test_a_recording_has_a_socket_whatever_TMPDIR_is(daemon, folder, temporary):
    value = ""
    if temporary:
        value = folder + "/" + "t" * 100
        os.mkdir(value)
    record = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "record", folder + "/transcript"], env=clean_environment(folder, TMPDIR=value),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = record.stdout.readline().strip()
        assert line.startswith("VIEWMODELD_SOCKET=/tmp/viewmodelctl-"), record.stderr.read()
        with Client(line.split("=")[1]) as client:
            client.round_trip()
    finally:
        record.terminate()
        record.wait(10)
        record.stdout.close()
        record.stderr.close()


def test_a_gateway_names_the_option_of_its_own_socket(daemon, folder):
    file = Path(folder) / "file"
    file.write_text("mine")
    more = {"VIEWMODELD_GATEWAY_HOSTS": "x", "VIEWMODELD_SOCKET": str(daemon.socket)}
    for flags, option in [(["--listen", str(file)], "gateway.listen or --listen"), (["--runtime-directory", str(path_of(folder, 107))], "--runtime-directory")]:
        result = run(*GATEWAY, *flags, env=clean_environment(folder, **more))
        assert result.returncode == 73 and option.encode() in result.stderr and b"--socket" not in result.stderr, result
    assert file.read_text() == "mine"
