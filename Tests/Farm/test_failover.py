"""A database that fails over to another server while people work at two hosts behind a balancer, as docs/farm.md has it."""
import pytest
from database import Database, Standby
from people import check_people, crew_of
from team import TeamFarm
from test_schedules import SEED
from test_team import programs, sign_ins  # noqa: F401


@pytest.fixture
def servers(machines, request):
    """A server and its standby."""
    network, _ = machines
    made = [Database(network, "first")]
    request.addfinalizer(made[0].remove)
    made.append(Standby(made[0], "second"))
    request.addfinalizer(made[1].remove)
    yield made
    network.heal("first")


@pytest.fixture
def team(servers, request):
    """Daemons with both servers in their URL."""
    farm = TeamFarm(servers[0].network, servers[0])
    request.addfinalizer(farm.discard)
    return farm.start()


@pytest.mark.limit(120)
@pytest.mark.parametrize("manner", ["the server is killed", "its machine is gone"])
def test_people_go_on_at_the_standby(team, servers, manner):
    first, second = servers
    crew, people = crew_of(team, SEED)
    before = sign_ins(team)
    with crew.working(f"failover, {manner}"):
        crew.wait_for_more()
        if manner == "its machine is gone":
            team.network.cut("first")
        first.stop()
        second.promote()
        crew.notes.say("== promoted")
        for _ in range(3):
            crew.wait_for_more()
        crew.settle(team.lease)
        check_people(team, crew, people)
    assert sign_ins(team) == before and all(person.person for person in people), "nobody has to sign in again"
