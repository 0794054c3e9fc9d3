"""What each kit goes through: a long list that changes while a person scrolls, and typing over a slow line.

SCENARIO_ROWS, SCENARIO_CHANGES and SCENARIO_SEED choose other runs.
"""
import asyncio
import contextlib
import os
import random
import re
import threading
import time
from itertools import zip_longest

import pytest
from daemons import unique
from fault_proxy import Fault, FaultProxy

ROWS = int(os.environ.get("SCENARIO_ROWS", "100000"))
CHANGES = int(os.environ.get("SCENARIO_CHANGES", "1000"))
SEED = int(os.environ.get("SCENARIO_SEED", "37"))
RATE = 200


class Changes(threading.Thread):
    """Another client, which changes rows above, inside and below the window, at most 200 times a second."""

    def __init__(self, client, chance, kept: int):
        super().__init__(daemon=True)
        self.client, self.chance, self.kept = client, chance, kept
        self.ids, self.last, self.done, self.error = list(range(1, ROWS + 1)), ROWS, 0, None
        self.near = kept - 1
        """Where the window begins."""

    def find(self, id: int) -> int:
        """The place of a row, and -1 if it has gone."""
        for begin in (max(0, self.near - 5000), 0):
            with contextlib.suppress(ValueError):
                return self.ids.index(id, begin)
        return -1

    def top(self, person) -> int:
        """The place of the first row on the screen, and -1 if it has gone."""
        texts = [text for text in person.texts() if text]
        return self.find(id_of(texts[0])) if texts else -1

    def run(self):
        began = time.monotonic()
        try:
            while self.done < CHANGES:
                self.change()
                self.done += 1
                if self.done % 10 == 0:
                    self.client.round_trip()
                time.sleep(max(0, began + self.done / RATE - time.monotonic()))
        except BaseException as error:
            self.error = error
        print(f"{self.done / (time.monotonic() - began):.0f} changes a second in {len(self.ids)} rows")

    def place(self) -> int:
        """A place above, inside or below the window, and at times anywhere."""
        top, end = self.near, len(self.ids)
        parts = [range(top - 400, top), range(top, top + 20), range(top + 20, top + 400), range(end)]
        return min(max(0, self.chance.choice(*self.chance.choices(parts, [20, 20, 20, 1]))), end - 1)

    def change(self):
        at, kind = self.place(), self.chance.choice(["insert", "move", "stay", "remove", "update"])
        if kind == "stay" or self.ids[at] == self.kept:     # The selected row moves by a few rows.
            at = self.find(self.kept)
            self.move(at, min(max(0, at + self.chance.choice([-4, 4])), len(self.ids) - 1))
        elif kind == "insert":
            self.last += 1
            self.client.notify("lab.append", [1])
            self.ids.append(self.last)
            self.move(len(self.ids) - 1, at)
        elif kind == "move":
            self.move(at, self.place())
        elif kind == "remove":
            self.client.notify("lab.removeRows", [[self.ids.pop(at)]])
        else:
            self.client.notify("lab.update", {"id": self.ids[at], "text": f"text {self.ids[at]}.{self.done}"})

    def move(self, at: int, to: int):
        self.client.notify("lab.move", {"from": at, "to": to})
        self.ids.insert(to, self.ids.pop(at))

    def differences(self, texts: list[str]) -> list:
        """Rows that are shown and those of the ViewModel, where they differ."""
        if not texts or not all(texts):
            return ["a row is not loaded"]
        if (place := self.find(id_of(texts[0]))) < 0:
            return [f"{texts[0]} has gone"]
        window = {"id": "lab", "outputs": ["rows"], "windows": {"rows": {"offset": place, "limit": len(texts)}}}
        rows = self.client.call("viewModel.read", window)["values"]["rows"]["rows"]
        return [pair for pair in zip_longest(texts, (row["text"] for row in rows)) if pair[0] != pair[1]]


