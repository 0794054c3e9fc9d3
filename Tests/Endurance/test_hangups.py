"""Clients leave at every moment and in every manner. The daemon lives, and its other clients notice nothing."""
import contextlib
import os
import random
import select
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conversations import CONVERSATIONS, SIGNED_IN, SLOW, batch, lines
from endurance import (FULL, GONE, HISTORIES, OTHER_LOOP, SAME_LOOP, SEED, USERS, Bystanders, Client, Daemon, connect_many, connected, figure,
                       message, needs_root, sign_in)
from wire import is_ready, wait_until

ROUNDS = 8 if FULL else 2


def half_close(end):
    end.shutdown(socket.SHUT_WR)
    time.sleep(0.0005)
    end.close()


def stop_reading(end):
    end.shutdown(socket.SHUT_RD)
    time.sleep(0.0005)
    end.close()


def leave_unread(end):
    time.sleep(0.003)
    end.close()


def reset(end):
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.close()


MANNERS = [socket.socket.close, half_close, stop_reading, leave_unread, reset]
EACH_MANNER = pytest.mark.parametrize("manner", MANNERS)
EACH_CONVERSATION = pytest.mark.parametrize("name", CONVERSATIONS)


class Stage:
    """A daemon with bystanders. Both are made anew when a test has ended the daemon."""

    def __init__(self):
        self.daemon = self.bystanders = None
        self.number = 0

    def ready(self):
        if self.daemon is None or not self.daemon.is_alive:
            self.strike()
            self.daemon = Daemon({"session": {"lingerSeconds": 0, "saveIntervalMilliseconds": 20}}).start()
            for uid in USERS:
                with self.daemon.connect("saved", linger=0, uid=uid) as client:
                    client.call("coordinator.open", {"scene": "help"})
            if os.geteuid() == 0:
                with Client(self.daemon.socket, uid=SAME_LOOP) as client:
                    sign_in(client)
            self.bystanders = Bystanders(self.daemon)
            self.bystanders.check()
            self.before = self.daemon.level()
        return self

    def session(self) -> str:
        self.number += 1
        return f"guest-{self.number}"

    def connect(self, attached=None, uid=None) -> socket.socket:
        """A socket, attached to a session when one is given."""
        end = connected(self.daemon.socket, uid)
        if attached:
            end.sendall(message("session.attach", {"session": attached, "linger": 0}, 0))
            received = b""
            while not received.endswith(b"\n"):
                received += end.recv(65536)
        return end

    def strike(self):
        if self.daemon is not None:
            self.bystanders and self.bystanders.close()
            self.daemon.discard()
        self.daemon = self.bystanders = None


@pytest.fixture(scope="module")
def module_stage():
    made = Stage()
    yield made
    made.strike()


@pytest.fixture
def stage(module_stage, request):
    """The stage of the module, whose bystanders notice nothing. After a failure the next test gets a fresh daemon."""
    yield module_stage.ready()
    if request.node.failed:
        module_stage.strike()
    else:
        module_stage.bystanders.check()


