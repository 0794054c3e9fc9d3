"""CONFIGURATION: exit codes, sources of values, sockets, state directories, signals, the service manager."""
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from daemons import PROGRAM, clean_environment, run_program
from wire import Client, one_of_three, wait_until

KEYS = {
    "limits.messageBytes": 1048576, "limits.batch": 100, "limits.inFlight": 256, "limits.events": 1024, "limits.connections": 16384, "limits.connectionsPerUser": 4096,
    "limits.sessionsPerUser": 4096, "limits.instancesPerSession": 1024, "limits.bufferBytes": 8388608, "limits.stallSeconds": 30, "limits.bytesPerUser": 268435456,
    "limits.executions": 256, "limits.scenes": 64, "limits.savedSessionsPerUser": 1000, "limits.savedBytesPerSession": 1048576, "limits.outboxItemsPerUser": 10000,
    "limits.outboxBytesPerUser": 67108864, "session.lingerSeconds": 30, "session.maximumLingerSeconds": 86400, "session.saveIntervalMilliseconds": 1000, "session.keepDays": 30,
    "account.timeoutSeconds": 10, "cache.maximumBytes": 67108864, "cache.maximumAgeSeconds": 2592000, "shutdown.graceSeconds": 5, "store.leaseSeconds": 10,
}


def check(tmp_path, text, environment=None):
    file = tmp_path / "viewmodeld.yaml"
    file.write_text(text)
    return run_program("--check-config", "--config", file, environment=environment, home=tmp_path)


def launch(own, *flags, **how):
    """The exit code of a daemon that ends at its start."""
    daemon = own(*flags, start=False, **how)
    daemon.launch()
    return daemon, daemon.process.wait(10)


# Usage: 64

@pytest.mark.parametrize("flags", [["--nonsense"], ["--socket"], ["--log-level", "loud"], ["surplus"], ["-x"], ["--lab=1"], ["--check-config", "--nonsense"]])
def test_a_wrong_command_line(tmp_path, flags):
    result = run_program(*flags, home=tmp_path)
    assert result.returncode == 64 and result.stderr


# Configuration: 78

@pytest.mark.parametrize("text, words", [
    ("limts:\n  batch: 5\n", ["limts"]), ("limits:\n  btach: 5\n", ["limits.btach", "limits.batch"]), ("limits:\n  batch: many\n", ["limits.batch"]), ("limits:\n  batch: 0\n", ["limits.batch"]),
    ("limits:\n  batch: -1\n", ["limits.batch"]), ("limits:\n  batch: 99999999999999999999\n", ["limits.batch"]), ("limits:\n  batch: 1.5\n", ["limits.batch"]), ("limits: 5\n", ["limits"]),
    ("lab: perhaps\n", ["lab"]), ("access: [{user: nobody}]\n", ["access"]), ("access: [{user: nobody, scope: god}]\n", ["access"]), ("access: [{user: no-such-user-here, scope: act}]\n", ["access"]),
    ("account: {provider: http}\n", ["account.url"]), ("account: {provider: carrier-pigeon}\n", ["account.provider"]), ("account: {provider: oauth}\n", ["account.oauth"]),
    ("account: {provider: http, url: 'http://127.0.0.1:99999'}\n", ["account.url", "65535"]), ("account: {provider: http, url: 'http://127.0.0.1:0'}\n", ["account.url", "65535"]),
    ("account: {provider: oauth, oauth: {issuer: 'http://[::1]:65536', clientId: x}}\n", ["account.oauth.issuer", "65535"]), ("account: {provider: http, url: 'http://h:80:80'}\n", ["account.url"]),
    ("socket: {mode: \"0999\"}\n", ["socket.mode"]), ("socket: {path: relative}\n", ["socket.path"]), ("a: [\n", []), ("\t- x", []), ("limits: {stallSeconds: .nan}\n", ["limits.stallSeconds"]),
])
def test_a_wrong_file(tmp_path, text, words):
    result = check(tmp_path, text)
    assert result.returncode == 78, result
    assert "viewmodeld.yaml" in result.stderr and all(word in result.stderr for word in words), result.stderr


@pytest.mark.parametrize("key", [k for k in KEYS if k.startswith("limits.")])
@pytest.mark.parametrize("value", ["-1", "x", "99999999999999999999", "1e3x", "[1]"])
def test_each_limit_refuses_nonsense(tmp_path, key, value):
    result = check(tmp_path, f"limits:\n  {key.partition('.')[2]}: {value}\n")
    assert result.returncode == 78 and key in result.stderr


