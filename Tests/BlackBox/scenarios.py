"""Tables of scenarios: files of `scenarios/`, in the form of the protocol's own transcript. README.md describes the lines."""
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import ANY

from daemons import Daemon, unique
from wire import Client, wait_until

FOLDER = Path(__file__).parent / "scenarios"
LINE = re.compile(r"(?:(\d+)x )?([a-z])(?::(\w+))? ?(>>|<<|=>|=!|>|\.|~|\?\?|\?) ?(.*)")
ACT = re.compile(r"([a-z]) (connects|closes|cancels|ends)(?: (.*))?")
TOKEN = re.compile(r'(~?)"((?:[^"\\]|\\.)*)"(?:\*(\d+))?|\.\.\.|\$(\w+)|(?<![\w"])_(?![\w"])')
MARK = re.compile(r"\0(\d+)\0")
OUTCOME = re.compile(r"(?:^| +)(=>|=!) *")

ERRORS = {
    -32700: {"offset"}, -32600: {"reason"}, -32601: {"instance", "member", "suggestions"}, -32602: {"path", "expected", "found"},
    -32603: {"incident"}, -32000: {"error", "details", "retryable"}, -32001: {"limit"}, -32002: {"action"}, -32003: {"action"},
    -32004: {"suggestions"}, -32005: {"reason"}, -32006: {"limit", "value"}, -32007: set(), -32008: {"deadline"},
    -32009: {"node", "attached"}, -32010: {"session", "reason"}, -32800: set(),
}
"""The members of `data` by the code of an error, as in the table of section 2."""
MORE = {-32700: {"hint"}, -32600: {"hint", "id"}, -32601: {"hint"}, -32602: {"suggestions"}, -32004: {"session", "instance", "type"}}
"""Members that may stand beside them (docs/protocol.md)."""


@dataclass(frozen=True)
class Containing:
    part: str


@dataclass(frozen=True)
class Variable:
    name: str


@dataclass
class Row:
    """A scenario: a name, and lines with their numbers."""

    file: Path
    name: str
    lines: list[tuple[int, str]] = field(default_factory=list)

    def __repr__(self):
        return f"{self.file.stem}: {self.name}"


def rows(path: Path) -> list[Row]:
    found: list[Row] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("== "):
            found.append(Row(path, line[3:]))
        elif line.startswith(" "):      # goes on with the line before
            first, text = found[-1].lines[-1]
            found[-1].lines[-1] = first, f"{text} {line.strip()}"
        elif line and not line.startswith("#"):
            found[-1].lines.append((number, line))
    return found


def value_of(text: str, variables: dict):
    """JSON with `$name`, `"text"*9` for a repeated text and, in patterns, `_`, `...` and `~"a part of a text"`."""
    special: list = []

    def replace(found):
        mark, string, times, variable = found.groups()
        if string is not None:
            string = re.sub(r"\$(\w+)", lambda name: json.dumps(str(variables[name[1]]))[1:-1], string)
            if mark:
                special.append(Containing(json.loads(f'"{string}"')))
                return f'"\\u0000{len(special) - 1}\\u0000"'
            return f'"{string * int(times or 1)}"'
        if variable:
            if variable in variables:
                return json.dumps(variables[variable])
            special.append(Variable(variable))
        elif found[0] == "_":
            special.append(ANY)
        else:
            return '"...": 0' if is_object(text, found.start()) else '"..."'
        return f'"\\u0000{len(special) - 1}\\u0000"'

    def restore(value):
        if isinstance(value, str) and (found := MARK.fullmatch(value)):
            return special[int(found[1])]
        if isinstance(value, list):
            return [restore(each) for each in value]
        return {name: restore(each) for name, each in value.items()} if isinstance(value, dict) else value
    return restore(json.loads(TOKEN.sub(replace, text)))


