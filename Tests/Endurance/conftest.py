"""Fixtures of the endurance suites."""
import pytest

pytest.register_assert_rewrite("wire", "daemons", "endurance")

import endurance  # noqa: E402
from daemons import PROGRAM  # noqa: E402
from fixtures import maker  # noqa: E402
from hooks import *  # noqa: E402, F403


def pytest_report_header(config):
    return [f"daemon under test: {' '.join(PROGRAM) or 'none, VIEWMODELD is not set'}",
            f"ENDURANCE_SEED={endurance.SEED} ENDURANCE_HISTORIES={endurance.HISTORIES} "
            f"ENDURANCE_FULL={int(endurance.FULL)} ENDURANCE_LOCK_SECONDS={endurance.LOCK_SECONDS:g}"]


@pytest.fixture
def launch(request):
    """Makes daemons for one test and kills them afterwards."""
    return maker(request, endurance.Daemon)


@pytest.fixture
def small_disk(request):
    """A function that mounts a tmpfs of so many MiB. The fixture unmounts it."""
    endurance.needs_root()

    def make(mebibytes):
        disk = endurance.SmallDisk(mebibytes)
        request.addfinalizer(disk.discard)
        return disk
    return make


@pytest.fixture
def manager():
    """The service manager of daemons."""
    manager = endurance.Manager()
    yield manager
    manager.close()
