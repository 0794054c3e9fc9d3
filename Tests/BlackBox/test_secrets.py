"""Secrets are shown, logged and stored nowhere, and what was removed is unreadable in every file of the state directory."""
import os
import sqlite3
import time

import pytest
from accounts import ACCOUNT, PASSWORD, register, sign_in, sign_in_locally, type_in
from daemons import run_program
from picture import Picture
from web import Answer, JSONBackend, OAuthIssuer, oauth_config
from wire import wait_until

LOUD = ("--log-level", "trace")
WRONG = "wr0ng-pässword-77"


def spellings(secret: str) -> list[bytes]:
    return [secret.encode(), secret.encode("unicode_escape"), secret.encode("utf-16-le")]


def nowhere(daemon, client, *secrets):
    for secret in secrets:
        for text in spellings(secret):
            assert text not in bytes(client.transcript), f"{secret} came over the wire"
            assert text not in daemon.log_file.read_bytes(), f"{secret} is in the log"
            assert text not in daemon.on_disk(log=False), f"{secret} is on disk"


def watch_all(client):
    for id in ("login", "mine", "mine.header", "sendList", "prompter", "coordinator", "daemon"):
        Picture(client, id)


def test_a_password_is_nowhere(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 10}}, *LOUD)
    c = daemon.connect("desk")
    watch_all(c)
    register(c, password=PASSWORD)
    type_in(c, ACCOUNT, WRONG)
    c.refused("login.submit")
    c.refused("login.submit", {"password": WRONG}, -32602)
    c.refused("login.password", {"value": WRONG, "more": 1}, -32602)
    c.refused("login.password", {"value": [WRONG]}, -32602)
    c.refused("login.password", {"wert": WRONG}, -32602)
    c.refused("login.register", {"account": "x", "password": WRONG}, -32602)
    c.refused("login.register", {"account": ACCOUNT, "password": WRONG}, -32000)
    c.refused("login.register", {"account": "new-account", "password": {"a": WRONG}}, -32602)
    c.refused("login.pasword", {"value": WRONG}, -32601)
    c.call("login.password", {"value": WRONG, "_meta": {"key": "k"}})
    c.ask("login.register", {"account": "key-account", "password": WRONG, "_meta": {"key": "k"}})
    sign_in(c, ACCOUNT, PASSWORD)
    time.sleep(0.3)
    nowhere(daemon, c, WRONG, PASSWORD)
    daemon.stop()
    nowhere(daemon, c, WRONG, PASSWORD)


@pytest.mark.parametrize("text", ['{"jsonrpc":"2.0","id":1,"method":"login.password","params":["%s"]', '{"jsonrpc":"2.0","id":1,"method":"login.password","params":["%s"]}}',
                                  '{"jsonrpc":"1.0","id":1,"method":"login.password","params":["%s"]}', '[{"jsonrpc":"2.0","method":"login.password","params":["%s"]},1'])
def test_a_password_in_a_broken_message_is_nowhere(own, text):
    daemon = own(None, *LOUD)
    c = daemon.connect("desk")
    c.send_text(text % WRONG)
    c.answer()
    nowhere(daemon, c, WRONG)


def test_a_token_of_the_http_backend_is_nowhere(own, backend):
    daemon = own({"account": {"provider": "http", "url": backend.url}, "session": {"saveIntervalMilliseconds": 10}}, *LOUD)
    c = daemon.connect("desk")
    watch_all(c)
    type_in(c, "ali", WRONG)
    c.refused("login.submit")
    sign_in(c)
    token = next(iter(backend.tokens))
    c.call("mine.refresh")
    c.call("sendList.draft", ["x"])
    c.call("sendList.add")
    c.call("sendList.send")
    backend.set("/auto_login", Answer(500, {"status": "error", "error_desc": token}))
    c.refused("mine.refresh")
    c.transcript.clear()
    time.sleep(0.2)
    for secret in (token, JSONBackend.PASSWORD, WRONG):
        for text in spellings(secret):
            assert text not in daemon.on_disk(), f"{secret} is on disk or in the log"
    assert backend.asked("/messages")[0].bearer == token


def test_tokens_of_an_issuer_are_nowhere(own, issuer):
    daemon = own(oauth_config(issuer), *LOUD)
    c = daemon.connect("desk")
    watch_all(c)
    issuer.granted = True
    assert c.call("login.signInWithDevice")["account"] == "ali"
    issuer.access.clear()
    c.call("mine.refresh")
    secrets = [f"acc-{n}-e5b1c0ffee" for n in (1, 2)] + [f"ref-{n}-decafbad" for n in (1, 2)] + ["dev-c0de-5ecret"]
    nowhere(daemon, c, *secrets)
    c.call("login.signOut")
    sign_in(c)
    nowhere(daemon, c, OAuthIssuer.PASSWORD, *secrets, "acc-3-e5b1c0ffee")


