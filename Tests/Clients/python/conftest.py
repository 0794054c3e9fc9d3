"""Generates the client of the daemon under test, and starts daemons with the helpers of `Tests/PythonSupport`."""
import asyncio
import contextlib

import pytest

pytest.register_assert_rewrite("daemons", "clients")

from clients import client_file, load  # noqa: E402, F401
from daemons import unique  # noqa: E402
from fixtures import *  # noqa: E402, F403
from fault_proxy import FaultProxy  # noqa: E402


@pytest.fixture(scope="session")
def vm(client_file):
    """The module of the client."""
    return load(client_file, "viewmodels")


@pytest.fixture
def proxy(daemon, tmp_path):
    """Makes a relay to the daemon."""
    return lambda **how: FaultProxy(str(tmp_path / unique("p")), str(daemon.socket), **how)


@pytest.fixture
def desk(vm, daemon, name):
    """Makes sessions of the test's name."""
    return lambda **how: vm.Session(name, **{"socket": str(daemon.socket), **how})


@pytest.fixture
def path(tmp_path):
    """A place for the socket of a stand-in."""
    return str(tmp_path / "s")


@pytest.fixture
def session(desk):
    """A session, which is connected while the test runs."""
    return desk()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test that is a coroutine. It fails after a minute."""
    if not asyncio.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def whole():
        async with pyfuncitem.funcargs.get("session") or contextlib.nullcontext():
            await pyfuncitem.obj(**arguments)
    asyncio.run(asyncio.wait_for(whole(), 60))
    return True
