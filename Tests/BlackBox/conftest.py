import os
import sys
from pathlib import Path

import pytest

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "PythonSupport")]
pytest.register_assert_rewrite("wire", "picture", "daemons", "accounts", "gateways")

from daemons import PROGRAM, Daemon, unique  # noqa: E402
from gateways import Gateway  # noqa: E402
from web import JSONBackend, OAuthIssuer, oauth_config  # noqa: E402


def pytest_report_header(config):
    return f"viewmodeld under test: {' '.join(PROGRAM) or 'VIEWMODELD is not set'}"


def pytest_configure(config):
    if not PROGRAM:
        raise pytest.UsageError("VIEWMODELD is not set: VIEWMODELD=path/to/viewmodeld python3 -m pytest Tests/BlackBox")
    if not os.access(PROGRAM[0], os.X_OK) and "/" in PROGRAM[0]:
        raise pytest.UsageError(f"VIEWMODELD names no program: {PROGRAM[0]}")


@pytest.fixture(scope="module")
def _shared_daemon():
    daemon = Daemon()
    yield daemon
    daemon.discard()


@pytest.fixture
def daemon(_shared_daemon):
    """The daemon of the file. A daemon that a test ended fails that test and is replaced for the next one."""
    if not _shared_daemon.is_alive:
        _shared_daemon.start()
    yield _shared_daemon
    for client in _shared_daemon.clients:
        client.close()
    _shared_daemon.clients.clear()
    if not _shared_daemon.is_alive:
        code = _shared_daemon.process.returncode
        pytest.fail(f"the daemon ended with {code} in this test: {_shared_daemon.last_words}", pytrace=False)


@pytest.fixture
def own():
    """Makes daemons for one test alone: `own(config, *flags, lab=…)`."""
    made = []

    def make(config=None, *flags, start=True, **how):
        daemon = Daemon(config, *flags, **how)
        made.append(daemon)
        return daemon.start() if start else daemon

    yield make
    for daemon in made:
        daemon.discard()


@pytest.fixture(scope="module")
def gateway(_shared_daemon):
    """The gateway of the file, before its daemon."""
    if not _shared_daemon.is_alive:
        _shared_daemon.start()
    gateway = Gateway(_shared_daemon).start()
    yield gateway
    gateway.discard()


@pytest.fixture
def gateways(own):
    """Makes gateways for one test alone, each with a daemon."""
    made = []

    def make(config=None, *flags, daemon=None, start=True, **how):
        made.append(Gateway(daemon or own(), config, *flags, **how))
        return made[-1].start() if start else made[-1]
    yield make
    for each in made:
        each.discard()


@pytest.fixture
def c(daemon):
    """A connection with an anonymous session."""
    return daemon.connect()


@pytest.fixture
def name():
    """A session name that no other test has."""
    return unique()


@pytest.fixture
def backend():
    """The backend of the provider `http`."""
    server = JSONBackend()
    yield server
    server.close()


@pytest.fixture
def issuer():
    """The issuer of the provider `oauth`."""
    server = OAuthIssuer()
    yield server
    server.close()


@pytest.fixture
def account_timeout(request) -> dict:
    """How long the daemon waits for its provider. The default is long enough for a provider on a busy machine."""
    return {"timeoutSeconds": 3} if request.node.get_closest_marker("slow_provider") else {}


@pytest.fixture
def http_daemon(own, backend, account_timeout):
    """A daemon whose accounts live with `backend`."""
    return own({"account": {"provider": "http", "url": backend.url, **account_timeout}})


@pytest.fixture
def oauth_daemon(own, issuer, account_timeout):
    """A daemon whose accounts live with `issuer`."""
    config = oauth_config(issuer)
    config["account"] |= account_timeout
    return own(config)
