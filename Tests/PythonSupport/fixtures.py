"""Fixtures of all suites: `daemon` of the file, daemons of one test's own, names of sessions."""
import os

import pytest
from daemons import PROGRAM, Daemon, unique


def pytest_report_header(config):
    return f"viewmodeld under test: {' '.join(PROGRAM) or 'VIEWMODELD is not set'}"


def pytest_configure(config):
    if not PROGRAM or "/" in PROGRAM[0] and not os.access(PROGRAM[0], os.X_OK):
        raise pytest.UsageError("VIEWMODELD names no program: VIEWMODELD=path/to/viewmodeld python3 -m pytest FOLDER")


@pytest.fixture(scope="module")
def shared_daemon(request):
    daemon = Daemon()
    request.addfinalizer(daemon.discard)
    return daemon.start()


@pytest.fixture
def daemon(shared_daemon):
    """The daemon of the file. A daemon that a test ended fails that test and is replaced for the next one."""
    if not shared_daemon.is_alive:
        shared_daemon.start()
    yield shared_daemon
    shared_daemon.drop_clients()
    if not shared_daemon.is_alive:
        code = shared_daemon.process.returncode
        pytest.fail(f"the daemon ended with {code} in this test: {shared_daemon.last_words}", pytrace=False)


def maker(request, kind):
    """Makes daemons or gateways for one test alone."""
    def make(*arguments, start=True, **how):
        made = kind(*arguments, **how)
        request.addfinalizer(made.discard)
        return made.start() if start else made
    return make


@pytest.fixture
def own(request):
    """Makes daemons for one test alone: `own(config, *flags, lab=…)`."""
    return maker(request, Daemon)


@pytest.fixture
def name():
    """A session name that no other test has."""
    return unique()
