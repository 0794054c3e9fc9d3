"""A restart under hundreds of generated clients in Python and of `viewmodelctl watch --reconnect`, which is a Swift client."""
import contextlib
import json
import socket
import subprocess
import sys
import time

import pytest
from daemons import activated
from endurance import Client, figure
from wire import wait_until

PROCESSES, CLIENTS = 2, 300
"""Generated clients run in two processes, 300 in each."""
WATCHERS = 200
#: The presses of each generated client; the calculator shows 12 digits.
PRESSES = 8

# The program prints {"ready": N}, and at its end [[name, [seconds on the monotonic clock, …], acknowledged, unknown], …].
# A press that the daemon refuses because it shuts down did not run, and is made again.
PYTHON = """
import asyncio, json, sys, time
from viewmodels import OutcomeUnknown, Session, ShuttingDown

async def client(number, ready, go):
    name, back, acknowledged, unknown = f"{sys.argv[4]}-{number}", [], 0, 0
    async with Session(name, socket=sys.argv[1]) as session:
        binding = await session.calculator.bind("led")
        session.on_state.append(lambda state: back.append(time.monotonic()) if state == "connected" else None)
        await ready.acquire()
        await go.wait()
        while acknowledged + unknown < int(sys.argv[3]):
            try:
                await session.calculator.press("1")
                acknowledged += 1
            except OutcomeUnknown:
                unknown += 1
            except ShuttingDown:
                pass
            await asyncio.sleep(0.4)
        picture = await session.calculator.read("led")
        await binding.wait(lambda seen: seen.led == picture.led, timeout=60)
    return name, back, acknowledged, unknown

async def main():
    count = int(sys.argv[2])
    ready, go = asyncio.Semaphore(count), asyncio.Event()
    clients = [asyncio.ensure_future(client(number, ready, go)) for number in range(count)]
    while not ready.locked():
        await asyncio.sleep(0.02)
    print(json.dumps({"ready": count}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    go.set()
    print(json.dumps(await asyncio.gather(*clients)), flush=True)

asyncio.run(main())
"""


@pytest.mark.limit(600)
def test_eight_hundred_clients_are_back_after_a_restart(launch, manager, tmp_path):
    """Each press that was acknowledged is there afterwards, and none was executed twice. The figure says when all are back."""
    listener = socket.socket(socket.AF_UNIX)
    daemon = launch({"limits": {"connectionsPerUser": 4096, "sessionsPerUser": 4096}}, environment=manager.environment, start=False)
    listener.bind(str(daemon.socket))
    listener.listen(4096)
    command = daemon.command()
    del command[command.index("--socket"):command.index("--socket") + 2]
    daemon.command = lambda *more: activated(command, listener)

    def start():
        daemon.launch(pass_fds=[listener.fileno()])
        return manager.starts.get(timeout=120)
    start()
    (tmp_path / "viewmodels.py").write_text(daemon.ctl("generate", "python").stdout)
    (tmp_path / "clients.py").write_text(PYTHON)
    everybody = PROCESSES * CLIENTS + WATCHERS
    with contextlib.ExitStack() as stack:
        stack.callback(listener.close)
        groups = []
        # One process after the other, because a busy machine would not give all clients their first picture in time.
        for number in range(PROCESSES):
            program = [sys.executable, "clients.py", str(daemon.socket), str(CLIENTS), str(PRESSES), f"python-{number}"]
            groups.append(subprocess.Popen(program, cwd=tmp_path, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            stack.callback(groups[-1].kill)
            assert json.loads(groups[-1].stdout.readline()) == {"ready": CLIENTS}
        for number in range(WATCHERS):
            watch = daemon.running_ctl("watch", "calculator", "led", "--reconnect", session=f"watch-{number}",
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.enter_context(watch)

        def attached(word=""):
            with Client(daemon.socket) as client:
                return sum(entry["session"].startswith(word) and bool(entry["attached"]) for entry in client.call("session.list")["sessions"])
        wait_until(lambda: attached() == everybody, "all clients", 120)
        for group in groups:
            group.stdin.write("go\n")
            group.stdin.flush()
        time.sleep(0.6)

        began = time.monotonic()
        assert daemon.stop(60) == 0
        ready = start()
        wait_until(lambda: attached("watch-") == WATCHERS, "the watchers", 120)
        watchers_back, clients_back, presses = time.monotonic() - ready, 0.0, {}
        for group in groups:
            for name, back, *counts in json.loads(group.stdout.readline()):
                assert len(back) == 1, "one loss, and one connection after it"
                clients_back = max(clients_back, back[0] - ready)
                presses[name] = counts
            assert group.wait(120) == 0
        with Client(daemon.socket) as client:
            for name, (acknowledged, unknown) in presses.items():
                client.attach(name)
                led = client.value("calculator", "led")
                assert acknowledged + unknown == PRESSES and acknowledged <= len(led) <= PRESSES, f"{name}: {acknowledged} acknowledged, {unknown} unknown, {led!r}"
        figure(f"restart under {everybody} clients: READY=1 after {ready - began:.2f} s, all back {watchers_back:.2f} s (viewmodelctl), "
               f"{clients_back:.2f} s (Python) after it; {len(presses) * PRESSES} presses, {sum(counts[1] for counts in presses.values())} of unknown outcome, none repeated or lost")
