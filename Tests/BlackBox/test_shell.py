"""The shell as a client: calls with any text, waits, instances, errors as JSON, commands for frames, the monitor."""
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from daemons import CTL, clean_environment, needs_ctl
from wire import ends_within, wait_until

pytestmark = needs_ctl


@pytest.fixture
def ctl(daemon, name):
    """Runs a verb in the test's session."""
    def run(*arguments, input=None, timeout=20):
        stdin = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
        return subprocess.run([*CTL, "--socket", str(daemon.socket), "--session", name, *arguments], env=clean_environment(daemon.folder), capture_output=True, text=True, timeout=timeout, **stdin)
    return run


@pytest.fixture
def start(daemon, name):
    """Starts a verb in the test's session, and ends it with the test."""
    started = []

    def run(*arguments, **options):
        process = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "--session", name, *arguments], env=clean_environment(daemon.folder), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options)
        started.append(process)
        return process
    yield run
    for process in started:
        if process.poll() is None:
            process.terminate()                  # ends the command of --exec, too
            process.wait(10)
        process.stdout.close()
        process.stderr.close()


def attached(client, name, count):
    wait_until(lambda: any(s["session"] == name and s["attached"] == count for s in client.call("session.list")["sessions"]), f"{count} clients")


# Calls

@pytest.mark.parametrize("text", ["@/etc/hostname", "@-", "a=b", "a:=1", "-x", "--help", "--json", "--", "", "😀 two\nlines", "\u202e"])
def test_a_text_of_a_user_arrives_as_it_is(ctl, text):
    for arguments in (["--text", text], ["--", text]):
        assert ctl("call", "lab.echo", *arguments).returncode == 0
        assert json.loads(ctl("read", "lab", "echoed").stdout)["echoed"] == text


def test_a_value_without_a_name_never_reads_a_file(ctl):
    assert ctl("call", "lab.echo", "@/etc/hostname").returncode == 0
    assert json.loads(ctl("read", "lab", "echoed").stdout)["echoed"] == "@/etc/hostname"
    assert ctl("call", "lab.echo", "value=@/etc/hostname").returncode == 0
    with open("/etc/hostname") as file:
        assert json.loads(ctl("read", "lab", "echoed").stdout)["echoed"] == file.read().rstrip("\n")


def test_a_value_without_a_name_is_the_one_required_member(ctl):
    assert json.loads(ctl("call", "lab.sleep", "20").stdout)["slept"] == 20
    result = ctl("call", "lab.move", "1")
    assert result.returncode == 64 and "from=…" in result.stderr and "to=…" in result.stderr


def test_a_deadline_and_a_key_are_options(ctl):
    assert ctl("call", "lab.sleep", "60000", "--deadline", "50").returncode == 6
    first, second = (ctl("call", "lab.sleep", "1", "--key", "k1") for _ in range(2))
    assert first.stdout == second.stdout and first.returncode == 0, "the second call gets the outcome of the first"
    assert ctl("call", "lab.sleep", "1").stdout != first.stdout
    assert ctl("call", "lab.set", "--json", "[7]", "--key", "k2").returncode == 0


def test_a_notification_is_sent_before_the_command_ends(ctl, daemon, name):
    c = daemon.connect(name)
    result = ctl("call", "lab.set", "41", "--notify")
    assert result.returncode == 0 and not result.stdout and not result.stderr
    assert c.value("lab", "value") == 41
    assert ctl("call", "lab.nothing", "--notify").returncode == 0, "nobody answers a notification"


def test_a_time_limit_for_every_verb(ctl):
    started = time.monotonic()
    result = ctl("call", "lab.sleep", "60000", "--timeout", "0.3")
    assert result.returncode == 6 and "lab.sleep" in result.stderr and time.monotonic() - started < 10
    assert ctl("--timeout", "0.3", "watch", "lab", "value").returncode == 6
    assert ctl("--timeout", "10", "read", "lab", "value").returncode == 0
    assert ctl("script", "--timeout", "0.3", input="call lab.sleep 60000\n").returncode == 6
    result = ctl("wait", "lab", "value=9", "--timeout", "-1")
    assert result.returncode == 64 and '"-1" is not a number of seconds' in result.stderr


