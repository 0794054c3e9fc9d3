"""Each row of the tables in `scenarios/`."""
import pytest
from daemons import Daemon, root_only
from scenarios import FOLDER, Run, difference, rows, value_of

ROWS = [pytest.param(row, id=repr(row), marks=[root_only] if path.stem == "users" else [])
        for path in sorted(FOLDER.glob("*.txt")) for row in rows(path)]


@pytest.fixture(scope="module")
def shared_daemon(request):
    """Users of the machine reach it: `daemon` may act, `bin` may observe, `sys` is an administrator."""
    access = [{"user": user, "scope": scope} for user, scope in (("daemon", "act"), ("bin", "observe"), ("sys", "admin"))]
    daemon = Daemon({"access": access}, shared=True)
    request.addfinalizer(daemon.discard)
    return daemon.start()


@pytest.mark.parametrize("row", ROWS)
def test_a_row(row, daemon, own):
    Run(row, daemon, own).run()


@pytest.mark.parametrize("pattern, value, fits", [
    ('{"a": 1}', {"a": 1, "b": 2}, False), ('{"a": 1, ...}', {"a": 1, "b": 2}, True), ("[1, ...]", [1, 2], True), ("[1]", [1, 2], False),
    ("true", 1, False), ("_", None, True), ('~"bc"', "abcd", True), ('~"x"', "abcd", False), ("[$x, $x]", [1, 2], False), ('"y"*3', "yyy", True),
])
def test_a_pattern(pattern, value, fits):
    assert (difference(value_of(pattern, {}), value, {}) is None) == fits
