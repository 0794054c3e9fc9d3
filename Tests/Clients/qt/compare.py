"""Scrolls a table of a million rows end to end, with this adapter and with Qt Remote Objects. It needs PySide6.

    VIEWMODELD=… VIEWMODELCTL=… PYTHON_CLIENT=viewmodels.py python3 Tests/Clients/qt/compare.py [ROWS [STEPS]]

Each step moves the table, and waits until every visible row is loaded and drawn. The processes of a pair run alone.
"""
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "PythonSupport"), str(HERE.parents[3] / "Sources/ClientGenerators/Runtimes"),
                str(Path(os.environ.get("PYTHON_CLIENT", "viewmodels.py")).resolve().parent)]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, QUrl  # noqa: E402
from PySide6.QtRemoteObjects import QRemoteObjectHost, QRemoteObjectNode  # noqa: E402
from PySide6.QtWidgets import QApplication, QTableView  # noqa: E402

NAME = "local:compare-rows"


def megabytes(process="self"):
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def scroll(application, view, count, steps, begin):
    """Prints the time to the first rows, steps a second, processor time a step and memory of this process."""
    def loaded():
        first, last = view.rowAt(0), view.rowAt(view.viewport().height() - 1)
        return first >= 0 and all(view.model().index(row, 0).data() for row in range(first, (last if last >= 0 else count - 1) + 1))

    def until(condition):
        while not condition():
            application.processEvents()
            time.sleep(0.001)
    view.resize(400, 600)
    view.show()
    until(lambda: view.model().rowCount() == count and loaded())
    first, before, start, worked = time.perf_counter() - begin, megabytes(), time.perf_counter(), time.process_time()
    for step in range(1, steps + 1):
        view.verticalScrollBar().setValue(step * count // steps)
        until(loaded)
        view.viewport().repaint()
    rate = steps / (time.perf_counter() - start)
    worked = (time.process_time() - worked) / steps
    print(f"{first * 1000:.0f} {rate:.1f} {worked * 1000:.1f} {before:.0f} {megabytes():.0f}", flush=True)


class Numbers(QAbstractTableModel):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def rowCount(self, parent=QModelIndex()):
        return 0 if parent.isValid() else self.count

    def columnCount(self, parent=QModelIndex()):
        return 1

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        return f"row {index.row() + 1}" if role == Qt.ItemDataRole.DisplayRole else None


def source(count, _):
    application, model, host = QApplication([]), Numbers(count), QRemoteObjectHost(QUrl(NAME))
    host.enableRemoting(model, "rows", [int(Qt.ItemDataRole.DisplayRole)])
    print("ready", flush=True)
    application.exec()


def replica(count, steps):
    begin, application, node, view = time.perf_counter(), QApplication([]), QRemoteObjectNode(), QTableView()
    node.connectToNode(QUrl(NAME))
    model = node.acquireModel("rows")
    view.setModel(model)
    scroll(application, view, count, steps, begin)


def adapter(count, steps):
    import viewmodel_qt
    from viewmodels import Session
    begin, application = time.perf_counter(), QApplication([])
    desk = viewmodel_qt.SessionObject(Session("compare", socket=os.environ["SOCKET"], dispatch=viewmodel_qt.dispatch()))
    scroll(application, desk.lab.rows.into(QTableView()), count, steps, begin)


def run(kind, *arguments, **more):
    command = [sys.executable, str(HERE), *map(str, arguments), kind]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=600, env={**os.environ, **more}).stdout


def main(count, steps):
    from daemons import Daemon
    print(f"{count} rows, {steps} steps, {os.cpu_count()} cores: first rows ms, steps/s, client CPU ms a step, client MB before and after, other process MB")
    daemon = Daemon().start()
    boss = daemon.connect("compare", linger=60)
    boss.call("lab.append", [count])
    boss.round_trip()
    print("adapter", run("adapter", count, steps, SOCKET=str(daemon.socket)).strip(), f"{daemon.resident / 1e6:.0f}")
    daemon.discard()
    with subprocess.Popen([sys.executable, str(HERE), str(count), str(steps), "source"], stdout=subprocess.PIPE, text=True) as host:
        host.stdout.readline()
        print("remote objects", run("replica", count, steps).strip(), f"{megabytes(host.pid):.0f}")
        host.terminate()


if __name__ == "__main__":
    kinds = {"source": source, "replica": replica, "adapter": adapter}
    kind = kinds.get(sys.argv[-1], main)
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    kind(*(numbers + [1_000_000, 500][len(numbers):]))