@pytest.mark.parametrize("key", KEYS)
def test_each_key_takes_its_default(tmp_path, key):
    section, name = key.split(".")
    result = check(tmp_path, f"{section}:\n  {name}: {KEYS[key]}\n")
    assert result.returncode == 0, result.stderr


def test_a_wrong_variable(tmp_path):
    result = run_program("--check-config", environment={"VIEWMODELD_LIMITS_BATCH": "many"}, home=tmp_path)
    assert result.returncode == 78 and "VIEWMODELD_LIMITS_BATCH" in result.stderr


def test_an_unknown_variable_is_warned_of(tmp_path):
    result = run_program("--check-config", environment={"VIEWMODELD_NONSENSE": "1"}, home=tmp_path)
    assert result.returncode == 0 and "VIEWMODELD_NONSENSE" in result.stderr


def test_an_absent_file_of_the_flag(tmp_path):
    result = run_program("--check-config", "--config", tmp_path / "absent.yaml", home=tmp_path)
    assert result.returncode == 78 and "absent.yaml" in result.stderr


def test_the_daemon_does_not_start_with_a_wrong_file(own):
    daemon, code = launch(own, {"limits": {"batch": 0}})
    assert code == 78 and not daemon.socket.exists()


# Socket and state: 73

def test_a_socket_path_that_is_too_long(own):
    daemon, code = launch(own, socket="/tmp/" + "x" * 103)
    assert code == 73 and "107" in daemon.log


@pytest.mark.parametrize("kind", ["file", "directory", "fifo"])
def test_anything_but_a_socket_in_its_place_is_left_alone(own, kind):
    daemon = own(start=False)
    daemon.socket.parent.mkdir(mode=0o700)
    if kind == "file":
        daemon.socket.write_text("precious")
    elif kind == "directory":
        daemon.socket.mkdir()
    else:
        os.mkfifo(daemon.socket)
    daemon.launch()
    assert daemon.process.wait(10) == 73
    assert kind != "file" or daemon.socket.read_text() == "precious"


def test_a_second_daemon_on_the_same_socket_says_who_holds_it(own):
    first = own()
    second = own(start=False, socket=first.socket)
    second.launch()
    assert second.process.wait(10) == 73
    assert str(first.process.pid) in second.log
    first.survived()


def test_a_second_daemon_on_the_same_state_directory_says_who_holds_it(own):
    first = own()
    second = own(start=False)
    second.state = first.state
    second.launch()
    assert second.process.wait(10) == 73
    assert str(first.process.pid) in second.log
    first.survived()


@pytest.mark.parametrize("place", ["/proc/nothing/here", "/dev/null/state"])
def test_a_state_directory_that_cannot_be_made(own, place):
    daemon = own(start=False)
    daemon.state = Path(place)
    daemon.launch()
    assert daemon.process.wait(10) == 73


def test_a_socket_directory_that_cannot_be_made(own):
    _, code = launch(own, socket="/dev/null/run/sock")
    assert code == 73


# Storage: 71 (see also test_restoring.py)

def test_a_database_that_is_none(own):
    daemon = own()
    daemon.stop()
    for file in [p for p in daemon.state.rglob("*") if p.is_file() and p.read_bytes()[:15] == b"SQLite format 3"]:
        file.write_bytes(b"this is no database" * 500)
    daemon.launch()
    assert daemon.process.wait(10) == 71


@pytest.mark.parametrize("key", ["short", "", "!" * 44, "A" * 1000])
def test_a_wrong_vault_key(own, tmp_path, key):
    file = tmp_path / "key"
    file.write_text(key)
    file.chmod(0o600)
    daemon, code = launch(own, {"vault": {"keyFile": str(file)}})
    assert code > 0 and (str(file) in daemon.log or "key" in daemon.log), daemon.log


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_vault_key_that_others_can_read_is_refused(own, tmp_path, mode):
    file = tmp_path / "key"
    file.write_text("A" * 43 + "=")
    file.chmod(mode)
    _, code = launch(own, {"vault": {"keyFile": str(file)}})
    assert code > 0


def test_a_missing_vault_key_names_its_key_of_the_configuration(own, tmp_path):
    daemon, code = launch(own, {"vault": {"keyFile": str(tmp_path / "none")}})
    assert code == 78 and f"{tmp_path}/none cannot be read" in daemon.log and "vault.keyFile" in daemon.log, daemon.log


