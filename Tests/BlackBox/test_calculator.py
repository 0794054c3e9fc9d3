"""REFERENCE, calculator and keypad. `ReferenceViewModelsTests` compare random keys with another calculator."""
import pytest
from picture import Picture

TABLE = [
    # keys, the LED, the rows
    ("", "0", []), ("0", "0", []), ("007", "7", []), (".", "0.", []), ("..5", "0.5", []), ("1.2.3", "1.23", []), ("1.50", "1.50", []),
    ("12345678901234567", "1234567890123456", []), ("0.12345678901234567", "0.1234567890123456", []), ("12+", "12", ["12"]), ("12+3", "3", ["12"]),
    ("12+3=", "15", ["+ 3", "12"]), ("2+3*4=", "20", ["* 4", "+ 3", "2"]), ("0.1+0.2=", "0.3", ["+ 0.2", "0.1"]), ("1.50+", "1.5", ["1.5"]),
    ("5=", "5", ["5"]), ("=", "0", []), ("+", "0", ["0"]), ("-5=", "-5", ["- 5", "0"]), ("5+-3=", "2", ["- 3", "5"]), ("5+=", "5", ["5"]),
    ("5=+3=", "8", ["+ 3", "5"]), ("2+3=7", "7", ["+ 3", "2"]), ("2+3=7+1=", "8", ["+ 1", "7", "+ 3", "2"]), ("5=0", "0", ["5"]),
    ("2/3=", "0.6666666666666667", ["/ 3", "2"]), ("9999999999999999+1=", "1e16", ["+ 1", "9999999999999999"]),
    ("1/10000000=", "1e-7", ["/ 10000000", "1"]),
    ("1/1000000=", "0.000001", ["/ 1000000", "1"]), ("8/0=", "8", ["8"]), ("8/0+1=", "9", ["+ 1", "8"]), ("5+3/0=", "8", ["+ 3", "5"]),
    ("0-1000000000000001/2=", "-500000000000000.5", ["/ 2", "- 1000000000000001", "0"]),
    ("1" + "/1000000000000000" * 7 + "=", "0", ["/ 1000000000000000"] * 7 + ["1"]),
    ("2+3=U", "2", ["2"]), ("5=7=U", "5", ["5"]), ("2+3U", "0", []), ("2+3=U+1=", "3", ["+ 1", "2"]), ("2+3=C", "0", []),
]


def press(c, keys, instance="calculator"):
    """Types keys. U is undo, C is clear."""
    for key in keys:
        c.notify(*({"U": ("calculator.undo",), "C": ("calculator.clear",)}.get(key) or (f"{instance}.press", [key])))
    c.round_trip()


def shown(c):
    values = c.values("calculator", "led", "operations")
    return values["led"], [row["text"] for row in values["operations"]]


@pytest.mark.parametrize("instance", ["keypad", "calculator"])
def test_an_unknown_key_is_refused_with_the_allowed_ones(c, instance):
    for key in ("", "x", "12", "é", "=\n", "٣", 5):
        data = c.refused(f"{instance}.press", [key], -32602)["data"]
        assert data["path"] == "/0" and all(allowed in data["expected"] for allowed in "0123456789.+-*/=")
    assert shown(c) == ("0", [])


@pytest.mark.parametrize("keys, led, rows", TABLE)
def test_the_table_of_keys(c, keys, led, rows):
    prompter = Picture(c, "prompter")
    press(c, keys)
    assert shown(c) == (led, rows)
    enabled = c.values("calculator", "undo.enabled", "clear.enabled")
    assert enabled == {"undo.enabled": bool(rows), "clear.enabled": bool(rows) or led != "0"}
    prompter.now()
    assert [value["level"] for _, value in prompter.events] == ["error"] * ("/0" in keys)


def test_a_result_of_ten_to_the_hundred_is_refused(c):
    prompter = Picture(c, "prompter")
    press(c, "1000000000000000" + "*1000000000000000" * 5 + "*9999999999=" + "*10+")
    assert shown(c)[0] == "9.999999999e99" and prompter.event("hint")["level"] == "error"


def test_led_and_operations_change_in_one_frame(c):
    picture = Picture(c, "calculator", outputs=["led", "operations", "undo.enabled", "clear.enabled"])
    for call in (("keypad.press", ["1"]), ("keypad.press", ["+"]), ("calculator.undo",)):
        c.call(*call)
    picture.take()
    everything = {"led", "operations", "undo.enabled", "clear.enabled"}
    assert [frame["values"].keys() for frame in picture.frames] == [{"led", "clear.enabled"}, {"operations", "undo.enabled"}, everything]


def test_the_newest_1000_operations_are_kept_and_come_back(own):
    daemon = own()
    c = daemon.connect("desk")
    press(c, "1" + "+1" * 1099 + "=", "keypad")
    ids = [row["id"] for row in c.value("calculator", "operations")]
    assert shown(c) == ("1100", ["+ 1"] * 1000) and ids == sorted(set(ids), reverse=True)
    c.call("calculator.undo")
    daemon.restart(hard=True)
    c = daemon.connect("desk")
    assert shown(c) == ("1099", ["+ 1"] * 999)
    press(c, "+1=" + "U" * 1000)
    assert shown(c) == ("100", []), "older results stay in the running result"
    c.refused("calculator.undo", code=-32002)
    press(c, "+5=")
    assert shown(c)[0] == "105" and c.value("calculator", "operations")[0]["id"] not in ids