def test_a_client_secret_is_nowhere(own, issuer, tmp_path):
    file = tmp_path / "secret"
    file.write_text("cl1ent-s3cret\n")
    file.chmod(0o600)
    daemon = own(oauth_config(issuer, clientSecretFile=str(file)), *LOUD)
    c = daemon.connect()
    sign_in(c)
    c.call("login.signOut")
    nowhere(daemon, c, "cl1ent-s3cret")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_client_secret_that_others_can_read_is_refused(own, issuer, tmp_path, mode):
    file = tmp_path / "secret"
    file.write_text("cl1ent-s3cret\n")
    file.chmod(mode)
    daemon = own(oauth_config(issuer, clientSecretFile=str(file)), start=False).launch()
    assert daemon.process.wait(30) == 78
    assert "account.oauth.clientSecretFile" in daemon.log and f"chmod 600 {file}" in daemon.log
    assert "cl1ent-s3cret" not in daemon.log


@pytest.mark.parametrize("content", [None, "", " \n", "x" * 5000])
def test_a_client_secret_that_cannot_be_read_is_named(own, issuer, tmp_path, content):
    file = tmp_path / "secret"
    if content is not None:
        file.write_text(content)
        file.chmod(0o600)
    daemon = own(oauth_config(issuer, clientSecretFile=str(file)), start=False).launch()
    assert daemon.process.wait(30) == 78
    assert "account.oauth.clientSecretFile" in daemon.log and str(file) in daemon.log and "NSError" not in daemon.log


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_client_secret_in_no_regular_file_ends_the_start(own, issuer, tmp_path, make):
    """A FIFO without a writer does not block the start."""
    file = tmp_path / "secret"
    make(file)
    daemon = own(oauth_config(issuer, clientSecretFile=str(file)), start=False).launch()
    assert daemon.process.wait(30) == 78
    assert f"account.oauth.clientSecretFile: {file} is not a regular file" in daemon.log


# What was removed

def test_sign_out_erases_the_account(http_daemon, backend):
    """When the reply of signOut comes, what was fetched is unreadable in every file."""
    c = http_daemon.connect("desk")
    watch_all(c)
    sign_in(c)
    c.call("mine.refresh")
    texts = [backend.PHONE, "Ali Baba", "img.invalid"]
    c.call("login.signOut")
    for text in texts:
        assert text.encode() not in http_daemon.on_disk(log=False), f"{text} is still on disk"


def test_sign_out_erases_after_many_refreshes_and_a_kill(http_daemon, backend):
    c = http_daemon.connect("desk")
    sign_in(c)
    for n in range(20):
        backend.page["user_mobile_mask"] = f"139****{n:04}"
        backend.page["nickname"] = f"Nick-{n:04}-name" + "x" * 500
        c.call("mine.refresh")
    http_daemon.restart(hard=True)
    c = http_daemon.connect("desk")
    Picture(c, "mine").until(lambda v: not v["autoLogin.executing"])
    c.call("login.signOut")
    content = http_daemon.on_disk(log=False)
    assert b"139****" not in content and b"-name" not in content


def test_a_refused_token_erases_the_account(http_daemon, backend):
    c = http_daemon.connect("desk")
    sign_in(c)
    c.call("mine.autoLogin")
    backend.tokens.clear()
    assert c.call("mine.autoLogin") is None
    wait_until(lambda: backend.PHONE.encode() not in http_daemon.on_disk(log=False), "the number's end")


def test_closing_a_session_erases_what_it_saved(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 10}})
    c = daemon.connect("desk")
    for n in range(30):
        c.call("sendList.draft", [f"secret-draft-{n:03}" + "y" * 300])
        time.sleep(0.01)
    daemon.wait_on_disk("secret-draft")
    c.call("session.close")
    assert b"secret-draft" not in daemon.on_disk(log=False), "the draft is still on disk"


def test_closing_a_saved_session_erases_it(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 10}})
    c = daemon.connect("desk", linger=0)
    c.call("sendList.draft", ["secret-draft"])
    c.close()
    c = daemon.connect()
    wait_until(lambda: c.call("session.list") == {"sessions": []} and b"secret-draft" in daemon.on_disk(log=False), "the saved draft")
    c.call("session.close", {"session": "desk"})
    assert b"secret-draft" not in daemon.on_disk(log=False), "the draft is still on disk"


def test_a_local_account_is_stored_as_a_hash_only(own):
    daemon = own()
    c = daemon.connect()
    sign_in_locally(c)
    c.call("login.signOut")
    assert ACCOUNT.encode() in daemon.on_disk(log=False), "the account itself stays"
    assert PASSWORD.encode() not in daemon.on_disk()


# The vault's commands

def vault(daemon, *arguments):
    return run_program("vault", *arguments, "--state-directory", daemon.state, "--config", daemon.folder / "viewmodeld.yaml", home=daemon.folder)


