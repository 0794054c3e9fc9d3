"""Signals at any moment: SIGTERM, SIGHUP and SIGSTOP. `DaemonKillTests` kill the daemon while it starts and works."""
import contextlib
import json
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from accounts import add
from endurance import FULL, GONE, SEED, Bystanders, Client, figure
from wire import Refused, wait_until

GRACE = {"shutdown": {"graceSeconds": 1}}
HANGS = 120
"""Seconds after which an end counts as hung."""


def ends(daemon, codes=(0,)):
    began = time.monotonic()
    code = daemon.stop(HANGS)
    assert code in codes, f"exit code {code}\n{daemon.last_words}"
    return time.monotonic() - began


def test_sigterm_at_every_moment_of_the_start_and_after_it(launch):
    """Before the daemon handles the signal, the kernel's default action ends it."""
    dice, times = random.Random(SEED), []
    daemon = launch(GRACE)
    daemon.stop()
    for number in range(200 if FULL else 60):
        daemon.log_file.write_text("")
        daemon.launch()
        if number % 2:
            wait_until(lambda: "Listening" in daemon.log, "the line of the log", 60, pause=0)
            time.sleep(dice.choice([0, 0, 0, dice.random() * 0.0005, dice.random() * 0.005]))
        else:
            time.sleep(dice.random() * 0.03)
        times.append(ends(daemon, (0,) if number % 2 else (0, -signal.SIGTERM)))
    figure(f"SIGTERM around the start: the slowest end took {max(times):.2f} s")
    daemon.start()


def test_two_sigterms_end_it_once_also_after_a_stop_of_the_process(launch):
    for pause in (0, 0.001, 0.01, 0.1):
        daemon = launch(GRACE)
        with daemon.connect("work") as client:
            client.request("lab.sleep", {"milliseconds": 60000})
            client.round_trip()
            daemon.process.terminate()
            if pause == 0.1:
                daemon.process.send_signal(signal.SIGSTOP)
            time.sleep(pause)
            daemon.process.send_signal(signal.SIGCONT)
            ends(daemon)


def test_sigterm_while_clients_come_go_and_work(launch):
    for number in range(20 if FULL else 6):
        daemon, over, count = launch(GRACE), threading.Event(), []

        def work(session):
            while not over.is_set():
                with contextlib.suppress(*GONE, Refused), Client(daemon.socket) as client:
                    if session:
                        client.attach(session)
                    count.append(add(client, "x"))
                    client.notify("lab.sleepQueued", {"milliseconds": 60000})
        with ThreadPoolExecutor(4) as workers:
            workers.map(work, (None, "a", "a", "b"))
            try:
                wait_until(lambda: len(count) > 5 * number, "some work", 60, pause=0.001)
                ends(daemon)
            finally:
                over.set()


def test_sighup_storm(launch):
    """The configuration changes between right and wrong meanwhile. The last one holds."""
    daemon = launch({"limits": {"batch": 50}})
    bystanders, file = Bystanders(daemon), daemon.folder / "viewmodeld.yaml"
    before = daemon.level()
    for number in range(600 if FULL else 200):
        limits = [{"batch": 50}, {"batch": "many"}, {"unknown": 1}, {"batch": 2}][number % 4]
        file.with_suffix(".new").write_text(json.dumps({**daemon.config, "limits": limits}))
        file.with_suffix(".new").rename(file)
        for _ in range(5):
            daemon.process.send_signal(signal.SIGHUP)
        if number % 10 == 0:
            bystanders.check()
    with daemon.connect() as client:
        lists = [{"jsonrpc": "2.0", "id": number, "method": "viewModel.list"} for number in range(3)]
        wait_until(lambda: isinstance(answer := client.batch(*lists),
            dict) and answer["error"]["data"]["limit"] == "limits.batch", "the last configuration")
    bystanders.check()
    daemon.comes_back_to(before)


def test_stopped_and_continued(launch):
    """SIGSTOP while clients send, connect and leave. After SIGCONT each one that stayed has its replies, in order."""
    daemon = launch()
    bystanders = Bystanders(daemon)
    before = daemon.level()
    clients = [daemon.connect(f"s-{number % 3}", linger=0) for number in range(30)]
    for _ in range(3):
        daemon.process.send_signal(signal.SIGSTOP)
        awaited = [[client.request("viewModel.read", {"id": "calculator"}) for _ in range(20)] for client in clients]
        for _ in range(50):
            with Client(daemon.socket) as guest:
                guest.request("session.close", {"session": "nope"})
        daemon.process.send_signal(signal.SIGCONT)
        for client, ids in zip(clients, awaited):
            assert [client.answer(60)["id"] for _ in ids] == ids
        bystanders.check()
    for client in clients:
        client.close()
    daemon.comes_back_to(before)


def test_two_daemons_race_for_one_state(launch):
    """Of two that start at the same moment, one serves and the other ends with 73. A third one does, too."""
    for _ in range(20 if FULL else 5):
        one, other = launch(start=False), launch(start=False)
        other.state, other.socket = one.state, one.socket
        one.launch()
        other.launch()
        wait_until(lambda: not (one.is_alive and other.is_alive), "the end of one", 60)
        loser, winner = (other, one) if one.is_alive else (one, other)
        assert loser.process.returncode == 73, (loser.process.returncode, loser.log, winner.log)
        winner.wait_ready()
        assert loser.launch().process.wait(30) == 73, loser.log[-1500:]
        assert winner.stop() == 0
