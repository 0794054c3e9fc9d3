"""Clients come and go. What they leave in the daemon's memory does not grow with their number."""
from __future__ import annotations

import pytest
from endurance import FULL, GONE, connected, figure, message

SLACK = 16.0
"""MiB that the allocator keeps for itself."""
TEXTS = b"".join(message("lab.echo", [f"{number}" + "e" * 80_000]) for number in range(5))


def hang_up_with_unread_frames(daemon, _):
    """A client binds, brings about frames of 80 kB and hangs up without reading them."""
    with connected(daemon.socket) as end:
        end.settimeout(0.4)
        try:
            end.sendall(message("viewModel.bind", {"id": "lab"}, 1) + TEXTS)
        except GONE:
            pass


def save_a_session(daemon, number):
    """A named session saves a draft of 60 kB and ends with its client."""
    with daemon.connect(f"desk-{number}", linger=0) as client:
        client.call("sendList.draft", ["d" * 60_000])


@pytest.mark.parametrize("act", [hang_up_with_unread_frames, save_a_session])
def test_clients_leave_nothing(launch, act):
    daemon, readings = launch({"limits": {"savedSessionsPerUser": 10}}), []
    before, rounds = daemon.level(), 1000 if FULL else 250
    for part in range(2):
        for number in range(rounds):
            act(daemon, part * rounds + number)
        daemon.clients.clear()
        daemon.comes_back_to(before)
        readings.append(daemon.memory)
    figure(f"{rounds} times {act.__name__}: memory {readings[1] - readings[0]:+.1f} MiB")
    assert readings[1] - readings[0] < SLACK
