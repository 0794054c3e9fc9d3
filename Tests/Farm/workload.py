"""Clients that work on the sessions of a farm while faults happen, and write down what they were told."""
import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

from farm import SPEED, Farm, Node
from picture import Picture
from wire import Client, HungUp, Refused, TooLate

PATIENCE = 4.0
"""Seconds that a client waits for a reply. Then it tries another node."""
SCENES, MESSAGES = 55, 20
"""The most scenes that a writer opens, and the most messages that it adds. A session has at most 64 scenes."""


@dataclass
class Operation:
    """An acknowledged action of a session, which leaves a number."""

    number: int
    acknowledged: object = None
    """The result."""
    attempts: list[str] = field(default_factory=list)


@dataclass
class Attach:
    """An attach, for the time that it took."""

    session: str
    node: str
    began: float
    ended: float
    outcome: str


class Notes:
    """What the clients of one schedule have seen. Used from all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.nodes_of_epoch: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.attaches: list[Attach] = []
        self.problems: list[str] = []
        self.lines: list[str] = []

    @property
    def now(self) -> float:
        return time.monotonic() - self.began

    def say(self, text):
        with self.lock:
            self.lines.append(f"{self.now:6.2f} {text}")

    def problem(self, text):
        with self.lock:
            self.problems.append(f"{self.now:6.2f} {text}")
            self.lines.append(f"{self.now:6.2f} PROBLEM {text}")

    def saw(self, session, epoch, node):
        with self.lock:
            self.nodes_of_epoch[session, epoch].add(node)

    def is_over(self, session, epoch) -> bool:
        """Whether the session has been seen in a later life. A node that is cut off shows the former one."""
        with self.lock:
            return [seen for name, seen in self.nodes_of_epoch if name == session][-1] != epoch


class Lost(Exception):
    """The client has lost its session, or its connection."""


class Worker(threading.Thread):
    """A client of one session that finds it again wherever it is."""

    settling = 0.0
    """Seconds within which its connection may still end after all faults."""

    def __init__(self, name, farm: Farm, notes: Notes, session: str, seed: int):
        super().__init__(daemon=True, name=name)
        self.farm, self.notes, self.session = farm, notes, session
        self.dice = random.Random(seed)
        self.over = threading.Event()
        self.client: Client | None = None
        self.node: Node | None = None
        self.epoch = ""
        self.wish: str | None = None

    def run(self):
        while not self.over.is_set():
            try:
                if self.client is None and not self.find():
                    self.over.wait(self.dice.uniform(0.02, 0.2))
                    continue
                self.step()
            except (HungUp, OSError, TooLate, Lost) as error:
                self.notes.say(f"{self.name}: {type(error).__name__} {str(error)[:100]}")
                self.leave()
            except BaseException as error:
                self.notes.problem(f"{self.name} ended: {type(error).__name__}: {str(error)[:1500]}")
                self.leave()
                return
        self.finish()

    def finish(self):
        self.leave()

    def leave(self):
        if self.client:
            self.client.close()
        self.client = None

    def reach(self, node: Node) -> Client:
        return Client(node.socket)

    def choose(self) -> Node:
        return self.farm[self.wish] if self.wish else self.dice.choice(list(self.farm))

    def find(self, *, move=None, patience=None) -> bool:
        """Attaches on a random node, or on the node that another one has named."""
        node = self.choose()
        self.wish = None
        move = self.dice.random() < 0.3 if move is None else move
        began = self.notes.now
        outcome = "no connection"
        try:
            client = self.reach(node)
            try:
                reply = client.ask("session.attach", {"session": self.session, "linger": 60, **({"move": True} if move else {})},
                                   patience or (self.farm.lease + 5) * SPEED)
            except BaseException:
                client.close()
                raise
            error = reply.get("error")
            outcome = f"{error['code']} {error.get('data')}" if error else f"attached {reply['result']['epoch'][:6]}"
            if error:
                client.close()
                if error["code"] == -32009:
                    self.wish = error["data"]["node"]
                elif not (error["code"] == -32000 and error["data"]["error"] == "storeUnavailable") and error["code"] != -32007:
                    self.notes.problem(f"{self.name}: session.attach on {node} was answered {error}")
                return False
            self.client, self.node, self.epoch = client, node, reply["result"]["epoch"]
            self.notes.saw(self.session, self.epoch, node.name)
            self.attached(reply["result"])
            return True
        except (HungUp, OSError, TooLate) as error:
            outcome = f"{type(error).__name__}"
            self.leave()
            return False
        finally:
            self.notes.say(f"{self.name}: attach{' with move' if move else ''} on {node}: {outcome}")
            with self.notes.lock:
                self.notes.attaches.append(Attach(self.session, node.name, began, self.notes.now, outcome))

    def surely(self, work, **how):
        """Does this in the session, which it finds first if it has none."""
        end = time.monotonic() + self.settling
        while True:
            try:
                assert self.client or self.find(**how), f"{self.session} does not come: {self.notes.attaches[-1].outcome}"
                return work()
            # `HungUp` and `TooLate` are of the first kind.
            except (AssertionError, OSError, Lost):
                self.leave()
                if time.monotonic() >= end:
                    raise
                time.sleep(0.1)

    def attached(self, result):
        pass

    def step(self):
        raise NotImplementedError

    def lost(self) -> bool:
        """Whether `session.closed` has arrived. The connection has no session then."""
        closed = [message for message in self.client.notifications if message["method"] == "session.closed"]
        if closed and closed[0]["params"]["reason"] not in ("moved", "stopping"):
            self.notes.problem(f"{self.name}: {closed[0]['params']}")
        if closed and closed[0]["params"].get("node"):
            self.wish = closed[0]["params"]["node"]
        return bool(closed)

    def ask(self, method, params, patience=PATIENCE) -> dict:
        """The reply of a call in the session. A reply after `session.closed` is a refusal, and raises `Lost`."""
        reply = self.client.ask(method, params, patience)
        if self.lost():
            # A reply before `session.closed` is one of the session. Both may have arrived by now.
            order = [id(message) for message in self.client.history]
            closed = next(message for message in self.client.notifications if message["method"] == "session.closed")
            if order.index(id(reply)) > order.index(id(closed)):
                if reply.get("error", {}).get("code") not in (-32010, -32007):
                    self.notes.problem(f"{self.name}: {method} was answered after the end of the session: {reply}")
                raise Lost("the session has moved")
        return reply

    def must(self, method, params, allowed=(-32800, -32007)):
        """The result of a call that fails at the end of its session only."""
        reply = self.ask(method, params)
        if error := reply.get("error"):
            if error["code"] not in allowed:
                self.notes.problem(f"{self.name}: {method} was answered {error}")
            raise Lost(f"{method} was answered {error['code']}")
        return reply["result"]

    def read(self, instance, *outputs):
        result = self.must("viewModel.read", {"id": instance, **({"outputs": list(outputs)} if outputs else {})})
        self.notes.saw(self.session, result["epoch"], self.node.name)
        if result["epoch"] != self.epoch:
            raise Lost("another session answers")
        return result["values"]


class Writer(Worker):
    """The only client that changes its session. It repeats an action with the same key until it knows the outcome."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.scenes: list[Operation] = []
        self.messages: list[Operation] = []
        self.pending: tuple[str, Operation] | None = None
        # The text of the field `note.draft`: `written` is the last one that was accepted or sent, `durable` the last
        # one that an acknowledged action has saved.
        self.written = self.durable = 0
        self.accepted = 0
        # Texts without a reply. A node that was stopped reads them later, perhaps after a text of another connection.
        self.late: set[int] = set()
        self.epoch_of_check = ""

    @property
    def acknowledged(self) -> int:
        """How many actions were acknowledged."""
        return sum(bool(each.acknowledged) for each in [*self.scenes, *self.messages])

    @property
    def has_more(self) -> bool:
        return len(self.scenes) < SCENES or len(self.messages) < MESSAGES

    def attached(self, result):
        """Compares what the session has with what it may have."""
        if self.notes.is_over(self.session, self.epoch):
            raise Lost("the session lives elsewhere")
        self.open("note")
        values = self.read("note", "draft")
        self.check(int(values["draft"] or 0), self.open_scenes())

    def open(self, instance):
        """Opens an outbox with a draft of its own."""
        self.must("viewModel.open", {"type": "sendList", "id": instance})

    def open_scenes(self) -> list[int]:
        return [scene["arguments"]["n"] for scene in self.read("coordinator", "scenes")["scenes"] if "n" in scene["arguments"]]

    def check(self, note: int, numbers: list[int]):
        where = f"{self.name} on {self.node}, epoch {self.epoch[:6]}"
        if not self.durable <= note <= self.written and note not in self.late:
            self.notes.problem(f"{where}: the note is {note}; {self.durable} is saved, {self.written} was written last")
        if self.epoch != self.epoch_of_check:
            # What the former life had not saved is lost for good. The numbers grow on, so that none is written twice.
            self.epoch_of_check, self.accepted, self.durable = self.epoch, note, note
            self.late.clear()
        if doubled := sorted({number for number in numbers if numbers.count(number) > 1}):
            self.notes.problem(f"{where}: done twice: scenes {doubled}")
        if lost := [each.number for each in self.scenes if each.acknowledged and each.number not in numbers]:
            self.notes.problem(f"{where}: acknowledged and lost: scenes {lost}")
        if strange := [number for number in numbers if number not in [each.number for each in self.scenes]]:
            self.notes.problem(f"{where}: never asked for: scenes {strange}")
        known = [number for number in numbers if any(each.number == number and each.acknowledged for each in self.scenes)]
        if known != sorted(known):
            self.notes.problem(f"{where}: out of order: scenes {numbers}")

    def step(self):
        self.over.wait(self.dice.uniform(0, 0.15))
        if self.pending:
            return self.act(*self.pending)
        kind = self.dice.choice(["note", "note", "press", "scene", "scene", "message", "move"])
        if kind == "note":
            self.write()
        elif kind == "press":
            self.input("calculator.press", self.dice.choice("0123456789.+-*/="))
        elif kind == "move" and self.dice.random() < 0.4:
            self.leave()
            self.find(move=True)
        elif kind == "scene" and len(self.scenes) < SCENES:
            self.act("scene", self.another_scene())
        elif kind == "message" and len(self.messages) < MESSAGES:
            self.messages.append(Operation(len(self.messages)))
            self.act("message", self.messages[-1])

    def another_scene(self) -> Operation:
        self.scenes.append(Operation(len(self.scenes)))
        return self.scenes[-1]

    def input(self, method, value):
        self.must(method, [value], allowed=[-32007])

    def write(self):
        self.written += 1
        self.late.add(self.written)
        self.input("note.draft", str(self.written))
        self.late.discard(self.written)
        self.accepted = self.written

    def text(self, operation) -> str:
        return f"{self.session}-{operation.number}"

    def act(self, kind, operation):
        self.pending = (kind, operation)
        accepted, epoch = self.accepted, self.epoch
        key = {"key": f"{kind}-{operation.number}"}
        if kind == "scene":
            method, params = "coordinator.open", {"scene": "help", "arguments": {"n": operation.number}, "_meta": key}
        else:
            # An instance for each message: a draft that a stopped node reads late is not added in place of another one.
            self.open(f"m{operation.number}")
            self.input(f"m{operation.number}.draft", self.text(operation))
            method, params = f"m{operation.number}.add", {"_meta": key}
        try:
            reply = self.ask(method, params, PATIENCE + 3)
        except BaseException as error:
            operation.attempts.append(type(error).__name__)
            raise
        error = reply.get("error")
        operation.attempts.append(str(error["code"]) if error else "done")
        self.notes.say(f"{self.name}: {kind} {operation.number} on {self.node}: {error['code'] if error else reply['result']}")
        if not error:
            operation.acknowledged = reply["result"]["id"]
            if epoch == self.epoch:
                self.durable = max(self.durable, accepted)
            self.pending = None
        elif error["code"] == -32000 and error["data"]["error"] == "storeUnavailable":
            if error["data"]["retryable"] is not True:
                self.notes.problem(f"{self.name}: {method} was answered {error}")
            self.over.wait(0.3)
        elif error["code"] == -32800:
            # The move has cancelled it. Its outcome is remembered, so it is not repeated.
            self.pending = None
        elif error["code"] == -32002:
            # The draft was lost with the former life.
            pass
        elif error["code"] != -32007:
            self.notes.problem(f"{self.name}: {method} was answered {error}")
            self.pending = None


