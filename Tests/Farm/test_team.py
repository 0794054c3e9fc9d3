"""People at two hosts behind a balancer. The set-up is that of docs/team.md, and so are the balancer's files."""
import json
import signal
import threading

import pytest
from daemons import REQUIRE_ALL, needs
from farm import SPEED
from people import Person, WebClient, check_people, crew_of
from schedule import Schedule
from team import BALANCERS, HOST, HOSTS, TeamFarm
from test_moving import open_scene, scenes
from test_schedules import SCHEDULES, SEED, Player
from wire import wait_until

browser = pytest.importorskip("browser") if not REQUIRE_ALL else __import__("browser")


@pytest.fixture(scope="module", autouse=True)
def programs():
    for program in (*BALANCERS, "openssl"):
        needs(program)


@pytest.fixture(scope="module")
def _shared_team(machines, request):
    farm = TeamFarm(*machines)
    request.addfinalizer(farm.discard)
    return farm.start()


@pytest.fixture(params=BALANCERS)
def team(_shared_team, request):
    farm = _shared_team
    if farm.balancer.kind != request.param:
        farm.use(request.param)
    yield farm
    farm.repair()


def sign_ins(team) -> list[int]:
    """How many sign-ins each gateway has finished."""
    return [node.gateway.log.count("Signed in") for node in team]


def test_any_gateway_serves_any_person(team):
    ada, bob = Person(team, "ada"), Person(team, "bob")
    assert [person.person["name"] for person in (ada, bob)] == ["Ada Lovelace", "Bob"]
    assert Person(team).person is None
    for node in team:
        assert ada.at(node).person == ada.person, "the cookie of one gateway is good at the other one"
        assert "denied" not in node.log, "the balancer's questions leave no word in the log"
        assert len(ada.cookies["__Host-viewmodel-person"]) > 3500, "the longest header passes the balancer"
    before = sign_ins(team)

    def each_has_finished_one():
        Person(team, "ada")
        return all(now > then for now, then in zip(sign_ins(team), before))
    # Each process of nginx takes turns of its own, so several sign-ins in a row may end at the same host.
    wait_until(each_has_finished_one, "a sign-in that each gateway has finished", 30 * SPEED)


def test_a_named_session_moves_to_the_machine_where_its_browser_is(team, name):
    ada, bob = Person(team, "ada"), Person(team, "bob")
    lives = []

    def attach(client):
        reply = client.ask("session.attach", {"session": name})
        # The machine may not know yet that the former browser has gone.
        assert "result" in reply or reply["error"]["code"] == -32009, reply
        return reply.get("result")

    def has_lived_on_both():
        number = len(lives)
        with WebClient(ada) as client:
            lives.append(wait_until(lambda: attach(client), "the session")["epoch"])
            assert scenes(client) == list(range(number))
            open_scene(client, number, key=str(number))
        return number >= 5 and len(set(lives)) > 1
    # Several connections in a row may come to the same machine.
    wait_until(has_lived_on_both, "a connection to the other machine", 30 * SPEED)
    with WebClient(bob) as client:
        assert client.attach(name)["created"], "the session of one person is not that of another one"
        assert scenes(client) == []


@pytest.mark.limit(120)
def test_rolling_restarts_lose_nothing_and_repeat_nothing(team):
    crew, people = crew_of(team, SEED)
    for writer in crew.writers:
        writer.is_calm = True

    def restart_daemon(node):
        node.stop(30 * SPEED)
        node.start()

    def restart_gateway(node):
        node.gateway.stop()
        node.gateway.start()

    def restart_host(node):
        node.gateway.stop()
        restart_daemon(node)

    def reload_balancer(_):
        team.balancer.reload()

    with crew.working(f"rolling restarts behind {team.balancer}"):
        for restart in (restart_gateway, restart_daemon, restart_host, reload_balancer):
            for node in team:
                crew.notes.say(f"== {restart.__name__} {node}")
                restart(node)
                crew.wait_for_more()
        crew.settle(team.lease)
        check_people(team, crew, people)
        # While a page connects again, its session may still be in use at the other host, or a host may stop. It sees nothing else.
        outcomes = {attach.outcome.split()[0] for attach in crew.notes.attaches}
        assert outcomes <= {"attached", "-32009", "-32007", "HungUp"}, outcomes


