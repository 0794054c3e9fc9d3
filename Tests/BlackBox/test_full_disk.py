"""A disk without space: calls that must write are -32000 `storeUnavailable`, and the log has one line about it."""
import os
import subprocess

import pytest
from accounts import ACCOUNT, PASSWORD, register, sign_in, type_in
from wire import wait_until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a tmpfs needs root")


class SmallDisk:
    """A daemon whose state directory is a tmpfs of 4 MiB."""

    def __init__(self, daemon):
        self.daemon = daemon
        daemon.state.mkdir(mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "small", daemon.state], check=True)
        self.filler = daemon.state / "filler"

    def fill(self, client):
        """Fills the disk, and the free pages of the database with items."""
        with open(self.filler, "ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    pass
        for size in (50_000, 1_000, 1):
            while True:
                client.call("sendList.draft", ["x" * size])
                if "error" in client.ask("sendList.add"):
                    break

    def empty(self):
        self.filler.unlink()

    def discard(self):
        if self.daemon.is_alive:
            self.daemon.process.kill()
            self.daemon.process.wait()
        subprocess.run(["umount", "-l", self.daemon.state], check=False)


@pytest.fixture
def small(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 50}, "limits": {"outboxItemsPerUser": 100_000}}, start=False)
    disk = SmallDisk(daemon)
    try:
        daemon.start()
        yield disk
    finally:
        disk.discard()


def test_each_call_that_must_write_says_that_the_store_is_unavailable(small):
    daemon = small.daemon
    named, c = daemon.connect("desk"), daemon.connect()
    register(c)
    named.call("calculator.press", ["7"])
    named.call("calculator.press", ["+"])
    saved = daemon.connect("saved", linger=0)
    saved.call("calculator.press", ["7"])
    saved.call("calculator.clear")
    saved.close()
    c.call("sendList.draft", ["removed later"])
    removed = c.call("sendList.add")["id"]
    small.fill(c)
    start = len(daemon.log)

    for _ in range(6):
        other = daemon.connect()
        other.call("sendList.draft", ["y" * 50_000])
        assert other.fails("sendList.add", name="storeUnavailable")["retryable"] is True
    for number in range(200):
        reply = c.ask("login.register", {"account": f"other-{number}-" + "a" * 50, "password": PASSWORD, "nickname": "n" * 1000})
        if "error" in reply:
            break
    assert reply["error"]["code"] == -32000 and reply["error"]["data"]["error"] == "storeUnavailable", reply
    type_in(c)
    error = c.refused("login.submit", code=-32000)
    assert error["data"]["error"] == "storeUnavailable" and error["data"]["retryable"] is True, error
    assert c.value("login", "state") == "signedOut"
    named.call("sendList.draft", ["n" * 60_000])
    assert named.refused("calculator.undo", code=-32000)["data"]["error"] == "storeUnavailable"
    assert c.refused("session.close", {"session": "saved"}, -32000)["data"]["error"] == "storeUnavailable"
    assert c.value("daemon", "storage")["healthy"] is False
    c.call("sendList.remove", [removed])
    c.fails("sendList.add", name="storeUnavailable")
    assert removed not in [item["id"] for item in c.value("sendList", "items")]

    lines = daemon.log[start:].splitlines()
    assert not lines, "a refused call adds no line"
    assert daemon.log.count("cannot be written") == 1 and "incident" not in daemon.log, daemon.log

    small.empty()
    wait_until(lambda: "result" in c.ask("sendList.add"), "an item on the disk")
    assert removed not in [item["id"] for item in c.value("sendList", "items")]
    assert sign_in(c, ACCOUNT, PASSWORD)["account"] == ACCOUNT
    assert c.call("session.close", {"session": "saved"}) is None
    assert daemon.log.count("can be written again") == 1
    daemon.survived()
