"""Clients leave at every moment and in every manner. The daemon lives, and its other clients notice nothing."""
from __future__ import annotations

import os
import random
import socket
import struct
import threading
import time

import pytest
from conversations import CONVERSATIONS, SIGNED_IN, SLOW, batch, lines, undescribed
from endurance import (FULL, HISTORIES, OTHER_LOOP, SAME_LOOP, SEED, Bystanders, Client, Daemon, Gone, connect, connect_many,
                       eventually, figure, message, needs_root, open_to_others, sign_in)

ROUNDS = 8 if FULL else 2


def close(end):
    end.close()


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


MANNERS = [close, half_close, stop_reading, leave_unread, reset]


class Stage:
    """A daemon with bystanders. Both are made anew when a test has ended the daemon."""

    def __init__(self):
        self.daemon = self.bystanders = None
        self.number = 0

    def ready(self):
        if self.daemon is None or not self.daemon.alive:
            self.strike()
            users = os.geteuid() == 0
            session = {"lingerSeconds": 0, "saveIntervalMilliseconds": 20}
            self.daemon = Daemon(config=open_to_others(session=session) if users else {"session": session}).start()
            for uid in (0, OTHER_LOOP, SAME_LOOP) if users else (None,):
                self.save("saved", uid)
            if users:
                with self.daemon.client(uid=SAME_LOOP) as client:
                    sign_in(client)
            self.bystanders = Bystanders(self.daemon)
            self.bystanders.check()
            self.before = self.daemon.level()
        return self

    def save(self, name, uid=None):
        """Leaves a session of that name in the store."""
        with self.daemon.client(name, uid, linger=0) as client:
            client.result("calculator.press", ["7"])
            client.result("calculator.press", ["+"])
            client.result("calculator.undo")

    def session(self):
        self.number += 1
        return f"guest-{self.number}"

    def connect(self, attached=None, uid=None):
        """A socket, attached to a session when one is given."""
        if attached is None:
            try:
                return connect(self.daemon.path, uid)
            except OSError:
                eventually(lambda: not self.daemon.alive, 1)
                self.daemon.check("(noticed by a new client)")
                raise
        return self.daemon.client(attached, uid, linger=0).socket

    def strike(self):
        if self.bystanders is not None:
            self.bystanders.close()
        if self.daemon is not None:
            self.daemon.discard()
        self.daemon = self.bystanders = None


@pytest.fixture(scope="module")
def module_stage():
    made = Stage()
    yield made
    made.strike()


@pytest.fixture
def stage(module_stage, request):
    """The stage of the module. After a failure the next test gets a fresh daemon."""
    yield module_stage.ready()
    if request.node.failed:
        module_stage.strike()


def send(end, data):
    """Sends, as far as the daemon still reads."""
    try:
        end.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass


