"""A client's picture of one instance. It applies frames and checks the rules that each frame must keep."""
import copy

from json_patch import equal, patched
from wire import Client, pop_first

BIND_MEMBERS = {"id", "epoch", "seq", "full", "values", "patch", "events", "lost"}
FRAME_MEMBERS = {"id", "seq", "values", "patch", "events", "lost"}


class Picture:
    def __init__(self, client: Client, instance: str, values: dict | None = None, **params):
        """Binds the instance. `values` is an earlier picture, which `since` in params refers to."""
        self.client, self.instance = client, instance
        self.values = copy.deepcopy(values) if values else {}
        self.events: list[tuple] = []
        self.lost = 0
        self.frames: list[dict] = []
        """The frames after the reply, as they came."""
        self._taken()
        is_first = instance not in client.bound
        client.bound.add(instance)
        self.answer = answer = client.call("viewModel.bind", {"id": instance, **params})
        assert {"id", "epoch", "seq", "full", "values"} <= answer.keys() <= BIND_MEMBERS, answer
        assert answer["id"] == instance
        early = self._taken()
        assert not (is_first and early), f"no frame comes before the reply: {early}"
        if answer["full"]:
            assert "patch" not in answer, "a full answer has values only"
            self.values = {}
        self.epoch, self.seq = answer["epoch"], answer["seq"]
        self._merge(answer)

    def _is_mine(self, message):
        return message["method"] == "viewModel.changed" and message["params"]["id"] == self.instance

    def _taken(self) -> list[dict]:
        """Takes the frames that have arrived from the client."""
        return [message["params"] for message in iter(lambda: pop_first(self.client.notifications, self._is_mine), None)]

    def _merge(self, change):
        self.values.update(copy.deepcopy(change.get("values") or {}))
        if change.get("patch"):
            self.values = patched(self.values, change["patch"])
        for event in change.get("events") or []:
            assert event.keys() == {"output", "value"}, event
            self.events.append((event["output"], event["value"]))
        self.lost += change.get("lost") or 0

    def apply(self, frame):
        assert {"id", "seq"} < frame.keys() <= FRAME_MEMBERS, f"a frame has something to say: {frame}"
        assert type(frame["seq"]) is int and frame["seq"] > self.seq, f"seq grows: {self.seq}, then {frame['seq']}"
        for name, value in (frame.get("values") or {}).items():
            same = name in self.values and equal(self.values[name], value)
            assert not same, f"{self.instance}.{name} was sent although it is still {value!r}"
        before = copy.deepcopy(self.values) if frame.get("patch") else None
        self.seq = frame["seq"]
        self._merge(frame)
        for step in frame.get("patch") or []:
            name = step["path"].split("/")[1].replace("~1", "/").replace("~0", "~")
            assert name in before and name in self.values, step
        if frame.get("patch") and len(frame["patch"]) > 1:
            assert not equal(before, self.values), "a patch changes something"
        self.frames.append(frame)

    def take(self) -> dict:
        """Applies the frames that have arrived and returns the values."""
        for frame in self._taken():
            self.apply(frame)
        return self.values

    def now(self) -> dict:
        """The values after a round trip."""
        self.client.round_trip()
        return self.take()

    def until(self, condition, what="the picture", patience=None) -> dict:
        """Applies frames until the condition holds after one of them."""
        def find():
            while not condition(self.values):
                if not (message := pop_first(self.client.notifications, self._is_mine)):
                    return None
                self.apply(message["params"])
            return self.values
        return self.client.read_until(find, patience, what)

    def event(self, output, where=lambda value: True, patience=None):
        """Takes the first event of this output that fits."""
        def fits(event):
            return event[0] == output and where(event[1])
        self.until(lambda _: any(map(fits, self.events)), f"the event {output}", patience)
        return pop_first(self.events, fits)[1]
