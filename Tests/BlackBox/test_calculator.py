"""REFERENCE, calculator and keypad: a table of key sequences, an oracle for random ones, the newest 1,000 operations."""
import random
from decimal import ROUND_HALF_UP, Context, Decimal

import pytest
from picture import Picture

EXACT = Context(prec=600)
SIXTEEN = Context(prec=16, rounding=ROUND_HALF_UP)


def shown(number: Decimal) -> str:
    """A result as the LED shows it."""
    if number == 0:
        return "0"
    sign, digits, exponent = number.normalize(EXACT).as_tuple()
    text, magnitude = "".join(map(str, digits)), len(digits) + exponent - 1
    prefix = "-" if sign else ""
    if magnitude >= 16 or abs(number) < Decimal("1e-6"):
        return f"{prefix}{text[0]}{'.' + text[1:] if len(text) > 1 else ''}e{magnitude}"
    return format(number.normalize(EXACT), "f")


class Oracle:
    """The rules of the reference page, written a second time."""

    def __init__(self):
        self.rows, self.running, self.entry, self.pending, self.hints = [], Decimal(0), None, None, 0

    @property
    def is_initial(self):
        return not self.rows and self.entry is None and self.pending is None

    @property
    def led(self):
        return self.entry if self.entry is not None else shown(self.running)

    def complete(self) -> bool:
        """Completes the pending operation with the typed number."""
        number, operator = EXACT.create_decimal(self.entry), self.pending
        self.entry, self.pending = None, None
        if operator is None:
            self.rows.append((None, number))
            self.running = number
            return True
        if operator == "/" and number == 0:
            self.hints += 1
            return False
        compute = {"+": EXACT.add, "-": EXACT.subtract, "*": EXACT.multiply, "/": EXACT.divide}[operator]
        result = SIXTEEN.plus(compute(self.running, number))
        if abs(result) >= Decimal("1e100"):
            self.hints += 1
            return False
        if abs(result) < Decimal("1e-100"):
            result = Decimal(0)
        self.rows.append((operator, number))
        self.running = result
        return True

    def press(self, key):
        if key in "0123456789.":
            self.type(key)
        elif key == "=":
            if self.entry is not None:
                self.complete()
            self.pending = None
        else:
            if self.entry is None and self.is_initial:
                self.entry = "0"
            if self.entry is not None:
                self.complete()
            self.pending = key

    def type(self, key):
        if self.entry is None:
            if key == "0" and self.is_initial:
                return
            self.entry = "0." if key == "." else key
        elif key == ".":
            self.entry += "" if "." in self.entry else "."
        elif self.entry == "0":
            self.entry = key
        else:
            whole, point, fraction = self.entry.partition(".")
            if len(("" if whole == "0" else whole) + fraction) < 16:
                self.entry += key

    def undo(self):
        self.rows.pop()
        rows, self.rows, self.running, self.entry, self.pending = self.rows, [], Decimal(0), None, None
        for self.pending, number in rows:
            self.entry = str(number)
            self.complete()

    @property
    def texts(self):
        return [f"{operator} {shown(number)}" if operator else shown(number) for operator, number in reversed(self.rows)]


def type_keys(c, keys, instance="calculator"):
    for key in keys:
        c.notify(f"{instance}.press", [key])
    c.round_trip()


def led(c):
    return c.value("calculator", "led")


def texts(c):
    return [row["text"] for row in c.value("calculator", "operations")]


# Bad input first

@pytest.mark.parametrize("key", ["", "x", "12", "++", " ", "%", "é", "=\n", "٣", "−", "×", "x" * 10_000])
@pytest.mark.parametrize("instance", ["keypad", "calculator"])
def test_an_unknown_key_is_refused_with_the_allowed_ones(c, instance, key):
    data = c.refused(f"{instance}.press", [key], -32602)["data"]
    assert all(allowed in data["expected"] for allowed in "0123456789.+-*/=")
    assert led(c) == "0"


@pytest.mark.parametrize("params", [[1], [], {"value": None}, {"key": "1"}, ["1", "2"], [["1"]]])
def test_bad_params_of_press(c, params):
    c.refused("calculator.press", params, -32602)


@pytest.mark.parametrize("keys, shows, rows", [
    ("8/0=", "8", ["8"]), ("8/0+1=", "9", ["+ 1", "8"]), ("8/0+", "8", ["8"]), ("0/0=", "0", ["0"]), ("5+3/0=", "8", ["+ 3", "5"]), ("8/0.000=", "8", ["8"]),
])
def test_dividing_by_zero_keeps_the_result_and_says_so(c, keys, shows, rows):
    prompter = Picture(c, "prompter")
    type_keys(c, keys)
    assert led(c) == shows and texts(c) == rows
    hint = prompter.event("hint")
    assert hint["level"] == "error" and prompter.events == []