def is_object(text: str, at: int) -> bool:
    """Whether the innermost bracket that is open at this place is a brace."""
    depth = 0
    for character in reversed(text[:at]):
        depth += character in "]}"
        depth -= character in "[{"
        if depth < 0:
            return character == "{"
    return False


def difference(pattern, value, variables: dict, place="") -> str | None:
    """The first place at which a value is not as the pattern says. Variables get their values."""
    if isinstance(pattern, Variable):
        pattern = variables.setdefault(pattern.name, value)
    if pattern is ANY:
        return None
    if isinstance(pattern, Containing):
        return None if isinstance(value, str) and pattern.part in value else f"{place or '/'}: {value!r} has no {pattern.part!r}"
    if isinstance(pattern, dict) and isinstance(value, dict):
        wanted = {name: part for name, part in pattern.items() if name != "..."}
        if missing := wanted.keys() - value.keys():
            return f"{place or '/'}: {sorted(missing)} missing in {value}"
        if "..." not in pattern and (more := value.keys() - wanted.keys()):
            return f"{place or '/'}: {sorted(more)} not expected: {value}"
        return next(filter(None, (difference(part, value[name], variables, f"{place}/{name}") for name, part in wanted.items())), None)
    if isinstance(pattern, list) and isinstance(value, list):
        open_end = pattern[-1:] == ["..."]
        pattern = pattern[:-1] if open_end else pattern
        if len(value) < len(pattern) or len(value) > len(pattern) and not open_end:
            return f"{place or '/'}: {len(pattern)} elements expected: {value}"
        parts = (difference(part, value[at], variables, f"{place}/{at}") for at, part in enumerate(pattern))
        return next(filter(None, parts), None)
    same = pattern == value and isinstance(pattern, bool) == isinstance(value, bool)
    return None if same else f"{place or '/'}: {pattern!r} expected: {value!r}"


def check_error(error: dict):
    """Checks an error against the table of section 2."""
    code, data = error["code"], error.get("data", {})
    assert code in ERRORS and isinstance(error["message"], str) and error["message"], error
    missing = set() if code == -32700 else ERRORS[code] - data.keys()
    assert not missing and data.keys() <= ERRORS[code] | MORE.get(code, set()), f"the data of {code} is {data}"
    assert len(data.get("suggestions", [])) <= 3 and (data.get("path", "") + "/").startswith("/"), error
    assert not data.get("hint", "").endswith("."), "a hint is a sentence without its full stop"


