"""Runs programs of the Textual adapter in terminals of tmux, against a real daemon."""
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.register_assert_rewrite("daemons", "clients", "scenario")

from clients import client_file  # noqa: E402, F401
from daemons import clean_environment, needs, unique  # noqa: E402
from fixtures import *  # noqa: E402, F403
from scenario import slow  # noqa: E402, F401
from wire import wait_until  # noqa: E402

ROOT = Path(__file__).parents[3]
ADAPTER = ROOT / "Sources/ClientGenerators/Runtimes/viewmodel_textual.py"
PAGE = ROOT / "docs/clients/terminal.md"


@pytest.fixture(scope="session")
def folder(tmp_path_factory, client_file) -> Path:
    """Has the generated client, the adapter, and the program of the documentation."""
    folder = tmp_path_factory.mktemp("terminal")
    (folder / "viewmodels.py").write_text(client_file.read_text())
    (folder / "viewmodel_textual.py").write_text(ADAPTER.read_text())
    (folder / "demo.py").write_text(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1])
    return folder


class Terminal:
    """A Python program in a terminal of 100 columns and 30 lines."""

    def __init__(self, program: Path, socket):
        self.tmux = ["tmux", "-L", unique("tmux"), "-f", "/dev/null"]
        environment = clean_environment(program.parent, VIEWMODELD_SOCKET=str(socket), TERM="xterm-256color", LC_ALL="C.UTF-8")
        self.run("set", "-g", "remain-on-exit", "on", ";", "set", "-sg", "escape-time", "0", ";", "new-session", "-d", "-x", "100",
                 "-y", "30", sys.executable, str(program), first=["start-server", ";"], env=environment)
        self.run("set", "-w", "window-size", "manual")
        # Keys need no process each, so that typing keeps its pace on a busy machine.
        self.control = subprocess.Popen([*self.tmux, "-C", "attach"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def run(self, *arguments, first=(), **how) -> str:
        command = [*self.tmux, *first, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=20, **how).stdout

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], capture_output=True)
        self.control.communicate()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.run("capture-pane", "-p").splitlines()]

    @property
    def screen(self) -> str:
        return "\n".join(self.lines)

    def keys(self, *keys: str):
        self.control.stdin.write(f"send-keys {shlex.join(keys)}\n")
        self.control.stdin.flush()

    def type(self, text: str, pause=0.04):
        """Types as a person does: one key after the other."""
        for letter in text:
            self.keys("-H", letter.encode().hex())
            time.sleep(pause)

    def wheel(self, direction: int, count=1):
        """Turns the wheel of the mouse over the middle of the screen, downwards for 1."""
        turn = f"\x1b[<{64 + (direction > 0)};50;15M".encode()
        for _ in range(count):
            self.keys("-H", *(f"{byte:x}" for byte in turn))

    def shows(self, *texts: str, patience=20):
        try:
            wait_until(lambda: all(text in (screen := self.screen) for text in texts), "the screen", patience, pause=0.1)
        except AssertionError:
            pytest.fail(f"{texts} did not appear on the screen:\n{self.screen}", pytrace=False)

    def hides(self, text: str):
        wait_until(lambda: text not in self.screen, f"a screen without {text}", 20, pause=0.1)

    def colour(self, word: str) -> str:
        """The colour in which the footer writes a word."""
        footer = self.run("capture-pane", "-p", "-e").rstrip().splitlines()[-1:]
        return re.findall(r"38;[\d;]*m", footer[0].partition(word)[0])[-1] if footer and word in footer[0] else ""

    def enables(self, word: str):
        """Waits until the key of this name is as bright as that of Quit, which is always enabled."""
        wait_until(lambda: self.colour(word) == self.colour("Quit") != "", f"a bright {word}", 30, pause=0.1)

    def disables(self, word: str):
        wait_until(lambda: "" != self.colour(word) != self.colour("Quit"), f"a dim {word}", 30, pause=0.1)


@pytest.fixture
def terminal(folder, request, daemon):
    """Starts the program of the documentation, with the focus in the first widget of a tab."""
    needs("tmux")

    def start(socket=daemon.socket, tab: str = "Calculator") -> Terminal:
        made = Terminal(folder / "demo.py", socket)
        request.addfinalizer(made.close)
        made.shows("Quit", tab)
        texts = {"Calculator": "Calculator", "Rows": "Counted", "Send": "Message", "Mine": "click login"}
        for _ in range([*texts].index(tab)):
            made.keys("Right")
        made.shows(texts[tab])
        made.keys("Tab")
        return made
    return start


@pytest.fixture
def desk(daemon):
    """A connection to a new session `desk`."""
    client = daemon.connect("desk")
    client.call("session.close", {"session": "desk"})
    client.attach("desk", linger=600)
    return client