def test_a_result_of_ten_to_the_hundred_is_refused(c):
    prompter = Picture(c, "prompter")
    type_keys(c, "1000000000000000" + "*1000000000000000" * 5 + "*9999999999=")
    assert led(c) == "9.999999999e99"
    prompter.now()
    assert prompter.events == []
    rows = texts(c)
    type_keys(c, "*10+")
    assert led(c) == "9.999999999e99" and texts(c) == rows
    assert prompter.event("hint")["level"] == "error"
    type_keys(c, "0=")
    assert led(c) == "9.999999999e99" and texts(c) == ["+ 0", *rows], "the operator that caused it waits"
    prompter.now()
    assert prompter.events == []


def test_undo_and_clear_are_disabled_at_first(c):
    values = c.values("calculator")
    assert values["undo.enabled"] is False and values["clear.enabled"] is False and values["led"] == "0" and values["operations"] == []
    type_keys(c, "0=")
    assert c.values("calculator") == values, "a typed 0 leaves the initial state"
    type_keys(c, "7")
    values = c.values("calculator")
    assert values["undo.enabled"] is False and values["clear.enabled"] is True


# The table

@pytest.mark.parametrize("keys, shows, rows", [
    ("", "0", []), ("0", "0", []), ("007", "7", []), ("0.5", "0.5", []), (".", "0.", []), ("..5", "0.5", []), ("1.2.3", "1.23", []), ("1.50", "1.50", []),
    ("12345678901234567", "1234567890123456", []), ("0.12345678901234567", "0.1234567890123456", []), ("1.2345678901234567", "1.234567890123456", []),
    ("12+", "12", ["12"]), ("12+3", "3", ["12"]), ("12+3=", "15", ["+ 3", "12"]), ("2+3*4=", "20", ["* 4", "+ 3", "2"]), ("2+3*", "5", ["+ 3", "2"]),
    ("0.1+0.2=", "0.3", ["+ 0.2", "0.1"]), ("1.50+", "1.5", ["1.5"]), ("5=", "5", ["5"]), ("=", "0", []), ("+", "0", ["0"]), ("+5=", "5", ["+ 5", "0"]), ("-5=", "-5", ["- 5", "0"]),
    ("5+-3=", "2", ["- 3", "5"]), ("5+=", "5", ["5"]), ("5+=3=", "3", ["3", "5"]), ("5=+3=", "8", ["+ 3", "5"]), ("2+3=7", "7", ["+ 3", "2"]), ("2+3=7+1=", "8", ["+ 1", "7", "+ 3", "2"]),
    ("5==", "5", ["5"]), ("1/3=", "0.3333333333333333", ["/ 3", "1"]), ("2/3=", "0.6666666666666667", ["/ 3", "2"]), ("1/8=", "0.125", ["/ 8", "1"]),
    ("9999999999999999+1=", "1e16", ["+ 1", "9999999999999999"]), ("9999999999999999*9999999999999999=", "9.999999999999998e31", ["* 9999999999999999", "9999999999999999"]),
    ("1/10000000=", "1e-7", ["/ 10000000", "1"]), ("1/1000000=", "0.000001", ["/ 1000000", "1"]), ("0.0000001+", "1e-7", ["1e-7"]), ("3-3=", "0", ["- 3", "3"]),
    ("0-3*0=", "0", ["* 0", "- 3", "0"]), ("100+", "100", ["100"]), ("1.000+", "1", ["1"]), ("5+0=", "5", ["+ 0", "5"]), ("5+0", "0", ["5"]), ("5=0", "0", ["5"]), ("5=07", "7", ["5"]),
])
def test_the_table_of_keys(c, keys, shows, rows):
    type_keys(c, keys)
    assert led(c) == shows and texts(c) == rows


@pytest.mark.parametrize("seed", range(12))
def test_random_keys_agree_with_the_oracle(daemon, seed):
    dice = random.Random(seed)
    c = daemon.connect()
    picture, prompter, oracle = Picture(c, "calculator"), Picture(c, "prompter"), Oracle()
    pressed = ""
    for _ in range(250):
        kind = dice.random()
        if kind < 0.06 and oracle.rows:
            oracle.undo()
            c.call("calculator.undo")
            pressed += "U"
        elif kind < 0.07 and not oracle.is_initial:
            oracle.__init__()
            c.call("calculator.clear")
            prompter.take()
            prompter.events.clear()
            pressed += " C "
        else:
            key = dice.choice("0123456789000.." if dice.random() < 0.65 else "+-*/=*/")
            oracle.press(key)
            c.call(dice.choice(["keypad.press", "calculator.press"]), [key])
            pressed += key
        values = picture.take()
        rows = [row["text"] for row in values["operations"]]
        assert (values["led"], rows) == (oracle.led, oracle.texts), pressed
        assert values["undo.enabled"] == bool(oracle.rows) and values["clear.enabled"] == (not oracle.is_initial), pressed
        prompter.take()
        assert len(prompter.events) == oracle.hints, pressed


