"""Long lists in a real terminal: the visible rows are those of the daemon, and the selection stays with its row."""
import re
import time

from scenario import ROWS, id_of, scroll_while_rows_change
from wire import wait_until


class Changes:
    """Changes the rows of the lab as other clients do, and knows their order."""

    def __init__(self, desk, count: int):
        self.desk, self.ids, self.last = desk, list(range(1, count + 1)), count

    def insert(self, place: int):
        """The lab appends a row, and moves it."""
        self.last += 1
        self.desk.call("lab.append", [1])
        self.ids.append(self.last)
        self.move(len(self.ids) - 1, place)

    def move(self, place: int, to: int):
        self.desk.call("lab.move", {"from": place, "to": to})
        self.ids.insert(to, self.ids.pop(place))

    def remove(self, *places: int):
        gone = [self.ids[place] for place in places]
        self.desk.call("lab.removeRows", [gone])
        self.ids = [id for id in self.ids if id not in gone]


def shown(demo) -> list[tuple[int, str]]:
    return [(int(id), text) for id, text in re.findall(r"^ +(\d+)  ((?:row|text) [\d.]+)", demo.screen, re.MULTILINE)]


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
    changes = Changes(desk, 1000)
    demo.keys(*["PageDown"] * 5, *["Up"] * 5)
    wait_until(lambda: selected(demo) == "row 84", "a selection")
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


class Person:
    """A person with the list of the program."""

    def __init__(self, demo):
        self.demo, self.wait = demo, wait_until

    def begin(self):
        self.demo.shows("        1  row 1")
        self.demo.keys("End")
        wait_until(lambda: selected(self.demo) == f"row {ROWS}", "the last row", 60)
        self.demo.keys(*["PageUp"] * 20, "Down", "Down")
        wait_until(lambda: self.texts()[2:3] == [selected(self.demo)], "a selection below the top of the screen")
        return id_of(selected(self.demo))

    def texts(self):
        return [text for _, text in shown(self.demo)]

    def selected(self):
        return [int(id) for id in re.findall(r"row (\d+)", selected(self.demo))]

    def is_selected(self, place):
        return selected(self.demo) in self.texts()

    def scroll(self, by, top):
        self.demo.wheel(by, max(1, abs(by) // 2))
        time.sleep(0.1)


def test_the_selection_stays_with_its_row_at_200_changes_a_second(terminal, desk, daemon):
    scroll_while_rows_change(Person(terminal(tab="Rows")), daemon, "desk")
