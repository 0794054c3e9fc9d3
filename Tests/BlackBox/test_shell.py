"""CONFIGURATION, viewmodelctl: exit codes, calls with any text, waits, watches, files, and what it shows of passwords.

`ViewModelCommandsTests` have the parts: values, tables, conditions, completion.
"""
import json
import os
import re
import signal
import subprocess

import pytest
from daemons import CTL, clean_environment, needs_ctl
from wire import wait_until

pytestmark = needs_ctl
SECRET, DOTS = "s3cret-77", "•••"
PASSWORD = {"type": "string", "format": "password"}
WARNING = "warning: other users can see the password in the list of processes; "

ROWS = [
    # a command line, its exit code, a part of what it says
    ("call lab.fail error=outOfLuck retryable:=true", 1, "outOfLuck"), ("nonsense", 64, ""), ("call", 64, ""),
    ("--nonsense status", 64, "--nonsense"),
    ("raed calculator", 64, "Did you mean read?"), ("types --scoket x", 64, "Did you mean '--socket'?"),
    ("call lab.nothing", 4, ""), ("call nobody.press value=1", 4, ""),
    ("read nobody", 4, ""), ("close no-such-session", 4, ""), ("open nothing", 4, ""), ("close-instance lab", 4, ""), ("call calculator.undo", 5, ""),
    ("call keypad.press value=x", 7, ""), ("call lab.move 1", 64, "from=…"), ("call lab.trap", 8, ""),
    ("rpc rpc.nothing", 4, ""), ("rpc x {", 64, ""),
    ("call lab.code a=b", 7, "sends a text that contains = with --text"),
    ("call lab.sleep 60000 --deadline 50", 6, ""), ("wait calculator led=77 --timeout 0.3", 6, ""),
    ("call lab.sleep 60000 --timeout 0.3", 6, "lab.sleep"), ("--timeout 0.3 watch lab value", 6, ""),
    ("wait lab value=9 --timeout -1", 64, "is not a number of seconds"),
    ("wait lab value=abc", 7, 'expected an integer, found "abc"'), ("wait lab value==5", 7, "One = is enough"),
    ("wait lab rows/0/txt=a", 7, "Did you mean text?"),
    ("wait calculator ledd=5", 7, "Did you mean led?"), ("wait calculater led=5", 4, "Did you mean calculator?"),
    ("wait lab value", 64, "is not OUTPUT=VALUE"),
    ("wait calculator led!==5", 0, "warning: led!==5"), ("--socket FILE wait lab value=0 --reconnect", 3, ""),
    ("--socket /nowhere status", 3, "VIEWMODELD_SOCKET"),
    ("--session nope-x --existing read lab value", 4, "There is no session"), ("script /nonexistent/file", 64, "cannot be read: No such file"),
    ("generate python --output /nowhere/x.py", 1, "cannot be written: No such file"),
    ("generate python --from /missing", 64, "cannot be read: No such file"),
    ("diff /missing /missing", 64, "cannot be read: No such file"),
    ("replay /missing", 64, "cannot be read: No such file"), ("diff - -", 64, "standard input"),
    ("record --listen FILE new", 64, "Remove it, or name another path with --listen"),
    ("replay TRANSCRIPT", 64, "line 2: it does not begin with a time"),
    ("call lab.set value:=7", 0, ""), ("call lab.nothing --notify", 0, ""), ("status", 0, ""), ("types", 0, ""),
    ("describe calculator", 0, ""), ("sessions", 0, ""),
    ("rpc viewModel.list", 0, ""), ("help read", 0, ""), ("completions zsh", 0, ""),
    ("diff CONTRACT CONTRACT", 0, ""), ("diff CONTRACT CHANGED", 1, ""),
]


@pytest.fixture
def ctl(daemon, name):
    """Runs a verb in the test's session."""
    return lambda *arguments, **how: daemon.ctl(*arguments, session=name, **how)


