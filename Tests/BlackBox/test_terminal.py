"""viewmodelctl on a terminal: tables, live pictures, questions, and completion as a package installs it, in bash, zsh and fish.

`ViewModelCommandsTests` complete words and draw tables without a terminal.
"""
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from daemons import CTL, PROGRAM, clean_environment, needs, needs_ctl, root_only
from terminal import Terminal
from wire import wait_until

pytestmark = needs_ctl
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def terminal(daemon, name, request):
    """Runs a verb in the test's session on a terminal, and ends it with the test."""
    def run(*arguments, session=name, **options):
        opened = Terminal(daemon.ctl_command(*arguments, session=session), clean_environment(daemon.folder), **options)
        request.addfinalizer(opened.close)
        return opened
    return run


def test_a_live_picture_never_scrolls_and_follows_the_size(terminal, daemon, name):
    c = daemon.connect(name)
    c.call("lab.append", [100])
    shown = terminal("watch", "lab", "value", "bell", "rows", "--window", "rows=3,40", columns=60, rows=20)
    shown.wait_for("more rows")
    for value in range(1, 20):
        c.call("lab.set", [value])
    c.call("lab.ring", ["one\x1b[2J"])
    shown.wait_for(lambda screen: re.search(r"\| value\s+\| 19 ", screen.text) and "bell  one\\u001b[2J" in screen.text)
    assert shown.screen.is_alternate and "rows (offset 3, count 100)" in shown.screen.text and "row 4 " in shown.screen.text
    shown.resize(20, 10)
    shown.wait_for(lambda screen: "more rows" in screen.text and all(len(line.rstrip()) <= 20 for line in screen.lines))
    shown.resize(80, 60)
    shown.wait_for("row 40")
    assert not shown.screen.history
    shown.interrupt()
    assert shown.wait() == 130 and not shown.screen.is_alternate and "row 40" in shown.screen.text, "the last picture stays"


def test_questions(terminal, daemon, name):
    daemon.connect(name)
    for answer, status in [("n\n", 5), ("\n", 5), ("y\n", 0)]:
        asked = terminal("close", name, session=None)
        asked.wait_for("[y/N]")
        assert daemon.attached(name) == 1
        asked.send(answer)
        assert asked.wait() == status and bool(daemon.attached(name)) == bool(status)
    asked = terminal("login")
    asked.wait_for("Account:")
    asked.send("ann\n")
    asked.wait_for("Password:")
    asked.send("secret")
    asked.interrupt()
    assert asked.wait() == 130 and asked.raw.endswith(b"\n") and b"secret" not in asked.raw


SHELLS = pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
# Where Debian's shells look for the files of packages. Each folder is replaced in a mount namespace of the shell.
FOLDERS = {"bash": "/usr/share/bash-completion/completions", "zsh": "/usr/share/zsh/vendor-completions",
    "fish": "/usr/share/fish/vendor_completions.d"}
BASHRC = """PS1='> '; . /usr/share/bash-completion/bash_completion
bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'
"""
ZSHRC = "PS1='> '\nautoload -Uz compinit && compinit -u\nunset zle_bracketed_paste; setopt no_beep no_prompt_sp\n"
FISH = "function fish_prompt; echo '> '; end\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The completions of the packages."""
    needs("pandoc")
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([ROOT / "packaging/manuals", folder, Path(PROGRAM[0]).resolve().parent], check=True)
    return folder / "completions"


@pytest.fixture
def shell(files, daemon, tmp_path, request):
    """An interactive shell of a person who has just been added to the machine."""
    def open_shell(kind, socket=None):
        needs(kind)
        home = tmp_path / kind
        (home / ".config/fish").mkdir(parents=True)
        (home / "folder").mkdir()
        for file, text in ((".bashrc", BASHRC), (".zshrc", ZSHRC), (".config/fish/config.fish", FISH), ("folder/script.txt", "")):
            (home / file).write_text(text)
        environment = clean_environment(home, VIEWMODELD_SOCKET=str(socket or daemon.socket), LC_ALL="C.UTF-8", XDG_CONFIG_HOME=str(home / ".config"),
                                        PATH=f"{Path(CTL[0]).resolve().parent}:{os.environ['PATH']}")
        command = [kind, *(["--rcfile", str(home / ".bashrc")] if kind == "bash" else []), "-i"]
        space = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', str(files / kind), FOLDERS[kind]]
        opened = Terminal([*space, *command], environment, columns=110, rows=40, cwd=home)
        request.addfinalizer(opened.close)
        opened.wait_for(lambda screen: screen.text.startswith(">") or "\n>" in screen.text, "a prompt", 30)
        return opened
    return open_shell