# Stopping: 0

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop(own, number):
    daemon = own()
    daemon.process.send_signal(number)
    assert daemon.process.wait(10) == 0
    assert not daemon.socket.exists()


def test_asked_to_stop_right_after_the_start(own):
    for n in range(25):
        daemon = own(start=False)
        daemon.launch()
        wait_until(lambda: "Listening" in daemon.log or daemon.process.poll() is not None, "the first line", pause=0.0005)
        assert daemon.stop(patience=10) == 0
        daemon.discard()


def test_asked_to_stop_before_it_listens(own):
    for n in range(15):
        daemon = own(start=False)
        daemon.launch()
        time.sleep(n * 0.002)
        daemon.process.terminate()
        assert daemon.process.wait(10) in (0, -15)


def test_running_actions_get_their_grace(own):
    daemon = own({"shutdown": {"graceSeconds": 3}})
    c = daemon.connect()
    quick, endless = c.request("lab.sleepConcurrent", {"milliseconds": 300}), c.request("lab.sleepConcurrent", {"milliseconds": 60000})
    c.round_trip()
    daemon.process.terminate()
    assert c.reply(quick)["result"]["slept"] == 300
    assert c.reply(endless)["error"]["code"] in (-32800, -32007)
    assert daemon.process.wait(10) == 0


def test_new_work_is_refused_while_stopping(own):
    daemon = own({"shutdown": {"graceSeconds": 20}})
    c = daemon.connect()
    endless = c.request("lab.sleepConcurrent", {"milliseconds": 60000})
    c.round_trip()
    daemon.process.terminate()
    wait_until(lambda: c.ask("lab.sleepConcurrent", {"milliseconds": 1}).get("error", {}).get("code") == -32007, "-32007")
    with pytest.raises(OSError):
        Client(daemon.socket)
    c.cancel(endless)
    assert daemon.process.wait(10) == 0


def test_a_stale_socket_is_replaced(own):
    daemon = own()
    daemon.kill()
    assert daemon.socket.exists()
    daemon.restart()
    daemon.survived()


def test_the_health_shows_the_loss_of_the_socket_and_that_it_is_back(own):
    """A file in the way ends an attempt to listen again, and not the attempts after it."""
    daemon = own()
    c = daemon.connect()
    assert c.value("daemon", "socket") == {"path": str(daemon.socket), "healthy": True, "losses": 0}
    (daemon.folder / "file").write_text("mine")
    os.rename(daemon.folder / "file", daemon.socket)
    wait_until(lambda: "is not a socket" in daemon.log, "a line in the log")
    lost = {"path": str(daemon.socket), "healthy": False, "losses": 1}
    wait_until(lambda: c.value("daemon", "socket") == lost, "the loss")
    daemon.socket.unlink()
    daemon.wait_ready()
    wait_until(lambda: c.value("daemon", "socket") == {**lost, "healthy": True}, "the end of the loss")
    assert "another daemon" not in daemon.log


# Sources and places

def test_flags_go_before_the_environment_and_that_before_the_file(own):
    daemon = own({"limits": {"batch": 3, "inFlight": 5}, "lab": False}, environment={"VIEWMODELD_LIMITS_BATCH": "2"})
    c = daemon.connect()
    assert c.batch(*[{"jsonrpc": "2.0", "id": n, "method": "viewModel.list"} for n in range(3)])["error"]["data"] == {"limit": "limits.batch", "value": 2}
    c.call("lab.set", [1])


def test_the_environment_names_new_keys(own):
    c = own(environment={"VIEWMODELD_LIMITS_SCENES": "3", "VIEWMODELD_LIMITS_EXECUTIONS": "1"}).connect()
    c.call("coordinator.open", {"scene": "help"})
    c.call("coordinator.open", {"scene": "help"})
    c.ask("coordinator.open", {"scene": "help"})
    assert c.refused("coordinator.open", {"scene": "help"}, -32006)["data"]["value"] == 3


def test_places_are_private(own):
    daemon = own()
    assert daemon.socket.parent.stat().st_mode & 0o777 == 0o700 and daemon.socket.stat().st_mode & 0o777 == 0o600


def test_the_state_directory_of_the_environment(tmp_path):
    state, place = tmp_path / "state", tmp_path / "run" / "sock"
    process = subprocess.Popen([*PROGRAM, "--socket", str(place)], env=clean_environment(tmp_path, STATE_DIRECTORY=str(state)), stderr=subprocess.DEVNULL)
    try:
        def connected():
            try:
                return Client(place)
            except OSError:
                return None
        with wait_until(connected, "the socket") as c:
            assert str(state) in c.value("daemon", "storage")["path"]
        assert state.stat().st_mode & 0o777 == 0o700
    finally:
        process.kill()
        process.wait()


