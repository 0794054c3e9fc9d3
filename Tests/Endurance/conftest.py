"""Fixtures of the endurance suites."""
from __future__ import annotations

import functools
import os
import signal
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import endurance  # noqa: E402


def pytest_report_header(config):
    return [f"daemon under test: {' '.join(endurance.COMMAND) or 'none, VIEWMODELD is not set'}",
            f"ENDURANCE_SEED={endurance.SEED} ENDURANCE_HISTORIES={endurance.HISTORIES} "
            f"ENDURANCE_FULL={int(endurance.FULL)} ENDURANCE_LOCK_SECONDS={endurance.LOCK_SECONDS:g}"]


def pytest_configure(config):
    # A run that is told to end kills its daemons and unmounts its disks.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.addinivalue_line("markers", "limit(seconds): the longest time that the test may take; 60 without it")


def pytest_terminal_summary(terminalreporter):
    if endurance.FIGURES:
        terminalreporter.section("figures")
        for line in endurance.FIGURES:
            terminalreporter.write_line(line)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Ends a test that exceeds its time, and repeats one that was disturbed."""
    marker = item.get_closest_marker("limit")
    seconds = marker.args[0] if marker else 60
    test = item.obj

    def ring(*_):
        raise TimeoutError(f"the test took more than {seconds} s")

    @functools.wraps(test)
    def repeated(*arguments, **fixtures):
        for attempt in (1, 2, 3):
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                return test(*arguments, **fixtures)
            except endurance.Disturbed as disturbed:
                if attempt == 3:
                    raise
                endurance.figure(f"{item.name} begins again: {disturbed}")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            for daemon in list(endurance._running):
                daemon.discard()
    former = signal.signal(signal.SIGALRM, ring)
    item.obj = repeated
    try:
        yield
    finally:
        item.obj = test
        signal.signal(signal.SIGALRM, former)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds what became of the daemons to the report of a test that failed."""
    report = (yield).get_result()
    if report.when == "call":
        item.failed = report.failed
        if report.failed:
            for daemon in list(endurance._running):
                report.sections.append(("daemon", daemon.describe(call.excinfo and call.excinfo.type is TimeoutError)))


@pytest.fixture
def launch():
    """Makes daemons for one test and kills them afterwards."""
    made = []

    def make(**how):
        start = how.pop("start", True)
        daemon = endurance.Daemon(**how)
        made.append(daemon)
        return daemon.start() if start else daemon
    yield make
    for daemon in made:
        daemon.discard()


@pytest.fixture
def small_disk():
    """A function that mounts a tmpfs of so many MiB and returns its path. The fixture unmounts it."""
    endurance.needs_root()
    made = []

    def make(mebibytes):
        disk = endurance.SmallDisk(mebibytes)
        made.append(disk)
        return disk
    yield make
    for disk in made:
        disk.discard()