def complete(shell, typed, completed):
    """Types a line and a tab. A letter after it shows whether a blank was inserted."""
    shell.type_until(f"{typed}\tX", lambda screen: f"> {completed}X" in screen.text, typed)


COMPLETIONS = [
    # what is typed after `viewmodelctl `, and what is added
    ("stat", "us "), ("watch --recon", "nect "), ("--output te", "xt "), ("--output=te", "xt "), ("describe calcul", "ator "), ("call keyp", "ad."),
    ("call keypad.pr", "ess "), ("read calculator le", "d "), ("read mine.hea", "der "),
    ("wait login state=signedO", "ut "), ("call lab.fail retryable=t", "rue "),
    ("call calculator.press va", "lue="), ("call calculator.press value=7", " "), ("rpc session.att", "ach "), ("help stat", "us "),
    ("call coordinator.open scene=wal", "let "), ("script folder/scr", "ipt.txt "), ("call lab.set text=@folder/scr", "ipt.txt "),
    ("--session only-SHELL", "-session "), ("--session only-SHELL-session read unus", "ual "),
    ("--session only-SHELL-session close-instance unus", "ual "),
    ("close only-SHELL", "-session "), ("--socket ~/d.sock describe calcul", "ator "), ("--socket $HOME/d.sock describe calcul", "ator "),
]


@root_only
@SHELLS
def test_a_fresh_shell_completes_words_of_the_daemon_and_files(shell, daemon, tmp_path, kind):
    daemon.connect(f"only-{kind}-session").call("viewModel.open", {"type": "lab", "id": "unusual"})
    prompt = shell(kind)
    (tmp_path / kind / "d.sock").symlink_to(daemon.socket)
    for typed, added in COMPLETIONS:
        typed = f"viewmodelctl {typed}".replace("SHELL", kind)
        complete(prompt, typed, typed + added)
    for typed, added in (("viewmodeld back", "up "), ("viewmodeld --log-level crit", "ical "), ("viewmodel-gateway --run", "time-directory ")):
        complete(prompt, typed, typed + added)
    listed = prompt.type_until("viewmodelctl call keypad.press value=\t\t",
        lambda screen: all(re.search(rf"\b{key}\b", screen.text) for key in "079"), "the keys")
    assert "value=" in listed


# What is typed, and what the line is then; the shells differ in how they quote a word.
QUOTED = [
    ('value="two w', {"bash": 'value="two words"', "zsh": "value=two\\ words ", "fish": 'value="two words" '}),
    ("value=two\\ w", {"bash": "value=two\\ words ", "zsh": "value=two\\ words ", "fish": "value=two\\ words "}),
    ("value=R\\&", {"bash": "value=R\\&D ", "zsh": "value=R\\&D ", "fish": "value=R\\&D "}),
    ("value=\\$", {kind: "value=\\$\\(touch\\ executed\\) " for kind in FOLDERS}),
]


@root_only
@SHELLS
def test_a_fresh_shell_quotes_values_and_is_silent_without_a_daemon(shell, own, tmp_path, kind):
    contract = tmp_path / "contract.json"
    values = {"schema": {"enum": ["two words", "R&D", "$(touch executed)"]}}
    contract.write_text(json.dumps({"openrpc": "1.3.2", "info": {"title": "album", "version": "1"}, "methods": [],
                                    "x-viewModels": {"album": {"instance": "album", "inputs": {"pick": values}}}}))
    daemon = own(None, "--mock", str(contract), lab=False)
    prompt = shell(kind, daemon.socket)
    for typed, completed in QUOTED:
        complete(prompt, f"viewmodelctl call album.pick {typed}", f"viewmodelctl call album.pick {completed[kind]}")
    assert not list((tmp_path / kind).rglob("executed"))
    for end in (lambda: daemon.process.send_signal(signal.SIGSTOP), daemon.kill):
        end()
        complete(prompt, "viewmodelctl read alb", "viewmodelctl read alb")
        complete(prompt, "viewmodelctl stat", "viewmodelctl status ")
    assert b"rror" not in prompt.raw and b"daemon" not in prompt.raw and b"connection" not in prompt.raw


def test_completion_makes_no_session(own, tmp_path):
    daemon = own()
    command = [*CTL, "--complete", "bash", "=:", "viewmodelctl --session never read "]
    complete_line = lambda: subprocess.run(command,
        env=clean_environment(tmp_path, VIEWMODELD_SOCKET=str(daemon.socket)), capture_output=True, text=True).stdout
    wait_until(lambda: "lab " in complete_line().splitlines(), "the names of the daemon")
    assert daemon.connect().call("session.list")["sessions"] == []