class Watcher(Worker):
    """A client that keeps a picture of the session. It never moves it."""

    INSTANCES = ["calculator", "coordinator", "note"]

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pictures: dict[str, Picture] = {}

    def find(self, *, move=None, patience=None):
        return super().find(move=bool(move), patience=patience)

    def attached(self, result):
        former, self.pictures = self.pictures, {}
        for instance in self.INSTANCES:
            old = former.get(instance)
            since = {"values": old.values, "since": {"epoch": old.epoch, "seq": old.seq}} if old else {}
            try:
                self.pictures[instance] = Picture(self.client, instance, **since)
            except Refused as error:
                self.pictures = former
                raise HungUp(f"bind was answered {error.code}") from None
            if self.lost():
                raise Lost("the session has moved")
            self.notes.saw(self.session, self.pictures[instance].epoch, self.node.name)
            if self.pictures[instance].epoch != self.epoch:
                self.notes.problem(f"{self.name}: the epoch of the binding is not that of the attach")

    def take(self):
        """Applies the frames. Each one is of the session, from this node."""
        for picture in self.pictures.values():
            count = len(picture.frames)
            picture.take()
            if len(picture.frames) > count:
                self.notes.saw(self.session, picture.epoch, self.node.name)

    def step(self):
        self.client.drain(0.2)
        self.take()
        if self.lost():
            raise Lost("the session has moved")

    def finish(self):
        """Stays attached, so that its picture can be compared."""

    def compare(self):
        """The pictures are those that a reader gets."""
        for instance, picture in self.pictures.items():
            values = self.read(instance)
            self.take()
            if picture.values != values:
                wrong = {name: (picture.values.get(name), value) for name, value in values.items() if picture.values.get(name) != value}
                self.notes.problem(f"{self.name} on {self.node}: the picture of {instance} is wrong: {str(wrong)[:800]}")


class Mover(Worker):
    """A client that takes sessions away from the others, and reads them."""

    def __init__(self, name, farm, notes, sessions: list[str], seed):
        super().__init__(name, farm, notes, sessions[0], seed)
        self.sessions = sessions

    def find(self, *, move=None, patience=None):
        self.session = self.dice.choice(self.sessions)
        return super().find(move=self.dice.random() < 0.7, patience=patience)

    def step(self):
        self.read("calculator", "led")
        self.over.wait(self.dice.uniform(0, 0.3))
        self.leave()
        self.over.wait(self.dice.uniform(0.3, 1.5))
