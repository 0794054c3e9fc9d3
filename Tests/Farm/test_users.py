"""What belongs to a user, and not to a session, is the same on all nodes: the account and the outbox."""
import time

import pytest
from accounts import sign_in, type_in
from farm import SPEED, Within
from picture import Picture
from wire import wait_until

SOON = 1.0
"""Seconds for a change on one node to be seen on the others."""
POLL = 6.5
"""Seconds for a change whose notification is lost. The nodes look for missed changes every 5."""
ACCOUNT, PASSWORD = "bo-peep", "lost-her-sheep-42"


@pytest.fixture
def clients(farm):
    """A client on each node."""
    clients = {node.name: node.connect() for node in farm}
    yield clients
    watching = {node: node.connect() for node in farm}

    def all_signed_out():
        signed_in = [client for client in watching.values() if client.value("login", "state") == "signedIn"]
        for client in signed_in[:1]:
            client.ask("login.signOut")
        return not signed_in
    # A sign-in of a moment ago may not be known on all nodes.
    time.sleep(SOON * SPEED)
    wait_until(all_signed_out, "the sign-out", POLL * SPEED, pause=0.1)


@pytest.fixture
def account(farm, clients):
    client = clients["c"]
    if "error" in client.ask("login.register", {"account": ACCOUNT, "password": PASSWORD, "nickname": "Bo"}):
        assert client.fails("login.register", {"account": ACCOUNT, "password": PASSWORD}, "accountTaken")
    return ACCOUNT, PASSWORD


def all_show(pictures, condition, what, seconds=SOON):
    with Within(seconds, what) as limit:
        for picture in pictures.values():
            picture.until(condition, what, limit.left + 2)


def test_sign_in_and_sign_out_are_seen_everywhere(clients, account, figure):
    logins = {node: Picture(client, "login", outputs=["state", "user"]) for node, client in clients.items()}
    headers = {node: Picture(client, "mine.header", outputs=["nickname"]) for node, client in clients.items()}
    type_in(clients["a"], *account)
    clients["a"].call("login.submit", patience=60)
    all_show(logins, lambda v: v["state"] == "signedIn" and v["user"]["account"] == ACCOUNT, "the sign-in on all nodes")
    all_show(headers, lambda v: v["nickname"] == "Bo", "the nickname on all nodes")
    clients["b"].call("login.signOut")
    all_show(logins, lambda v: v["state"] == "signedOut" and v["user"] is None, "the sign-out on all nodes")
    # From another node than the one that signed in first.
    sign_in(clients["c"], *account, patience=60)
    all_show(logins, lambda v: v["state"] == "signedIn", "the second sign-in on all nodes")


def test_messages_are_seen_everywhere(clients, account, name):
    lists = {node: Picture(client, "sendList", outputs=["items"]) for node, client in clients.items()}

    def find(values, text):
        return next((item for item in values["items"] if item["text"] == text), None)
    for node, client in clients.items():
        text = f"{name}-{node}"
        client.call("sendList.draft", [text])
        added = client.call("sendList.add")["id"]
        all_show(lists, lambda v: find(v, text) and find(v, text)["id"] == added, f"the item of {node} on all nodes")
    orders = {node: [item["id"] for item in picture.now()["items"]] for node, picture in lists.items()}
    assert orders["a"] == orders["b"] == orders["c"]
    clients["b"].call("sendList.remove", [find(lists["b"].values, f"{name}-a")["id"]])
    all_show(lists, lambda v: not find(v, f"{name}-a"), "the removal on all nodes")
    sign_in(clients["c"], *account, patience=60)
    wait_until(lambda: clients["b"].value("sendList", "send.enabled"), "the sign-in", SOON * SPEED)
    assert clients["b"].call("sendList.send", patience=60)["failed"] == 0
    all_show(lists, lambda v: all(find(v, f"{name}-{node}")["status"] == "sent" for node in "bc"), "the delivery on all nodes")