def test_version(tmp_path):
    result = run_program("--version", home=tmp_path)
    assert result.returncode == 0 and result.stdout.strip()


# SIGHUP

def test_reloading_applies_what_can_be_applied(own):
    daemon = own({"limits": {"batch": 3}})
    c = daemon.connect()
    entries = [{"jsonrpc": "2.0", "id": n, "method": "viewModel.list"} for n in range(5)]
    assert c.batch(*entries)["error"]["code"] == -32006
    (daemon.folder / "viewmodeld.yaml").write_text("limits: {batch: 10}\n")
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: isinstance(c.batch(*entries), list), "the new limit")
    (daemon.folder / "viewmodeld.yaml").write_text("limits: {batch: nonsense}\n")
    before = len(daemon.log)
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "limits.batch" in daemon.log[before:], "a line in the log")
    assert isinstance(c.batch(*entries), list), "the old configuration holds"


@pytest.mark.parametrize("name", ["viewmodeld.yaml", "viewmodeld.d/pipe.yaml"])
def test_a_pipe_in_the_place_of_a_file_does_not_stop_reloading(own, name):
    daemon = own({"limits": {"batch": 3}})
    c = daemon.connect()
    pipe = daemon.folder / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(daemon.folder / "pipe")
    os.rename(daemon.folder / "pipe", pipe)
    wait_until(lambda: "it is a pipe" in daemon.log, "a line in the log")
    pipe.unlink()
    (daemon.folder / "viewmodeld.yaml").write_text("limits: {batch: 10}\n")
    entries = [{"jsonrpc": "2.0", "id": n, "method": "viewModel.list"} for n in range(5)]
    wait_until(lambda: isinstance(c.batch(*entries), list), "the new limit")
    assert daemon.stop() == 0


def test_the_first_configuration_may_be_a_pipe(tmp_path):
    command = 'exec "$@" --check-config --config <(sleep 0.1; echo "limits: {batch: many}")'
    result = subprocess.run(["bash", "-c", command, "bash", *PROGRAM], env=clean_environment(tmp_path), capture_output=True, text=True, timeout=30)
    assert result.returncode == 78 and "limits.batch" in result.stderr, result


# The service manager

def test_notifications(own):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        daemon = own(start=False)
        place = daemon.folder / "notify"
        s.bind(str(place))
        s.settimeout(10)
        daemon.environment = {"NOTIFY_SOCKET": str(place), "WATCHDOG_USEC": "400000"}
        daemon.launch()
        messages = s.recv(4096).decode()
        while "READY=1" not in messages:
            messages += "\n" + s.recv(4096).decode()
        with Client(daemon.socket) as c:
            c.round_trip()

        def attempt():
            beats, end = 0, time.monotonic() + 1
            while time.monotonic() < end:
                beats += "WATCHDOG=1" in s.recv(4096).decode()
            return beats < 4 and f"{beats} heartbeats in a second"
        one_of_three(attempt)
        daemon.process.terminate()
        while "STOPPING=1" not in s.recv(4096).decode():
            pass
        assert daemon.process.wait(10) == 0


PASS_SOCKET = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_socket_that_is_passed_in_is_used_and_never_unlinked(own, tmp_path):
    daemon = own(start=False)
    place = tmp_path / "passed"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(place))
        s.listen(16)
        command = [sys.executable, "-c", PASS_SOCKET, str(s.fileno()), *PROGRAM, "--state-directory", str(daemon.state)]
        with open(daemon.log_file, "ab") as log:
            daemon.process = subprocess.Popen(command, env=clean_environment(tmp_path), pass_fds=[s.fileno()], stdout=log, stderr=log)
        with Client(place) as c:
            assert c.value("daemon", "socket") == {"path": str(place), "healthy": True, "losses": 0}
            os.rename(place, tmp_path / "moved")
            wait_until(lambda: c.value("daemon", "socket") == {"path": str(place), "healthy": False, "losses": 1}, "the loss")
            os.rename(tmp_path / "moved", place)
            wait_until(lambda: c.value("daemon", "socket") == {"path": str(place), "healthy": True, "losses": 1}, "the end of the loss")
        assert daemon.stop() == 0
        assert place.exists()
