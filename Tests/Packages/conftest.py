"""The tests run in their order on one machine, from the installation to the purge."""

import os
import pathlib
import shutil
import subprocess

import pytest

from machine import Machine


@pytest.fixture(scope="session")
def packages():
    """The folder with the packages to test."""
    return pathlib.Path(os.environ["PACKAGES"])


@pytest.fixture(scope="session")
def machine(tmp_path_factory, packages):
    machine = Machine(os.environ["ROOT"], tmp_path_factory.mktemp("machine"))
    first = machine.root / "packages"
    first.mkdir()
    for package in packages.glob("*.deb"):
        if "dbgsym" not in package.name:
            shutil.copy(package, first)
    newer(first)
    try:
        machine.boot()
        yield machine
    finally:
        machine.remove()


def newer(folder):
    """Packs the packages of the folder once more, as a later revision in `newer`, with the same programs."""
    (folder / "newer").mkdir()
    for package in sorted(folder.glob("*.deb")):
        tree = folder / "tree"
        subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
        control = tree / "DEBIAN/control"
        control.write_text("".join(f"{line}+newer\n" if line.startswith("Version: ") else f"{line}\n" for line in control.read_text().splitlines()))
        subprocess.run(["dpkg-deb", "--build", "-Znone", tree, folder / "newer"], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(tree)
