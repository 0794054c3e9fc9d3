"""Secrets are shown, logged and stored nowhere. `ErasureTests` have what is unreadable after it was removed."""
import os

import pytest
from accounts import ACCOUNT, PASSWORD, add, register, sign_in, type_in
from picture import Picture
from web import Answer, JSONBackend, OAuthIssuer, oauth_config

LOUD = ("--log-level", "trace")
WRONG = "wr0ng-pässword-77"


def nowhere(daemon, *secrets, client=None, files=()):
    """The secrets are not on disk, in the log, in further files or in what the client has received."""
    daemon.connect("desk").call("coordinator.open", {"scene": "help"})       # all that came before is saved
    places = {"the state directory": daemon.on_disk(), "the log": daemon.log_file.read_bytes(),
              "the wire": bytes(client.transcript) if client else b"", "a file": b"".join(file.read_bytes() for file in files)}
    for secret in secrets:
        for text in (secret.encode(), secret.encode("unicode_escape"), secret.encode("utf-16-le")):
            assert not [place for place, content in places.items() if text in content], secret


def watch_all(client):
    for id in ("login", "mine", "mine.header", "sendList", "prompter", "coordinator", "daemon"):
        Picture(client, id)


MISTAKES = [
    ("login.submit", {"password": WRONG}), ("login.submit", [WRONG]), ("login.account", {"password": WRONG}),
    ("login.password", {"value": WRONG, "more": 1}),
    ("login.password", {"value": [WRONG]}), ("login.password", {"wert": WRONG}), ("login.password", ["a", WRONG]),
    ("login.pasword", {"value": WRONG}),
    ("login.register", {"account": "x", "password": WRONG}), ("login.register", {"account": ACCOUNT, "password": WRONG}),
    ("login.register", {"account": "new-account", "password": {"a": WRONG}}), ("login.register", {"account": [WRONG], "password": "x"}),
    ("login.register", {"account": "a", "passwort": WRONG}),
]
BROKEN = ['{"jsonrpc":"2.0","id":1,"method":"login.password","params":["%s"]', '{"jsonrpc":"2.0","id":1,"method":"login.password","params":["%s"]}}',
          '{"jsonrpc":"1.0","id":1,"method":"login.password","params":["%s"]}', '[{"jsonrpc":"2.0","method":"login.password","params":["%s"]},1']


def test_a_password_is_nowhere_whatever_is_done_with_it(own, tmp_path):
    daemon = own({"session": {"saveIntervalMilliseconds": 10}}, *LOUD, "--record", str(tmp_path / "records"))
    c = daemon.connect("desk")
    watch_all(c)
    register(c)
    for method, params in MISTAKES:
        c.refused(method, params)
    for text in BROKEN:
        c.send_text(text % WRONG)
        c.answer()
    c.call("login.password", {"value": WRONG, "_meta": {"key": "k"}})
    c.ask("login.register", {"account": "key-account", "password": WRONG, "_meta": {"key": "k"}})
    type_in(c, ACCOUNT, WRONG)
    c.refused("login.submit")
    sign_in(c, ACCOUNT, PASSWORD)
    nowhere(daemon, WRONG, PASSWORD, client=c)
    assert daemon.stop() == 0
    record, = (tmp_path / "records").iterdir()
    assert record.stat().st_mode & 0o777 == 0o600 and b"login.password" in record.read_bytes()
    daemon.start()
    nowhere(daemon, WRONG, PASSWORD, files=[record])
    assert ACCOUNT.encode() in daemon.on_disk(), "the account itself is stored"


def test_a_token_of_the_http_backend_is_nowhere(own, backend):
    daemon = own({"account": {"provider": "http", "url": backend.url}}, *LOUD)
    c = daemon.connect("desk")
    watch_all(c)
    type_in(c, "ali", WRONG)
    c.refused("login.submit")
    sign_in(c)
    token = next(iter(backend.tokens))
    add(c, "x")
    c.call("sendList.send")
    assert backend.asked("/messages")[0].bearer == token
    nowhere(daemon, token, JSONBackend.PASSWORD, WRONG, client=c)
    backend.set("/auto_login", Answer(500, {"status": "error", "error_desc": token}))
    c.refused("mine.refresh")
    nowhere(daemon, token)


def test_tokens_of_an_issuer_and_a_client_secret_are_nowhere(own, issuer, tmp_path):
    file = tmp_path / "secret"
    file.write_text("cl1ent-s3cret\n")
    file.chmod(0o600)
    daemon = own(oauth_config(issuer, clientSecretFile=str(file)), *LOUD)
    c = daemon.connect("desk")
    watch_all(c)
    issuer.granted = True
    assert c.call("login.signInWithDevice")["account"] == "ali"
    issuer.access.clear()
    c.call("mine.refresh")
    tokens = [f"acc-{n}-e5b1c0ffee" for n in (1, 2)] + [f"ref-{n}-decafbad" for n in (1, 2)] + ["dev-c0de-5ecret"]
    c.call("login.signOut")
    sign_in(c)
    nowhere(daemon, OAuthIssuer.PASSWORD, *tokens, "acc-3-e5b1c0ffee", "cl1ent-s3cret", client=c)


@pytest.mark.parametrize("content, mode, words", [
    ("cl1ent-s3cret\n", 0o644, ["chmod 600"]), ("cl1ent-s3cret\n", 0o606, ["chmod 600"]), (None, 0, []), (" \n", 0o600, []), ("x" * 5000, 0o600, []),
    (os.mkdir, 0o700, ["is not a regular file"]), (os.mkfifo, 0o600, ["is not a regular file"]),
])
def test_a_client_secret_that_cannot_be_used_ends_the_start(own, issuer, tmp_path, content, mode, words):
    file = tmp_path / "secret"
    if content is not None:
        content(file) if callable(content) else file.write_text(content)
        file.chmod(mode)
    daemon = own(oauth_config(issuer, clientSecretFile=str(file)), start=False).launch()
    assert daemon.process.wait(30) == 78
    assert all(word in daemon.log for word in ["account.oauth.clientSecretFile", str(file), *words])
    assert "cl1ent-s3cret" not in daemon.log and "NSError" not in daemon.log