@pytest.mark.parametrize("line, code, part", ROWS, ids=[row[0] for row in ROWS])
def test_exit_codes_and_errors(daemon, tmp_path, line, code, part):
    """Results are on the standard output, everything else on the standard error, as a line of JSON if that is asked for."""
    (tmp_path / "FILE").touch()
    (tmp_path / "TRANSCRIPT").write_text("# viewmodel-transcript 1\n0.1 1 open\n")
    contract = '{"x-viewModels":{"m":{"inputs":{"a":{"schema":{"type":"integer"}}}}}}'
    (tmp_path / "CONTRACT").write_text(contract)
    (tmp_path / "CHANGED").write_text(contract.replace("integer", "string"))
    result = daemon.ctl(*line.split(), cwd=tmp_path)
    assert result.returncode == code and part in result.stderr, result
    assert bool(result.stderr) == bool(code or part) or "diff" in line, result
    if code and not {"diff", "watch", "generate"} & {*line.split()}:
        assert not result.stdout
        error = json.loads(daemon.ctl("--output", "json", *line.split(), cwd=tmp_path).stderr)
        assert error["status"] == code and error["message"]


@pytest.mark.parametrize("text", ["@/etc/hostname", "@-", "a=b", "a:=1", "-x", "--help", "--", "", "😀 two\nlines", "\u202e"])
def test_a_text_of_a_user_arrives_as_it_is(ctl, text):
    for arguments in (["--text", text], ["--", text]):
        assert ctl("call", "lab.echo", *arguments).returncode == 0
        assert json.loads(ctl("read", "lab", "echoed").stdout)["echoed"] == text


def test_values_keys_notifications_and_files(ctl, tmp_path):
    (tmp_path / "text").write_text("from a file\n")
    assert ctl("call", "lab.echo", f"value=@{tmp_path}/text").returncode == 0
    assert json.loads(ctl("read", "lab", "echoed").stdout) == {"echoed": "from a file"}
    first, second, third = (ctl("call", "lab.sleep", "1", *key).stdout for key in (["--key", "k"], ["--key", "k"], []))
    assert first == second != third and json.loads(first)["slept"] == 1
    assert (ctl("call", "lab.set", "41", "--notify").stdout, ctl("--output", "json", "read", "lab", "value").stdout.strip()) == ("", '{"value":41}')
    assert json.loads(ctl("open", "lab", "--id", "two").stdout) == {"id": "two", "type": "lab", "created": True}
    assert {"id": "two", "type": "lab"} in json.loads(ctl("instances").stdout) and ctl("close-instance", "two").returncode == 0
    assert list(json.loads(ctl("read", "lab").stdout))[:2] == ["value", "double"], "members are in the declared order"


def test_scripts_and_contracts(ctl, tmp_path):
    script = "\ufeff# a comment\r\ncall lab.set 43\r\nread lab value\ncall keypad.press x\ncall lab.set 44\n"
    result = ctl("--output", "json", "script", input=script)
    assert result.returncode == 7 and json.loads(result.stdout.splitlines()[-1]) == {"value": 43}, "a script stops at its first failure"
    assert json.loads(result.stderr)["line"] == 4
    contract, pipe = tmp_path / "contract.json", tmp_path / "pipe"
    contract.write_text(ctl("rpc", "rpc.discover").stdout)
    os.mkfifo(pipe)
    with subprocess.Popen(["dd", f"if={contract}", f"of={pipe}"], stderr=subprocess.DEVNULL):
        assert ctl("diff", str(contract), str(pipe)).stdout == ""
    yaml = "x-viewModels:\n  player:\n    inputs:\n      volume: {schema: {type: integer}}\n"
    client = ctl("generate", "python", "--from", "-", input=yaml)
    assert client.returncode == 0 and "player" in client.stdout.lower()
    result = ctl("diff", "-", str(contract), input="x-viewModels:\n  player: [\n")
    assert result.returncode == 64 and ":3: " in result.stderr


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("line", ["watch daemon", "generate python --from PIPE", "diff PIPE PIPE"])
def test_a_verb_that_waits_can_be_ended(daemon, tmp_path, line, number, code):
    os.mkfifo(tmp_path / "PIPE")
    with daemon.running_ctl(*line.split(), cwd=tmp_path) as process:
        caught = lambda: int(re.search(r"SigCgt:\s*(\w+)", open(f"/proc/{process.pid}/status").read())[1], 16)
        wait_until(lambda: caught() >> number - 1 & 1, "its handler of the signal")
        if "watch" in line:
            process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == code


