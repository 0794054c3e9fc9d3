"""CONFIGURATION: exit codes, sources of values, sockets, state directories, signals, the service manager."""
import os
import signal
import socket
import subprocess
import sys

import pytest
from daemons import PROGRAM, clean_environment, run_program
from wire import Client, wait_until

KEYS = {
    "limits.messageBytes": 1048576, "limits.batch": 100, "limits.inFlight": 256, "limits.events": 1024, "limits.connections": 16384,
    "limits.connectionsPerUser": 4096, "limits.sessionsPerUser": 4096, "limits.instancesPerSession": 1024, "limits.bufferBytes": 8388608,
    "limits.stallSeconds": 30, "limits.bytesPerUser": 268435456, "limits.executions": 256, "limits.scenes": 64, "limits.savedSessionsPerUser": 1000,
    "limits.savedBytesPerSession": 1048576, "limits.outboxItemsPerUser": 10000, "limits.outboxBytesPerUser": 67108864, "session.lingerSeconds": 30,
    "session.maximumLingerSeconds": 86400, "session.saveIntervalMilliseconds": 1000, "session.keepDays": 30, "account.timeoutSeconds": 10,
    "cache.maximumBytes": 67108864, "cache.maximumAgeSeconds": 2592000, "shutdown.graceSeconds": 5, "store.leaseSeconds": 10,
}
PARSED = [
    # a file, words of the error
    ("limts:\n  batch: 5\n", ["limts"]), ("limits:\n  btach: 5\n", ["limits.btach", "limits.batch"]), ("limits:\n  batch: many\n", ["limits.batch"]),
    ("limits:\n  batch: 0\n", ["limits.batch"]), ("limits:\n  batch: 99999999999999999999\n", ["limits.batch"]),
    ("limits:\n  batch: 1.5\n", ["limits.batch"]),
    ("limits: 5\n", ["limits"]), ("lab: perhaps\n", ["lab"]), ("access: [{user: nobody}]\n", ["access"]),
    ("access: [{user: nobody, scope: god}]\n", ["access"]),
    ("access: [{user: no-such-user-here, scope: act}]\n", ["access"]), ("account: {provider: http}\n", ["account.url"]),
    ("account: {provider: carrier-pigeon}\n", ["account.provider"]), ("account: {provider: oauth}\n", ["account.oauth"]),
    ("account: {provider: http, url: 'http://127.0.0.1:99999'}\n", ["account.url", "65535"]), ("socket: {mode: \"0999\"}\n", ["socket.mode"]),
    ("account: {provider: oauth, oauth: {issuer: 'http://[::1]:65536', clientId: x}}\n", ["account.oauth.issuer", "65535"]),
    ("socket: {path: relative}\n", ["socket.path"]), ("a: [\n", []), ("\t- x", []), ("limits: {stallSeconds: .nan}\n", ["limits.stallSeconds"]),
]
LISTS = [{"jsonrpc": "2.0", "id": number, "method": "viewModel.list"} for number in range(5)]


def check(tmp_path, text, **environment):
    file = tmp_path / "viewmodeld.yaml"
    file.write_text(text)
    return run_program("--check-config", "--config", file, environment=environment, home=tmp_path)


@pytest.mark.parametrize("flags", [["--nonsense"], ["--socket"], ["--log-level", "loud"], ["surplus"], ["--lab=1"], ["--check-config", "--nonsense"]])
def test_a_wrong_command_line_is_64(tmp_path, flags):
    result = run_program(*flags, home=tmp_path)
    assert result.returncode == 64 and result.stderr and not result.stdout


@pytest.mark.parametrize("text, words", PARSED, ids=[row[0][:50] for row in PARSED])
def test_a_wrong_file_is_78_and_is_named(own, tmp_path, text, words):
    result = check(tmp_path, text)
    assert result.returncode == 78 and all(word in result.stderr for word in ["viewmodeld.yaml", *words]), result


