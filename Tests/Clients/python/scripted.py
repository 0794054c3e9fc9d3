"""A stand-in for the daemon, which answers as a test says."""
import asyncio
import json

ANSWERED = {"result": {"seq": 2}}


class Script:
    """A daemon that attaches and binds, and answers other requests as the test says.

    `answer(message, connection)` returns the members of a reply, or None for no reply. `connection` counts from 1.
    """

    def __init__(self, path, answer=lambda message, connection: ANSWERED, **attached):
        self.path, self.answer, self.attached = str(path), answer, attached
        self.received, self.writers = [], []

    async def __aenter__(self):
        self.server = await asyncio.start_unix_server(self.serve, self.path)
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def serve(self, reader, writer):
        self.writers.append(writer)
        connection = len(self.writers)
        while line := await reader.readline():
            message = json.loads(line)
            self.received.append((connection, message["method"], message.get("params", {})))
            reply = self.answer(message, connection)
            if message["method"] in ("session.attach", "viewModel.bind") and reply == ANSWERED:
                state = {"session": "s", "id": "lab", "epoch": f"e{connection}", "seq": 1, "full": True}
                reply = {"result": {**state, "values": {"value": connection}, **self.attached}}
            if reply and "id" in message:
                self.send(connection, id=message["id"], **reply)
        writer.close()

    def send(self, connection, **message):
        self.writers[connection - 1].write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def closed(self, connection, reason, **more):
        self.send(connection, method="session.closed", params={"session": "s", "reason": reason, **more})

    def calls(self, method):
        return [connection for connection, name, _ in self.received if name == method]


def is_ping(message):
    return message["method"] == "$/cancelRequest"


async def until(condition, patience=30):
    """Polls until the condition is true."""
    async def poll():
        while not condition():
            await asyncio.sleep(0.001)
    await asyncio.wait_for(poll(), patience)
