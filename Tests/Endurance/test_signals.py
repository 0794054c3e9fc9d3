"""Signals at any moment: SIGTERM, SIGHUP, SIGSTOP and SIGKILL. What was acknowledged is there afterwards."""
from __future__ import annotations

import random
import signal
import threading
import time

import pytest
from endurance import FULL, SEED, Bystanders, Client, Gone, Refusal, calm, eventually, figure, message

GRACE = 1
#: After so long the end hangs. A busy machine takes longer than the two seconds of the promise.
PATIENCE = GRACE + 20


def ends(daemon, story, codes=(0,)):
    """Sends SIGTERM and returns the seconds that the end took."""
    code, took = daemon.terminate(PATIENCE)
    if code is None:
        log = daemon.describe(hangs=True)
        daemon.kill()
        pytest.fail(f"SIGTERM {story}: still running after {PATIENCE} s\n{log}")
    assert code in codes, f"SIGTERM {story}: exit code {code}\n{daemon.log(800)}"
    return took


def calm_ends(times):
    """The grace and two seconds are promised. One end of ten may meet a busy machine."""
    late = [took for took in times if took > GRACE + 2]
    calm(len(late) <= len(times) // 10, f"{len(late)} of {len(times)} ends took longer than {GRACE + 2} s: {late}")


@pytest.mark.limit(300)
def test_sigterm_right_after_the_start(launch):
    """The signal comes 0 to 5 ms after the line 'Listening'."""
    dice = random.Random(SEED)
    daemon = launch(start=False, config={"shutdown": {"graceSeconds": GRACE}})
    times = []
    tries = 200 if FULL else 80
    for number in range(tries):
        open(daemon.log_path, "w").close()
        daemon.spawn()
        assert eventually(lambda: "Listening" in daemon.whole_log(), 10, 0), daemon.log()
        pause = dice.choice([0, 0, 0, dice.random() * 0.0005, dice.random() * 0.005])
        if pause:
            time.sleep(pause)
        times.append(ends(daemon, f"{pause * 1000:.2f} ms after 'Listening', try {number}"))
    figure(f"SIGTERM right after the start: {tries} of {tries} ended with 0, the slowest in {max(times):.2f} s")
    calm_ends(times)


@pytest.mark.limit(300)
def test_sigterm_at_every_moment_of_the_start(launch):
    """Before the daemon handles the signal, the kernel's default action ends it. That is an end in time, too."""
    daemon = launch(start=False, config={"shutdown": {"graceSeconds": GRACE}})
    daemon.start()
    daemon.terminate()
    times = []
    tries = 200 if FULL else 50
    for number in range(tries):
        daemon.spawn()
        pause = number / tries * 0.03
        time.sleep(pause)
        times.append(ends(daemon, f"{pause * 1000:.1f} ms after exec", (0, -signal.SIGTERM)))
    calm_ends(times)
    daemon.start()


def test_two_sigterms_end_it_once(launch):
    times = []
    for pause in (0, 0.001, 0.01, 0.1):
        daemon = launch(config={"shutdown": {"graceSeconds": GRACE}})
        with daemon.client("work") as client:
            client.request("lab.sleep", {"milliseconds": 60000})
            client.result("viewModel.list")
            daemon.signal(signal.SIGTERM)
            time.sleep(pause)
            times.append(ends(daemon, "while an action runs, for the second time"))
    calm_ends(times)


def test_sigterm_while_clients_come_go_and_work(launch):
    times = []
    for number in range(20 if FULL else 6):
        daemon = launch(config={"shutdown": {"graceSeconds": GRACE}})
        over = threading.Event()

        def work(session):
            while not over.is_set():
                try:
                    with daemon.client(session) as client:
                        client.result("sendList.draft", ["x"], 3)
                        client.result("sendList.add", None, 3)
                        client.notify("lab.sleepQueued", {"milliseconds": 60000})
                except (OSError, Gone, Refusal, TimeoutError, pytest.fail.Exception):
                    pass
        workers = [threading.Thread(target=work, args=(session,)) for session in (None, "a", "a", "b")]
        for each in workers:
            each.start()
        try:
            time.sleep(0.05 + number * 0.01)
            times.append(ends(daemon, f"among working clients, round {number}"))
        finally:
            over.set()
            for each in workers:
                each.join()
    calm_ends(times)


def test_the_end_of_the_daemon_is_told(launch):
    """A client of a named session gets `session.closed` with the reason `stopping`, then the end of the stream."""
    daemon = launch(config={"shutdown": {"graceSeconds": GRACE}})
    client = daemon.client("told")
    daemon.signal(signal.SIGTERM)
    told = []
    try:
        while True:
            told.append(client.receive(PATIENCE))
    except Gone:
        pass
    assert [(each["method"], each["params"]["reason"]) for each in told] == [("session.closed", "stopping")]
    assert daemon.process.wait(PATIENCE) == 0


def test_sighup_storm(launch):
    """The configuration changes between right and wrong meanwhile."""
    daemon = launch()
    bystanders = Bystanders(daemon, users=False)
    before = daemon.level()
    for number in range(600 if FULL else 200):
        daemon.write_config([{"limits": {"batch": 50}}, {"limits": {"batch": "many"}}, {"unknown": 1}, {}][number % 4])
        for _ in range(5):
            daemon.signal(signal.SIGHUP)
        time.sleep(0.002)
        if number % 10 == 0:
            bystanders.check()
    daemon.write_config({"limits": {"batch": 2}})
    daemon.signal(signal.SIGHUP)

    def applied():
        with daemon.client() as client:
            client.send(b"[" + b",".join([message("viewModel.list", None, 1).strip()] * 3) + b"]\n")
            received = client.receive()
            return isinstance(received, dict) and received["error"]["data"]["limit"] == "limits.batch"
    assert eventually(applied, 15, 0.1), "the last configuration was not applied"
    bystanders.check()
    daemon.comes_back_to(before)
    assert daemon.terminate()[0] == 0


def test_stopped_and_continued(launch):
    """SIGSTOP while clients send, connect and leave. After SIGCONT each one that stayed has its replies, in order."""
    daemon = launch()
    bystanders = Bystanders(daemon, users=False)
    before = daemon.level()
    clients = [daemon.client(f"s-{number % 3}", linger=0) for number in range(30)]
    for _ in range(3):
        daemon.signal(signal.SIGSTOP)
        awaited = []
        for client in clients:
            awaited.append([client.request("viewModel.read", {"id": "calculator"}) for _ in range(20)])
        for _ in range(50):
            guest = Client(daemon.path)
            guest.request("session.close", {"session": "nope"})
            guest.close()
        time.sleep(2 if FULL else 0.5)
        daemon.signal(signal.SIGCONT)
        for client, identifiers in zip(clients, awaited):
            for identifier in identifiers:
                assert "result" in client.reply(identifier)
        bystanders.check()
    for client in clients:
        client.close()
    daemon.comes_back_to(before)


def test_stopped_while_it_ends(launch):
    """SIGTERM, SIGSTOP for a while, SIGCONT: the end comes after that."""
    daemon = launch(config={"shutdown": {"graceSeconds": GRACE}})
    client = daemon.client("held")
    client.request("lab.sleep", {"milliseconds": 60000})
    daemon.signal(signal.SIGTERM)
    daemon.signal(signal.SIGSTOP)
    time.sleep(GRACE + 1)
    daemon.signal(signal.SIGCONT)
    assert daemon.process.wait(PATIENCE) == 0
    client.close()


@pytest.mark.limit(400)
def test_killed_again_and_again(launch):
    """What `sendList.add` and `calculator.undo` acknowledged is there after kill -9, each item once."""
    dice = random.Random(SEED)
    daemon = launch()
    acknowledged = {}
    rounds = 60 if FULL else 15
    slowest = 0
    for number in range(rounds):
        desk = {}
        over = threading.Event()
        ready = threading.Barrier(4)

        def add(worker):
            try:
                with daemon.client() as client:
                    ready.wait(10)
                    count = 0
                    while not over.is_set():
                        text = f"{number}-{worker}-{count}"
                        client.result("sendList.draft", [text])
                        acknowledged[client.result("sendList.add")["id"]] = text
                        count += 1
            except (OSError, Gone, TimeoutError, pytest.fail.Exception):
                pass

        def calculate():
            try:
                with daemon.client("desk") as client:
                    client.result("calculator.clear") if client.result(
                        "viewModel.read", {"id": "calculator"})["values"]["clear.enabled"] else None
                    ready.wait(10)
                    count = 0
                    while not over.is_set():
                        count += 1
                        for key in [*str(count), "+", "1", "+"]:
                            client.result("calculator.press", [key])
                        client.result("calculator.undo")          # Takes the 1 back.
                        desk["count"] = count
            except (OSError, Gone, TimeoutError, pytest.fail.Exception):
                pass
        workers = [threading.Thread(target=add, args=(worker,)) for worker in range(2)]
        workers.append(threading.Thread(target=calculate))
        for each in workers:
            each.start()
        try:
            ready.wait(10)
            time.sleep(0.02 + dice.random() * 0.3)
            daemon.kill()
        finally:
            over.set()
            for each in workers:
                each.join()
        began = time.monotonic()
        daemon.start()
        slowest = max(slowest, time.monotonic() - began)
        with daemon.client("desk") as client:
            items = client.result("viewModel.read", {"id": "sendList"})["values"]["items"]
            by_id = {item["id"]: item["text"] for item in items}
            assert len(by_id) == len(items)
            missing = {key: text for key, text in acknowledged.items() if by_id.get(key) != text}
            assert not missing, f"seed {SEED}, round {number}: acknowledged and lost: {missing}"
            if "count" in desk:
                operations = client.result("viewModel.read", {"id": "calculator"})["values"]["operations"]
                assert len(operations) >= desk["count"], f"seed {SEED}, round {number}: {desk}, {operations[:3]}"
            if len(items) > 4000:
                for item in items:
                    client.result("sendList.remove", [item["id"]])
                acknowledged.clear()
    assert acknowledged
    figure(f"kill -9: {rounds} times, {len(acknowledged)} acknowledged items there, "
           f"the slowest start {slowest * 1000:.0f} ms")


def test_a_restart_brings_everybody_back_within_a_second(launch):
    """From `kill -9` until 200 clients have their sessions again, with what was acknowledged."""
    daemon = launch()
    for number in range(200):
        with daemon.client(f"desk-{number}", linger=60) as client:
            for key in str(number) + "+":
                client.result("calculator.press", [key])
            client.result("calculator.press", ["1"])
            client.result("calculator.undo") if number == 0 else client.result("coordinator.open", {"scene": "help"})
    began = time.monotonic()
    daemon.restart()
    restored = 0
    for number in range(200):
        with daemon.client() as client:
            restored += client.result("session.attach", {"session": f"desk-{number}"})["restored"]
            scenes = client.result("viewModel.read", {"id": "coordinator"})["values"]["scenes"]
            assert len(scenes) == (1 if number == 0 else 2), (number, scenes)
    took = time.monotonic() - began
    figure(f"kill -9 and a new start: {restored} of 200 sessions were back after {took * 1000:.0f} ms")
    assert restored == 200
    calm(took < 1, f"all sessions were back after {took:.1f} s")


@pytest.mark.parametrize("method", ["viewModel.read", "viewModel.bind"])
def test_the_first_picture_of_an_outbox_is_whole(launch, method):
    """The first bind or read after a restart shows every item of an outbox below 1 MiB. No client sees an empty list before."""
    daemon = launch()
    fill_outbox(daemon, items=300, size=3000)
    daemon.restart()
    with daemon.client() as client:
        assert len(client.result(method, {"id": "sendList"})["values"]["items"]) == 300


def test_a_large_outbox_is_shown_soon(launch):
    """An outbox above 1 MiB is read when a session first uses it. Its items come with the next frame."""
    daemon = launch()
    fill_outbox(daemon, items=800, size=3000)
    daemon.restart()
    with daemon.client() as client:
        shown = len(client.result("viewModel.bind", {"id": "sendList"})["values"]["items"])
        assert shown in (0, 800)
        began = time.monotonic()
        while shown < 800 and time.monotonic() - began < 5:
            time.sleep(0.01)
            shown = len(client.result("viewModel.read", {"id": "sendList"})["values"]["items"])
        figure(f"an outbox of 800 items of 3,000 bytes is shown after {(time.monotonic() - began) * 1000:.0f} ms")
        assert shown == 800


def fill_outbox(daemon, items, size):
    with daemon.client() as client:
        for number in range(items):
            client.result("sendList.draft", [f"{number}" + "x" * size])
            client.result("sendList.add")


def test_killed_while_it_starts(launch):
    """kill -9 at any moment of the start leaves a state that the next start opens."""
    daemon = launch()
    with daemon.client() as client:
        client.result("sendList.draft", ["kept"])
        kept = client.result("sendList.add")["id"]
    tries = 100 if FULL else 30
    for number in range(tries):
        daemon.kill()
        daemon.spawn()
        time.sleep(number / tries * 0.03)
    daemon.restart()
    with daemon.client() as client:
        assert [item["id"] for item in client.result("viewModel.read", {"id": "sendList"})["values"]["items"]] == [kept]


def test_a_second_daemon_refuses_to_start(launch):
    """Exit code 73. The first daemon goes on."""
    first = launch()
    bystanders = Bystanders(first, users=False)
    for _ in range(10 if FULL else 3):
        same = launch(start=False)
        same.arguments = first.arguments
        assert same.spawn().process.wait(15) == 73, same.log()
        same_state = launch(start=False, state=first.state)
        assert same_state.spawn().process.wait(15) == 73, same_state.log()
        same_socket = launch(start=False)
        same_socket.arguments[1] = first.path
        assert same_socket.spawn().process.wait(15) == 73, same_socket.log()
        bystanders.check()


def test_two_daemons_race_for_one_state(launch):
    """Of two that start at the same moment, one serves and the other ends with 73."""
    for _ in range(20 if FULL else 5):
        one = launch(start=False)
        other = launch(start=False)
        other.arguments = one.arguments
        other.path = one.path
        one.spawn()
        other.spawn()
        assert eventually(lambda: not (one.alive and other.alive), 15), "both run"
        loser, winner = (other, one) if one.alive else (one, other)
        assert loser.process.returncode == 73, (loser.process.returncode, loser.log(), winner.log())
        winner.wait_until_answering()
        assert winner.terminate()[0] == 0
