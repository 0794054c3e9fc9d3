"""The client that `viewmodelctl generate python` writes for the daemon under test."""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from daemons import CTL, Daemon


def generate(*options: str, socket="/nonexistent") -> str:
    """The text that `viewmodelctl generate python` writes."""
    command = [*CTL, "--socket", str(socket), "generate", "python", *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
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
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def client_file(tmp_path_factory) -> Path:
    """The client of the daemon under test. PYTHON_CLIENT names another file."""
    if given := os.environ.get("PYTHON_CLIENT"):
        return Path(given)
    daemon, file = Daemon().start(), tmp_path_factory.mktemp("client") / "viewmodels.py"
    try:
        file.write_text(generate(socket=daemon.socket))
        return file
    finally:
        daemon.discard()
