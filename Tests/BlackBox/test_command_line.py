"""CONFIGURATION, viewmodelctl: exit codes, results on standard output, everything else on standard error."""
import json
import signal
import subprocess

import pytest
from daemons import CTL, clean_environment, needs_ctl
from wire import wait_until

pytestmark = needs_ctl


@pytest.fixture
def ctl(daemon):
    def run(*arguments, input=None, timeout=20):
        return subprocess.run([*CTL, "--socket", str(daemon.socket), *arguments], env=clean_environment(daemon.folder), input=input, capture_output=True, text=True, timeout=timeout,
                              **({} if input is not None else {"stdin": subprocess.DEVNULL}))
    return run


@pytest.mark.parametrize("arguments, code", [
    (["call", "lab.fail", "error=outOfLuck", "retryable:=true"], 1), (["nonsense"], 64), (["call"], 64), (["--nonsense", "status"], 64), (["call", "lab.nothing"], 4), (["call", "nobody.press", "value=1"], 4),
    (["read", "nobody"], 4), (["close", "no-such-session"], 4), (["call", "calculator.undo"], 5), (["call", "keypad.press", "value=x"], 7), (["call", "lab.set", "value=x"], 7), (["call", "lab.trap"], 8),
    (["wait", "calculator", "led=77", "--timeout", "0.3"], 6), (["rpc", "lab.sleep", '{"milliseconds":60000,"_meta":{"deadline":50}}'], 6), (["rpc", "rpc.nothing"], 4), (["rpc", "x", "{"], 64),
    (["call", "lab.set", "value:=7"], 0), (["status"], 0), (["types"], 0), (["describe", "calculator"], 0), (["read", "calculator", "led"], 0), (["sessions"], 0), (["rpc", "viewModel.list"], 0),
])
def test_exit_codes(ctl, arguments, code):
    result = ctl(*arguments)
    assert result.returncode == code, result
    if code:
        assert result.stderr and not result.stdout.strip(), "a failure is told on standard error"
    else:
        assert result.stdout.strip()


def test_no_connection(ctl, tmp_path):
    result = subprocess.run([*CTL, "--socket", str(tmp_path / "absent"), "status"], env=clean_environment(tmp_path), capture_output=True, text=True, timeout=20)
    assert result.returncode == 3 and not result.stdout
    assert "--socket" in result.stderr and "VIEWMODELD_SOCKET" in result.stderr


def test_a_script_that_cannot_be_read(ctl):
    result = ctl("script", "/nonexistent/file")
    assert result.returncode == 64 and not result.stdout
    assert "/nonexistent/file cannot be read: No such file or directory" in result.stderr and "@" not in result.stderr


def test_results_are_json_when_standard_output_is_no_terminal(ctl):
    assert json.loads(ctl("read", "calculator", "led").stdout)
    assert isinstance(json.loads(ctl("rpc", "viewModel.list").stdout), dict)
    assert json.loads(ctl("call", "lab.sleep", "milliseconds:=1").stdout)["slept"] == 1


def test_a_password_from_standard_input(ctl, name):
    result = ctl("--session", name, "call", "login.password", "value=@-", input="short")
    assert result.returncode == 0
    assert "short" not in result.stdout + result.stderr
    assert json.loads(ctl("--session", name, "read", "login", "passwordProblem").stdout)


def test_a_script_stops_at_the_first_failure(ctl, name):
    result = ctl("--session", name, "script", input="call keypad.press value=1\ncall keypad.press value=x\ncall keypad.press value=2\n")
    assert result.returncode == 7
    assert "12" not in ctl("--session", name, "read", "calculator", "led").stdout


def test_watching_prints_a_line_for_each_frame(ctl, daemon, name):
    c = daemon.connect(name)
    process = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "--session", name, "watch", "lab", "value", "--count", "3"], env=clean_environment(daemon.folder), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: next(s for s in c.call("session.list")["sessions"] if s["session"] == name)["attached"] == 2)
        wait_until(lambda: c.call("lab.set", [c.value("lab", "value") + 1]) and process.poll() is not None, "three lines", pause=0.05)
        out, _ = process.communicate(timeout=10)
        assert process.returncode == 0 and len([json.loads(line) for line in out.splitlines()]) in (3, 4), "the first picture may count"
        assert [json.loads(line)["full"] for line in out.splitlines()][:2] == [True, False]
    finally:
        process.kill()
        process.wait()


def test_an_interrupt(ctl, daemon):
    process = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "watch", "daemon"], env=clean_environment(daemon.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    finally:
        process.kill()
        process.communicate()
