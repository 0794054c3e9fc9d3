#!/usr/bin/env python3
"""Prints the picture of `lab` whenever it changes, with the standard library only.

It shows: values, patches and events applied to a picture, calls that wait for their replies, and a connection that is
made again and resumes.
Run it: VIEWMODELD_SOCKET=/path/to/vm.sock python3 pictures.py
"""
import json, os, socket, sys, time


class Client:
    """One session, a connection that is made again when it is lost, and the pictures of the bound instances."""

    def __init__(self, path, session):
        self.path, self.session = path, session
        self.bound, self.pictures, self.since, self.last = {}, {}, {}, 0
        self.connect()

    def connect(self):
        while True:
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(self.path)
                self.lines = self.socket.makefile("r", encoding="utf-8")
                self.call("session.attach", session=self.session)
                for id in list(self.bound):
                    self.bind(id, **self.bound[id])
                return
            except OSError:  # The daemon does not listen yet, or the connection was lost again.
                time.sleep(0.5)

    def call(self, method, **params):
        """Sends a request and waits for its reply; applies the frames that arrive before it."""
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall((json.dumps(request) + "\n").encode())
        while True:
            message = self.receive()
            if "method" not in message and message["id"] == self.last:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def receive(self):
        line = self.lines.readline()
        if not line.endswith("\n"):
            raise ConnectionError  # Perhaps in the middle of a line.
        message = json.loads(line)
        if message.get("method") == "viewModel.changed":
            self.apply(message["params"])
        if message.get("method") == "session.closed":
            if message["params"]["reason"] == "moved":
                sys.exit(f"The session has moved to {message['params']['node']}.")
            raise ConnectionError  # A new connection attaches to the session of that name.
        return message

    def bind(self, id, **options):
        since = {"since": self.since[id]} if id in self.since else {}
        self.bound[id] = options
        reply = self.call("viewModel.bind", id=id, **options, **since)
        if reply["full"]:
            self.pictures[id] = {}
        self.since[id] = {"epoch": reply["epoch"], "seq": 0}
        self.apply(reply)

    def apply(self, frame):
        picture = self.pictures[frame["id"]]
        picture.update(frame.get("values", {}))
        for operation in frame.get("patch", []):
            *path, key = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
            parent = picture
            for step in path:
                parent = parent[int(step) if isinstance(parent, list) else step]
            value = operation.get("value")
            if operation["op"] == "move":
                value = parent.pop(int(operation["from"].split("/")[-1]))
            if isinstance(parent, dict):
                parent[key] = value
            elif operation["op"] in ("add", "move"):
                parent.insert(int(key), value)
            elif operation["op"] == "replace":
                parent[int(key)] = value
            else:
                parent.pop(int(key))
        for event in frame.get("events", []):
            print("event", event["output"], event["value"], flush=True)
        self.since[frame["id"]]["seq"] = frame["seq"]

    def follow(self):
        """Applies frames for ever, one at a time; connects again after a lost connection."""
        while True:
            try:
                if self.receive().get("method") == "viewModel.changed":
                    yield
            except OSError:
                self.connect()
                yield


if __name__ == "__main__":
    client = Client(os.environ["VIEWMODELD_SOCKET"], "desk")
    client.bind("lab", outputs=["value", "rows", "bell"])
    print(client.pictures["lab"], flush=True)
    for _ in client.follow():
        print(client.pictures["lab"], flush=True)
