"""PROTOCOL section 4 and CONFIGURATION `access`: users, scopes, and an administrator among the sessions of others."""
import pwd

import pytest
from daemons import Daemon, root_only
from picture import Picture
from wire import Client, wait_until

pytestmark = root_only
ROOT, ACTOR, OBSERVER, ADMIN, STRANGER = 0, 1, 2, 3, 65534
ACCESS = [{"user": pwd.getpwuid(ACTOR).pw_name, "scope": "act"}, {"user": pwd.getpwuid(OBSERVER).pw_name, "scope": "observe"},
          {"user": pwd.getpwuid(ADMIN).pw_name, "scope": "admin"}]


@pytest.fixture(scope="module")
def _shared_daemon():
    daemon = Daemon({"access": ACCESS}, shared=True)
    yield daemon
    daemon.discard()


# Refusals

def test_a_user_without_access_gets_one_line_and_the_end(daemon):
    c = Client(daemon.socket, uid=STRANGER)
    answer = c.answer()
    assert answer["id"] is None and answer["error"]["code"] == -32005 and answer["error"]["data"]["reason"]
    assert c.ends() and c.answers == []


@pytest.mark.parametrize("method, params", [
    ("lab.set", [1]), ("lab.trap", []), ("calculator.press", ["1"]), ("coordinator.open", {"scene": "help"}), ("login.account", ["x"]), ("prompter.answer", {"id": "1"}),
    ("viewModel.open", {"type": "lab"}), ("viewModel.close", {"id": "lab"}), ("session.close", {}), ("lab.append", {"value": 1}),
])
def test_an_observer_changes_nothing(daemon, method, params):
    c = daemon.connect(uid=OBSERVER)
    c.values("lab")
    before = c.values("lab")
    assert c.refused(method, params, -32005)["data"]["reason"]
    assert c.values("lab") == before


def test_an_observer_reads_binds_and_discovers(daemon, name):
    c = daemon.connect(uid=OBSERVER)
    c.values("calculator")
    Picture(c, "lab")
    c.call("viewModel.list")
    c.call("rpc.discover")
    c.call("session.list")
    c.attach(name)


@pytest.mark.parametrize("uid", [ACTOR, OBSERVER])
@pytest.mark.parametrize("method, params", [
    ("session.attach", {"session": "x", "uid": ROOT}), ("session.attach", {"session": "x", "uid": STRANGER}), ("session.close", {"session": "x", "uid": ROOT}),
    ("session.list", {"all": True}),
])
def test_only_an_administrator_may_name_another_user(daemon, uid, method, params):
    daemon.connect("x")
    c = daemon.connect(uid=uid)
    c.refused(method, params, -32005)


@pytest.mark.parametrize("uid", [ACTOR, ROOT, ADMIN])
def test_another_users_session_does_not_exist(daemon, name, uid):
    """A name is looked up among the caller's own sessions, also by administrators."""
    owner = ROOT if uid != ROOT else ACTOR
    its = daemon.connect(name, uid=owner)
    its.call("lab.set", [5])
    c = daemon.connect(uid=uid)
    error = c.refused("session.close", {"session": name}, -32004)
    assert name not in error["data"].get("suggestions", []), "the name of another's session is not told"
    assert name not in [s["session"] for s in c.call("session.list")["sessions"]]
    assert c.attach(name)["created"] is True
    assert c.value("lab", "value") == 0 and its.value("lab", "value") == 5


@pytest.mark.parametrize("uid", [ROOT, ADMIN])
@pytest.mark.parametrize("method", ["session.attach", "session.close"])
def test_an_administrator_gets_nothing_created(daemon, name, uid, method):
    c = daemon.connect(uid=uid)
    assert c.refused(method, {"session": name, "uid": ACTOR}, -32004)["data"]["session"] == name
    assert daemon.connect(uid=ACTOR).attach(name)["created"] is True


def test_an_own_saved_session_goes_before_a_living_one_of_another(daemon, name):
    mine = daemon.connect(name, linger=0)
    mine.call("sendList.draft", ["root's own"])
    mine.close()
    wait_until(lambda: all(s["session"] != name for s in daemon.connect().call("session.list")["sessions"]))
    theirs = daemon.connect(name, uid=ACTOR)
    theirs.call("sendList.draft", ["somebody else's"])
    again = daemon.connect()
    reply = again.attach(name)
    assert reply["created"] is True and reply["restored"] is True
    assert again.value("sendList", "draft") == "root's own"
    again.call("sendList.draft", ["typed by root"])
    assert theirs.value("sendList", "draft") == "somebody else's"


# What administrators can do

