"""The program `Desk` in a terminal. DESK names it, and VIEWMODELD the daemon."""
import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "PythonSupport"))

from daemons import clean_environment  # noqa: E402
from fixtures import *  # noqa: E402, F403
from terminal import Terminal  # noqa: E402


@pytest.fixture
def desk(own):
    daemon = own()
    line = f"stty -icanon -echo; exec {os.environ['DESK']} {daemon.socket}"
    terminal = Terminal(["/bin/sh", "-c", line], clean_environment(daemon.folder))
    terminal.daemon = daemon
    yield terminal
    terminal.close()


def shows(desk, *texts, patience=30):
    desk.wait_for(lambda screen: all(text in screen.text for text in texts), f"{texts} on the screen", patience)


def test_the_calculator_survives_a_kill(desk):
    shows(desk, "Tab: next page", "- Undo")
    desk.send("12+3=")
    shows(desk, "\n15\n", "u Undo")
    desk.daemon.process.kill()
    shows(desk, "Offline", "\n15\n", "- Undo")
    desk.send("7")      # Refused, and not sent later.
    desk.daemon.restart(hard=True)
    shows(desk, "Tab: next page", "\n0\n", "- Undo")
    desk.send("8*9=")
    shows(desk, "\n72\n")


def test_a_million_rows_keep_their_selection(desk):
    desk.send("\t")
    shows(desk, "c Count")
    desk.send("m")
    shows(desk, "row 10")
    desk.send("g")
    shows(desk, "> row 1000000", "  row 999995")
    other = desk.daemon.connect("desk")
    other.call("lab.move", {"from": 0, "to": 999_999})
    other.call("lab.removeRows", [[2, 3, 4]])
    shows(desk, "> row 1000000", "  row 1")


def test_a_count_is_cancelled_and_a_question_takes_no_typed_key(desk):
    desk.send("\t")
    shows(desk, "c Count")
    desk.send("ca")
    shows(desk, "x cancels", "Really?", "1 OK")
    desk.send("x")
    shows(desk, "c Count", "Really?")
    desk.send("1")
    time.sleep(1)       # A pause of the person.
    shows(desk, "Really?")
    desk.send("1")
    desk.wait_for(lambda screen: "Really?" not in screen.text, "the end of the question")


def test_a_message_is_typed_and_added(desk):
    desk.send("\t\t")
    shows(desk, "- Add")
    desk.send("milx\x7fk")
    shows(desk, "milk_", "Enter Add")
    desk.send("\n")
    shows(desk, "\n_\n", "queued milk", "- Add")
    desk.send("\x0f")
    shows(desk, "disabled")


def test_a_row_leads_to_the_sign_in_and_back(desk):
    desk.send("\t\t\t")
    shows(desk, "/ root", "> my wallet")
    desk.send("n")
    shows(desk, "> contact customer service")
    desk.send("\n")
    shows(desk, "Account:", "- Sign in")
    desk.send("alice\nwrong")
    shows(desk, "Account: alice", "Password: *****", "at least 8 characters")
    desk.send(" one\n")
    shows(desk, "The account or the password is wrong")
    desk.send("\x02")
    shows(desk, "/ root", "> contact customer service")
