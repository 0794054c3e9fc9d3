"""Long lists in a real terminal: the visible rows are those of the daemon, and the selection stays with its row."""
import random
import re
import time

import pytest
from wire import wait_until


class Changes:
    """Changes the rows of the lab as other clients do, and knows their order."""

    def __init__(self, desk, chance, count: int):
        self.desk, self.chance, self.ids, self.last = desk, chance, list(range(1, count + 1)), count
        self.done, self.step = 0, 4      # Steps of the selected row.

    def insert(self, place: int):
        """The lab appends a row, and moves it."""
        self.last += 1
        self.desk.call("lab.append", [1])
        self.ids.append(self.last)
        self.move(len(self.ids) - 1, place)
        self.done += 1

    def move(self, place: int, to: int):
        self.desk.call("lab.move", {"from": place, "to": to})
        self.ids.insert(to, self.ids.pop(place))
        self.done += 1

    def remove(self, *places: int):
        gone = [self.ids[place] for place in places]
        self.desk.call("lab.removeRows", [gone])
        self.ids = [id for id in self.ids if id not in gone]
        self.done += 1

    def one(self, near: int, kept: int):
        """A random change above, inside or below the window that begins near this place."""
        close = max(0, min(len(self.ids) - 2, near + self.chance.randrange(-60, 60)))
        place = self.chance.choice([self.chance.randrange(len(self.ids)), close, close, 0, len(self.ids) - 1])
        kind = self.chance.randrange(5)
        if kind == 0:
            self.insert(place)
        elif kind == 1:
            self.move(place, close)
        elif kind == 2:
            self.move(near, near + self.step)
            self.step = -self.step
        elif self.ids[place] != kept and kind == 3:
            self.remove(place)
        elif self.ids[place] != kept:
            self.desk.call("lab.update", {"id": self.ids[place], "text": f"text {self.chance.randrange(1000)}"})
            self.done += 1


def shown(demo) -> list[tuple[int, str]]:
    return [(int(id), text) for id, text in re.findall(r"^ +(\d+)  ((?:row|text) \d+)", demo.screen, re.MULTILINE)]


def selected(demo) -> str:
    return re.search(r"Selected: (.*?) *$", demo.screen, re.MULTILINE)[1]


def is_right(demo, desk) -> bool:
    """Whether the visible rows are those of the daemon."""
    whole, visible = [(row["id"], row["text"]) for row in desk.value("lab", "rows")], shown(demo)
    place = next((place for place, (id, _) in enumerate(whole) if visible and id == visible[0][0]), 0)
    return len(visible) > 18 and visible == whole[place : place + len(visible)]


def start(terminal, desk, count: int):
    """Starts the program with a list, and focuses it."""
    desk.call("lab.append", [count])
    demo = terminal(tab="Rows")
    demo.shows("        1  row 1", "Selected: None")
    return demo


def test_a_million_rows_load_what_is_visible(terminal, desk):
    demo = start(terminal, desk, 1_000_000)
    demo.keys("End")
    demo.shows("  1000000  row 1000000", "Selected: row 1000000")
    demo.keys("Up", "Up")
    demo.shows("Selected: row 999998")
    demo.keys("Home", "PageDown")
    wait_until(lambda: [text for _, text in shown(demo)][-1:] == [selected(demo)] != ["row 1"], "the last visible row")
    demo.wheel(1, 500)
    wait_until(lambda: [id for id, _ in shown(demo)][:1] > [500], "rows that are scrolled to")
    page = shown(demo)
    assert page == [(id, f"row {id}") for id in range(page[0][0], page[0][0] + len(page))]


def test_the_visible_rows_stay_while_rows_come_and_go_above(terminal, desk):
    demo = start(terminal, desk, 1000)
    changes = Changes(desk, random.Random(1), 1000)
    demo.keys(*["PageDown"] * 5, *["Up"] * 5)
    wait_until(lambda: re.match(r"row \d+", selected(demo)), "a selection")
    wait_until(lambda: is_right(demo, desk), "the rows")
    page, row = shown(demo), selected(demo)
    top = page[0][0] - 1
    for _ in range(40):
        changes.insert(0)
    changes.insert(top + 40)                            # directly above
    changes.remove(*range(10, 20), top + 40)            # directly above
    changes.move(5, 900)
    changes.remove(990)
    time.sleep(0.5)     # time for a wrong picture
    assert (shown(demo), selected(demo)) == (page, row)
    place = changes.ids.index(page[3][0])
    changes.insert(place)                               # inside
    wait_until(lambda: shown(demo)[:5] == [*page[:3], (changes.last, f"row {changes.last}"), page[3]], "the new row")
    changes.remove(changes.ids.index(int(row[4:])))     # the selected one
    wait_until(lambda: selected(demo) == "None", "no selection")
    demo.keys("Down")
    wait_until(lambda: selected(demo) == f"row {int(row[4:]) + 1}", "the next row")


@pytest.mark.parametrize("seed", [37])
def test_the_selection_stays_with_its_row_at_200_changes_a_second(terminal, desk, daemon, seed):
    chance = random.Random(seed)
    demo = start(terminal, desk, 20_000)
    for part in range(2):
        demo.keys("Home", *["PageDown"] * 5, "Up")
        wait_until(lambda: selected(demo) == "row 110", "a selection")
        row, changes, started = selected(demo), Changes(desk, chance, 20_000), time.monotonic()
        kept, direction = int(row[4:]), -1
        while (seconds := time.monotonic() - started) < 6:
            changes.one(changes.ids.index(kept), kept)
            if changes.done % 20 == 0:
                demo.wheel(direction := -direction, 3)
                assert selected(demo) == row
            time.sleep(max(0, changes.done / 200 - seconds))
        print(f"{changes.done / seconds:.0f} changes a second")
        wait_until(lambda: is_right(demo, desk), "the rows of the daemon")
        assert selected(demo) == row and [each["id"] for each in desk.value("lab", "rows")] == changes.ids
        if part == 0:
            daemon.restart(hard=True)       # The lab is not restored.
            demo.shows("Selected: None")
            desk = daemon.connect("desk", linger=600)
            desk.call("lab.append", [20_000])
            demo.shows("        1  row 1")