def send(end, data):
    """Sends, as far as the daemon still reads."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        end.sendall(data)


def beginnings(messages):
    """What may have been sent when a client leaves: nothing, each whole number of messages, and half of the last one."""
    whole = [b"".join(messages[:count]) for count in range(len(messages) + 1)]
    return whole + [whole[-2] + messages[-1][:len(messages[-1]) // 2], whole[-1][:-1], whole[-2] + messages[-1][:1]]


def rounds(name) -> int:
    return 1 if name in SLOW else ROUNDS


@pytest.mark.parametrize("attached", [False, True], ids=["anonymous", "attached"])
@EACH_CONVERSATION
def test_a_client_leaves_alone(stage, name, attached):
    dice = random.Random(f"{SEED} {name} {attached}")
    for manner in MANNERS * rounds(name):
        for index in range(len(CONVERSATIONS[name]) + 4):
            session = stage.session()
            end = stage.connect(session if attached else None)
            send(end, beginnings(lines(CONVERSATIONS[name], session))[index])
            time.sleep(dice.choice([0, 0, 0, 0.0002, 0.001]))
            manner(end)


@EACH_CONVERSATION
def test_one_of_a_pair_leaves(stage, name):
    """The one that stays is in the same session, and is answered."""
    closes = any(method == "session.close" for method, _ in CONVERSATIONS[name])
    for manner in MANNERS:
        session = stage.session()
        with Client(stage.daemon.socket) as stays:
            stays.attach(session, linger=0)
            stays.call("viewModel.bind", {"id": "lab"})
            end = stage.connect(session)
            send(end, b"".join(lines(CONVERSATIONS[name], session)))
            setting = stays.request("lab.set", [3])
            manner(end)
            stays.reply(setting)
            read = stays.ask("viewModel.read", {"id": "calculator"})
            assert "result" in read or closes and read["error"]["code"] == -32010, read
            assert closes or not [each for each in stays.notifications if each["method"] == "session.closed"]


@EACH_CONVERSATION
def test_a_half_closed_client_gets_every_reply(stage, name):
    """Nobody can cancel the long actions of a client that has half-closed. They are sent with a deadline here."""
    messages = [(method, {**params, "_meta": {**params.get("_meta", {}), "deadline": 50}}
                 if isinstance(params, dict) and ("milliseconds" in params or "title" in params) else params)
                for method, params in CONVERSATIONS[name]]
    with Client(stage.daemon.socket) as client:
        client.send_bytes(b"".join(lines(messages, stage.session())))
        client.socket.shutdown(socket.SHUT_WR)
        assert client.ends(60) and sorted(answer["id"] for answer in client.answers) == list(range(1, len(messages) + 1))


@pytest.mark.parametrize("name", SIGNED_IN)
def test_a_signed_in_client_leaves(stage, name):
    needs_root()
    with Client(stage.daemon.socket, uid=SAME_LOOP) as keeper:
        for manner in MANNERS * rounds(name):
            for attached in (False, True):
                if name == "login.signOut" or attached:
                    sign_in(keeper)
                session = stage.session()
                end = stage.connect(session if attached else None, SAME_LOOP)
                send(end, b"".join(lines(SIGNED_IN[name], session)))
                manner(end)
        sign_in(keeper)


def test_each_method_has_a_conversation(stage):
    with Client(stage.daemon.socket) as client:
        methods = {method["name"] for method in client.call("rpc.discover")["methods"]}
    known = {method for messages in CONVERSATIONS.values() for method, _ in messages}
    assert not methods - known - {"labPage.text", "labPage.margin.note"}, "write a row in conversations.py"


@EACH_MANNER
def test_clients_leave_while_a_saved_session_loads(stage, manner):
    """Who stays gets the session, also if it ended with those who left."""
    attach = message("session.attach", {"session": "saved", "linger": 0}, "a")
    for number in range(100 if FULL else 30):
        ends = connect_many(stage.daemon, 6)
        with Client(stage.daemon.socket) as stays:
            for end in ends[:3]:
                send(end, attach + message("session.close", {"session": "saved"}, 3) * (number % 2))
            waiting = stays.request("session.attach", {"session": "saved", "linger": 0})
            for end in ends[3:]:
                send(end, attach + message("calculator.press", ["1"], 2))
            for end in ends:
                manner(end)
            assert stays.reply(waiting)["result"]["session"] == "saved"


@EACH_MANNER
def test_an_admin_leaves_while_attaching_across_users(stage, manner):
    """Another user's session lives on another event loop, or on the same one."""
    needs_root()
    for uid in (OTHER_LOOP, SAME_LOOP):
        session = stage.session()
        with Client(stage.daemon.socket, uid=uid) as owner:
            owner.attach(session, linger=0)
            owner.call("viewModel.bind", {"id": "lab"})
            for number in range(60 if FULL else 20):
                end = stage.connect()
                send(end, message("session.attach", {"session": session, "uid": uid}, 1) + message("session.attach", {"session": session}, 2)
                     + message("viewModel.bind", {"id": "lab"}, 3)
                     + [b"", message("session.list", {"all": True}, 4), message("session.close", {"session": "nope", "uid": uid}, 4),
                        message("session.attach", {"session": "saved", "uid": uid, "linger": 0}, 4)][number % 4])
                manner(end)
            owner.call("lab.set", [1])
            assert not [each for each in owner.notifications if each["method"] == "session.closed"]
        # The owner leaves and the session ends while an admin arrives.
        for _ in range(10):
            owner = stage.connect(session := stage.session(), uid)
            end = stage.connect()
            send(end, message("session.attach", {"session": session, "uid": uid}, 1))
            owner.close()
            manner(end)


@EACH_MANNER
def test_clients_leave_while_the_disk_is_full(launch, small_disk, manner):
    disk = small_disk(6)
    daemon = launch({"session": {"lingerSeconds": 0}}, state=disk.path / "state")
    for number in range(5):
        with daemon.connect(f"saved-{number}", linger=0) as client:
            client.call("sendList.draft", ["kept"])
            client.call("coordinator.open", {"scene": "help"})
    bystanders = Bystanders(daemon)
    disk.fill()
    for number in range(25):
        for name in ("session.attach", "session.close, unknown", "session.close", "calculator.undo", "sendList.add"):
            end = connected(daemon.socket)
            send(end, message("session.attach", {"session": f"saved-{number % 5}", "linger": 0}, "a")
                 + b"".join(lines(CONVERSATIONS[name], f"saved-{number % 5}")))
            manner(end)
    bystanders.check()
    disk.empty()
    bystanders.check()
    with daemon.connect("saved-0") as client:
        wait_until(lambda: client.ask("sendList.draft", ["room again"]) and "result" in client.ask("sendList.add"), "room again")
    bystanders.close()