def beginnings(messages):
    """What may have been sent when a client leaves: nothing, each whole number of messages, and half of the last one."""
    whole = [b"".join(messages[:count]) for count in range(len(messages) + 1)]
    return whole + [whole[-2] + messages[-1][:len(messages[-1]) // 2], whole[-1][:-1], whole[-2] + messages[-1][:1]]


def rounds(name):
    return 1 if name in SLOW else ROUNDS


@pytest.mark.parametrize("attached", [False, True], ids=["anonymous", "attached"])
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_client_leaves_alone(stage, name, attached):
    dice = random.Random(f"{SEED} {name} {attached}")
    for _ in range(rounds(name)):
        for manner in MANNERS:
            for index in range(len(CONVERSATIONS[name]) + 4):
                session = stage.session()
                start = beginnings(lines(CONVERSATIONS[name], session))[index]
                end = stage.connect(session if attached else None)
                send(end, start)
                time.sleep(dice.choice([0, 0, 0, 0.0002, 0.001]))
                manner(end)
    stage.bystanders.check()


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_one_of_a_pair_leaves(stage, name):
    """The one that stays is in the same session, and is answered."""
    closes = any(method == "session.close" for method, _ in CONVERSATIONS[name])
    for manner in MANNERS:
        session = stage.session()
        with stage.daemon.client(session, linger=0) as stays:
            stays.result("viewModel.bind", {"id": "lab"})
            end = stage.connect(session)
            send(end, b"".join(lines(CONVERSATIONS[name], session)))
            stays.request("lab.set", [3])
            manner(end)
            try:
                stays.reply(stays.serial)
                read = stays.call("viewModel.read", {"id": "calculator"})
                if closes and "error" in read:
                    assert read["error"]["code"] == -32010, read
                else:
                    assert "led" in read["result"]["values"]
            except (Gone, TimeoutError) as error:
                stage.daemon.check(f"after {name}, {manner.__name__}")
                pytest.fail(f"the client that stayed was disturbed by {name}, {manner.__name__}: {error!r}")
            told = [frame["params"].get("reason") for frame in stays.frames if frame["method"] == "session.closed"]
            assert told == [] or closes, (name, stays.frames)
    stage.bystanders.check()


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_both_of_a_pair_leave(stage, name):
    for _ in range(rounds(name)):
        for manner in MANNERS:
            session = stage.session()
            one, other = stage.connect(session), stage.connect(session)
            data = b"".join(lines(CONVERSATIONS[name], session))
            send(one, data)
            send(other, data)
            manner(one)
            manner(other)
    stage.bystanders.check()


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_batch_loses_its_client(stage, name):
    messages = CONVERSATIONS[name]
    others = [("calculator.press", ["1"]), ("lab.sleepConcurrent", {"milliseconds": 1}), ("session.list", None)]
    variants = [messages, messages + others, [("session.close", {"session": "nope"}), *messages, *others],
                [("session.attach", {"session": "{s}-batch", "linger": 0}), *messages, ("session.close", None), *others],
                [("session.attach", {"session": "saved", "linger": 0}), *messages]]
    for variant in variants:
        for manner in MANNERS:
            session = stage.session()
            end = stage.connect(session)
            send(end, batch(variant, session))
            manner(end)
    stage.bystanders.check()


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_half_closed_client_gets_every_reply(stage, name):
    """Nobody can cancel the long actions of a client that has half-closed. They are sent with a deadline here."""
    messages = [(method, {**params, "_meta": {**params.get("_meta", {}), "deadline": 50}}
                 if isinstance(params, dict) and ("milliseconds" in params or "title" in params) else params)
                for method, params in CONVERSATIONS[name]]
    session = stage.session()
    end = stage.connect()
    send(end, b"".join(lines(messages, session)))
    end.shutdown(socket.SHUT_WR)
    client = Client.__new__(Client)
    client.socket, client.input, client.frames = end, b"", []
    answered = []
    try:
        while True:
            received = client.receive(10)
            if "method" not in received:
                answered.append(received["id"])
    except Gone:
        pass
    end.close()
    assert sorted(answered) == list(range(1, len(messages) + 1)), name
    stage.bystanders.check()


@pytest.mark.parametrize("name", SIGNED_IN)
def test_a_signed_in_client_leaves(stage, name):
    needs_root()
    with stage.daemon.client(uid=SAME_LOOP) as keeper:
        for _ in range(rounds(name)):
            for manner in MANNERS:
                for attached in (False, True):
                    if name == "login.signOut" or attached:
                        sign_in(keeper)
                    session = stage.session()
                    end = stage.connect(session if attached else None, SAME_LOOP)
                    send(end, b"".join(lines(SIGNED_IN[name], session)))
                    manner(end)
        eventually(lambda: keeper.result("viewModel.read", {"id": "login", "outputs": ["state"]}), 1)
        sign_in(keeper)
    stage.bystanders.check()


@pytest.mark.parametrize("manner", MANNERS)
def test_methods_without_a_conversation_of_their_own(stage, manner):
    """Members that were added after this table was written are called with values from their schemas."""
    with stage.daemon.client() as client:
        found = undescribed(client.result("rpc.discover"))
    for name, messages in found.items():
        for attached in (False, True):
            session = stage.session()
            end = stage.connect(session if attached else None)
            send(end, b"".join(lines(messages, session)))
            manner(end)
    stage.bystanders.check()


def test_saved_sessions_lose_their_client_while_they_load(stage):
    for number in range(40 if FULL else 12):
        name = f"stored-{number % 4}"
        stage.save(name)
        for manner in MANNERS:
            end = stage.connect()
            send(end, message("session.attach", {"session": name, "linger": 0}, 1)
                 + message("calculator.press", ["1"], 2) + message("session.close", {"session": name}, 3) * (number % 2))
            manner(end)
    stage.bystanders.check()


@pytest.mark.parametrize("manner", MANNERS)
def test_an_admin_leaves_while_attaching_across_users(stage, manner):
    """Another user's session lives on another event loop, or on the same one."""
    needs_root()
    for uid in (OTHER_LOOP, SAME_LOOP):
        session = stage.session()
        with stage.daemon.client(session, uid, linger=0) as owner:
            owner.result("viewModel.bind", {"id": "lab"})
            for number in range(60 if FULL else 20):
                end = connect(stage.daemon.path)
                send(end, message("session.attach", {"session": session, "uid": uid}, 1)
                     + message("session.attach", {"session": session}, 2)
                     + message("viewModel.bind", {"id": "lab"}, 3)
                     + [b"", message("session.list", {"all": True}, 4),
                        message("session.close", {"session": "nope", "uid": uid}, 4),
                        message("session.attach", {"session": "saved", "uid": uid, "linger": 0}, 4)][number % 4])
                manner(end)
            try:
                owner.result("lab.set", [1])
            except (Gone, TimeoutError) as error:
                stage.daemon.check(f"after {manner.__name__} of an admin")
                pytest.fail(f"the owner was disturbed: {error!r}")
            assert not [frame for frame in owner.frames if frame["method"] == "session.closed"]
        # The owner leaves and the session ends while an admin arrives.
        for _ in range(10):
            session = stage.session()
            owner = stage.daemon.client(session, uid, linger=0)
            end = connect(stage.daemon.path)
            send(end, message("session.attach", {"session": session, "uid": uid}, 1))
            owner.close()
            manner(end)
    stage.bystanders.check()


@pytest.mark.parametrize("manner", MANNERS)
def test_clients_leave_while_they_wait_for_a_saved_session(stage, manner):
    """Who stays gets the session, also if it ended with those who left."""
    attach = message("session.attach", {"session": "saved", "linger": 0}, "a")
    for _ in range(100 if FULL else 30):
        ends = connect_many(stage.daemon.path, 6)
        stays = Client(stage.daemon.path)
        for end in ends[:3]:
            send(end, attach)
        waiting = stays.request("session.attach", {"session": "saved", "linger": 0})
        for end in ends[3:]:
            send(end, attach)
        for end in ends:
            manner(end)
        assert stays.reply(waiting)["result"]["session"] == "saved"
        stays.close()


@pytest.mark.parametrize("manner", MANNERS)
def test_clients_leave_while_the_disk_is_full(launch, small_disk, manner):
    disk = small_disk(6)
    daemon = launch(state=os.path.join(disk.path, "state"), config={"session": {"lingerSeconds": 0}})
    for number in range(5):
        with daemon.client(f"saved-{number}", linger=0) as client:
            client.result("sendList.draft", ["kept"])
            client.result("calculator.press", ["7"])
            client.result("calculator.clear")
    bystanders = Bystanders(daemon, users=False)
    disk.fill()
    for number in range(25):
        for name in ("session.attach", "session.close, unknown", "session.close", "calculator.undo", "sendList.add"):
            end = connect(daemon.path)
            send(end, message("session.attach", {"session": f"saved-{number % 5}", "linger": 0}, "a")
                 + b"".join(lines(CONVERSATIONS[name], f"saved-{number % 5}")))
            manner(end)
    bystanders.check()
    disk.empty()
    bystanders.check()
    with daemon.client("saved-0") as client:
        client.result("sendList.draft", ["room again"])
        assert client.result("sendList.add")["id"]
    bystanders.close()


@pytest.mark.limit(180)  # the store writes each change, which takes a slow disk a minute
@pytest.mark.parametrize("change", ["outbox", "account"])
def test_clients_leave_while_what_they_watch_changes(stage, change):
    """A session ends in the moment in which the account or the outbox of its user changes, some thousand times."""
    needs_root()
    over = threading.Event()
    problems = []

    def work():
        try:
            with stage.daemon.client(uid=SAME_LOOP) as worker:
                while not over.is_set():
                    if change == "outbox":
                        worker.result("sendList.draft", ["x"], 60)
                        identifier = worker.result("sendList.add", None, 60)["id"]
                        worker.call("sendList.remove", [identifier], 60)
                    else:
                        sign_in(worker)
                        worker.call("mine.refresh", None, 60)
                        worker.call("login.signOut", None, 60)
        except BaseException as error:
            problems.append(error)
    workers = [threading.Thread(target=work, daemon=True) for _ in range(2)]
    for each in workers:
        each.start()
    dice = random.Random(SEED)
    watch = b"".join(lines([("viewModel.bind", {"id": name}) for name in ("mine", "sendList", "login")], "w"))
    touch = b"".join(lines(SIGNED_IN["sendList.send"] if change == "outbox" else [("mine.refresh", None)], "w", 10))
    try:
        for number in range(200 if FULL else 60):
            ends = connect_many(stage.daemon.path, 50, SAME_LOOP)
            for end in ends:
                send(end, watch + touch)
                time.sleep(dice.choice([0, 0, 0.0002, 0.0005, 0.001]))
                if dice.random() < 0.7:
                    end.close()
            for end in ends:
                end.close()
            if problems:
                break
    finally:
        over.set()
        for each in workers:
            each.join(70)
    print("problems of the workers:", problems)
    stage.bystanders.check()
    assert not problems
    with stage.daemon.client(uid=SAME_LOOP) as keeper:
        sign_in(keeper)


def test_many_clients_vanish_at_once(stage):
    """A process with 300 connections is killed in the middle of its conversations."""
    for name in ("session.close, unknown", "viewModel.bind", "lab.count, slow", "session.attach", "sendList.add"):
        ends = connect_many(stage.daemon.path, 300)
        for end in ends:
            session = stage.session()
            send(end, b"".join(lines(CONVERSATIONS[name], session)))
        for end in ends:
            end.close()
    stage.bystanders.check()


# Random histories.

class History:
    """A random history of up to three clients in up to two sessions. The same seed gives the same history."""

    def __init__(self, number, users):
        self.dice = random.Random(f"{SEED}/{number}")
        self.number = number
        self.users = users
        self.story = []

    def play(self, daemon):
        dice = self.dice
        sessions = [f"h{self.number}-a", f"h{self.number}-b", "saved"]
        uid = dice.choice([None, None, None, OTHER_LOOP, SAME_LOOP]) if self.users else None
        ends = []
        names = [name for name in CONVERSATIONS if name not in SLOW]
        for _ in range(dice.randint(1, 3)):
            ends.append([connect(daemon.path, uid), 0])
            if dice.random() < 0.6:
                self.tell(ends[-1], message("session.attach", {"session": dice.choice(sessions), "linger": 0}, "a"))
        for _ in range(dice.randint(1, 6)):
            if not ends:
                break
            end = dice.choice(ends)
            move = dice.random()
            name = dice.choice(names) if dice.random() > 0.01 else dice.choice(sorted(SLOW))
            session = dice.choice(sessions)
            if move < 0.5:
                end[1] += 10
                for line in lines(CONVERSATIONS[name], session, end[1], dice.random() < 0.2):
                    self.tell(end, line)
            elif move < 0.65:
                several = sum((CONVERSATIONS[dice.choice(names)] for _ in range(dice.randint(1, 4))), [])
                self.tell(end, batch(several, session))
            elif move < 0.75:
                line = lines(CONVERSATIONS[name], session, 1000)[-1]
                self.tell(end, line[:dice.randrange(len(line))])
            elif move < 0.85:
                end[0].setblocking(False)
                try:
                    end[0].recv(dice.choice([1, 100, 65536]))
                except (BlockingIOError, ConnectionResetError):
                    pass
                end[0].setblocking(True)
                self.story.append(f"{ends.index(end)}: reads")
            elif move < 0.92:
                pause = dice.choice([0.0002, 0.001, 0.004])
                self.story.append(f"waits {pause} s")
                time.sleep(pause)
            else:
                self.leave(ends, end)
        while ends:
            self.leave(ends, ends[0])

    def tell(self, end, data):
        self.story.append(f"{id(end) % 997}: {data[:300]!r}")
        end[0].settimeout(10)
        send(end[0], data)

    def leave(self, ends, end):
        manner = self.dice.choice(MANNERS)
        self.story.append(f"{id(end) % 997}: {manner.__name__}")
        ends.remove(end)
        manner(end[0])


@pytest.mark.limit(600)
def test_random_histories(stage):
    """ENDURANCE_SEED and ENDURANCE_HISTORIES say which. ENDURANCE_HISTORY=N plays one of them, 30 times."""
    only = os.environ.get("ENDURANCE_HISTORY")
    numbers = [int(only)] * 30 if only else range(HISTORIES)
    recent = []
    began = time.monotonic()
    for index, number in enumerate(numbers):
        history = History(number, os.geteuid() == 0)
        recent = [*recent[-11:], history]
        try:
            history.play(stage.daemon)
            if index % 10 == 9:
                stage.bystanders.check()
        except (ConnectionRefusedError, ConnectionResetError, FileNotFoundError, RuntimeError) as error:
            eventually(lambda: not stage.daemon.alive, 3)
            if stage.daemon.alive:
                raise
            history.story.append(repr(error))
        if not stage.daemon.alive:
            break
    try:
        stage.bystanders.check()
    except BaseException:
        if not stage.daemon.alive:
            pytest.fail(culprit(stage, recent))
        raise
    figure(f"random histories: {len(numbers)} of seed {SEED} in {time.monotonic() - began:.1f} s")


def ends_the_daemon(stage, histories):
    """Plays the histories again, in their order, on a daemon that lives. Returns what they did when they ended it."""
    stage.ready()
    again = [History(each.number, each.users) for each in histories]
    try:
        for each in again:
            each.play(stage.daemon)
        stage.bystanders.check()
    except BaseException:
        eventually(lambda: not stage.daemon.alive, 1)
    return None if stage.daemon.alive else "\n".join(line for each in again for line in [f"-- {each.number}", *each.story])


def culprit(stage, recent):
    """Replays the last histories on a fresh daemon, each alone and all together, and prints what ends it."""
    told = (f"the daemon ended with {stage.daemon.process.returncode}. ENDURANCE_SEED={SEED}\n{stage.daemon.log(600)}\n"
            f"The last history:\n" + "\n".join(recent[-1].story) + "\n")
    for history in reversed(recent):
        for _ in range(15):
            story = ends_the_daemon(stage, [history])
            if story:
                return told + f"ENDURANCE_HISTORY={history.number} ends it again:\n{story}"
    for _ in range(15):
        story = ends_the_daemon(stage, recent)
        if story:
            return told + f"Together the last {len(recent)} end it again:\n{story}"
    return told + "No replay ended it again."


def test_everything_comes_back(stage):
    """Runs last. Descriptors, connections, sessions and instances are at the level from before the first test."""
    stage.bystanders.check()
    stage.daemon.comes_back_to(stage.before, 20)
    figure(f"after the hang-ups: {stage.daemon.level()}, before: {stage.before}; "
           f"{stage.daemon.memory():.0f} MiB anonymous, {stage.daemon.threads()} threads")