class Agreement:
    """Whether the rows that are shown are those of the ViewModel. A failure shows the differences."""

    def __init__(self, changes, person):
        self.changes, self.person, self.differences = changes, person, []

    def __call__(self) -> bool:
        self.differences = self.changes.differences(self.person.texts())
        return not self.differences

    def __repr__(self) -> str:
        return f"Agreement without {self.differences[:5]}"


def id_of(text: str) -> int:
    """The id of a row with the text `row 5` or `text 5.17`."""
    return int(re.split("[ .]", text)[1])


def scroll_while_rows_change(person, daemon, name: str):
    """Runs the scenario, with the daemon killed and started in between.

    `person.begin()` selects one of the last rows, some screens above the end, and returns its id. `texts()` are the
    rows on the screen, `selected()` the ids. `scroll(by, top)` scrolls from the row `top`, and `wait` waits.
    `is_selected(place)` looks for the selection at its place.
    """
    chance = random.Random(SEED)
    for life in range(2):
        client = daemon.connect(name, linger=60)
        client.call("lab.append", [ROWS], patience=120)
        kept = person.begin()
        changes = Changes(client, random.Random(SEED + life), kept)
        changes.start()
        while changes.is_alive():
            if (top := changes.top(person)) >= 0:
                by, far = chance.randrange(-30, 31), top - changes.find(kept)
                person.scroll(by if abs(far) < 300 else -far, top)
                changes.near = top
            assert person.selected() in ([kept], []), "a row that moves where none are loaded is selected when it is seen again"
        changes.join()
        if changes.error:
            raise changes.error
        person.wait(Agreement(changes, person), "the rows of the ViewModel")
        place = changes.find(kept)

        def sees_selection() -> bool:
            if not person.is_selected(place) and (top := changes.top(person)) >= 0:
                person.scroll(place - top + chance.randrange(-5, 6), top)
            return person.is_selected(place)
        person.wait(sees_selection, "the selected row at its place")
        assert person.selected() == [kept]
        person.wait(Agreement(changes, person), "the rows of the ViewModel")
        if life == 0:
            daemon.restart(hard=True)
            person.wait(lambda: person.selected() == [], "the empty list of the new life")


@pytest.fixture
def slow(daemon, tmp_path):
    """A socket over which each message takes 150 ms or more, each way."""
    path, ready, inside = str(tmp_path / unique("slow")), threading.Event(), []

    async def relay():
        inside.extend([asyncio.get_running_loop(), ended := asyncio.Event()])
        fault = Fault(delay_up=0.15, delay_down=0.15, least=0.15)
        async with FaultProxy(path, str(daemon.socket), default=fault) as proxy:
            ready.set()
            await ended.wait()
            proxy.cut()
            await asyncio.sleep(0.1)    # for the ends of its tasks
    thread = threading.Thread(target=lambda: asyncio.run(relay()))
    thread.start()
    assert ready.wait(10)
    yield path
    inside[0].call_soon_threadsafe(inside[1].set)
    thread.join()


def type_slowly(box, other, member: str, made=str):
    """Types 40 ms a key into an empty field, which the ViewModel rewrites by `made`. No key and no caret is lost.

    `box.type(text)` types, `box.keys("Left", 3)` presses a key, and `box.wait` waits. `box.text()` is what is shown.
    """
    def arrives(expected):
        box.wait(lambda: box.text() == made(expected), f"{made(expected)} in the box")
        box.wait(lambda: other.value(*member.split(".")) == made(expected), f"{made(expected)} in the ViewModel")
    box.type("the quick fox jumps over the dog")
    box.keys("Left", 3)
    box.type("lazy ")
    box.keys("Home", 1)
    box.type("see ")
    box.keys("Right", 10)
    box.type("brown ")
    arrives("see the quick brown fox jumps over the lazy dog")
    box.type("red ")
    arrives("see the quick brown red fox jumps over the lazy dog")
