"""Fixtures of the endurance suites."""
from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "PythonSupport")]
pytest.register_assert_rewrite("wire", "daemons", "endurance")

import endurance  # noqa: E402
from daemons import PROGRAM  # noqa: E402


def pytest_report_header(config):
    return [f"daemon under test: {' '.join(PROGRAM) or 'none, VIEWMODELD is not set'}",
            f"ENDURANCE_SEED={endurance.SEED} ENDURANCE_HISTORIES={endurance.HISTORIES} "
            f"ENDURANCE_FULL={int(endurance.FULL)} ENDURANCE_LOCK_SECONDS={endurance.LOCK_SECONDS:g}"]


def pytest_configure(config):
    # A run that is told to end kills its daemons and unmounts its disks.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.addinivalue_line("markers", "limit(seconds): the time after which a test counts as hung; 300 without it")


def pytest_terminal_summary(terminalreporter):
    if endurance.FIGURES:
        terminalreporter.section("figures")
        for line in endurance.FIGURES:
            terminalreporter.write_line(line)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Ends a test that hangs."""
    marker = item.get_closest_marker("limit")
    seconds = marker.args[0] if marker else 300

    def ring(*_):
        raise TimeoutError(f"the test took more than {seconds} s")
    former = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds what became of the daemons to the report of a test that failed."""
    report = (yield).get_result()
    if report.when == "call":
        item.failed = report.failed
        for daemon in list(endurance.Daemon.running) if report.failed else []:
            state = "alive" if daemon.is_alive else f"ended with {daemon.process and daemon.process.returncode}"
            report.sections.append(("daemon", f"{state}\n{daemon.last_words}"))


@pytest.fixture
def launch():
    """Makes daemons for one test and kills them afterwards."""
    made = []

    def make(config=None, *flags, start=True, **how):
        made.append(endurance.Daemon(config, *flags, **how))
        return made[-1].start() if start else made[-1]
    yield make
    for daemon in made:
        daemon.discard()


@pytest.fixture
def small_disk():
    """A function that mounts a tmpfs of so many MiB. The fixture unmounts it."""
    endurance.needs_root()
    made = []

    def make(mebibytes):
        made.append(endurance.SmallDisk(mebibytes))
        return made[-1]
    yield make
    for disk in made:
        disk.discard()
