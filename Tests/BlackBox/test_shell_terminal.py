"""The shell as a client on a terminal: tables, live pictures, questions and completion."""
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from daemons import CTL, clean_environment, needs, needs_ctl
from terminal import Terminal
from wire import ends_within, wait_until

pytestmark = needs_ctl


@pytest.fixture
def terminal(daemon, name):
    """Runs a verb in the test's session on a terminal, and ends it with the test."""
    opened = []

    def run(*arguments, session=True, environment=None, **options):
        command = [*CTL, "--socket", str(daemon.socket), *(["--session", name] if session else []), *arguments]
        terminal = Terminal(command, clean_environment(daemon.folder, **(environment or {})), **options)
        opened.append(terminal)
        return terminal
    yield run
    for each in opened:
        each.close()


@pytest.fixture
def text(daemon, name):
    """The text form of a verb's result, written to a pipe."""
    def run(*arguments):
        command = [*CTL, "--socket", str(daemon.socket), "--session", name, "--output", "text", *arguments]
        return subprocess.run(command, env=clean_environment(daemon.folder), capture_output=True, text=True, timeout=20).stdout
    return run


# Tables

def test_a_table_keeps_whole_emoji_and_controls_nothing(terminal, text, daemon, name):
    c = daemon.connect(name)
    c.call("lab.append", [1])
    value = "😀😀😀😀😀😀😀😀! 🇨🇳🇩🇪 Peking 👩‍👩‍👧 \u202e\u2066\u200b\ufeff\x1b[31m 表示"
    c.call("lab.update", {"id": 1, "text": value})
    for shown in (terminal("read", "lab", "rows", columns=120), terminal("watch", "lab", "rows", "--count", "0", columns=120)):
        assert shown.wait() == 0
        raw = shown.raw.decode("utf-8")      # strictly
        assert "😀😀😀😀😀😀😀😀! 🇨🇳🇩🇪 Peking 👩‍👩‍👧 " in raw and "表示" in raw
        assert not set(raw) & set("\u202e\u2066\u200b\ufeff") and "\x1b[31m" not in raw
    assert "\\u202e\\u2066\\u200b\\ufeff\\u001b[31m 表示" in text("read", "lab", "rows")


@pytest.mark.parametrize("columns", [20, 40, 60, 200])
def test_tables_fit_the_terminal_and_values_are_whole_elsewhere(terminal, text, daemon, name, columns):
    c = daemon.connect(name)
    c.call("lab.append", [1])
    long = " ".join(f"word{n}" for n in range(30))
    c.call("lab.update", {"id": 1, "text": long})
    for arguments in (["read", "lab"], ["read", "lab", "rows"], ["describe", "sendList"], ["types"], ["status"], ["instances"]):
        shown = terminal(*arguments, columns=columns)
        assert shown.wait() == 0
        lines = shown.raw.decode().replace("\r", "").splitlines()
        assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines) <= columns, arguments
    assert long in text("read", "lab", "rows")
    terminal("read", "lab", "rows", columns=400).wait_for(long)


def test_a_given_width_precedes_that_of_the_terminal(terminal):
    shown = terminal("read", "lab", columns=100, environment={"COLUMNS": "30"})
    shown.wait()
    assert max(len(line) for line in shown.raw.decode().split("\r\n")) <= 30


def test_an_instance_without_outputs_says_so(terminal):
    shown = terminal("read", "keypad")
    assert shown.wait() == 0 and "keypad has no outputs" in shown.screen.text


# Live pictures

def test_a_tall_picture_never_scrolls(terminal, daemon, name):
    c = daemon.connect(name)
    c.call("lab.append", [100])
    shown = terminal("watch", "lab", "value", "rows", columns=60, rows=20)
    shown.wait_for("more rows")
    for value in range(1, 20):
        c.call("lab.set", [value])
    c.call("lab.ring", ["hello"])
    shown.wait_for(lambda screen: re.search(r"\| value\s+\| 19 ", screen.text))
    assert shown.screen.is_alternate and not shown.screen.history
    assert re.search(r"… \d+ more rows", shown.screen.text) and "row 1 " in shown.screen.text
    shown.interrupt()
    assert shown.wait() == 130
    assert not shown.screen.is_alternate and len(shown.screen.history) <= 20
    assert shown.screen.text.count("more rows") == 1, "the last picture stays, once"


