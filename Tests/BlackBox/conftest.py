import pytest

pytest.register_assert_rewrite("wire", "picture", "daemons", "accounts", "gateways", "openid")

from fixtures import *  # noqa: E402, F403
from gateways import Gateway  # noqa: E402
from openid import provider  # noqa: E402, F401
from web import JSONBackend, OAuthIssuer, oauth_config  # noqa: E402


@pytest.fixture(scope="module")
def gateway(shared_daemon):
    """The gateway of the file, before its daemon."""
    gateway = Gateway(shared_daemon).start()
    yield gateway
    gateway.discard()


@pytest.fixture
def gateways(own, request):
    """Makes gateways for one test alone, each with a daemon."""
    return maker(request, lambda *arguments, **how: Gateway(own(), *arguments, **how))


@pytest.fixture
def c(daemon):
    """A connection with an anonymous session."""
    return daemon.connect()


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
def http_daemon(own, backend):
    """A daemon whose accounts live with `backend`."""
    return own({"account": {"provider": "http", "url": backend.url}})


@pytest.fixture
def oauth_daemon(own, issuer):
    """A daemon whose accounts live with `issuer`."""
    return own(oauth_config(issuer))