class Run:
    """One row, with its connections and variables."""

    def __init__(self, row: Row, shared: Daemon, own):
        self.row, self.daemon, self.own = row, shared, own
        self.clients: dict[str, Client] = {}
        self.waiting: dict[str, object] = {}
        self.variables: dict = {"s": unique()}

    def run(self):
        for number, line in self.row.lines:
            try:
                self.step(line)
            except (AssertionError, KeyError, ValueError) as problem:
                text = f"{self.row.file.name}:{number}, row “{self.row.name}”: {line}\n    {type(problem).__name__}: {problem}"
                raise AssertionError(text) from problem

    def client(self, letter: str) -> Client:
        """`a` and `b` are attached to the session of the row; others are anonymous."""
        if letter not in self.clients:
            self.clients[letter] = self.daemon.connect(self.variables["s"] if letter in "ab" else None)
        return self.clients[letter]

    def step(self, line: str):
        if line.startswith("daemon "):
            self.daemon = self.own(value_of(line[7:], self.variables), shared=True)
        elif line in ("the daemon restarts", "the daemon is killed"):
            self.daemon.restart(hard="killed" in line)
            self.clients.clear()
        elif line.startswith("the log has "):
            wait_until(lambda: value_of(line[12:], self.variables) in self.daemon.log, line)
        elif act := ACT.fullmatch(line):
            self.act(*act.groups())
        elif found := LINE.fullmatch(line):
            times, letter, label, operator, text = found.groups()
            for index in range(int(times or 1)):
                if times:
                    self.variables["i"] = index
                self.exchange(self.client(letter), letter + (label or ""), bool(label), operator, text)
        else:
            raise ValueError("this is no line of a scenario")

    def act(self, letter, word, text):
        if word == "connects":
            self.clients[letter] = self.daemon.connect(**value_of(text or "{}", self.variables))
        elif word == "closes":
            self.client(letter).close()
            del self.clients[letter]
        elif word == "cancels":
            self.client(letter).cancel(self.waiting[letter + text])
        else:
            assert self.client(letter).ends()

    def exchange(self, client: Client, key: str, is_labelled: bool, operator: str, text: str):
        if operator in (">", "."):
            call, *outcome = OUTCOME.split(text, maxsplit=1)
            method, _, params = call.partition(" ")
            params = (value_of(params, self.variables),) if params.strip() else ()
            if operator == ".":
                client.notify(method, *params)
            elif is_labelled:
                self.waiting[key] = client.request(method, *params)
            else:
                self.judge(client.ask(method, *params), *(outcome or ("=>", "_")))
        elif operator in ("=>", "=!"):
            self.judge(client.reply(self.waiting.pop(key)), operator, text or "_")
        elif operator == ">>":
            text, *answer = re.split(r" +<< ", text, maxsplit=1)
            text = value_of(text, self.variables) if text.startswith('"') else text.replace("$s", self.variables["s"])
            client.send_text(text)
            for pattern in answer:
                self.receive(client, pattern)
        elif operator == "<<":
            self.receive(client, text)
        elif operator == "~":
            self.notice(client, text)
        else:
            self.read(client, text, waits=operator == "??")

    def judge(self, reply: dict, operator: str, text: str):
        if operator == "=>":
            assert "result" in reply, f"the reply is an error: {reply['error']}"
            self.compare(value_of(text, self.variables), reply["result"])
            return
        assert "error" in reply, f"the reply is a result: {str(reply['result'])[:300]}"
        check_error(reply["error"])
        code, _, data = text.partition(" ")
        assert reply["error"]["code"] == int(code), reply["error"]
        if data:
            self.compare({**value_of(data, self.variables), "...": 0}, reply["error"].get("data", {}))

    def receive(self, client: Client, text: str):
        """The next message that is no notification. Errors in it keep to the table."""
        if text == "silence":
            assert client.is_silent()
            return
        answer = client.answer()
        for part in answer if isinstance(answer, list) else [answer]:
            del part["jsonrpc"]     # each message was found to have it
            if "error" in part:
                check_error(part["error"])
        self.compare(value_of(text, self.variables), answer)

    def notice(self, client: Client, text: str):
        """The next notification: `lab {…}` stands for a frame of `lab`, whose number counts only if it is named."""
        if text == "nothing":
            client.round_trip()
            assert not client.notifications, f"arrived: {client.notifications}"
            return
        name, _, pattern = text.partition(" ")
        wanted = value_of(pattern or "_", self.variables)
        client.read_until(lambda: client.notifications or None, what="a notification")
        message = client.notifications.pop(0)
        params = message["params"]
        if message["method"] == "viewModel.changed" and name != "viewModel.changed":
            assert params["id"] == name, f"a frame of {params['id']} arrived: {params}"
            kept = {"id", "seq"} - (wanted.keys() if isinstance(wanted, dict) else set())
            params = {key: value for key, value in params.items() if key not in kept}
        else:
            assert message["method"] == name, f"{message} arrived"
        self.compare(wanted, params)

    def read(self, client: Client, text: str, *, waits: bool):
        """The outputs that the pattern names."""
        instance, _, pattern = text.partition(" ")
        wanted = value_of(pattern, self.variables)
        if waits:
            wait_until(lambda: not difference(wanted, client.values(instance, *wanted), {**self.variables}), f"{text} (is "
                       f"{client.values(instance, *wanted)})")
        self.compare(wanted, client.values(instance, *wanted))

    def compare(self, pattern, value):
        found = difference(pattern, value, self.variables)
        assert not found, found