def test_a_picture_follows_the_size_of_the_terminal(terminal, daemon, name):
    c = daemon.connect(name)
    c.call("lab.append", [30])
    shown = terminal("watch", "lab", "rows", columns=80, rows=40)
    shown.wait_for("row 30")
    shown.resize(20, 10)
    shown.wait_for(lambda screen: "more rows" in screen.text)
    shown.wait_for(lambda screen: all(len(line.rstrip()) <= 20 for line in screen.lines))
    shown.resize(80, 40)
    shown.wait_for("row 30")
    assert not shown.screen.history


def test_a_window_is_a_table(terminal, daemon, name):
    c = daemon.connect(name)
    c.call("lab.append", [100])
    shown = terminal("watch", "lab", "rows", "--window", "rows=3,2")
    shown.wait_for("rows (offset 3, count 100)")
    assert "row 4" in shown.screen.text and "row 5" in shown.screen.text and "{" not in shown.screen.text


def test_events_are_below_the_picture(terminal, daemon, name):
    c = daemon.connect(name)
    shown = terminal("watch", "lab", "value", "bell")
    shown.wait_for("value")
    c.call("lab.ring", ["one\x1b[2J"])
    c.call("lab.ring", ["two"])
    shown.wait_for("bell  two")
    assert "bell  one\\u001b[2J" in shown.screen.text


# Questions

def test_closing_a_session_asks_first(terminal, daemon, name):
    c = daemon.connect(name)
    sessions = lambda: [s["session"] for s in daemon.connect().call("session.list")["sessions"]]
    for answer, status in [("n\n", 5), ("\n", 5), ("y\n", 0)]:
        asked = terminal("close", name, session=False)
        asked.wait_for("[y/N]")
        assert name in sessions()
        asked.send(answer)
        assert asked.wait() == status
        assert (name in sessions()) == (status != 0)
    c.close()
    daemon.connect(name)
    assert terminal("close", name, "--yes", session=False).wait() == 0
    assert name not in sessions()


def test_the_terminal_is_as_before_after_an_interrupted_password(terminal):
    asked = terminal("login")
    asked.wait_for("Account:")
    asked.send("ann\n")
    asked.wait_for("Password:")
    asked.send("secret")
    asked.interrupt()
    assert asked.wait() == 130
    assert asked.raw.endswith(b"\n") and b"secret" not in asked.raw


# Completion

@pytest.fixture
def shell(daemon, name, tmp_path):
    """An interactive shell with the completion of the program."""
    folder = Path(CTL[0]).resolve().parent
    opened = []

    def open_shell(kind, socket=None):
        needs(kind)
        env = clean_environment(tmp_path, VIEWMODELD_SOCKET=str(socket or daemon.socket), PATH=f"{folder}:{os.environ['PATH']}", XDG_DATA_HOME=str(tmp_path), LC_ALL="C.UTF-8")
        script = tmp_path / "_viewmodelctl"
        script.write_text(subprocess.run([*CTL, "completions", kind], env=env, capture_output=True, text=True, check=True).stdout)
        if kind == "bash":
            (tmp_path / "rc").write_text(f"bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'\nPS1='> '; . {script}\n")
            command = ["bash", "--noprofile", "--rcfile", str(tmp_path / "rc"), "-i"]
        elif kind == "zsh":
            (tmp_path / ".zshrc").write_text(f"fpath+=({tmp_path}); autoload -U compinit; compinit -u -d {tmp_path}/dump; PS1='> '; unset zle_bracketed_paste; setopt no_beep no_prompt_sp\n")
            command = ["zsh", "-i"]
            env["ZDOTDIR"] = str(tmp_path)
        else:
            command = ["fish", "--no-config", "-i", "-C", f"source {script}; function fish_prompt; echo '> '; end; set -g fish_autosuggestion_enabled 0"]
        shell = Terminal(command, env, columns=100, rows=40, cwd=tmp_path)
        opened.append(shell)
        shell.wait_for(">", "a prompt")
        return shell
    yield open_shell
    for each in opened:
        each.close()


