"""Bytes that are not UTF-8: a path is used byte by byte in every program, and a value is refused."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from socket import AF_UNIX, SOCK_DGRAM
from socket import socket as Socket

import pytest
from daemons import CTL, PROGRAM, Daemon, clean_environment, needs_ctl
from gateways import GATEWAY, Gateway
from wire import Client, wait_until

LATIN = b"caf\xe9"
# Latin-1, the beginning of a character with a byte that no text has, and two valid names beside them.
NAMES = [os.fsdecode(LATIN), os.fsdecode(b"\xffcut\xe2\x82"), "caf\ufffd", "\U0010ffe9"]


@pytest.fixture(params=NAMES, ids=ascii)
def odd(request):
    """A folder whose name is odd, in a folder of its own."""
    parent = Path(tempfile.mkdtemp(prefix="v", dir="/tmp"))
    folder = parent / request.param
    folder.mkdir()
    yield folder
    # Nothing was made at another path.
    assert [os.fsencode(name) for name in os.listdir(parent)] == [os.fsencode(request.param)]
    shutil.rmtree(parent)


def shown(path) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


def plain(text) -> str:
    """A log or an error without the escape of the private character among the names."""
    return text.replace("\\u{10ffe9}", "\U0010ffe9").replace("\\udbff\\udfe9", "\U0010ffe9")


def run(*command, home="/nonexistent", **how):
    environment = {**clean_environment(home), **how.pop("environment", {})}
    how = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 60, **how}
    return subprocess.run([*map(os.fsencode, command)], env=environment, **how)


def ctl(daemon, *arguments, **how):
    return run(*CTL, "--socket", daemon.socket, *arguments, **how)


# Paths

def test_a_daemon_uses_the_bytes_of_its_paths(odd, own):
    daemon = own({"log": {"level": "debug"}}, folder=odd, socket=odd / odd.name)
    with Client(daemon.socket) as client:
        assert client.value("daemon", "socket")["path"] == shown(daemon.socket)
        assert client.value("daemon", "storage")["path"] == shown(daemon.state)
    assert {"viewmodeld.sqlite", "vault.key", "lock"} <= set(os.listdir(daemon.state))
    assert shown(daemon.socket) in plain(daemon.log) and "\0" not in daemon.log and "u{0}" not in daemon.log
    additions = odd / "viewmodeld.d"
    additions.mkdir()
    (additions / (odd.name + ".yaml")).write_text("unknown: 1")
    wait_until(lambda: f"{shown(additions / odd.name)}.yaml" in plain(daemon.log), "the error of the added file")
    assert daemon.stop() == 0 and not daemon.socket.exists()


def test_sessions_outlast_a_restart_in_such_a_directory(odd, own, name):
    daemon = own(folder=odd)
    daemon.connect(name, linger=60).call("calculator.press", ["7"])
    daemon.restart()
    assert daemon.connect(name).value("calculator", "led") == "7"


def test_the_commands_of_the_daemon_use_the_bytes(odd, own, name):
    daemon = own(folder=odd)
    daemon.connect(name, linger=60).call("calculator.press", ["7"])
    daemon.restart()    # which saves the session
    backup = odd / ("backup" + odd.name)
    result = run(*PROGRAM, "backup", "--state-directory", daemon.state, backup)
    assert result.returncode == 0 and result.stdout.decode().endswith(f" to {shown(backup)}.\n"), result
    daemon.stop()
    restored = odd / ("restored" + odd.name)
    result = run(*PROGRAM, "restore", "--state-directory", restored, backup)
    assert result.returncode == 0 and shown(restored) in result.stdout.decode(), result
    result = run(*PROGRAM, "restore", "--state-directory", restored, backup)
    assert result.returncode == 0 and "is kept as" in result.stdout.decode(), result
    key = odd / ("key" + odd.name)
    (daemon.state / "vault.key").rename(key)
    for arguments in [["vault", "rotate"], ["vault", "adopt", key], ["vault", "clear"]]:
        result = run(*PROGRAM, *arguments, "--state-directory", daemon.state)
        assert result.returncode == 0, result
    daemon.state = restored
    daemon.start()
    assert daemon.connect(name).value("calculator", "led") == "7"


def test_a_recording_and_a_mock_are_at_their_paths(odd, own):
    daemon = own(None, "--record", str(odd / "r"), folder=odd)
    daemon.survived()
    contract = odd / odd.name
    contract.write_bytes(ctl(daemon, "rpc", "rpc.discover").stdout)
    daemon.stop()
    assert len(os.listdir(odd / "r")) == 1
    mock = own(None, "--mock", str(contract), lab=False, folder=odd)
    with Client(mock.socket) as client:
        assert client.value("calculator", "led") is not None


@pytest.mark.parametrize("variable", ["STATE_DIRECTORY", "VIEWMODELD_SOCKET_PATH", "VIEWMODELD_VAULT_KEY_FILE", "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET"])
def test_a_daemon_uses_the_bytes_of_a_variable(odd, variable):
    state, socket, key, notify = odd / "s", odd / odd.name, odd / "viewmodeld.key", odd / "notify"
    manager = Socket(AF_UNIX, SOCK_DGRAM)
    manager.bind(os.fsencode(notify))
    manager.settimeout(20)
    key.write_text("A" * 43 + "=\n")
    key.chmod(0o600)
    flags = [] if variable == "STATE_DIRECTORY" else ["--state-directory", state]
    flags += [] if variable == "VIEWMODELD_SOCKET_PATH" else ["--socket", socket]
    value = {"STATE_DIRECTORY": state, "VIEWMODELD_SOCKET_PATH": socket, "VIEWMODELD_VAULT_KEY_FILE": key,
             "CREDENTIALS_DIRECTORY": odd, "NOTIFY_SOCKET": notify}[variable]
    with subprocess.Popen([*map(os.fsencode, [*PROGRAM, *flags])], env={**clean_environment("/nonexistent"), variable: str(value)},
                          stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: socket.exists(), "the socket")
            with Client(socket) as client:
                client.round_trip()
            assert (state / "viewmodeld.sqlite").exists()
            assert (state / "vault.key").exists() == (variable not in ("VIEWMODELD_VAULT_KEY_FILE", "CREDENTIALS_DIRECTORY"))
            if variable == "NOTIFY_SOCKET":
                assert b"READY=1" in manager.recv(4096)
        finally:
            process.terminate()
            manager.close()


@pytest.mark.parametrize("variable", ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"])
def test_the_default_paths_of_a_person_have_the_bytes(odd, variable):
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("setpriv is missing")
    os.chmod(odd.parent, 0o777)
    os.chmod(odd, 0o777)
    person = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"] if os.geteuid() == 0 else []
    places = {"HOME": odd / "h", "XDG_RUNTIME_DIR": odd / "r"} | ({variable: odd / "x"} if variable.startswith("XDG") else {})
    for place in places.values():
        place.mkdir(mode=0o777)
        place.chmod(0o777)
    configuration = (places["XDG_CONFIG_HOME"] if "XDG_CONFIG_HOME" in places else places["HOME"] / ".config") / "viewmodeld" / "viewmodeld.yaml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text("unknown: 1")
    environment = {**{k: v for k, v in clean_environment("/").items() if not k.startswith("XDG")}, **{k: str(v) for k, v in places.items()}}
    result = subprocess.run([*person, *PROGRAM], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    assert result.returncode == 78 and shown(configuration) in plain(result.stderr.decode()), result
    configuration.unlink()
    socket = places["XDG_RUNTIME_DIR"] / "viewmodeld" / "viewmodeld.sock"
    state = (places["XDG_STATE_HOME"] if "XDG_STATE_HOME" in places else places["HOME"] / ".local" / "state") / "viewmodeld"
    with subprocess.Popen([*person, *PROGRAM], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: socket.exists(), "the socket")
            result = subprocess.run([*person, *CTL, "status"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
            assert result.returncode == 0 and (state / "viewmodeld.sqlite").exists(), result
        finally:
            process.terminate()


@needs_ctl
def test_a_gateway_uses_the_bytes_of_its_paths(odd, own):
    daemon = own(folder=odd)
    gateway = Gateway(daemon, None)
    shutil.rmtree(gateway.folder)
    gateway.folder, gateway.runtime, gateway.log_file = odd, odd / odd.name, odd / "gateway.log"
    try:
        gateway.start()
        assert "result" in gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "viewModel.list"}).json
        assert {"token", "viewmodel-gateway.sock"} <= set(os.listdir(gateway.runtime))
        assert shown(daemon.socket) in plain(gateway.log) and "\0" not in gateway.log and "u{0}" not in gateway.log
        gateway.stop()
        gateway.listen = str(odd / ("page" + odd.name))
        gateway.config["gateway"]["hosts"] = "example.org"
        gateway.start()
        wait_until(lambda: Path(gateway.listen).is_socket(), "the socket of the page")
    finally:
        gateway.process.kill()
        gateway.process.wait()


def test_the_variables_of_a_gateway_have_the_bytes(odd, own):
    daemon = own(folder=odd)
    key, certificate = odd / ("k" + odd.name), odd / ("c" + odd.name)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=x"], check=True, capture_output=True)
    variables = {"RUNTIME_DIRECTORY": odd / "r", "VIEWMODELD_SOCKET": daemon.socket, "VIEWMODELD_GATEWAY_TLS_KEY_FILE": key,
                 "VIEWMODELD_GATEWAY_TLS_CERTIFICATE_FILE": certificate, "VIEWMODELD_GATEWAY_HOSTS": "x"}
    with subprocess.Popen([*GATEWAY, "--listen", "127.0.0.1:0"], env={**clean_environment("/nonexistent"), **{k: str(v) for k, v in variables.items()}},
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as gateway:
        try:
            lines = []
            while not lines or b"Listening" not in lines[-1]:
                lines.append(gateway.stderr.readline())
                assert lines[-1], lines
            assert {"token", "viewmodel-gateway.sock"} <= set(os.listdir(odd / "r"))
        finally:
            gateway.terminate()


@needs_ctl
def test_the_inspector_tells_two_daemons_apart_by_each_byte(odd):
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("setpriv is missing")
    os.chmod(odd.parent, 0o777)
    os.chmod(odd, 0o777)
    runtime = odd / "r"
    runtime.mkdir(mode=0o777)
    runtime.chmod(0o777)
    person = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"] if os.geteuid() == 0 else []
    environment = {"XDG_RUNTIME_DIR": str(runtime), "HOME": str(odd)}
    one, other = (runtime / os.fsdecode(b"s" + byte) for byte in (b"\xe9", b"\xe8"))
    try:
        result = run(*person, *CTL, "--socket", one, "inspect", "--print", environment=environment)
        assert result.returncode == 0 and b"/#token=" in result.stdout, result
        result = run(*person, *CTL, "--socket", other, "inspect", "--print", environment=environment)
        assert result.returncode == 5 and shown(one) in plain(result.stderr.decode()), result
    finally:
        os.kill(int((runtime / "viewmodel-gateway" / "viewmodel-gateway.sock.lock").read_text()), 15)


@needs_ctl
def test_a_client_uses_the_bytes_of_its_paths(odd, own, name):
    daemon = own(folder=odd, socket=odd / odd.name)
    file = odd / ("f" + odd.name)
    assert run(*CTL, "status", environment={"VIEWMODELD_SOCKET": str(daemon.socket)}).returncode == 0
    assert run(*CTL, f"--socket={daemon.socket}", "status").returncode == 0
    file.write_text("text of a file\n")
    result = ctl(daemon, "--session", name, "call", "lab.code", f"value=@{file}")
    assert result.returncode == 0 and daemon.connect(name).value("lab", "code") == "TEXT OF A FILE", result
    file.write_text(f"call lab.code 'a script'\n")
    assert ctl(daemon, "--session", name, "script", file).returncode == 0 and daemon.connect(name).value("lab", "code") == "A SCRIPT"
    contract, client = odd / ("c" + odd.name), odd / ("p" + odd.name + ".js")
    contract.write_bytes(ctl(daemon, "rpc", "rpc.discover").stdout)
    assert run(*CTL, "generate", "javascript", "--from", contract, "--output", client).returncode == 0
    assert client.exists() and (odd / ("p" + odd.name + ".d.ts")).exists()
    assert run(*CTL, "generate", "javascript", "--from", contract, f"--output={client}", "--check").returncode == 0
    client.write_text("stale")
    result = run(*CTL, "generate", "javascript", "--from", contract, "--output", client, "--check")
    assert result.returncode == 1 and shown(client) in plain(result.stderr.decode()), result
    assert run(*CTL, "diff", contract, contract).returncode == 0
    result = ctl(daemon, "watch", "lab", "value", "--count", "0", "--exec", 'printf %s "$VIEWMODELD_SOCKET"')
    assert result.stdout == os.fsencode(daemon.socket), result


@needs_ctl
def test_a_recording_of_a_client_is_played_from_its_path(odd, own, name):
    daemon = own(folder=odd)
    listen, transcript = odd / ("l" + odd.name), odd / ("t" + odd.name)
    for verb in [["record", "--listen", listen, transcript], ["monitor", "--listen", listen]]:
        with subprocess.Popen([*map(os.fsencode, [*CTL, "--socket", daemon.socket, *verb])], env=clean_environment("/nonexistent"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as relay:
            assert shown(listen) in relay.stdout.readline().decode()
            with Client(listen) as client:
                client.attach(name)
                client.call("lab.set", [7])
            relay.terminate()
            relay.stdout.read()
        assert not listen.exists()
    (odd / "secrets").write_text("")
    result = ctl(daemon, "replay", "--secrets", odd / "secrets", transcript)
    assert result.returncode == 0 and b"equal" in result.stdout, result


@needs_ctl
def test_a_temporary_directory_has_the_bytes(odd):
    result = run(*CTL, "demo", environment={"TMPDIR": str(odd)})
    assert result.returncode == 0 and os.listdir(odd) == [], result
    program = odd / odd.name
    program.symlink_to(PROGRAM[0])
    assert run(*CTL, "demo", "--daemon", program).returncode == 0


@needs_ctl
def test_a_program_in_such_a_folder_finds_what_is_beside_it(odd):
    shutil.copy(CTL[0], odd / "viewmodelctl")
    (odd / "viewmodeld").write_text("#!/bin/sh\necho beside >&2; exit 1\n")
    (odd / "viewmodeld").chmod(0o755)
    result = run(odd / "viewmodelctl", "demo", cwd=odd)
    assert result.returncode == 3 and b"beside" in result.stderr, result
    assert run(odd / "viewmodelctl", "new", "example", cwd=odd).returncode == 0 and (odd / "example" / "Package.swift").exists()


@needs_ctl
@pytest.mark.parametrize("arguments", [
    ["--socket", "PATH", "status"], ["generate", "python", "--from", "PATH"], ["diff", "PATH", "PATH"], ["script", "PATH"], ["call", "lab.code", "value=@PATH"],
    ["replay", "PATH"], ["--output", "json", "--socket", "PATH", "status"],
])
def test_an_error_shows_a_path_as_text(odd, own, arguments):
    daemon = own(folder=odd) if "--socket" not in arguments else None
    path = str(odd / ("missing" + odd.name))
    arguments = [word.replace("PATH", path) for word in arguments]
    result = ctl(daemon, *arguments) if daemon else run(*CTL, *arguments)
    error = plain(result.stderr.decode())
    assert result.returncode in (3, 64) and shown(path) in error and "\0" not in error and "\\u0000" not in error, result


def test_the_error_of_a_daemon_shows_a_path_as_text(odd):
    path = odd / odd.name
    path.write_text("unknown: 1")
    for program in (PROGRAM, GATEWAY):
        result = run(*program, "--check-config", "--config", path)
        assert result.returncode == 78 and plain(result.stderr.decode()).count(shown(path)) == 1 and b"\0" not in result.stderr, result


# Values

@needs_ctl
@pytest.mark.parametrize("arguments, input", [
    (["call", "lab.code", "--text", LATIN], b""), (["call", "lab.code", b"value=" + LATIN], b""), (["--session", LATIN, "status"], b""),
    (["call", "lab.code", b"--text=" + LATIN], b""), (["call", "lab.code", b"--text=@" + LATIN], b""), (["call", "lab.code", "--", b"value=@" + LATIN], b""),
    (["call", "lab.code", LATIN], b""), (["call", "lab.code", b"value:=\"" + LATIN + b"\""], b""), (["call", b"lab." + LATIN], b""),
    (["call", "lab.code", "--key", LATIN, "x"], b""), (["open", LATIN], b""), (["open", "lab", "--id", LATIN], b""), (["rpc", LATIN], b""),
    (["call", "lab.code", "--json", b'{"value":"' + LATIN + b'"}'], b""), (["call", "lab.code", "value=@-"], LATIN),
    (["script"], b"call lab.code " + LATIN + b"\n"), (["generate", "python", "--from", "-"], b'{"info":{"title":"caf\xe9"}}'),
    (["read", "lab", LATIN], b""), (["wait", "lab", b"code=" + LATIN], b""), (["watch", "lab", "value", "--exec", LATIN], b""), (["new", LATIN], b""),
    (["dev", LATIN], b""), (["replay", "--ignore", LATIN, "/dev/null"], b""), (["--timeout", LATIN, "status"], b""),
])
def test_a_value_that_is_not_UTF_8_is_refused(daemon, tmp_path, arguments, input):
    with Client(daemon.socket) as client:
        before = client.value("lab", "code")
    result = subprocess.run([*CTL, "--socket", str(daemon.socket), *arguments], env=clean_environment(tmp_path), input=input, capture_output=True, timeout=30, cwd=tmp_path)
    assert result.returncode == 64 and b"not UTF-8 text" in result.stderr, result
    assert not result.stdout and b"\0" not in result.stderr and list(tmp_path.iterdir()) == []
    result.stderr.decode()
    with Client(daemon.socket) as client:
        assert client.value("lab", "code") == before


@needs_ctl
def test_a_value_beside_a_path_is_refused_by_its_place(odd, own):
    daemon = own(folder=odd)
    result = ctl(daemon, "call", "lab.code", "--text", b"\xff\xff\xff")
    assert result.returncode == 64 and b"argument 6 is not UTF-8 text" in result.stderr, result


@needs_ctl
@pytest.mark.parametrize("text", ["caf\xe9", "\U0010ffe9", "\ufffd\xe9", "\ufffd"])
def test_a_value_in_UTF_8_stays_what_it_is(daemon, name, text):
    assert ctl(daemon, "--session", name, "call", "lab.code", "--text", text).returncode == 0
    assert daemon.connect(name).value("lab", "code") == text.upper()


@pytest.mark.parametrize("program", ["daemon", "gateway"])
def test_a_flag_that_is_not_UTF_8_is_refused(tmp_path, program):
    result = run(*(PROGRAM if program == "daemon" else GATEWAY), "--log-level", LATIN, home=tmp_path)
    assert result.returncode == 64 and b"argument 2 is not UTF-8 text" in result.stderr and list(tmp_path.iterdir()) == [], result


@pytest.mark.parametrize("program", ["daemon", "gateway"])
@pytest.mark.parametrize("variable", ["VIEWMODELD_LOG_LEVEL", "VIEWMODELD_STORE_URL", "VIEWMODELD_ACCOUNT_OAUTH_CLIENT_ID"])
def test_a_variable_that_is_not_UTF_8_is_refused(tmp_path, program, variable):
    result = run(*(PROGRAM if program == "daemon" else GATEWAY), "--check-config", environment={variable: os.fsdecode(LATIN)}, home=tmp_path)
    assert result.returncode == 73 and f"the environment variable {variable} is not UTF-8 text".encode() in result.stderr, result
    assert list(tmp_path.iterdir()) == []
