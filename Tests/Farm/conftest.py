import os
import signal
import sys
from pathlib import Path

import pytest

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "PythonSupport")]
pytest.register_assert_rewrite("wire", "picture", "daemons", "accounts", "farm", "workload", "checker")

from daemons import PROGRAM, REQUIRE_ALL, unique  # noqa: E402
from database import Database  # noqa: E402
from farm import Farm  # noqa: E402
from network import Network, lacks  # noqa: E402
from postgres import IS_THERE, PROGRAMS  # noqa: E402

FIGURES: list[str] = []


def pytest_report_header(config):
    return f"viewmodeld under test: {' '.join(PROGRAM) or 'VIEWMODELD is not set'}"


def pytest_configure(config):
    # A run that is told to end removes its machines.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not PROGRAM:
        raise pytest.UsageError("VIEWMODELD is not set: VIEWMODELD=path/to/viewmodeld python3 -m pytest Tests/Farm")
    if not os.access(PROGRAM[0], os.X_OK) and "/" in PROGRAM[0]:
        raise pytest.UsageError(f"VIEWMODELD names no program: {PROGRAM[0]}")


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(line)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Ends a test that exceeds its time."""
    marker = item.get_closest_marker("limit")
    seconds = (marker.args[0] if marker else 60) * float(os.environ.get("FARM_PATIENCE", "1"))

    def ring(*_):
        raise TimeoutError(f"the test took more than {seconds:g} s")
    former = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the ends of the logs to the report of a test that failed."""
    report = (yield).get_result()
    if report.when == "call":
        item.failed = report.failed
        if report.failed:
            for farm in item.funcargs.get("_farms", []):
                for node in farm:
                    state = "alive" if node.is_alive else f"ended with {node.process.returncode}" if node.process else "not started"
                    report.sections.append((f"{node}, {state}", node.last_words if not node.is_alive else node.log[-1500:]))


@pytest.fixture(scope="session")
def machines():
    """The switch with the machines `db`, `a`, `b` and `c`, and the database server."""
    missing = lacks() or (None if IS_THERE else f"PostgreSQL in {PROGRAMS}")
    if missing:
        (pytest.fail if REQUIRE_ALL else pytest.skip)(f"the farm needs {missing}")
    network = Network(["db", "a", "b", "c"])
    try:
        database = Database(network)
        try:
            yield network, database
        finally:
            database.remove()
    finally:
        network.remove()


@pytest.fixture
def _farms():
    """The farms that a test uses, for its report."""
    return []


@pytest.fixture(scope="module")
def _shared_farm(machines):
    farm = Farm(*machines)
    try:
        yield farm.start()
    finally:
        farm.discard()


@pytest.fixture
def farm(_shared_farm, _farms):
    """The farm of the file, with a lease of 3 seconds (`FARM_PATIENCE` times). Whatever an earlier test has broken is repaired."""
    _farms.append(_shared_farm)
    _shared_farm.repair()
    yield _shared_farm
    dead = [node for node in _shared_farm if not node.is_alive and node.process.returncode not in (0, -signal.SIGKILL)]
    for node in dead:
        pytest.fail(f"{node} ended with {node.process.returncode}: {node.last_words}", pytrace=False)
    _shared_farm.repair()


@pytest.fixture
def make_farm(machines, _farms, request):
    """Makes farms for one test alone: `make_farm(lease=…)`. The logs of a failed test are kept in `FARM_LOGS`."""
    def make(**how):
        farm = Farm(*machines, **how)
        _farms.append(farm)
        return farm.start()
    yield make
    for farm in _farms:
        if (folder := os.environ.get("FARM_LOGS")) and getattr(request.node, "failed", False):
            Path(folder).mkdir(parents=True, exist_ok=True)
            for node in farm:
                (Path(folder) / f"{request.node.name}-{node.name}.log").write_text(node.log)
        farm.network.heal("db")
        for node in farm:
            farm.network.heal(node.name)
        if not farm.server.is_alive:
            farm.server.start()
        farm.discard()


@pytest.fixture
def name():
    """A session name that no other test has."""
    return unique()


@pytest.fixture
def figure():
    """Prints a measured figure, also in the summary at the end."""
    def show(text):
        print(text)
        FIGURES.append(text)
    return show
