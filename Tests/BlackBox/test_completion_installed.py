"""Completion as a package installs it: the files of packaging/manuals in Debian's folders, and a fresh shell of each kind."""
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from daemons import CTL, PROGRAM, clean_environment, needs, needs_ctl, root_only
from terminal import Terminal
from wire import ends_within

pytestmark = [needs_ctl, root_only]

ROOT = Path(__file__).resolve().parents[2]
SHELLS = ["bash", "zsh", "fish"]
# Where Debian's shells look for the files of packages. Each folder is replaced in a mount namespace of the shell.
FOLDERS = {"bash": "/usr/share/bash-completion/completions", "zsh": "/usr/share/zsh/vendor-completions", "fish": "/usr/share/fish/vendor_completions.d"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The completions, and a folder with the programs under the names that they have when installed."""
    if not (ROOT / "packaging/manuals").exists():
        pytest.skip("there is no packaging/manuals beside the tests")
    needs("pandoc")
    folder = tmp_path_factory.mktemp("installed")
    programs = Path(PROGRAM[0]).resolve().parent
    subprocess.run([ROOT / "packaging/manuals", folder, programs], check=True)
    return folder / "completions"


@pytest.fixture
def shell(files, daemon, tmp_path):
    """An interactive shell of a person who has just been added to the machine."""
    opened = []

    def open_shell(kind, socket=None):
        needs(kind)
        if not Path("/usr/share/bash-completion/bash_completion").exists():
            needs("bash-completion")
        home = tmp_path / kind
        home.mkdir()
        env = clean_environment(home, VIEWMODELD_SOCKET=str(socket or daemon.socket), LC_ALL="C.UTF-8",
                                PATH=f"{Path(CTL[0]).resolve().parent}:{os.environ['PATH']}", XDG_CONFIG_HOME=str(home / ".config"))
        if kind == "bash":
            (home / ".bashrc").write_text("PS1='> '\n. /usr/share/bash-completion/bash_completion\n"
                                          "bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'\n")
            command = ["bash", "--rcfile", str(home / ".bashrc"), "-i"]
        elif kind == "zsh":
            (home / ".zshrc").write_text("PS1='> '\nautoload -Uz compinit && compinit -u\nunset zle_bracketed_paste; setopt no_beep no_prompt_sp\n")
            command = ["zsh", "-i"]
        else:
            (home / ".config/fish").mkdir(parents=True)
            (home / ".config/fish/config.fish").write_text("function fish_prompt; echo '> '; end\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n")
            command = ["fish", "-i"]
        space = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', str(files / kind), FOLDERS[kind]]
        shell = Terminal([*space, *command], env, columns=110, rows=40, cwd=home)
        opened.append(shell)
        shell.wait_for(lambda screen: screen.text.startswith(">") or "\n>" in screen.text, "a prompt", 30)
        shell.kind = kind
        return shell
    yield open_shell
    for each in opened:
        each.close()


def complete(shell, typed, completed, **how):
    """Types a line and a tab. A letter after it shows whether a blank was inserted."""
    shell.type_until(f"{typed}\tX", lambda screen: f"> {completed}X" in screen.text, f"{shell.kind}: {typed}", **how)


def candidates(shell, typed, *wanted):
    """Types a line and tabs, and waits until the words are listed."""
    listed = lambda screen: re.sub(r"\\|\.\.\.", "", screen.text.split(typed.rstrip(), 1)[-1])
    are_listed = lambda screen: all(re.search(rf"(?<!\w){re.escape(word)}", listed(screen)) for word in wanted)
    shell.type_until(f"{typed}\t\t", are_listed, f"{shell.kind}: {typed} lists {wanted}")


COMPLETIONS = [
    ("viewmodelctl stat", "viewmodelctl status "),                                                 # a verb
    ("viewmodelctl watch --recon", "viewmodelctl watch --reconnect "),                              # an option
    ("viewmodelctl --output te", "viewmodelctl --output text "),                                    # a value of an option
    ("viewmodelctl --output=te", "viewmodelctl --output=text "),
    ("viewmodelctl describe calcul", "viewmodelctl describe calculator "),                          # a type
    ("viewmodelctl call keyp", "viewmodelctl call keypad."),                                        # an instance
    ("viewmodelctl call keypad.pr", "viewmodelctl call keypad.press "),                             # an input
    ("viewmodelctl call login.signI", "viewmodelctl call login.signInWithDevice "),                 # an action
    ("viewmodelctl read calculator le", "viewmodelctl read calculator led "),                       # an output
    ("viewmodelctl read mine.hea", "viewmodelctl read mine.header "),                               # a child
    ("viewmodelctl wait login state=signedO", "viewmodelctl wait login state=signedOut "),          # a value of an enum
    ("viewmodelctl call lab.fail retryable=t", "viewmodelctl call lab.fail retryable=true "),       # a Boolean
    ("viewmodelctl call calculator.press va", "viewmodelctl call calculator.press value="),         # the name of the one value
    ("viewmodelctl call calculator.press value=7", "viewmodelctl call calculator.press value=7 "),  # its value
    ("viewmodelctl call lab.fail retry", "viewmodelctl call lab.fail retryable="),                  # a name
    ("viewmodelctl rpc session.att", "viewmodelctl rpc session.attach "),                           # a method
    ("viewmodelctl completions zs", "viewmodelctl completions zsh "),
    ("viewmodelctl help stat", "viewmodelctl help status "),
    ("viewmodeld back", "viewmodeld backup "),                                                      # a command of the daemon
    ("viewmodeld vault rot", "viewmodeld vault rotate "),
    ("viewmodeld --log-level crit", "viewmodeld --log-level critical "),
    ("viewmodel-gateway --run", "viewmodel-gateway --runtime-directory "),
]


@pytest.mark.parametrize("kind", SHELLS)
def test_a_fresh_shell_completes_words_of_the_daemon(shell, daemon, kind):
    session = f"only-{kind}-session"
    c = daemon.connect(session)
    c.call("viewModel.open", {"type": "lab", "id": "unusual"})
    prompt = shell(kind)
    for typed, completed in COMPLETIONS:
        complete(prompt, typed, completed)
    complete(prompt, f"viewmodelctl --session only-{kind}", f"viewmodelctl --session {session} ")
    complete(prompt, f"viewmodelctl --session=only-{kind}", f"viewmodelctl --session={session} ")
    complete(prompt, f"viewmodelctl --session {session} read unus", f"viewmodelctl --session {session} read unusual ")
    complete(prompt, f"viewmodelctl --session {session} close-instance unus", f"viewmodelctl --session {session} close-instance unusual ")
    complete(prompt, f"viewmodelctl close only-{kind}", f"viewmodelctl close {session} ")


VALUES = ["two words", "R&D", "$(touch executed)", "`touch executed`"]
# What is typed, and what the line is then; the shells differ in how they quote a word.
QUOTED = [
    ('value="two w', {"bash": 'value="two words"', "zsh": "value=two\\ words ", "fish": 'value="two words" '}),
    ("value='two w", {"bash": "value='two words'", "zsh": "value=two\\ words ", "fish": "value='two words' "}),
    ("value=two\\ w", {"bash": "value=two\\ words ", "zsh": "value=two\\ words ", "fish": "value=two\\ words "}),
    ("value=R\\&", {"bash": "value=R\\&D ", "zsh": "value=R\\&D ", "fish": "value=R\\&D "}),
    ("value=\\$", {"bash": "value=\\$\\(touch\\ executed\\) ", "zsh": "value=\\$\\(touch\\ executed\\) ", "fish": "value=\\$\\(touch\\ executed\\) "}),
]


@pytest.mark.parametrize("kind", SHELLS)
def test_a_fresh_shell_completes_after_quotes_and_escapes(shell, own, tmp_path, kind):
    contract = tmp_path / "contract.json"
    contract.write_text(json.dumps({"openrpc": "1.3.2", "info": {"title": "album", "version": "1"}, "methods": [],
                                    "x-viewModels": {"album": {"instance": "album", "inputs": {"pick": {"schema": {"enum": VALUES}}}}}}))
    daemon = own(None, "--mock", str(contract), lab=False)
    prompt = shell(kind, daemon.socket)
    for typed, completed in QUOTED:
        complete(prompt, f"viewmodelctl call album.pick {typed}", f"viewmodelctl call album.pick {completed[kind]}")
    assert not list((tmp_path / kind).rglob("executed"))


@pytest.mark.parametrize("kind", SHELLS)
def test_a_socket_in_a_variable_and_in_the_home_is_found(shell, daemon, tmp_path, kind):
    prompt = shell(kind, tmp_path / "none")
    (tmp_path / kind / "d.sock").symlink_to(daemon.socket)
    prompt.send(f"set S {daemon.socket}\r" if kind == "fish" else f"S={daemon.socket}\r")
    for socket in ("$S", '"$S"', "~/d.sock", "$HOME/d.sock"):
        complete(prompt, f"viewmodelctl --socket {socket} describe calcul", f"viewmodelctl --socket {socket} describe calculator ")


@pytest.mark.parametrize("kind", SHELLS)
def test_only_what_can_be_closed_is_offered_for_closing(shell, daemon, kind):
    c = daemon.connect("closing")
    c.call("viewModel.open", {"type": "lab", "id": "corner"})
    prompt = shell(kind)
    complete(prompt, "viewmodelctl --session closing close-instance co", "viewmodelctl --session closing close-instance corner ")
    complete(prompt, "viewmodelctl call coordinator.open scene=wal", "viewmodelctl call coordinator.open scene=wallet ")


@pytest.mark.parametrize("kind", SHELLS)
def test_a_fresh_shell_lists_what_it_can_complete(shell, kind):
    prompt = shell(kind)
    candidates(prompt, "viewmodelctl ", "types", "watch", "call", "status")
    candidates(prompt, "viewmodelctl call keypad.press ", "0", "7", "9", "value=")
    candidates(prompt, "viewmodelctl call keypad.press value=", "0", "7", "9")
    candidates(prompt, "viewmodelctl wait login state=", "signedOut", "signedIn")
    candidates(prompt, "viewmodeld ", "backup", "restore", "vault", "configuration")


@pytest.mark.parametrize("kind", SHELLS)
def test_a_fresh_shell_completes_files(shell, kind, tmp_path):
    prompt = shell(kind)
    folder = tmp_path / kind / "folder"
    folder.mkdir()
    for name in ("script.txt", "backup.sqlite"):
        (folder / name).touch()
    complete(prompt, "viewmodelctl script folder/scr", "viewmodelctl script folder/script.txt ")
    complete(prompt, "viewmodelctl --socket=folder/scr", "viewmodelctl --socket=folder/script.txt ")
    complete(prompt, "viewmodelctl generate python --from folder/scr", "viewmodelctl generate python --from folder/script.txt ")
    complete(prompt, "viewmodelctl call lab.set text=@folder/scr", "viewmodelctl call lab.set text=@folder/script.txt ")
    complete(prompt, "viewmodeld restore folder/back", "viewmodeld restore folder/backup.sqlite ")
    complete(prompt, "viewmodeld --config folder/scr", "viewmodeld --config folder/script.txt ")


@pytest.mark.parametrize("kind", SHELLS)
@pytest.mark.parametrize("state", ["absent", "stopped"])
def test_a_fresh_shell_is_quick_and_silent_without_a_daemon(shell, own, kind, state):
    daemon = own()
    if state == "absent":
        daemon.stop()
    else:
        daemon.process.send_signal(signal.SIGSTOP)
    prompt = shell(kind, daemon.socket)
    # The completion is loaded. It asks no daemon for a verb, so it succeeds at once.
    complete(prompt, "viewmodelctl stat", "viewmodelctl status ", each=30, patience=0)
    ends_within(3, lambda: complete(prompt, "viewmodelctl read calcul", "viewmodelctl read calcul"), "a completion")
    assert b"rror" not in prompt.raw and b"daemon" not in prompt.raw and b"connection" not in prompt.raw
