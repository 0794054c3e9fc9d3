"""Generates the client of the daemon under test, and starts daemons with the helpers of `Tests/PythonSupport`."""
import asyncio
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("daemons")

from daemons import CTL, Daemon, unique  # noqa: E402
from fixtures import *  # noqa: E402, F403
from fault_proxy import FaultProxy  # noqa: E402


def generate(*options: str, socket="/nonexistent") -> str:
    """The text that `viewmodelctl generate python` writes."""
    command = [*CTL, "generate", "python", *options]
    environment = {**os.environ, "VIEWMODELD_SOCKET": str(socket)}
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert result.returncode == 0, f"{' '.join(command)} failed: {result.stderr}"
    return result.stdout


def generated(folder: Path, name: str, contract: dict) -> Path:
    """The file with the client of a contract."""
    (folder / f"{name}.json").write_text(json.dumps(contract))
    (folder / f"{name}.py").write_text(generate("--from", str(folder / f"{name}.json")))
    return folder / f"{name}.py"


def load(path: Path, name: str):
    """Imports a file as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def client_file(tmp_path_factory) -> Path:
    """The client of the daemon under test. PYTHON_CLIENT names another file."""
    if given := os.environ.get("PYTHON_CLIENT"):
        return Path(given)
    daemon = Daemon().start()
    try:
        file = tmp_path_factory.mktemp("client") / "viewmodels.py"
        file.write_text(generate(socket=daemon.socket))
        return file
    finally:
        daemon.discard()


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
