"""The shell warns of passwords that other users can see, and leaves none in a core dump."""
import subprocess

import pytest
from daemons import CTL, clean_environment, needs_ctl

pytestmark = needs_ctl


@pytest.fixture
def run(daemon, tmp_path):
    def run(*arguments, input=""):
        return subprocess.run([*CTL, "--socket", str(daemon.socket), *arguments], env=clean_environment(tmp_path), input=input, capture_output=True, text=True, timeout=30)
    return run


@pytest.mark.parametrize("arguments, name", [
    (["call", "login.password", "Geheim-77"], "value"), (["call", "login.password", "--text", "Geheim-77"], "value"), (["call", "login.password", "value=Geheim-77"], "value"),
    (["call", "login.password", 'value:="Geheim-77"'], "value"), (["call", "login.password", "--json", '{"value":"Geheim-77"}'], "value"),
    (["rpc", "login.password", '["Geheim-77"]'], "value"), (["call", "login.register", "account=ann", "password=Geheim-77"], "password"),
])
def test_a_password_on_the_command_line_is_warned_of(run, arguments, name):
    result = run("--output", "json", *arguments)
    assert f"warning: other users can see the password in the list of processes; write {name}=@-" in result.stderr, result
    assert "warning" not in result.stdout and "Geheim-77" not in result.stderr


@pytest.mark.parametrize("arguments, input", [
    (["call", "login.password", "value=@-"], "Geheim-77"), (["call", "login.account", "ann"], ""), (["script"], "call login.password Geheim-77\n"),
    (["rpc", "viewModel.list"], ""), (["call", "lab.set", "--json", "[7]"], ""),
])
def test_other_values_are_not_warned_of(run, arguments, input):
    result = run(*arguments, input=input)
    assert result.returncode == 0 and not result.stderr, result


def test_the_shell_writes_no_core_dumps(run):
    result = run("watch", "lab", "value", "--count", "0", "--exec", "grep '^Max core' /proc/$PPID/limits")
    assert result.stdout.split()[4:6] == ["0", "0"], result