@pytest.mark.limit(120)
@pytest.mark.parametrize("team", BALANCERS[:1], indirect=True)
def test_a_page_says_that_it_connects_again_and_nothing_else(team, tmp_path):
    rules = ", ".join(f"MAP {host} {team.network.addresses[name]}" for name, host in HOSTS.items())
    with team.network.inside("people"):
        page = browser.start(tmp_path, accepts_any_certificate=True, arguments=[f"--host-resolver-rules={rules}"])
        try:
            page.driver.get(f"https://{HOST}/app/#messages")
            page.wait("#title", "Messages")
            page.wait("body[data-line=connected] #title", "Messages")
            page.script("""
                window.seen = new Set();
                const watch = () => {
                    for (const one of document.querySelectorAll("#line, #notes, #busy")) if (one.textContent) seen.add(one.textContent);
                };
                new MutationObserver(watch).observe(document.body, { subtree: true, childList: true, characterData: true });
                """)
            draft, over = page.find("#draft"), threading.Event()

            def write():
                while not over.is_set():
                    draft.send_keys("abc ")
            # A program ends with the thread that has started it, so another one types.
            typist = threading.Thread(target=write)
            typist.start()
            for node in team:
                node.gateway.stop()
                node.gateway.start()
                node.stop(30 * SPEED)
                node.start()
            team.balancer.reload()
            over.set()
            typist.join()
            typed = draft.get_property("value")
            assert typed == "abc " * (len(typed) // 4) and len(typed) >= 20, typed
            page.wait("body[data-line=connected] #title", "Messages")
            request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "viewModel.read", "params": {"id": "sendList", "outputs": ["draft"]}})
            saved = page.driver.execute_async_script("""
                const [body, done] = arguments;
                const read = async () => {
                    const reply = await fetch("/rpc?session=app", { method: "POST", headers: { "Content-Type": "application/json" }, body });
                    const { result } = await reply.json();
                    // Another gateway than that of the page may answer.
                    if (result) done(result.values.draft); else setTimeout(read, 100);
                };
                read();
                """, request)
            assert draft.get_property("value") == saved == typed
            page.named("button", "Add").click()
            page.wait("#items", lambda text: text.count(typed) == 1)
            seen = set(page.script("return [...seen]"))
            for _ in range(2):
                # The balancer may send it to the other host at first.
                page.driver.switch_to.new_window("tab")
                page.driver.get(f"https://{HOST}/app/#messages")
                page.wait("body[data-line=connected] #items", typed, "a further page of the session comes to the same host")
            assert seen <= {"Connecting …", "No connection. You see the last known state."}
        finally:
            page.driver.quit()


class TeamPlayer(Player):
    """Plays also the faults of gateways, and reloads of the balancer."""

    def do(self, step):
        gateway = self.farm.nodes[step.node].gateway if step.node in self.farm.nodes else None
        match step.kind:
            case "kill the gateway of":
                gateway.kill()
            case "end the gateway of":
                gateway.process.send_signal(signal.SIGTERM)
            case "stop the gateway of":
                gateway.process.send_signal(signal.SIGSTOP)
            case "start the gateway of":
                gateway.resume()
                if not gateway.is_alive:
                    gateway.launch()
            case "reload the balancer before":
                self.farm.balancer.reload()
            case _:
                super().do(step)

    def mend(self):
        super().mend()
        for node in self.farm:
            node.gateway.resume()
            if not node.gateway.is_alive:
                if node.gateway.process.returncode not in (0, -signal.SIGKILL):
                    self.notes.problem(f"the gateway of {node} ended with {node.gateway.process.returncode}: {node.gateway.last_words}")
                node.gateway.start()
        self.farm.wait()


@pytest.mark.limit(120)
@pytest.mark.parametrize("number, team", [(number, BALANCERS[(SEED + number) % 2]) for number in range(max(1, SCHEDULES // 3))], indirect=["team"])
def test_a_schedule_with_people(team, number):
    schedule = Schedule.random(SEED + number, team.names, ("gateway", "gateway", "gateway", "balancer"), has_clocks=False, lease=team.lease)
    print(schedule)
    crew, people = crew_of(team, schedule.seed)
    player = TeamPlayer(team, schedule, crew.notes)
    again = f"{schedule}\nagain: FARM_SEED={schedule.seed} FARM_SCHEDULES=1"
    with crew.working(f"schedule {schedule.seed} behind {team.balancer}: {len(schedule.steps)} steps", again, least=2):
        player.play()
        player.mend()
        crew.settle(schedule.lease)
        check_people(team, crew, people)
