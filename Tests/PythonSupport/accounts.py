"""Steps that the tests about accounts and outboxes share."""
from web import JSONBackend

NICKNAME, ACCOUNT, PASSWORD = "Bo", "bo-peep", "lost-her-sheep-42"


def register(client, account=ACCOUNT, password=PASSWORD, nickname=NICKNAME):
    return client.call("login.register", {"account": account, "password": password, "nickname": nickname})


def type_in(client, account=ACCOUNT, password=PASSWORD):
    client.call("login.account", [account])
    client.call("login.password", [password])


def sign_in(client, account="ali", password=JSONBackend.PASSWORD, patience=None):
    type_in(client, account, password)
    return client.call("login.submit", patience=patience)


def add(client, text) -> str:
    """Adds a message to the outbox, and returns its id."""
    client.call("sendList.draft", [text])
    return client.call("sendList.add")["id"]


def top_scene(client) -> str:
    return client.value("coordinator", "scenes")[-1]["scene"]
