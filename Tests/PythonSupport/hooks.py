"""Hooks of the suites that take long: time limits, figures at the end, the fate of the daemons of a failed test."""
import signal

import fixtures
import pytest
from daemons import Daemon

FIGURES: list[str] = []
limit_seconds = 300.0
"""The time after which a test counts as hung, if it has no mark `limit(seconds)`."""
patience = 1.0
"""A factor for all limits."""


def figure(text):
    """Prints a measured figure, also in the summary at the end. Figures are no assertions."""
    print(text)
    FIGURES.append(text)


def pytest_configure(config):
    fixtures.pytest_configure(config)
    # A run that is told to end removes what it has made.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.addinivalue_line("markers", "limit(seconds): the time after which a test counts as hung")


def pytest_terminal_summary(terminalreporter):
    reports = [report for group in terminalreporter.stats.values() for report in group]
    if figures := [line for report in reports for kind, line in getattr(report, "user_properties", ()) if kind == "figure"]:
        terminalreporter.section("figures")
        for line in figures:
            terminalreporter.write_line(line)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Ends a test that hangs."""
    marker = item.get_closest_marker("limit")
    seconds = (marker.args[0] if marker else limit_seconds) * patience

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
def pytest_runtest_makereport(item):
    """Keeps whether the test has failed, and adds the figures, and what became of the daemons to a failure."""
    report = (yield).get_result()
    # Reports come from all processes of pytest-xdist.
    report.user_properties += [("figure", line) for line in FIGURES]
    FIGURES.clear()
    if report.when == "call":
        item.failed = report.failed
    for daemon in Daemon.made if report.failed else []:
        code = daemon.process and daemon.process.returncode
        state = "alive" if daemon.is_alive else f"ended with {code}"
        report.sections.append((f"{daemon}, {state}", daemon.last_words))