# Waiting and watching

@pytest.mark.parametrize("condition, calls, printed", [
    (["value!=0"], ["lab.set 5"], "5"), (["value", "--change"], ["lab.set 0", "lab.set 6"], "6"),
    (["rows/0/text=row 1"], ["lab.append 1"], '"row 1"'),
    (["bell=dong"], ["lab.ring ding", "lab.ring dong"], '"dong"'),
])
def test_what_can_be_waited_for(ctl, daemon, name, condition, calls, printed):
    with daemon.running_ctl("wait", "lab", *condition, "--reconnect", session=name) as wait:
        # The first frame comes with the binding, which `monitor` shows; before that, no call is missed by a condition.
        wait_until(lambda: daemon.attached(name) == 1, "the waiting client")
        daemon.connect(name).call("viewModel.list")
        for call in calls:
            wait_until(lambda: wait.poll() is not None or not ctl("call", *call.split(" ", 1)).returncode, call)
        wait_until(lambda: wait.poll() is not None or ctl("call", *calls[-1].split(" ", 1)) and False, "the end of the wait")
        assert wait.returncode == 0 and wait.stdout.read().strip() == printed


def test_a_watch_waits_for_the_daemon_and_survives_its_restart(own, tmp_path):
    daemon, output = own(), tmp_path / "lines"
    daemon.stop()
    lines = lambda: [json.loads(line) for line in output.read_text().splitlines()]
    states = lambda: [line["connection"] for line in lines() if "connection" in line]
    with output.open("w") as file:
        options = ["watch", "lab", "value", "--reconnect", "--connection", "--count", "1"]
        with daemon.running_ctl(*options, session="w", stdout=file) as watch, daemon.running_ctl("wait", "lab",
            "value=7", "--reconnect", session="w") as wait:
            wait_until(lambda: states() == ["lost"], "the missing daemon")
            daemon.start()
            wait_until(lambda: states() == ["lost", "restored"] and "values" in lines()[-1], "the first picture")
            daemon.restart()
            wait_until(lambda: states() == ["lost", "restored"] * 2, "the second connection")
            wait_until(lambda: daemon.attached("w") == 2 or watch.poll() is not None and daemon.attached("w") == 1, "both clients")
            daemon.connect("w").call("lab.set", [7])
            assert watch.wait(30) == wait.wait(30) == 0 and "Waiting for viewmodeld" in watch.stderr.read()
            assert wait.stdout.read().strip() == "7"


def test_a_command_for_each_frame(daemon, name, tmp_path):
    """Frames that come while the command runs are merged, and events are not lost."""
    c, file, gate = daemon.connect(name), tmp_path / "lines", tmp_path / "gate"
    os.mkfifo(gate)
    command = f'cat >> {file}; echo "\\"$VIEWMODEL_INSTANCE $VIEWMODEL_FULL $VIEWMODEL_CHANGED $VIEWMODEL_SESSION\\"" >> {file}; read line < {gate}'
    with daemon.running_ctl("watch", "lab", "value", "bell", "--exec", command, session=name) as watch:
        frames = lambda: [json.loads(line) for line in file.read_text().splitlines()][::2] if file.exists() else []
        wait_until(lambda: file.exists() and file.read_text().count("\n") == 2, "the first command")
        for number in range(1, 21):
            c.call("lab.set", [number])
            c.call("lab.ring", [f"$(touch {tmp_path}/never)"])
        while sum(len(frame["events"]) for frame in frames()) < 20:
            count = file.read_text().count("\n")
            with open(gate, "w") as out:             # opens when the command reads
                out.write("go\n")
            wait_until(lambda: file.read_text().count("\n") >= count + 2, "the next command")
        assert [frame["full"] for frame in frames()][:2] == [True, False] and len(frames()) < 20
        assert [frame["values"]["value"] for frame in frames() if "value" in frame["values"]][-1] == 20
        assert json.loads(file.read_text().splitlines()[1]) == f"lab true value {name}" and not (tmp_path / "never").exists()
        watch.terminate()
        assert watch.wait(30) == 143, "the command ends with the watch"


