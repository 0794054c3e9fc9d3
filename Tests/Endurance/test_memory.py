"""Clients come and go. What they leave in the daemon's memory does not grow with their number."""
from __future__ import annotations

import time

import pytest

from endurance import FULL, connect, eventually, figure, message

# What the allocator keeps for itself.
SLACK = 16.0


def growth(daemon, act, rounds):
    """How many MiB of anonymous memory the second half of the rounds added."""
    readings = []
    for _ in range(2):
        for number in range(rounds):
            act(len(readings) * rounds + number)
        assert eventually(lambda: daemon.level()["sessions"] <= 1, 20)
        time.sleep(0.5)
        readings.append(daemon.memory())
    return readings[1] - readings[0]


@pytest.mark.limit(120)
def test_hang_ups_with_unread_frames_leave_nothing(launch):
    """A client binds, brings about frames of 80 kB and hangs up without reading them."""
    daemon = launch()
    texts = b"".join(message("lab.echo", [f"{number}" + "e" * 80_000]) for number in range(5))

    def hang_up(_):
        end = connect(daemon.path)
        end.settimeout(0.4)
        try:
            end.sendall(message("viewModel.bind", {"id": "lab"}, 1) + texts)
        except (TimeoutError, OSError):
            pass
        end.close()

    rounds = 1000 if FULL else 250
    grown = growth(daemon, hang_up, rounds)
    figure(f"{rounds} hang-ups with unread frames of 80 kB: memory {grown:+.1f} MiB")
    assert grown < SLACK


@pytest.mark.limit(120)
def test_saved_sessions_leave_nothing(launch):
    """A named session saves a draft of 60 kB and ends with its client."""
    daemon = launch()

    def come_and_go(number):
        with daemon.client(f"desk-{number}", linger=0) as client:
            client.result("sendList.draft", ["d" * 60_000])

    rounds = 1000 if FULL else 300
    grown = growth(daemon, come_and_go, rounds)
    figure(f"{rounds} named sessions that saved 60 kB: memory {grown:+.1f} MiB")
    assert grown < SLACK
