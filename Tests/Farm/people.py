"""People who use the hosts of a team through its balancer, and clients of theirs that work while faults happen."""
from __future__ import annotations

import contextlib
import http.client
import ssl

from checker import check_messages
from daemons import unique
from farm import SPEED
from gateways import CLOSE, PING, PONG, TEXT, WebSocket, frame
from openid import Visitor, provider_answer
from team import HOST, PROVIDER, TeamFarm, TeamNode
from test_schedules import Crew
from wire import PATIENCE, Client, HungUp, TooLate
from workload import Notes, Watcher, Worker, Writer


class Person(Visitor):
    """Somebody with a browser, who uses the balancer, or the gateway of one host directly."""

    host = HOST

    def __init__(self, farm: TeamFarm, name="", node: TeamNode | None = None):
        self.farm, self.node, self.name = farm, node, name
        super().__init__(farm)
        if name:
            reply = self.sign_in(farm.provider, name)
            assert reply.status == 303, reply

    def at(self, node: TeamNode) -> Person:
        """The same browser at the gateway of one host."""
        other = Person(self.farm, node=node)
        other.cookies = self.cookies
        return other

    def connect(self, gateway=None):
        return self.farm.socket(HOST, 8443, self.node.name) if self.node else self.farm.socket(HOST)

    def ask_provider(self, address):
        connection = http.client.HTTPSConnection(PROVIDER)
        connection.sock = self.farm.socket(PROVIDER)
        return provider_answer(address, connection)


class WebFraming:
    """A JSON-RPC message is a message of a WebSocket."""

    def __init__(self):
        self.buffer, self.text, self.pongs = bytearray(), bytearray(), b""
        self.is_closed = False

    @staticmethod
    def wrap(body: bytes) -> bytes:
        return frame(TEXT, body)

    def feed(self, data: bytes) -> list[bytes]:
        self.buffer += data
        messages = []
        while len(self.buffer) >= 2:
            first, length, start = self.buffer[0], self.buffer[1], 2
            if length > 125:
                start = 4 if length == 126 else 10
                length = int.from_bytes(self.buffer[2:start])
            if len(self.buffer) < start + length:
                break
            payload, opcode = bytes(self.buffer[start:start + length]), first & 15
            del self.buffer[:start + length]
            if opcode == PING:
                self.pongs += frame(PONG, payload)
            elif opcode == CLOSE:
                self.is_closed = True
            elif opcode != PONG:
                self.text += payload
                if first & 0x80:
                    messages.append(bytes(self.text))
                    self.text.clear()
        return messages


class WebClient(Client):
    """A client that uses a WebSocket."""

    def __init__(self, person: Person):
        connection = person.connect()
        try:
            WebSocket(person.farm, {**person.header, "Host": HOST, "Origin": person.origin}, via=connection)
        except AssertionError as error:
            connection.close()
            # What a balancer says while no host is there. Anything else is a fault.
            assert str(error) in ("502", "503", "504"), f"the WebSocket was refused: {error}"
            raise HungUp(f"the WebSocket was refused: {error}") from None
        except BaseException:
            connection.close()
            raise
        self._begin(connection, WebFraming())

    def send_bytes(self, data, *, patience=None):
        self._write(data, PATIENCE if patience is None else patience)

    def _write(self, data, patience):
        self.socket.settimeout(patience)
        try:
            self.socket.sendall(data)
        except TimeoutError:
            raise TooLate("a message could not be sent") from None
        except ConnectionError as error:
            raise HungUp(f"{error!r}") from None
        finally:
            self.socket.setblocking(False)

    def _read(self):
        """Reads all that has arrived: what TLS has decrypted is not seen by poll(2)."""
        with contextlib.suppress(ssl.SSLWantReadError):
            try:
                while data := self.socket.recv(1 << 16):
                    self.arrived.extend(self.framing.feed(data))
                self.ended = True
            except ssl.SSLWantReadError:
                raise
            except OSError:
                self.ended = True
        self.ended |= self.framing.is_closed
        if pongs := self.framing.pongs:
            self.framing.pongs = b""
            with contextlib.suppress(OSError, HungUp):
                self._write(pongs, PATIENCE)


class AtBalancer(Worker):
    """A client of a person, who uses the balancer."""

    # A balancer that notices a fault of a host late also ends connections that are newer.
    settling = 10 * SPEED

    def __init__(self, name, farm: TeamFarm, notes: Notes, session, seed, person: Person):
        super().__init__(name, farm, notes, session, seed)
        self.person = person

    def choose(self):
        return self.farm.balancer

    def reach(self, node):
        try:
            return WebClient(self.person)
        except (http.client.HTTPException, ConnectionError) as error:
            raise HungUp(f"{error!r}") from None


class PersonWriter(AtBalancer, Writer):
    is_calm = False
    """Whether each program that ends is asked to. Then no text that was accepted is lost."""

    def check(self, note, numbers):
        if self.is_calm and note < self.accepted and note not in self.late:
            self.notes.problem(f"{self.name}: the text {self.accepted} of the field was accepted and is lost; it is {note}")
        super().check(note, numbers)


class PersonWatcher(AtBalancer, Watcher):
    pass


def crew_of(team, seed) -> tuple[Crew, list[Person]]:
    """New people, who work in a session each, with two clients."""
    notes, seeds = Notes(), [seed + 1000 * each for each in range(1, 100)]
    names = [unique("person") for _ in range(2)]
    team.provider.people |= {name: {"name": name, "groups": ["staff"]} for name in names}
    people = [Person(team, name) for name in names]
    writers = [PersonWriter(f"writer {one.name}", team, notes, one.name, seeds.pop(), one) for one in people]
    watchers = [PersonWatcher(f"watcher {one.name}", team, notes, one.name, seeds.pop(), one) for one in people]
    return Crew(notes, writers, watchers, []), people


def check_people(team, crew, people):
    """Each person has the own messages, at both hosts."""
    for writer, person in zip(crew.writers, people):
        def read():
            reply = {"method": "viewModel.read", "params": {"id": "sendList", "outputs": ["items"]}}
            return {node.name: [(item["id"], item["text"]) for item in person.at(node).rpc(**reply)["values"]["items"]] for node in team}
        check_messages(crew.notes, [writer], crew.agree(read))
