"""The programs in docs/clients/qt.md run, and do what they show."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import qt
from daemons import clean_environment

PAGE = Path(__file__).resolve().parents[3] / "docs" / "clients" / "qt.md"


@pytest.mark.parametrize("drive, number", [("demo", 0), ("widgets", 1)])
def test_a_program_of_the_page_works(client_file, own, tmp_path, drive, number):
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.S)
    programs = [text for kind, text in blocks if kind == "python"]
    (tmp_path / "demo.py").write_text(programs[number].replace("PyQt6", qt.QT))
    (tmp_path / "demo.qml").write_text(next(text for kind, text in blocks if kind == "qml"))
    shutil.copy(client_file, tmp_path / "viewmodels.py")
    shutil.copy(qt.__file__, tmp_path)
    picture = os.environ.get("SCREENSHOT", str(tmp_path / "demo.png"))
    environment = clean_environment(tmp_path, VIEWMODELD_SOCKET=str(own().socket), PYTHONPATH=str(tmp_path), QT=qt.QT,
                                    XDG_RUNTIME_DIR=str(tmp_path))
    tmp_path.chmod(0o700)
    command = [sys.executable, str(Path(__file__).with_name("driver.py")), "demo.py", drive, picture]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    said = [line for line in done.stderr.splitlines() if "This plugin" not in line]
    assert (done.returncode, said) == (0, []), done.stderr


LOADS = """import sys, viewmodel_qt as qt
from viewmodels import Session
application = qt.gui.QGuiApplication(sys.argv)
engine = qt.SessionObject(Session("desk", dispatch=qt.dispatch())).load(sys.argv[1])
print(len(engine.rootObjects()))"""


def test_a_file_is_loaded_by_a_program_that_imports_nothing_of_qt_quick(client_file, own, tmp_path):
    """And a file that cannot be shown is an error, so that no program waits without a window."""
    shutil.copy(client_file, tmp_path / "viewmodels.py")
    shutil.copy(qt.__file__, tmp_path)
    (tmp_path / "good.qml").write_text("import QtQuick\nimport QtQuick.Controls\nApplicationWindow { visible: true }")
    (tmp_path / "bad.qml").write_text("import QtQuick\nNoItem {}")
    environment = clean_environment(tmp_path, VIEWMODELD_SOCKET=str(own().socket), XDG_RUNTIME_DIR=str(tmp_path), QT_QPA_PLATFORM="offscreen")

    def load(file):
        return subprocess.run([sys.executable, "-c", LOADS, file], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    good, bad = load("good.qml"), load("bad.qml")
    assert (good.returncode, good.stdout.strip()) == (0, "1"), good.stderr
    assert bad.returncode == 1 and "NoItem is not a type" in bad.stderr and "bad.qml was not loaded" in bad.stderr


def test_the_programs_are_short():
    blocks = re.findall(r"```(?:python|qml)\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks[0].splitlines()) <= 10 and sum(len(text.splitlines()) for text in blocks[:2]) < 120