def test_the_linger_time_of_a_session(ctl, daemon, name):
    assert ctl("--linger", "77", "read", "lab", "value").returncode == 0
    c = daemon.connect()
    assert c.call("session.attach", {"session": name})["linger"] == 77
    result = subprocess.run([*CTL, "--socket", str(daemon.socket), "--linger", "5", "status"], env=clean_environment(daemon.folder), capture_output=True, text=True)
    assert result.returncode == 64 and "--session" in result.stderr


# Waiting

@pytest.mark.parametrize("condition, calls, printed", [
    (["value!=0"], ["lab.set 5"], "5"), (["value", "--change"], ["lab.set 0", "lab.set 6"], "6"), (["rows/0/text=row 1"], ["lab.append 1"], '"row 1"'),
    (["rows/1/id!=2"], [], "null"), (["bell", "--change"], ["lab.ring ding"], '"ding"'), (["bell=dong"], ["lab.ring ding", "lab.ring dong"], '"dong"'),
])
def test_what_can_be_waited_for(ctl, start, daemon, name, condition, calls, printed):
    c = daemon.connect(name)
    c.call("viewModel.read", {"id": "lab"})
    wait = start("wait", "lab", *condition)
    if printed != "null":                    # a part that does not exist differs at once
        attached(c, name, 2)
        time.sleep(0.3)
        assert wait.poll() is None
    for call in calls:
        assert ctl("call", *call.split(" ", 1)).returncode == 0
    out, _ = wait.communicate(timeout=15)
    assert wait.returncode == 0 and out.strip() == printed


@pytest.mark.parametrize("arguments,status,text", [
    (["lab", "value=abc"], 7, 'expected an integer, found "abc"'), (["lab", "value=null"], 7, "expected an integer"),
    (["lab", "value==5"], 7, "One = is enough"), (["lab", "rows/0/txt=a"], 7, "Did you mean text?"),
    (["calculator", "undo.enabled=True"], 7, "Did you mean true?"), (["calculator", "ledd=5"], 7, "Did you mean led?"),
    (["calculater", "led=5"], 4, "Did you mean calculator?"), (["lab", "value"], 64, '"value" is not OUTPUT=VALUE'),
    (["calculator", "led!==5"], 0, 'warning: led!==5: the value that is compared is "=5". One = is enough'),
    (["calculator", "undo.enabled!=maybe"], 0, "warning: undo.enabled!=maybe: each value differs: expected true or false"),
])
def test_a_wait_for_what_cannot_come_ends_at_once(ctl, arguments, status, text):
    result = ctl("wait", *arguments)
    assert result.returncode == status and text in result.stderr, result


def test_a_wait_survives_a_restart_of_the_daemon(own):
    daemon = own()
    wait = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "--session", "w", "wait", "lab", "value=7", "--reconnect"], env=clean_environment(daemon.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        attached(daemon.connect(), "w", 1)
        daemon.restart()
        assert wait.poll() is None, wait.communicate()
        attached(daemon.connect(), "w", 1)
        daemon.connect("w").call("lab.set", [7])
        out, _ = wait.communicate(timeout=15)
        assert wait.returncode == 0 and out.strip() == "7"
    finally:
        wait.kill()
        wait.wait()


def test_a_watch_waits_for_the_daemon_and_reports_the_connection(own, tmp_path):
    daemon = own()
    daemon.stop()
    output = tmp_path / "lines"
    lines = lambda: [json.loads(line) for line in output.read_text().splitlines()]
    states = lambda: [line["connection"] for line in lines() if "connection" in line]
    with output.open("w") as file:
        watch = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "--session", "w", "watch", "lab", "value", "--reconnect", "--connection", "--count", "1"],
                                 env=clean_environment(daemon.folder), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: states() == ["lost"])
        daemon.start()
        wait_until(lambda: states() == ["lost", "restored"] and "values" in lines()[-1])
        daemon.restart()
        wait_until(lambda: states() == ["lost", "restored"] * 2)
        wait_until(lambda: sum("values" in line for line in lines()) == 2 or watch.poll() is not None)
        daemon.connect("w").call("lab.set", [7])
        _, errors = watch.communicate(timeout=15)
        assert watch.returncode == 0 and "Waiting for viewmodeld" in errors
    finally:
        watch.kill()
        watch.wait()