@pytest.mark.parametrize("uid", [ROOT, ADMIN])
def test_an_administrator_joins_a_living_session(daemon, name, uid):
    owner = daemon.connect(name, uid=ACTOR)
    owner.call("lab.set", [5])
    picture = Picture(owner, "lab")
    c = daemon.connect(uid=uid)
    reply = c.call("session.attach", {"session": name, "uid": ACTOR})
    assert reply["created"] is False and reply["epoch"] == picture.epoch
    assert c.value("lab", "value") == 5
    c.call("lab.set", [6])
    picture.until(lambda v: v["value"] == 6)


def test_an_administrator_restores_a_saved_session_for_its_owner(daemon, name):
    owner = daemon.connect(name, linger=0, uid=ACTOR)
    owner.call("calculator.press", ["7"])
    owner.close()
    root = daemon.connect()
    wait_until(lambda: all(s["session"] != name for s in root.call("session.list", {"all": True})["sessions"]))
    reply = root.call("session.attach", {"session": name, "uid": ACTOR, "linger": 60})
    assert reply["restored"] is True
    assert root.value("calculator", "led") == "7"
    owner = daemon.connect(uid=ACTOR)
    assert owner.attach(name)["created"] is False, "the session belongs to its owner"


def test_an_administrator_closes_living_and_saved_sessions(daemon, name):
    owner = daemon.connect(name, uid=ACTOR)
    root = daemon.connect()
    assert root.call("session.close", {"session": name, "uid": ACTOR}) is None
    assert owner.notification("session.closed") == {"session": name, "reason": "closed"}
    owner.attach(name, linger=0)
    owner.call("calculator.press", ["7"])
    owner.close()
    wait_until(lambda: all(s["session"] != name for s in root.call("session.list", {"all": True})["sessions"]))
    assert root.call("session.close", {"session": name, "uid": ACTOR}) is None
    assert daemon.connect(uid=ACTOR).attach(name)["restored"] is False


def test_a_listing_of_all_has_uids(daemon, name):
    daemon.connect(name)
    daemon.connect(name, uid=ACTOR)
    entries = [s for s in daemon.connect(uid=ADMIN).call("session.list", {"all": True})["sessions"] if s["session"] == name]
    assert sorted(s["uid"] for s in entries) == [ROOT, ACTOR]
    assert all(s.keys() == {"session", "attached", "instances", "created", "expires", "uid"} for s in entries)
    own = [s for s in daemon.connect(uid=ADMIN).call("session.list", {"all": False})["sessions"] if s["session"] == name]
    assert own == []


def test_an_administrator_who_names_the_own_uid(daemon, name):
    c = daemon.connect(uid=ADMIN)
    c.refused("session.attach", {"session": name, "uid": ADMIN}, -32004)
    c.attach(name, linger=5)
    assert daemon.connect(uid=ADMIN).call("session.attach", {"session": name, "uid": ADMIN})["created"] is False


def test_an_administrators_frames_follow_the_owners_steps(daemon, name):
    owner = daemon.connect(name, uid=ACTOR)
    root = daemon.connect()
    root.call("session.attach", {"session": name, "uid": ACTOR})
    picture = Picture(root, "lab")
    for n in range(1, 200):
        owner.notify("lab.set", [n])
        if n % 50 == 0:
            root.call("lab.append", [1])
            owner.round_trip()
    picture.until(lambda v: v["value"] == 199)
    assert picture.values["double"] == 398 and len(picture.values["rows"]) == 3


@pytest.mark.parametrize("ending", ["close", "half", "close at once"])
def test_an_administrator_may_go_at_any_moment(daemon, name, ending):
    owner = daemon.connect(name, uid=ACTOR)
    for _ in range(20):
        root = Client(daemon.socket)
        root.request("session.attach", {"session": name, "uid": ACTOR})
        if ending == "half":
            root.finish_writing()
        elif ending == "close":
            root.answer()
        root.close()
    assert owner.call("lab.set", [1])
    daemon.survived()


def test_limits_are_counted_for_each_user(own):
    daemon = own({"access": ACCESS, "limits": {"connectionsPerUser": 2}}, shared=True)
    first, second = daemon.connect_when_free(uid=ACTOR), daemon.connect_when_free(uid=ACTOR)
    third = Client(daemon.socket, uid=ACTOR)
    assert third.answer()["error"]["data"] == {"limit": "limits.connectionsPerUser", "value": 2}
    assert third.ends()
    daemon.connect(uid=ADMIN).round_trip()
    second.round_trip()
    first.close()
    daemon.connect_when_free(uid=ACTOR)
