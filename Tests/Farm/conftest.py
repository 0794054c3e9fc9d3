import os
import random
import signal
from pathlib import Path

import pytest

pytest.register_assert_rewrite("wire", "picture", "daemons", "farm", "workload", "checker", "team", "people")

import hooks  # noqa: E402
from daemons import REQUIRE_ALL  # noqa: E402
from database import Database  # noqa: E402
from farm import SPEED, Farm  # noqa: E402
from fixtures import *  # noqa: E402, F403
from hooks import *  # noqa: E402, F403
from network import Network, lacks  # noqa: E402
from postgres import IS_THERE, PROGRAMS  # noqa: E402

# Before pytest-xdist starts processes, all of which must collect the same tests.
os.environ["FARM_SEED"] = os.environ.get("FARM_SEED") or str(random.SystemRandom().randrange(1, 10**6))
hooks.limit_seconds, hooks.patience = 60, SPEED


@pytest.fixture(scope="session")
def machines(request):
    """The switch with its machines, and the database server."""
    missing = lacks() or (None if IS_THERE else f"PostgreSQL in {PROGRAMS}")
    if missing:
        (pytest.fail if REQUIRE_ALL else pytest.skip)(f"the farm needs {missing}")
    network = Network(["db", "a", "b", "c", "desk", "id", "people", "first", "second"])
    request.addfinalizer(network.remove)
    database = Database(network)
    request.addfinalizer(database.remove)
    return network, database


@pytest.fixture(scope="module")
def _shared_farm(machines, request):
    farm = Farm(*machines)
    request.addfinalizer(farm.discard)
    return farm.start()


@pytest.fixture
def farm(_shared_farm):
    """The farm of the file, with a lease of 3 seconds (`FARM_PATIENCE` times). Whatever an earlier test has broken is repaired."""
    _shared_farm.repair()
    yield _shared_farm
    dead = [node for node in _shared_farm if not node.is_alive and node.process.returncode not in (0, -signal.SIGKILL)]
    for node in dead:
        pytest.fail(f"{node} ended with {node.process.returncode}: {node.last_words}", pytrace=False)
    _shared_farm.repair()


@pytest.fixture
def make_farm(machines, request):
    """Makes farms for one test alone: `make_farm(lease=…)`. The logs of a failed test are kept in `FARM_LOGS`."""
    farms = []

    def make(**how):
        farms.append(Farm(*machines, **how))
        return farms[-1].start()
    yield make
    for farm in farms:
        if (folder := os.environ.get("FARM_LOGS")) and getattr(request.node, "failed", False):
            Path(folder).mkdir(parents=True, exist_ok=True)
            for node in farm:
                (Path(folder) / f"{request.node.name}-{node.name}.log").write_text(node.log)
        farm.heal()
        farm.discard()