def test_commands_fail_have_the_usual_signals_and_hold_nothing(ctl, daemon, name):
    result = ctl("watch", "lab", "value", "--exec", "exit 3", "--count", "0")
    assert result.returncode == 1 and "ended with 3" in result.stderr
    result = ctl("watch", "lab", "value", "--count", "0", "--exec",
        "yes | head -1; grep -i sigign /proc/self/status; grep '^Max core' /proc/$PPID/limits")
    assert not int(re.search(r"SigIgn:\s*([0-9a-f]+)", result.stdout)[1], 16) >> (signal.SIGPIPE - 1) & 1 and not result.stderr
    assert result.stdout.split("Max core file size")[1].split()[:2] == ["0", "0"], "the shell writes no core dumps"
    line = f"{' '.join(daemon.ctl_command('watch', 'lab', 'value', session=name))} | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", line], env=clean_environment(daemon.folder), capture_output=True, text=True, timeout=60)
    assert result.stdout.splitlines()[1] == "0" and not result.stderr, "a watch ends with its reader"


def test_the_monitor_shows_both_directions_without_secrets(daemon, name, tmp_path):
    c, path = daemon.connect(name), tmp_path / "relay"
    with daemon.running_ctl("monitor", "--output", "json", session=name) as monitor:
        def next_with(text):
            return json.loads(next(line for line in iter(monitor.stdout.readline, "") if text in line))
        c.call("viewModel.open", {"type": "lab", "id": "second"})
        assert next_with("open second")["event"] == "open second (lab)"
        assert next_with('"id":"second"')["message"]["result"]["full"]
        c.call("second.set", [12345])
        frame = next_with("12345")
        assert frame["direction"] == "<" and frame["message"]["method"] == "viewModel.changed" and frame["time"]
        monitor.send_signal(signal.SIGINT)
        assert monitor.wait(30) == 130
    with daemon.running_ctl("monitor", "--listen", str(path), "--output", "text", session=name) as relay:
        wait_until(path.exists, "the relay")
        command = [*CTL, "--socket", str(path), "--session", name, "call", "login.password", "secret-of-ann"]
        assert subprocess.run(command, env=clean_environment(daemon.folder), capture_output=True).returncode == 0
        relay.send_signal(signal.SIGINT)
        out, _ = relay.communicate(timeout=30)
        assert re.search(r'^\d\d:\d\d:\d\d\.\d{3} 1 > .*"session.attach"', out, re.M) and re.search(r'^\S+ 1 < .*"seq"', out, re.M)
        assert "login.password" in out and "secret-of-ann" not in out


@pytest.mark.parametrize("arguments, input, remedy", [
    (["call", "login.password", "Geheim-77"], None, "write value=@-"), (["call", "login.password", 'value:="Geheim-77"'], None, "write value=@-"),
    (["call", "login.password", "--json", '{"value":"Geheim-77"}'], None, "write value=@-"),
    (["rpc", "login.password", '["Geheim-77"]'], None, "write value=@-"),
    (["call", "login.register", "account=ann", "password=Geheim-77"], None, "write password=@-"),
    (["call", "login.password", "value=@-"], "Geheim-77", None),
    (["script"], "call login.password Geheim-77\n", None), (["call", "lab.set", "--json", "[7]"], None, None),
])
def test_a_password_on_the_command_line_is_warned_of(ctl, arguments, input, remedy):
    result = ctl("--output", "json", *arguments, input=input)
    assert WARNING + remedy in result.stderr if remedy else result.returncode == 0 and not result.stderr, result
    assert "Geheim-77" not in result.stdout + result.stderr


