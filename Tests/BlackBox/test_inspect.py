"""`viewmodelctl inspect`: gateways of one person, without a daemon and for several."""
import json
import os
import signal
import socket
import struct
import subprocess
from pathlib import Path

import pytest
from daemons import CTL, clean_environment, needs_ctl
from gateways import needs_gateway
from wire import connected

pytestmark = [needs_ctl, needs_gateway]
#: The runtime directory of root is below /run, so root tests as another user.
USER = "nobody" if os.geteuid() == 0 else None


@pytest.fixture
def inspect(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspect")
    if USER:
        for one in (folder, *folder.parents[:3]):
            one.chmod(0o755)
        subprocess.run(["chown", USER, folder], check=True)

    def run(daemon):
        environment = clean_environment(folder, XDG_RUNTIME_DIR=str(folder))
        return subprocess.run([*CTL, "inspect", "--print", "--output", "json", "--socket", daemon], env=environment, user=USER, capture_output=True, text=True, timeout=60)
    yield run
    for control in Path(folder).rglob("viewmodel-gateway.sock"):
        with connected(control) as connection:
            pid, *_ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        os.kill(pid, signal.SIGTERM)


def test_two_daemons_are_inspected_side_by_side_and_a_missing_one_is_a_warning(inspect, tmp_path):
    one, other = [str(tmp_path / name) for name in ("one.sock", "other.sock")]
    replies = [inspect(daemon) for daemon in (one, other, one, other)]
    origins = [json.loads(reply.stdout)["url"].split("#")[0] for reply in replies]
    assert origins[:2] == origins[2:] and origins[0] != origins[1]
    assert all(f"warning: no daemon answers at {daemon}" in reply.stderr for daemon, reply in zip((one, other), replies))
