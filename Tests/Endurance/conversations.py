"""Every method of the daemon, each with the messages that lead to it."""
from endurance import message

# Name of a conversation: its messages, as (method, params). `{s}` is the name of a session.
CONVERSATIONS = {
    "connection.actFor": [("connection.actFor", {"subject": "issuer|ada"})],
    "session.attach": [("session.attach", {"session": "{s}", "linger": 0})],
    "session.attach, random name": [("session.attach", {"linger": 0})],
    "session.attach, second": [("session.attach", {"session": "{s}-second", "linger": 0})],
    "session.attach, saved": [("session.attach", {"session": "saved", "linger": 0})],
    "session.attach, invalid": [("session.attach", {"session": "no name"})],
    "session.list": [("session.list", None)],
    "session.restrict": [("session.restrict", {"scope": "observe"}), ("calculator.press", ["7"])],
    "session.close": [("session.close", None)],
    "session.close, by name": [("session.attach", {"session": "{s}"}), ("session.close", {"session": "{s}"})],
    "session.close, unknown": [("session.close", {"session": "nope"})],
    "viewModel.open": [("viewModel.open", {"type": "calculator"})],
    "viewModel.open, lab": [("viewModel.open", {"type": "lab", "id": "second"}),
                            ("viewModel.bind", {"id": "second"}), ("second.set", [1])],
    "viewModel.close": [("viewModel.bind", {"id": "calculator"}), ("viewModel.close", {"id": "calculator"})],
    "viewModel.close, unknown": [("viewModel.close", {"id": "nope"})],
    "viewModel.list": [("viewModel.list", None)],
    "viewModel.read": [("viewModel.read", {"id": "mine"})],
    "viewModel.read, metrics": [("viewModel.read", {"id": "metrics"})],
    "viewModel.bind": [("viewModel.bind", {"id": "calculator"}), ("calculator.press", ["7"])],
    "viewModel.bind, daemon": [("viewModel.bind", {"id": "daemon", "minInterval": 1})],
    "viewModel.bind, windows": [("viewModel.bind", {"id": "lab", "windows": {"rows": {"offset": 0, "limit": 5}}}),
                                ("lab.append", [1000])],
    "viewModel.bind, resumed": [("viewModel.bind", {"id": "lab", "since": {"epoch": "x", "seq": 1}})],
    "viewModel.unbind": [("viewModel.bind", {"id": "lab"}), ("viewModel.unbind", {"id": "lab"})],
    "rpc.discover": [("rpc.discover", None)],
    "$/cancelRequest": [("lab.sleep", {"milliseconds": 60000}), ("$/cancelRequest", {"id": 1})],
    "unknown member": [("calculator.prss", ["1"])],
    "unknown instance": [("no.such", None)],
    "coordinator.open": [("viewModel.bind", {"id": "coordinator"}), ("coordinator.open", {"scene": "help"})],
    "coordinator.back": [("coordinator.open", {"scene": "help"}), ("coordinator.back", None)],
    "prompter.answer": [("viewModel.bind", {"id": "prompter"}), ("lab.ask", {"title": "?"}),
                        ("prompter.answer", {"id": "1", "button": "ok"})],
    "calculator.press": [("calculator.press", ["7"])],
    "calculator.undo": [("calculator.press", ["7"]), ("calculator.press", ["+"]), ("calculator.undo", None)],
    "calculator.clear": [("calculator.press", ["7"]), ("calculator.clear", None)],
    "keypad.press": [("keypad.press", ["7"])],
    "login.account": [("login.account", ["grace"])],
    "login.password": [("login.password", ["xxxxxxxx"])],
    "login.submit": [("login.account", ["nobody-{s}"]), ("login.password", ["xxxxxxxx"]), ("login.submit", None)],
    "login.register": [("login.register", {"account": "ada", "password": "correct horse"})],
    "login.register, invalid": [("login.register", {"account": "a", "password": "b"})],
    "login.signInWithDevice": [("login.signInWithDevice", None)],
    "login.signOut": [("login.signOut", None)],
    "mine": [("viewModel.bind", {"id": "mine"}), ("viewModel.bind", {"id": "mine.header"})],
    "mine.autoLogin": [("mine.autoLogin", None)],
    "mine.refresh": [("mine.refresh", None)],
    "mine.select": [("mine.select", ["wallet"])],
    "mine.header.select": [("mine.header.select", None)],
    "sendList.draft": [("sendList.draft", ["hello"])],
    "sendList.add": [("sendList.draft", ["hello"]), ("sendList.add", None)],
    "sendList.remove": [("sendList.remove", ["nope"])],
    "sendList.send": [("sendList.draft", ["hello"]), ("sendList.add", None), ("sendList.send", None)],
    "sendList.retry": [("sendList.retry", {"id": "nope"})],
    "lab.set": [("viewModel.bind", {"id": "lab"}), ("lab.set", [5])],
    "lab.append": [("lab.append", [100])],
    "lab.update": [("lab.append", [2]), ("lab.update", {"id": 1, "text": "t"})],
    "lab.move": [("lab.append", [2]), ("lab.move", {"from": 0, "to": 1})],
    "lab.removeRows": [("lab.append", [2]), ("lab.removeRows", [[1, 2]])],
    "lab.ring": [("viewModel.bind", {"id": "lab"}), ("lab.ring", ["ding"])],
    "lab.echo": [("lab.echo", [{"a": [1, 2.5, None]}])],
    "lab.echo, large": [("viewModel.bind", {"id": "lab"}), ("lab.echo", ["x" * 300_000])],
    "lab.sleep": [("lab.sleep", {"milliseconds": 2})],
    "lab.sleep, long": [("lab.sleep", {"milliseconds": 60000})],
    "lab.sleep, deadline": [("lab.sleep", {"milliseconds": 60000, "_meta": {"deadline": 1}})],
    "lab.sleep, key": [("lab.sleep", {"milliseconds": 2, "_meta": {"key": "{s}"}}),
                       ("lab.sleep", {"milliseconds": 2, "_meta": {"key": "{s}"}})],
    "lab.sleepLatest": [("lab.sleepLatest", {"milliseconds": 60000}), ("lab.sleepLatest", {"milliseconds": 1})],
    "lab.sleepQueued": [("lab.sleepQueued", {"milliseconds": 1}), ("lab.sleepQueued", {"milliseconds": 60000})],
    "lab.sleepConcurrent": [("lab.sleepConcurrent", {"milliseconds": 1}),
                            ("lab.sleepConcurrent", {"milliseconds": 60000})],
    "lab.sleepShared": [("lab.sleepShared", {"milliseconds": 1}), ("lab.sleepShared", {"milliseconds": 1})],
    "lab.fail": [("lab.fail", {"error": "planned", "retryable": True})],
    "lab.trap": [("lab.trap", None)],
    "lab.count": [("viewModel.bind", {"id": "lab"}), ("lab.count", {"to": 50})],
    "lab.count, slow": [("viewModel.bind", {"id": "lab"}), ("lab.count", {"to": 50, "every": 1})],
    "lab.ask": [("viewModel.bind", {"id": "prompter"}), ("lab.ask", {"title": "?"})],
    "lab.open": [("lab.open", {"scene": "wallet"})],
    "lab.word": [("viewModel.bind", {"id": "lab"}), ("lab.word", ["four"])],
    "lab.code": [("viewModel.bind", {"id": "lab"}), ("lab.code", [" ab c "])],
    "lab.setSample": [("lab.setSample", {
        "date": "2026-01-01T00:00:00Z", "data": "AA==", "double": 1, "colour": "red", "list": ["a"], "dictionary": {"a": 1},
        "nested": {"name": "x", "latitude": 1, "longitude": 1}, "uuid": "00000000-0000-4000-8000-000000000000", "decimal": "1.50"})],
    "lab.hint": [("viewModel.bind", {"id": "prompter"}), ("lab.hint", {"text": "x"})],
    "lab.prompt": [("viewModel.bind", {"id": "prompter"}), ("lab.prompt", {"kind": "alert", "title": "?"})],
    "lab.book": [("lab.book", {"seats": 50})],
    "labPage": [("viewModel.open", {"type": "labPage", "id": "page", "arguments": {"title": "t"}}),
                ("viewModel.bind", {"id": "page"}), ("page.text", ["x"]), ("page.margin.note", ["x"])],
}

