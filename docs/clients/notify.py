#!/usr/bin/env python3
"""Shows the daemon's hints and questions as desktop notifications, with the standard library only.

It shows: events, a list, and a new connection that resumes, so that no hint is lost in between.
Run it: VIEWMODELD_SOCKET=/path/to/vm.sock python3 notify.py [KEYS]    It presses KEYS; "8/0=" gives a hint.
"""
import contextlib, json, os, shutil, socket, subprocess, sys, time

def notify(title, text):
    print(f"{title}: {text}", flush=True)
    if shutil.which("notify-send") and "DBUS_SESSION_BUS_ADDRESS" in os.environ:
        subprocess.run(["notify-send", "--", title, text])

keys, since, pending = list("".join(sys.argv[1:])), {}, []  # What to press, the last step seen, the open questions.
while True:
    bind = {"id": "prompter", "outputs": ["pending", "hint"], "patches": False, **({"since": since} if since else {})}
    calls = [("session.attach", {"session": "desk"}), ("viewModel.bind", bind)]
    with contextlib.suppress(OSError, ValueError):  # The daemon does not listen, or the connection broke in a line.
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(os.environ["VIEWMODELD_SOCKET"])
        calls += [("calculator.press", [keys.pop(0)]) for _ in range(len(keys))]
        for id, (method, params) in enumerate(calls):
            daemon.sendall(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n")
        for message in map(json.loads, daemon.makefile(encoding="utf-8")):
            if "error" in message:
                notify("error", message["error"]["message"])
            if message.get("method") == "session.closed" and (reason := message["params"]["reason"]) != "stopping":
                if reason == "moved": sys.exit(f"The session has moved to {message['params']['node']}.")
                break  # The next connection attaches to a new session.
            frame = message.get("params") or message.get("result") or {}
            if frame.get("id") == "prompter":  # The reply to viewModel.bind, or a frame.
                since = {"epoch": frame.get("epoch") or since["epoch"], "seq": frame["seq"]}
                before, pending = pending, frame.get("values", {}).get("pending", pending)
                for prompt in [prompt for prompt in pending if prompt not in before]:
                    notify(prompt["kind"], prompt["title"])
                for event in frame.get("events", []):
                    notify(event["value"]["level"], event["value"]["text"])
    print("no connection", flush=True)
    time.sleep(1)