def test_tiny_results_become_zero(c):
    type_keys(c, "1" + "/1000000000000000" * 7 + "=")
    assert led(c) == "0"


def test_negative_halves_round_away_from_zero(c):
    oracle = Oracle()
    keys = "0-1000000000000001/2="
    for key in keys:
        oracle.press(key)
    type_keys(c, keys)
    assert led(c) == oracle.led == "-500000000000000.5"
    type_keys(c, "/10=")
    assert led(c) == "-50000000000000.05"
    keys = "1000000000000001*5/100000000000000000="
    for key in keys:
        oracle.press(key)
    type_keys(c, keys)
    assert led(c) == oracle.led


# Frames, two ViewModels, undo, clear

def test_led_and_operations_change_in_one_frame(c):
    picture = Picture(c, "calculator", outputs=["led", "operations", "undo.enabled", "clear.enabled"])
    c.call("keypad.press", ["1"])
    c.call("keypad.press", ["+"])
    c.call("calculator.undo")
    picture.take()
    assert [f["values"].keys() for f in picture.frames] == [{"led", "clear.enabled"}, {"operations", "undo.enabled"}, {"led", "operations", "undo.enabled", "clear.enabled"}]


def test_two_view_models_and_two_clients_show_one_brain(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    picture = Picture(b, "calculator")
    type_keys(a, "1", "keypad")
    type_keys(b, "2", "calculator")
    type_keys(a, "+3=", "keypad")
    picture.until(lambda v: v["led"] == "15")
    assert daemon.connect().value("calculator", "led") == "0", "each session has a brain of its own"


@pytest.mark.parametrize("keys, shows, rows", [
    ("2+3=", "2", ["2"]), ("2+3*4=", "5", ["+ 3", "2"]), ("12", None, None), ("5=7=", "5", ["5"]), ("5=7=+1=", "7", ["7", "5"]), ("2+3", "0", []), ("8+", "0", []),
])
def test_undo_takes_the_newest_operation_back(c, keys, shows, rows):
    type_keys(c, keys)
    if shows is None:
        c.refused("calculator.undo", code=-32002)
        return
    assert c.call("calculator.undo") is None
    assert led(c) == shows and texts(c) == rows
    type_keys(c, "+1=")
    assert led(c) == str(int(shows) + 1)


def test_clear_makes_all_initial(c):
    before = c.values("calculator")
    type_keys(c, "2+3=+7")
    assert c.call("calculator.clear") is None
    assert c.values("calculator") == before
    c.refused("calculator.clear", code=-32002)


def test_ids_of_operations_are_never_used_twice(c):
    type_keys(c, "1+2+3+")
    first = [row["id"] for row in c.value("calculator", "operations")]
    assert first == sorted(first, reverse=True) and all(type(id) is int for id in first)
    c.call("calculator.undo")
    type_keys(c, "+9=")
    assert c.value("calculator", "operations")[0]["id"] not in first


# History

def test_the_newest_1000_operations_are_kept(c):
    type_keys(c, "1" + "+1" * 1299 + "=")
    rows = c.value("calculator", "operations")
    assert led(c) == "1300" and len(rows) == 1000 and {row["text"] for row in rows} == {"+ 1"}
    for _ in range(1000):
        c.notify("calculator.undo")
    assert led(c) == "300", "older results stay in the running result"
    c.refused("calculator.undo", code=-32002)
    type_keys(c, "+5=")
    assert led(c) == "305"


def test_history_is_restored_with_its_bound(own, name):
    daemon = own()
    c = daemon.connect(name)
    type_keys(c, "1" + "+1" * 1099 + "=")
    c.call("calculator.undo")
    daemon.restart(hard=True)
    c = daemon.connect(name)
    assert led(c) == "1099" and len(c.value("calculator", "operations")) == 999
    type_keys(c, "+1=+1=")
    assert led(c) == "1101" and len(c.value("calculator", "operations")) == 1000


def test_typing_is_restored(own, name):
    daemon = own({"session": {"saveIntervalMilliseconds": 0}})
    c = daemon.connect(name)
    type_keys(c, "2+3*4.5")
    values = c.values("calculator", "led", "operations", "undo.enabled", "clear.enabled")
    daemon.restart()
    c = daemon.connect(name)
    assert c.values("calculator", *values) == values
    type_keys(c, "=")
    assert led(c) == "22.5"