COMPLETIONS = [
    ("viewmodelctl stat", "viewmodelctl status "), ("viewmodelctl describe calcul", "viewmodelctl describe calculator "), ("viewmodelctl call keyp", "viewmodelctl call keypad."),
    ("viewmodelctl call keypad.pr", "viewmodelctl call keypad.press "), ("viewmodelctl read calculator le", "viewmodelctl read calculator led "),
    ("viewmodelctl wait calculator led", "viewmodelctl wait calculator led="), ("viewmodelctl call lab.count to=3 eve", "viewmodelctl call lab.count to=3 every="),
    ("viewmodelctl rpc session.att", "viewmodelctl rpc session.attach "), ("viewmodelctl --output te", "viewmodelctl --output text "),
    ("viewmodelctl call lab.fail retryable=t", "viewmodelctl call lab.fail retryable=true "), ("viewmodelctl read mine.hea", "viewmodelctl read mine.header "),
    ("viewmodelctl watch lab --recon", "viewmodelctl watch lab --reconnect "),
    ("viewmodelctl call keypad.press va", "viewmodelctl call keypad.press value="), ("viewmodelctl call keypad.press value=7", "viewmodelctl call keypad.press value=7 "),
    ("viewmodelctl call calculator.press 7", "viewmodelctl call calculator.press 7 "),
]


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_a_shell_completes_names_of_the_daemon(shell, daemon, kind):
    only = f"only-{kind}-session"
    c = daemon.connect(only)
    c.call("viewModel.open", {"type": "lab", "id": "unusual"})
    prompt = shell(kind)
    cases = [*COMPLETIONS, (f"viewmodelctl --session only-{kind}", f"viewmodelctl --session {only} "), (f"viewmodelctl --session {only} read unus", f"viewmodelctl --session {only} read unusual "),
             (f"viewmodelctl close only-{kind}", f"viewmodelctl close {only} ")]
    for typed, completed in cases:
        # A letter after the completed word shows whether a blank was inserted.
        prompt.type_until(f"{typed}\tX", lambda screen: f"> {completed}X" in screen.text, f"{kind}: {typed}")


def test_bash_lists_values_and_quotes_them(shell):
    prompt = shell("bash")
    are_listed = lambda screen: all(f"{key} " in screen.text for key in "0123456789")
    shown = prompt.type_until("viewmodelctl call keypad.press \t", are_listed, "the keys")
    assert "\\*" in shown and "value=" in shown


@pytest.mark.parametrize("state", ["absent", "stopped"])
def test_completion_is_quick_and_silent_without_a_daemon(own, tmp_path, state):
    daemon = own()
    env = clean_environment(tmp_path, VIEWMODELD_SOCKET=str(daemon.socket))
    complete = lambda line: subprocess.run([*CTL, "--complete", "bash", "=:", line], env=env, capture_output=True, text=True, timeout=10)
    # Completion waits a short time for the daemon. A busy machine may need several attempts.
    wait_until(lambda: "lab " in complete("viewmodelctl read ").stdout.splitlines(), "the names of the daemon")
    if state == "absent":
        daemon.stop()
    else:
        daemon.process.send_signal(signal.SIGSTOP)

    def complete_nothing():
        result = complete("viewmodelctl read ")
        assert result.returncode == 0 and not result.stderr and result.stdout.splitlines() == ["words"]
    ends_within(2, complete_nothing, "a completion")
    assert "read " in complete("viewmodelctl re").stdout.splitlines()


def test_completion_makes_no_session(own, tmp_path):
    daemon = own()
    env = clean_environment(tmp_path, VIEWMODELD_SOCKET=str(daemon.socket))
    subprocess.run([*CTL, "--complete", "bash", "=:", "viewmodelctl --session never read "], env=env, capture_output=True, timeout=10, check=True)
    assert daemon.connect().call("session.list")["sessions"] == []