# What a signed-in user can do. The last one signs out.
SIGNED_IN = {
    "sendList.send": [("sendList.draft", ["hello"]), ("sendList.add", None), ("viewModel.bind", {"id": "sendList"}),
                      ("sendList.send", None)],
    "mine.refresh": [("viewModel.bind", {"id": "mine"}), ("mine.refresh", None)],
    "mine.autoLogin": [("viewModel.bind", {"id": "mine.header"}), ("mine.autoLogin", None)],
    "mine.select": [("viewModel.bind", {"id": "coordinator"}), ("mine.select", ["wallet"])],
    "login.signOut": [("viewModel.bind", {"id": "mine"}), ("login.signOut", None)],
}

# Methods that hash a password. A suite sends these less often.
SLOW = {"login.submit", "login.register", "login.signOut"}


def named(value, session):
    """Puts the name of the session in the place of `{s}`."""
    if isinstance(value, str):
        return value.replace("{s}", session)
    if isinstance(value, dict):
        return {key: named(each, session) for key, each in value.items()}
    if isinstance(value, list):
        return [named(each, session) for each in value]
    return value


def lines(messages, session, first=1, notifications=False):
    """The messages as lines, with identifiers from `first` on."""
    return [message(method, named(params, session), None if notifications else first + index)
            for index, (method, params) in enumerate(messages)]


def batch(messages, session):
    """The messages as one line."""
    return b"[" + b",".join(line.rstrip(b"\n") for line in lines(messages, session)) + b"]\n"
