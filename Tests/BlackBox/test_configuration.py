"""CONFIGURATION: exit codes, keys, places that cannot be used, signals.

`ViewModelConfigurationTests` have what each key accepts; `DaemonTests` have reloads and what the service manager is told.
"""
import os
import signal
import socket
import subprocess

import pytest
from daemons import PROGRAM, activated, clean_environment, run_program
from wire import Client, wait_until

KEYS = {
    "limits.messageBytes": 1048576, "limits.batch": 100, "limits.inFlight": 256, "limits.events": 1024, "limits.connections": 16384,
    "limits.connectionsPerUser": 4096, "limits.sessionsPerUser": 4096, "limits.instancesPerSession": 1024, "limits.bufferBytes": 8388608,
    "limits.stallSeconds": 30, "limits.bytesPerUser": 268435456, "limits.executions": 256, "limits.scenes": 64, "limits.bindings": 1024, "limits.savedSessionsPerUser": 1000,
    "limits.savedBytesPerSession": 1048576, "limits.outboxItemsPerUser": 10000, "limits.outboxBytesPerUser": 67108864, "session.lingerSeconds": 30,
    "session.maximumLingerSeconds": 86400, "session.saveIntervalMilliseconds": 1000, "session.keepDays": 30, "account.timeoutSeconds": 10,
    "cache.maximumBytes": 67108864, "cache.maximumAgeSeconds": 2592000, "shutdown.graceSeconds": 5, "store.leaseSeconds": 10,
}


def check(tmp_path, text, **environment):
    file = tmp_path / "viewmodeld.yaml"
    file.write_text(text)
    return run_program("--check-config", "--config", file, environment=environment, home=tmp_path)


@pytest.mark.parametrize("flags", [["--nonsense"], ["--socket"], ["--log-level", "loud"], ["surplus"], ["--lab=1"], ["--check-config", "--nonsense"]])
def test_a_wrong_command_line_is_64(tmp_path, flags):
    result = run_program(*flags, home=tmp_path)
    assert result.returncode == 64 and result.stderr and not result.stdout


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


# Socket and state: 73. `FileTests` have the other kinds of files.

@pytest.mark.parametrize("change, precious, words", [
    ({"socket": "/tmp/" + "x" * 103}, None, "107"), ({"state": "/dev/null/state"}, None, ""), ({}, "precious", ""),
], ids=["a long path", "no directory for the state", "a file"])
def test_a_place_that_cannot_be_used_is_73(own, change, precious, words):
    daemon = own(start=False)
    daemon.socket.parent.mkdir(mode=0o700)
    place = daemon.socket
    if precious:
        place.write_text(precious)
    vars(daemon).update(change)
    daemon.launch()
    assert daemon.process.wait(10) == 73 and words in daemon.log
    assert not precious or place.read_text() == precious


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


def test_the_state_directory_of_the_service_manager(own, tmp_path):
    daemon = own(start=False, environment={"STATE_DIRECTORY": str(tmp_path / "state")})
    daemon.command = lambda: [*PROGRAM, "--socket", str(daemon.socket)]
    daemon.start()
    assert str(tmp_path / "state") in daemon.connect().value("daemon", "storage")["path"]
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_a_reload_does_not_wait_for_a_pipe(own):
    """`ReloadTests` have what is applied."""
    daemon = own({"limits": {"batch": 3}})
    file, pipe = daemon.folder / "viewmodeld.yaml", daemon.folder / "pipe"
    os.mkfifo(pipe)
    os.rename(pipe, file)
    wait_until(lambda: "it is a pipe" in daemon.log, "a line in the log")
    daemon.survived()


def test_the_first_configuration_may_be_a_pipe(tmp_path):
    command = 'exec "$@" --check-config --config <(echo "limits: {batch: many}")'
    result = subprocess.run(["bash", "-c", command, "bash", *PROGRAM], env=clean_environment(tmp_path), capture_output=True, text=True, timeout=30)
    assert result.returncode == 78 and "limits.batch" in result.stderr, result


def test_a_socket_that_is_passed_in_is_used_and_never_unlinked(own, tmp_path):
    daemon, place = own(start=False, socket=tmp_path / "passed"), tmp_path / "passed"
    with socket.socket(socket.AF_UNIX) as passed:
        passed.bind(str(place))
        passed.listen(16)
        daemon.command = lambda: activated([*PROGRAM, "--state-directory", str(daemon.state)], passed)
        daemon.start(pass_fds=[passed.fileno()])
        c = daemon.connect()
        os.rename(place, tmp_path / "moved")
        wait_until(lambda: c.value("daemon", "socket") == {"path": str(place), "healthy": False, "losses": 1}, "the loss")
        os.rename(tmp_path / "moved", place)
        wait_until(lambda: c.value("daemon", "socket")["healthy"], "the end of the loss")
        assert daemon.stop() == 0 and place.exists()