def test_a_wait_waits_for_the_daemon(own):
    daemon = own()
    daemon.stop()
    wait = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "wait", "lab", "value=0", "--reconnect"], env=clean_environment(daemon.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert "Waiting for viewmodeld" in wait.stderr.readline()
        daemon.start()
        out, _ = wait.communicate(timeout=15)
        assert wait.returncode == 0 and out.strip() == "0"
    finally:
        wait.kill()
        wait.wait()


def test_a_wait_for_a_file_that_is_no_socket_ends(ctl, tmp_path):
    (tmp_path / "file").touch()
    assert ctl("--socket", str(tmp_path / "file"), "wait", "lab", "value=0", "--reconnect").returncode == 3


# Sessions

def test_a_session_that_must_exist_is_not_made(ctl, daemon, name):
    c = daemon.connect(name)
    assert ctl("--existing", "read", "lab", "value").returncode == 0
    result = ctl("--session", f"{name}x", "--existing", "read", "lab", "value")
    assert result.returncode == 4 and f'There is no session "{name}x". Did you mean {name}' in result.stderr
    assert f"{name}x" not in [each["session"] for each in c.call("session.list")["sessions"]]


# Error texts

@pytest.mark.parametrize("arguments,status,text", [
    (["help", "raed"], 64, 'There is no verb "raed". Did you mean read?'), (["help", "read"], 0, ""),
    (["types", "--foo"], 64, "Unknown option '--foo'\n"), (["types", "--scoket", "x"], 64, "Did you mean '--socket'?"),
    (["call", "lab.code", "a=b"], 7, "viewmodelctl call sends a text that contains = with --text"),
    (["generate", "python", "--output", "/nowhere/x.py"], 1, "/nowhere/x.py cannot be written: No such file or directory"),
])
def test_an_error_names_the_thing_and_the_remedy(ctl, arguments, status, text):
    result = ctl(*arguments)
    assert result.returncode == status and text in result.stderr, result


def test_errors_of_transcripts_and_relays_have_a_remedy(ctl, tmp_path):
    used, transcript = tmp_path / "used", tmp_path / "transcript"
    used.touch()
    result = ctl("record", "--listen", str(used), str(tmp_path / "new"))
    assert result.returncode == 64 and result.stderr.endswith(f"cannot listen at {used}: a file is there already. Remove it, or name another path with --listen\n")
    transcript.write_text("# viewmodel-transcript 1\n0.1 1 open\n")
    assert "line 2: it does not begin with a time with six decimals" in ctl("replay", str(transcript)).stderr
    transcript.write_text("# viewmodel-transcript 1\n0.100000 1 open\n0.200000 1 close\n")
    result = ctl("replay", str(transcript))
    assert result.returncode == 0 and "warning: the transcript does not name the contract" in result.stderr


# Instances

def test_instances_are_opened_listed_and_closed(ctl):
    opened = json.loads(ctl("open", "lab", "--id", "two").stdout)
    assert opened == {"id": "two", "type": "lab", "created": True}
    assert {"id": "two", "type": "lab"} in json.loads(ctl("instances").stdout)
    assert ctl("call", "two.set", "3").returncode == 0
    assert json.loads(ctl("read", "two", "value").stdout) == {"value": 3}
    assert ctl("close-instance", "two").returncode == 0
    assert ctl("close-instance", "two").returncode == 4
    assert ctl("open", "nothing").returncode == 4


# Errors

def test_errors_are_a_line_of_JSON_where_results_are(ctl):
    for arguments, status, code in [(["call", "lab.nothing"], 4, -32601), (["call", "lab.set", "x"], 7, -32602), (["raed", "lab"], 64, None), (["read"], 64, None), (["describe", "nothing"], 4, None),
                                    (["wait", "lab", "value=9", "--timeout", "0.1"], 6, None), (["call", "lab.fail", "error=outOfLuck", "retryable:=true"], 1, -32000)]:
        result = ctl("--output", "json", *arguments)
        error = json.loads(result.stderr)
        assert result.returncode == status == error["status"] and error["code"] == code and error["message"], result
        assert result.stderr.count("\n") == 1 and not result.stdout
    assert json.loads(ctl("--output", "json", "call", "lab.set", "x").stderr)["data"]["path"] == "/value"
    assert json.loads(ctl("--output", "json", "script", input="\ncall lab.nothing\n").stderr)["line"] == 2
    assert not ctl("call", "lab.nothing").stderr.startswith("{")


def test_a_mistyped_verb_has_a_suggestion(ctl):
    result = ctl("raed", "calculator")
    assert result.returncode == 64 and "Did you mean read?" in result.stderr


# Watching

def test_members_are_in_the_declared_order(ctl, daemon, name):
    declared = list(daemon.connect(name).call("viewModel.read", {"id": "lab"})["values"])
    assert list(json.loads(ctl("read", "lab").stdout)) == declared
    assert list(json.loads(ctl("watch", "lab", "--count", "0").stdout)["values"]) == declared
    assert declared != sorted(declared)


def test_a_watch_ends_with_its_reader(daemon, name):
    line = f"{CTL[0]} --socket {daemon.socket} --session {name} watch lab value | head -1; echo ${{PIPESTATUS[0]}}"

    def watch():
        result = subprocess.run(["bash", "-c", line], env=clean_environment(daemon.folder), capture_output=True, text=True, timeout=30)
        first, status = result.stdout.splitlines()
        assert json.loads(first)["id"] == "lab" and status == "0" and not result.stderr
    ends_within(5, watch, "the watch")


def test_a_command_for_each_frame(ctl, start, daemon, name, tmp_path):
    c = daemon.connect(name)
    file = tmp_path / "lines"
    command = f'cat >> {file}; echo "$VIEWMODEL_INSTANCE $VIEWMODEL_SEQ $VIEWMODEL_FULL $VIEWMODEL_CHANGED $VIEWMODEL_SESSION $VIEWMODELD_SOCKET" >> {file}'
    watch = start("watch", "lab", "value", "bell", "--exec", command, "--count", "2")
    wait_until(lambda: file.exists() and file.read_text().count("\n") == 2)
    c.call("lab.ring", ["$(touch /tmp/never)"])
    wait_until(lambda: file.read_text().count("\n") == 4)
    c.call("lab.set", [8])
    out, error = watch.communicate(timeout=15)
    assert watch.returncode == 0 and not out and not error
    lines = file.read_text().splitlines()
    frames = [json.loads(line) for line in lines[::2]]
    assert [frame["full"] for frame in frames] == [True, False, False]
    assert frames[1]["events"] == [{"output": "bell", "value": "$(touch /tmp/never)"}] and frames[2]["values"] == {"value": 8}
    assert lines[5] == f"lab {frames[2]['seq']} false value {name} {daemon.socket}"


def test_frames_that_come_while_the_command_runs_are_merged(start, daemon, name, tmp_path):
    c = daemon.connect(name)
    file, gate = tmp_path / "lines", tmp_path / "gate"
    os.mkfifo(gate)
    watch = start("watch", "lab", "value", "bell", "--exec", f"cat >> {file}; read line < {gate}")
    frames = lambda: [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    wait_until(frames)
    for number in range(1, 21):
        c.call("lab.set", [number])
        c.call("lab.ring", [str(number)])
    while sum(len(frame["events"]) for frame in frames()) < 20:
        count = len(frames())
        with open(gate, "w") as out:             # opens when the command reads
            out.write("go\n")
        wait_until(lambda: len(frames()) > count)
    assert len(frames()) < 20, "frames that came in between are one"
    assert [event["value"] for frame in frames() for event in frame["events"]] == [str(n) for n in range(1, 21)]
    assert [frame["values"]["value"] for frame in frames() if "value" in frame["values"]][-1] == 20
    watch.terminate()
    assert watch.wait(10) == 143, "the command ends with the watch"


def test_a_command_that_fails_is_reported(start, daemon, name):
    c = daemon.connect(name)
    watch = start("watch", "lab", "value", "--exec", "exit 3", "--count", "1")
    attached(c, name, 2)
    wait_until(lambda: c.call("lab.set", [c.value("lab", "value") + 1]) and watch.poll() is not None, pause=0.05)
    _, error = watch.communicate(timeout=15)
    assert watch.returncode == 1 and "ended with 3" in error


def test_a_command_has_the_usual_signals(ctl):
    result = ctl("watch", "lab", "value", "--count", "0", "--exec", "yes | head -1; grep -i sigign /proc/self/status")
    assert result.returncode == 0 and not result.stderr
    ignored = int(re.search(r"SigIgn:\s*([0-9a-f]+)", result.stdout)[1], 16)
    assert not ignored >> (signal.SIGPIPE - 1) & 1, "yes ends by SIGPIPE, as in a shell"


# The monitor

def test_the_monitor_of_a_session(start, daemon, name):
    c = daemon.connect(name)
    c.call("lab.set", [1])
    monitor = start("monitor", "--output", "json")
    lines = iter(monitor.stdout.readline, "")
    timer = threading.Timer(30, monitor.kill)
    timer.start()

    def next_with(text):
        line = next(line for line in lines if text in line)
        return json.loads(line)
    assert next_with("open lab")["event"] == "open lab (lab)"
    assert next_with('"full":true')["message"]["result"]["id"]
    c.call("lab.set", [12345])
    frame = next_with("12345")
    assert frame["direction"] == "<" and frame["message"]["method"] == "viewModel.changed" and frame["time"]
    c.call("viewModel.open", {"type": "lab", "id": "second"})
    assert next_with("open second")
    assert next_with('"id":"second"')["message"]["result"]["full"]
    c.call("viewModel.close", {"id": "second"})
    assert next_with("viewModel.closed")["message"]["params"] == {"id": "second"}
    monitor.send_signal(signal.SIGINT)
    assert monitor.wait(10) == 130
    timer.cancel()


def test_the_monitor_as_a_relay_shows_both_directions_without_secrets(start, daemon, name, tmp_path):
    path = tmp_path / "relay"
    monitor = start("monitor", "--listen", str(path), "--output", "text")
    wait_until(path.exists)
    run = [*CTL, "--socket", str(path), "--session", name]
    assert subprocess.run([*run, "call", "login.password", "secret-of-ann"], env=clean_environment(daemon.folder), capture_output=True).returncode == 0
    monitor.send_signal(signal.SIGINT)
    out, _ = monitor.communicate(timeout=10)
    assert monitor.returncode == 130
    assert re.search(r'^\d\d:\d\d:\d\d\.\d{3} 1 > .*"session.attach"', out, re.M) and re.search(r'^\S+ 1 < .*"seq"', out, re.M)
    assert "login.password" in out and "secret-of-ann" not in out


def test_a_script_may_have_the_line_ends_of_another_system(ctl, tmp_path):
    file = tmp_path / "script"
    file.write_bytes(b"# a comment\r\ncall lab.set 43\r\nread lab value\r\n")
    assert json.loads(ctl("--output", "json", "script", str(file)).stdout.splitlines()[-1]) == {"value": 43}


def test_a_script_and_a_transcript_may_begin_with_a_byte_order_mark(ctl, tmp_path):
    file = tmp_path / "script"
    file.write_text("\ufeffcall lab.set 44\n")
    assert ctl("script", str(file)).returncode == 0
    assert ctl("script", "-", input="\ufeffcall lab.set 45\n").returncode == 0
    file.write_text("\ufeff# viewmodel-transcript 1\n0.100000 1 open\n0.200000 1 close\n")
    assert "does not name the contract that it was recorded with" in ctl("replay", str(file)).stderr


# Descriptions

def test_a_description_has_the_types_of_params(ctl):
    text = ctl("--output", "text", "describe", "lab").stdout
    assert re.search(r"to: \S*integer.*every\?: ", text), text
    assert [line for line in text.splitlines() if line.startswith("| set ")]


# Contract files

def test_a_contract_file_may_be_yaml(ctl, tmp_path):
    old, new = tmp_path / "old.yaml", tmp_path / "new.json"
    old.write_text("x-viewModels:\n  player:\n    inputs:\n      volume: {schema: {type: integer}}\n")
    new.write_text('{"x-viewModels":{"player":{"inputs":{"volume":{"schema":{"type":"integer"}}}}}}')
    assert ctl("diff", str(old), str(new)).stdout == ""
    clients = [ctl("generate", "python", "--from", str(file)) for file in (old, new)]
    assert clients[0].returncode == 0 and clients[0].stdout == clients[1].stdout != ""
    assert ctl("diff", "-", str(new), input=old.read_text().replace("integer", "string")).returncode == 1
    old.write_text("x-viewModels:\n  player: [\n")
    result = ctl("diff", str(old), str(new))
    assert result.returncode == 64 and "old.yaml:3: " in result.stderr, result.stderr


def test_a_contract_or_a_transcript_may_come_from_a_pipe(ctl, tmp_path):
    contract, pipe = tmp_path / "contract.json", tmp_path / "pipe"
    contract.write_text(ctl("rpc", "rpc.discover").stdout)
    os.mkfifo(pipe)

    def through(source, *arguments):
        writer = subprocess.Popen(["dd", f"if={source}", f"of={pipe}"], stderr=subprocess.DEVNULL)
        try:
            return ctl(*arguments)
        finally:
            writer.kill()
            writer.wait(10)
    assert through(contract, "diff", str(contract), str(pipe)).stdout == ""
    expected = ctl("generate", "python", "--from", str(contract)).stdout
    assert through(contract, "generate", "python", "--from", str(pipe)).stdout == expected != ""
    transcript = tmp_path / "transcript"
    transcript.write_text("no transcript\n")
    assert "this is no transcript" in through(transcript, "replay", str(pipe)).stderr


@pytest.mark.parametrize("arguments", [("generate", "python", "--from", "FILE"), ("diff", "FILE", "FILE"), ("replay", "FILE")])
def test_a_missing_file_is_a_usage_error(ctl, arguments, tmp_path):
    result = ctl(*(word.replace("FILE", str(tmp_path / "missing")) for word in arguments))
    assert result.returncode == 64 and "missing cannot be read: No such file" in result.stderr, result.stderr


@pytest.mark.parametrize("arguments", [("generate", "python", "--from", "-", "--check"), ("diff", "-", "-")])
def test_two_files_cannot_both_be_the_standard_input(ctl, arguments):
    result = ctl(*arguments, input="")
    assert result.returncode == 64 and "standard input" in result.stderr, result.stderr


def handles_signals(process) -> bool:
    """Whether the process has handlers of SIGINT and SIGTERM."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
    return all(caught >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM))


@pytest.mark.parametrize("source", ["-", "pipe"])
@pytest.mark.parametrize("verb", ["generate", "check", "diff"])
def test_a_verb_that_waits_for_a_file_can_be_ended(daemon, tmp_path, verb, source):
    contract = tmp_path / "contract.json"
    contract.write_text('{"x-viewModels":{}}')
    os.mkfifo(tmp_path / "pipe")
    arguments = {
        "generate": ["generate", "python", "--from", source],
        "check": ["generate", "python", "--check"] + (["--from", source, "--output", "client.py"] if source != "-" else []),
        "diff": ["diff", "contract.json", source],
    }[verb]

    def run(*options):
        return subprocess.Popen([*CTL, "--socket", str(daemon.socket), *options, *arguments], cwd=tmp_path, env=clean_environment(daemon.folder),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process = run("--timeout", "0.3")
    assert process.wait(10) == 6 and "did not end within" in process.stderr.read()
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = run()
        wait_until(lambda: handles_signals(process), "its handlers of signals")
        time.sleep(0.5)
        process.send_signal(number)
        assert process.wait(10) == status