@pytest.mark.limit(600)     # the store writes each change, which takes a slow disk a minute
@pytest.mark.parametrize("change", ["outbox", "account"])
def test_clients_leave_while_what_they_watch_changes(stage, change):
    """A session ends in the moment in which the account or the outbox of its user changes, some thousand times."""
    needs_root()
    over = threading.Event()

    def work():
        with Client(stage.daemon.socket, uid=SAME_LOOP) as client:
            while not over.is_set():
                if change == "outbox":
                    client.call("sendList.draft", ["x"], 60)
                    client.ask("sendList.remove", [client.call("sendList.add", patience=60)["id"]], 60)
                else:
                    sign_in(client)
                    client.ask("mine.refresh", patience=60)
                    client.ask("login.signOut", patience=60)
    dice = random.Random(SEED)
    watch = b"".join(lines([("viewModel.bind", {"id": name}) for name in ("mine", "sendList", "login")], "w"))
    touch = b"".join(lines(SIGNED_IN["sendList.send"] if change == "outbox" else [("mine.refresh", None)], "w", 10))
    with ThreadPoolExecutor(2) as workers:
        works = [workers.submit(work) for _ in range(2)]
        try:
            for _ in range(200 if FULL else 60):
                ends = connect_many(stage.daemon, 50, SAME_LOOP)
                for end in ends:
                    send(end, watch + touch)
                    time.sleep(dice.choice([0, 0, 0.0002, 0.0005, 0.001]))
                    if dice.random() < 0.7:
                        end.close()
                for end in ends:
                    end.close()
        finally:
            over.set()
    for each in works:
        each.result()
    with Client(stage.daemon.socket, uid=SAME_LOOP) as keeper:
        sign_in(keeper)


class History:
    """A random history of up to three clients in up to two sessions. The same seed gives the same history."""

    def __init__(self, number):
        self.dice, self.number, self.story = random.Random(f"{SEED}/{number}"), number, []

    def play(self, daemon):
        dice = self.dice
        sessions = [f"h{self.number}-a", f"h{self.number}-b", "saved"]
        uid = dice.choice([None, None, *USERS])
        names = [name for name in CONVERSATIONS if name not in SLOW]
        ends = {index: connected(daemon.socket, uid) for index in range(dice.randint(1, 3))}
        for index in ends:
            if dice.random() < 0.6:
                self.tell(ends, index, message("session.attach", {"session": dice.choice(sessions), "linger": 0}, "a"))
        for step in range(dice.randint(1, 6)):
            if not ends:
                break
            index, move, session = dice.choice(sorted(ends)), dice.random(), dice.choice(sessions)
            name = dice.choice(names) if dice.random() > 0.01 else dice.choice(sorted(SLOW))
            if move < 0.5:
                self.tell(ends, index, b"".join(lines(CONVERSATIONS[name], session, 10 * step + 10, dice.random() < 0.2)))
            elif move < 0.65:
                several = sum((CONVERSATIONS[dice.choice(names)] for _ in range(dice.randint(1, 4))), [])
                self.tell(ends, index, batch(several, session))
            elif move < 0.75:
                line = lines(CONVERSATIONS[name], session, 1000)[-1]
                self.tell(ends, index, line[:dice.randrange(len(line))])
            elif move < 0.85:
                self.story.append(f"{index}: reads")
                if is_ready(ends[index], select.POLLIN, 0) == select.POLLIN:
                    ends[index].recv(dice.choice([1, 100, 65536]))
            elif move < 0.92:
                time.sleep(dice.choice([0.0002, 0.001, 0.004]))
            else:
                self.leave(ends, index)
        for index in sorted(ends):
            self.leave(ends, index)

    def tell(self, ends, index, data):
        self.story.append(f"{index}: {data[:300]!r}")
        send(ends[index], data)

    def leave(self, ends, index):
        manner = self.dice.choice(MANNERS)
        self.story.append(f"{index}: {manner.__name__}")
        manner(ends.pop(index))


@pytest.mark.limit(1200)
def test_random_histories(stage):
    """ENDURANCE_SEED and ENDURANCE_HISTORIES say which. ENDURANCE_HISTORY=N plays one of them, 30 times."""
    only = os.environ.get("ENDURANCE_HISTORY")
    recent: list[History] = []
    for index, number in enumerate([int(only)] * 30 if only else range(HISTORIES)):
        recent = [*recent[-11:], History(number)]
        try:
            recent[-1].play(stage.daemon)
            if index % 10 == 9:
                stage.bystanders.check()
        except (AssertionError, *GONE):
            story = "\n".join(line for each in recent for line in [f"-- ENDURANCE_HISTORY={each.number}", *each.story])
            stage.daemon.check(f"ENDURANCE_SEED={SEED}. The last histories:\n{story}")
            raise


def test_everything_comes_back(stage):
    """Runs last. Descriptors, connections, sessions and instances are at the level from before the first test."""
    stage.bystanders.check()
    stage.daemon.comes_back_to(stage.before)
    figure(f"after the hang-ups: {stage.daemon.level()}, before: {stage.before}; {stage.daemon.memory:.0f} MiB anonymous")