@pytest.mark.parametrize("key", KEYS)
def test_each_key_takes_its_default_and_no_nonsense(tmp_path, key):
    section, name = key.split(".")
    assert check(tmp_path, f"{section}:\n  {name}: {KEYS[key]}\n").returncode == 0
    for value in ("-1", "x", "[1]"):
        result = check(tmp_path, f"{section}:\n  {name}: {value}\n")
        assert result.returncode == 78 and key in result.stderr, value


def test_variables_and_files_that_are_wrong_or_absent(own, tmp_path):
    result = check(tmp_path, "", VIEWMODELD_LIMITS_BATCH="many")
    assert result.returncode == 78 and "VIEWMODELD_LIMITS_BATCH" in result.stderr
    result = check(tmp_path, "", VIEWMODELD_NONSENSE="1")
    assert result.returncode == 0 and "VIEWMODELD_NONSENSE" in result.stderr
    result = run_program("--check-config", "--config", tmp_path / "absent.yaml", home=tmp_path)
    assert result.returncode == 78 and "absent.yaml" in result.stderr
    daemon = own({"limits": {"batch": 0}}, start=False).launch()
    assert daemon.process.wait(10) == 78 and not daemon.socket.exists()
    assert run_program("--version", home=tmp_path).stdout.strip()


def test_the_example_of_the_configuration_is_valid(tmp_path):
    example = run_program("configuration").stdout
    assert check(tmp_path, example).returncode == 0
    assert all(f"{key.split('.')[1]}:" in example for key in KEYS)


# Socket and state: 73

def too_long(daemon):
    daemon.socket = "/tmp/" + "x" * 103
    return "107"


def no_directory_for_the_socket(daemon):
    daemon.socket = "/dev/null/run/sock"


def no_directory_for_the_state(daemon):
    daemon.state = "/dev/null/state"


def a_file(daemon):
    daemon.socket.write_text("precious")


def a_directory(daemon):
    daemon.socket.mkdir()


def a_fifo(daemon):
    os.mkfifo(daemon.socket)


@pytest.mark.parametrize("hinder", [too_long, no_directory_for_the_socket, no_directory_for_the_state, a_file, a_directory, a_fifo])
def test_a_place_that_cannot_be_used_is_73(own, hinder):
    daemon = own(start=False)
    daemon.socket.parent.mkdir(mode=0o700)
    place = daemon.socket
    words = hinder(daemon)
    daemon.launch()
    assert daemon.process.wait(10) == 73 and (words or "") in daemon.log
    assert hinder is not a_file or place.read_text() == "precious"


@pytest.mark.parametrize("shared", ["socket", "state"])
def test_a_second_daemon_says_who_holds_the_place(own, shared):
    first, second = own(), own(start=False)
    setattr(second, shared, getattr(first, shared))
    second.launch()
    assert second.process.wait(10) == 73 and str(first.process.pid) in second.log
    first.survived()


# Stopping

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_gives_actions_their_grace_and_refuses_new_work(own, number):
    daemon = own({"shutdown": {"graceSeconds": 20}})
    c = daemon.connect()
    endless = c.request("lab.sleepConcurrent", {"milliseconds": 60000})
    c.call("viewModel.bind", {"id": "daemon", "outputs": ["state"]})
    daemon.process.send_signal(number)
    assert c.notification("viewModel.changed")["values"] == {"state": "stopping"}
    assert "data" not in c.refused("lab.sleepConcurrent", {"milliseconds": 1}, -32007)
    with pytest.raises(OSError):
        Client(daemon.socket)
    c.cancel(endless)
    assert c.reply(endless)["error"]["code"] == -32800
    assert daemon.process.wait(10) == 0 and not daemon.socket.exists()


def test_a_grace_has_an_end(own):
    daemon = own({"shutdown": {"graceSeconds": 1}})
    c = daemon.connect()
    endless = c.request("lab.sleepConcurrent", {"milliseconds": 60000})
    c.round_trip()
    daemon.process.terminate()
    assert c.reply(endless)["error"]["code"] in (-32800, -32007) and daemon.process.wait(10) == 0