def test_vault_commands_refuse_a_running_daemon(http_daemon):
    for verb in ("rotate", "clear"):
        result = vault(http_daemon, verb)
        assert result.returncode == 73 and str(http_daemon.process.pid) in result.stderr
    http_daemon.survived()


def test_a_rotated_vault_keeps_its_tokens(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    http_daemon.stop()
    key = (http_daemon.state / "vault.key").read_bytes()
    assert vault(http_daemon, "rotate").returncode == 0
    assert (http_daemon.state / "vault.key").read_bytes() != key
    assert key.strip() not in http_daemon.on_disk(log=False), "the former key is gone"
    http_daemon.start()
    assert http_daemon.connect().call("mine.autoLogin") == {"account": "ali", "nickname": "Ali Baba"}


def test_a_cleared_vault_forgets_tokens_whose_key_is_lost(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    http_daemon.stop()
    before = stored_blobs(http_daemon)
    (http_daemon.state / "vault.key").write_text("QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=\n")
    result = vault(http_daemon, "clear")
    assert result.returncode == 0, result
    content = http_daemon.on_disk(log=False)
    assert before and not [blob for blob in before if blob in content], "the encrypted token is still on disk"
    http_daemon.start()
    assert http_daemon.connect().value("login", "state") == "signedOut"


def test_a_cleared_vault_keeps_no_cached_page(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    c.call("mine.refresh")
    http_daemon.stop()
    (http_daemon.state / "vault.key").unlink()
    assert JSONBackend.PHONE.encode() in http_daemon.on_disk(log=False)
    assert vault(http_daemon, "clear").returncode == 0
    content = http_daemon.on_disk(log=False)
    assert JSONBackend.PHONE.encode() not in content and b"Ali Baba" not in content
    http_daemon.start()
    assert http_daemon.connect().value("login", "state") == "signedOut"


def test_a_vault_whose_credential_is_not_at_hand_is_left_alone(own, backend, tmp_path):
    key = tmp_path / "viewmodeld.key"
    key.write_text("QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=\n")
    key.chmod(0o600)
    daemon = own({"account": {"provider": "http", "url": backend.url}}, environment={"CREDENTIALS_DIRECTORY": str(tmp_path)})
    sign_in(daemon.connect())
    daemon.stop()
    before = sorted(path.name for path in daemon.state.iterdir())
    for arguments in (["rotate"], ["clear"], ["adopt", str(key)]):
        result = vault(daemon, *arguments)
        assert result.returncode == 78 and "LoadCredentialEncrypted=viewmodeld.key" in result.stderr, result
        assert sorted(path.name for path in daemon.state.iterdir()) == before
    daemon.environment = {}
    daemon.launch()
    assert daemon.process.wait(20) == 78 and sorted(path.name for path in daemon.state.iterdir()) == before
    daemon.environment = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    daemon.start()
    assert daemon.connect().call("mine.autoLogin") == {"account": "ali", "nickname": "Ali Baba"}


def stored_blobs(daemon) -> list[bytes]:
    """The binary values of tables that belong to the vault."""
    blobs = []
    for file in daemon.state.rglob("*"):
        if file.is_file() and file.read_bytes()[:15] == b"SQLite format 3":
            with sqlite3.connect(file) as db:
                for (table,) in db.execute("select name from sqlite_master where type='table' and (name like '%vault%' or name like '%token%')").fetchall():
                    for row in db.execute(f'select * from "{table}"'):
                        blobs += [bytes(value) for value in row if isinstance(value, bytes) and len(value) > 16]
    return blobs


def test_a_recording_has_no_password(own, tmp_path):
    directory = tmp_path / "records"
    daemon = own(None, *LOUD, "--record", str(directory))
    c = daemon.connect("desk")
    watch_all(c)
    register(c, password=PASSWORD)
    type_in(c, ACCOUNT, WRONG)
    c.refused("login.submit")
    c.refused("login.submit", {"password": WRONG}, -32602)
    c.refused("login.password", {"wert": WRONG}, -32602)
    c.refused("login.register", {"account": "new-account", "password": {"a": WRONG}}, -32602)
    c.refused("login.pasword", {"value": WRONG}, -32601)
    c.send_text('{"jsonrpc":"2.0","id":1,"method":"login.password","params":["%s"]' % WRONG)
    c.answer()
    sign_in(c, ACCOUNT, PASSWORD)
    daemon.stop()
    files = list(directory.iterdir())
    assert len(files) == 1 and files[0].stat().st_mode & 0o777 == 0o600
    text = files[0].read_bytes()
    assert b"login.password" in text and b"secret-" in text
    for secret in (WRONG, PASSWORD):
        for spelling in spellings(secret):
            assert spelling not in text, f"{secret} is in the recording"