def an_object(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


ROW = an_object(id={"type": "integer"}, code=PASSWORD)
NODE = an_object(pin={"$ref": "#/components/schemas/Pin"}, next={"anyOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]})
CONTRACT = {"components": {"schemas": {"Node": NODE, "Pin": PASSWORD}}, "x-viewModels": {
    "safe": {
        "outputs": {
            "name": {"schema": {"type": "string"}, "example": "plain"}, "pin": {"schema": PASSWORD, "example": SECRET},
            "maybe": {"schema": {"anyOf": [PASSWORD, {"type": "null"}]}, "example": SECRET},
            "none": {"schema": {"anyOf": [PASSWORD, {"type": "null"}]}},
            "tree": {"schema": {"$ref": "#/components/schemas/Node"}, "example": {"pin": SECRET, "next": {"pin": SECRET, "next": None}}},
            "table": {"schema": {"type": "object", "additionalProperties": PASSWORD}, "example": {"a": SECRET}},
            "keys": {"kind": "list", "schema": {"type": "array", "items": ROW},
                "example": [{"id": 1, "code": SECRET}]}, "told": {"kind": "event", "schema": PASSWORD},
        },
        "actions": {"issue": {"result": an_object(token=PASSWORD, count={"type": "integer"}), "example": {"token": SECRET, "count": 7},
                              "errors": [{"error": "weak", "details": an_object(tried=PASSWORD, least={"type": "integer"})}]}},
        "children": {"box": "box"},
    },
    "box": {"outputs": {"word": {"schema": PASSWORD, "example": SECRET}}},
}}
VERBS = ["read safe", "read safe pin", "read safe keys --window keys=0,1", "read safe.box", "watch safe --count 0",
    "watch safe --count 0 --exec cat", "wait safe pin=s3cret-77",
         "wait safe tree/next!=null", "call safe.issue", "rpc safe.issue", 'rpc viewModel.read {"id":"safe"}', "script"]


def test_the_shell_shows_no_password_whatever_declares_it(own, tmp_path):
    """Values, lists, events, results and details are dots, unless --show-secrets stands there."""
    file = tmp_path / "contract.json"
    file.write_text(json.dumps(CONTRACT))
    daemon = own(None, "--mock", str(file), lab=False)

    def ctl(*arguments, **how):
        return daemon.ctl(*arguments, session="desk", **how)
    shown = json.loads(ctl("read", "safe").stdout)
    assert {name: shown[name] for name in ("name", "pin", "maybe", "none", "tree", "table", "keys")} == {
        "name": "plain", "pin": DOTS, "maybe": DOTS, "none": None, "tree": {"pin": DOTS, "next": {"pin": DOTS, "next": None}}, "table": {"a": DOTS},
        "keys": [{"id": 1, "code": DOTS}]}
    for verb in VERBS:
        for form in ("json", "text"):
            how = {"input": "read safe pin\ncall safe.issue\n"} if verb == "script" else {}
            hidden, bare = ctl(*verb.split(), "--output", form, **how), ctl(*verb.split(), "--output", form, "--show-secrets", **how)
            assert hidden.returncode == bare.returncode == 0 and SECRET not in hidden.stdout + hidden.stderr, verb
            assert DOTS in hidden.stdout and SECRET in bare.stdout, verb
    failure = {"member": "safe.issue", "failure": {"error": "weak", "details": {"tried": SECRET, "least": 8}}}
    with daemon.running_ctl("watch", "safe", "keys", "told", "--count", "2", session="desk") as watch:
        watch.stdout.readline()
        for output, value in (("safe.keys", [{"id": 2, "code": SECRET}]), ("safe.told", SECRET)):
            assert ctl("call", "mock.set", f"output={output}", f"value:={json.dumps(value)}").returncode == 0
        lines = [json.loads(line) for line in watch.stdout]
    assert lines[0]["values"]["keys"] == [{"id": 2, "code": DOTS}] and lines[-1]["events"] == [{"output": "told", "value": DOTS}]
    assert ctl("call", "mock.on", "--json", json.dumps(failure)).returncode == 0
    result = ctl("call", "safe.issue")
    assert result.returncode == 1 and SECRET not in result.stderr and DOTS in result.stderr and "8" in result.stderr