def test_a_stale_socket_is_replaced(own):
    daemon = own()
    daemon.kill()
    assert daemon.socket.exists()
    daemon.restart()
    assert daemon.socket.parent.stat().st_mode & 0o777 == 0o700 and daemon.socket.stat().st_mode & 0o777 == 0o600


# Sources

def test_flags_go_before_the_environment_and_that_before_the_file(own):
    daemon = own({"limits": {"batch": 3, "inFlight": 5}, "lab": False}, environment={"VIEWMODELD_LIMITS_BATCH": "2"})
    c = daemon.connect()
    assert c.batch(*LISTS)["error"]["data"] == {"limit": "limits.batch", "value": 2}
    c.call("lab.set", [1])


def test_the_state_directory_of_the_service_manager(own, tmp_path):
    daemon = own(start=False, environment={"STATE_DIRECTORY": str(tmp_path / "state")})
    daemon.command = lambda: [*PROGRAM, "--socket", str(daemon.socket)]
    daemon.start()
    assert str(tmp_path / "state") in daemon.connect().value("daemon", "storage")["path"]
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_a_reload_applies_what_it_can_and_keeps_the_old_values_if_the_file_is_wrong(own):
    daemon = own({"limits": {"batch": 3}})
    c, file, pipe = daemon.connect(), daemon.folder / "viewmodeld.yaml", daemon.folder / "pipe"
    assert c.batch(*LISTS)["error"]["code"] == -32006
    os.mkfifo(pipe)
    os.rename(pipe, file)
    wait_until(lambda: "it is a pipe" in daemon.log, "a line in the log")
    file.unlink()
    for text, sign in (("limits: {batch: 10}\n", lambda: isinstance(c.batch(*LISTS), list)),
                       ("limits: {batch: nonsense}\n", lambda: "limits.batch" in daemon.log)):
        file.write_text(text)
        daemon.process.send_signal(signal.SIGHUP)
        wait_until(sign, text)
    assert isinstance(c.batch(*LISTS), list), "the old configuration holds"
    assert daemon.stop() == 0


def test_the_first_configuration_may_be_a_pipe(tmp_path):
    command = 'exec "$@" --check-config --config <(echo "limits: {batch: many}")'
    result = subprocess.run(["bash", "-c", command, "bash", *PROGRAM], env=clean_environment(tmp_path), capture_output=True, text=True, timeout=30)
    assert result.returncode == 78 and "limits.batch" in result.stderr, result


# The service manager

def test_the_service_manager_is_told(own):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        daemon = own(start=False)
        manager.bind(str(daemon.folder / "notify"))
        manager.settimeout(20)
        daemon.environment = {"NOTIFY_SOCKET": str(daemon.folder / "notify"), "WATCHDOG_USEC": "400000"}
        daemon.launch()

        def told(word):
            while word not in manager.recv(4096):
                pass
        told(b"READY=1")
        daemon.connect().round_trip()
        told(b"WATCHDOG=1")
        told(b"WATCHDOG=1")
        daemon.process.terminate()
        told(b"STOPPING=1")
        assert daemon.process.wait(10) == 0


PASS_SOCKET = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_socket_that_is_passed_in_is_used_and_never_unlinked(own, tmp_path):
    daemon, place = own(start=False, socket=tmp_path / "passed"), tmp_path / "passed"
    with socket.socket(socket.AF_UNIX) as passed:
        passed.bind(str(place))
        passed.listen(16)
        daemon.command = lambda: [sys.executable, "-c", PASS_SOCKET, str(passed.fileno()), *PROGRAM, "--state-directory", str(daemon.state)]
        daemon.start(pass_fds=[passed.fileno()])
        c = daemon.connect()
        os.rename(place, tmp_path / "moved")
        wait_until(lambda: c.value("daemon", "socket") == {"path": str(place), "healthy": False, "losses": 1}, "the loss")
        os.rename(tmp_path / "moved", place)
        wait_until(lambda: c.value("daemon", "socket")["healthy"], "the end of the loss")
        assert daemon.stop() == 0 and place.exists()
