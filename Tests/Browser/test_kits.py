"""The kits for user interfaces, React and plain DOM: the program of docs/clients/react.md, and a page without React."""
import pathlib
import random
import re
import shutil
import threading
import time

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from wire import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNTIMES = ROOT / "Sources/ClientGenerators/Runtimes"
KITS = pathlib.Path(__file__).parent / "kits"
REACT = pathlib.Path("/usr/share/nodejs")
HEIGHT = 24


def program_of(kit) -> str:
    if kit == "dom":
        return (KITS / "dom.js").read_text()
    return re.search(r"```js\n(.*?)```", (ROOT / "docs/clients/react.md").read_text(), re.DOTALL)[1]


@pytest.fixture(params=["react", "dom"])
def kit(request):
    return request.param


@pytest.fixture
def open_kit(daemon, gateways, open_browser, tmp_path):
    """Opens the program of a kit in a browser, before a daemon or a line to it."""
    def start(kit, line=None, build="development", **how):
        folder = tmp_path / "page"
        shutil.copytree(KITS, folder, ignore=shutil.ignore_patterns("*.js"))
        for name in ("react", "react-dom"):
            shutil.copy(REACT / name / f"umd/{name}.{build}.js", folder / f"{name}.js")
        for name in ("react", "dom"):
            shutil.copy(RUNTIMES / f"viewmodel-{name}.js", folder)
        (folder / "program.js").write_text(program_of(kit))
        daemon.ctl("generate", "javascript", "--output", str(folder / "client.js"))
        gateway = gateways(line or daemon, start=False)
        gateway.flags = [*gateway.flags, "--page", str(folder)]
        gateway.start()
        return open_browser(gateway.url("act"), ("WebSocket", "React DevTools", "favicon", "422", "502", "503", "Failed to load resource"), **how)
    return start


def test_the_plumbing_is_short():
    code = program_of("react")
    plumbing = code[:code.index("const { calculator, ")].strip().splitlines()
    assert len(code.splitlines()) < 120 and len([line for line in plumbing if line]) <= 10


def press(page, keys):
    for key in keys:
        page.named("#calculator button", key).click()


def test_the_program_in_react(daemon, open_kit, screenshot):
    daemon.ctl("--session", "setup", "call", "login.register", "--json", '{"account":"ada","password":"correct horse","nickname":"Ada"}')
    page = open_kit("react", width=780, height=700)
    page.wait("header small", "connected")
    # The calculator.
    press(page, "12+30=")
    page.wait("output", lambda text: text == "42")
    page.click("#calculator > button")
    page.wait("output", lambda text: text != "42", "undone")
    # Navigation, the sign-in with a wrong and a right password, Mine.
    page.named("#mine button", "my wallet").click()
    page.wait("header b", "login")
    page.type("[name=account]", "ad")
    page.wait(".problem", lambda text: text != "", "a problem of the account")
    page.type("[name=account]", "a")
    page.type("[name=password]", "wrong horse")
    page.named("#login button", "Sign in").click()
    page.wait(".problem", lambda text: "password" in text.lower() or "credentials" in text.lower())
    page.type("[name=password]", "correct horse", clear=True)
    page.named("#login button", "Sign in").click()
    page.wait("#mine h2", "Ada")
    page.named("#mine button", "my wallet").click()
    page.wait("header b", "wallet")
    page.named("header button", "Back").click()
    # A field, and an action that waits for it.
    page.type("#send input", "Hello")
    wait_until(lambda: page.named("#send button", "Add").is_enabled(), "Add is enabled")
    page.script("""
        const input = document.querySelector("#send input");
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "Hello, world");
        input.dispatchEvent(new Event("input", { bubbles: true }));
        [...document.querySelectorAll("#send button")].find((one) => one.textContent === "Add").click();
    """)
    page.wait("#send li", lambda text: text == "Hello, world (queued)", "the newest text is added")
    wait_until(lambda: page.script("return document.querySelector('#send input').value") == "", "the field is empty")
    # Progress, cancel, a prompt.
    page.named("#send button", "Count").click()
    page.find("progress")
    page.named("#send button", "Ask").click()
    page.find("dialog")
    page.named("dialog:modal button", "OK").click()
    wait_until(lambda: not page.all("dialog"), "the prompt is gone")
    # A million rows, of which one is selected.
    page.named("#rows button", "Add a million").click()
    page.wait("#rows small", "1,000,000 rows")
    page.script("document.querySelector('.list').scrollTop = 4_000_000 - 84")
    wait_until(lambda: re.match(r"(49|50)\d{4}: row", page.text(".list > div > div:nth-child(8)")), "the middle is shown")
    page.all(".list > div > div")[8].click()
    page.wait("#rows small", lambda text: "none" not in text, "a row is selected")
    if page.all("progress"):
        screenshot(page, "kit-react")
    page.named("#send button", "Cancel").click()
    wait_until(lambda: not page.all("progress"), "the count is cancelled")
    page.script("document.querySelector('.list').scrollTop = 1e9")
    wait_until(lambda: "1000000: row 1000000" in page.texts(".list > div > div"), "the last row")
    ActionChains(page.driver).scroll_from_origin(_origin(page), 0, -10 * HEIGHT).perform()
    wait_until(lambda: page.script(VISIBLE)[-1][1].startswith("999990: "), "a wheel moves by its pixels")
    assert len(page.all(".list > div > div")) < 30


def _origin(page):
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    return ScrollOrigin.from_element(page.find(".list"))


VISIBLE = """
    const view = document.querySelector(".list").getBoundingClientRect();
    return [...document.querySelectorAll(".list > div > div")]
        .map((one) => [one.getBoundingClientRect().top - view.top, one.textContent, one.ariaSelected, parseFloat(one.style.top)])
        .filter(([top]) => top > -20 && top < view.height - 5).sort((one, other) => one[0] - other[0]);
"""


def scroll_to(page, pixels, text):
    """Scrolls until a row is the first one. A list that is not long enough yet is scrolled again."""
    def is_there():
        page.script("document.querySelector('.list').scrollTop = arguments[0]", pixels)
        return [row[1] for row in page.script(VISIBLE)[:1]] == [text]
    wait_until(is_there, f"{text} is shown")


def rows_of(daemon):
    with daemon.connect("desk") as client:
        return client.call("viewModel.read", {"id": "lab", "outputs": ["rows"]})["values"]["rows"]


def append(daemon, count):
    with daemon.connect("desk") as client:
        client.call("lab.append", {"value": count})


class Changes(threading.Thread):
    """Some 200 random changes a second: rows come, go and move, in the whole list."""

    def __init__(self, daemon, ids, keep, seed):
        super().__init__()
        self.client, self.ids, self.keep = daemon.connect("desk"), ids, keep
        self.random, self.isOver, self.count = random.Random(seed), False, 0

    def run(self):
        started, last = time.monotonic(), max(self.ids)
        while not self.isOver:
            at, to = (self.random.randrange(len(self.ids)) for _ in range(2))
            kind = self.random.randrange(4)
            if kind == 0:
                self.client.notify("lab.append", {"value": 1})
                last += 1
                self.ids.append(last)
                at = len(self.ids) - 1
            if kind <= 2:
                self.ids.insert(to, self.ids.pop(at))
                self.client.notify("lab.move", {"from": at, "to": to})
            elif self.ids[at] != self.keep:
                self.client.notify("lab.removeRows", {"value": [self.ids.pop(at)]})
            self.client.notify("lab.update", {"id": self.ids[min(to, len(self.ids) - 1)], "text": f"text {self.count}"})
            self.count += 2
            time.sleep(max(0, started + self.count / 200 - time.monotonic()))

    def end(self):
        self.isOver = True
        self.join()
        assert len(self.client.call("viewModel.read", {"id": "lab", "outputs": ["rows"]})["values"]["rows"]) == len(self.ids)


def shows_the_truth(page, daemon):
    """Whether each row that is shown is the daemon's row at its place."""
    rows, shown = rows_of(daemon), page.script(VISIBLE)
    return len(shown) >= 7 and all(text == f"{rows[round(at / HEIGHT)]['id']}: {rows[round(at / HEIGHT)]['text']}" for _, text, _, at in shown)


def test_rows_come_go_and_move_while_the_list_scrolls(kit, daemon, open_kit):
    page = open_kit(kit)
    seed = time.time_ns() % 10**6
    scroll = random.Random(seed)
    for life in range(2):
        wait_until(lambda: rows_of(daemon) == [], "the session is there")
        append(daemon, 2000)
        scroll_to(page, 1000 * HEIGHT, "1001: row 1001")
        chosen = page.script(VISIBLE)[2][1].split(":")[0]
        page.named(".list div div", f"{chosen}: row {chosen}").click()
        changes = Changes(daemon, list(range(1, 2001)), int(chosen), seed + life)
        changes.start()
        end = time.monotonic() + 4
        while time.monotonic() < end or changes.count < 800:
            page.script("document.querySelector('.list').scrollTop += arguments[0]", scroll.choice([-700, -90, -30, 30, 60, 90, 120, 800]))
            marked = page.script("return [...document.querySelectorAll('.list [aria-selected=true]')].map((one) => one.textContent)")
            assert all(text.startswith(f"{chosen}:") for text in marked), (marked, chosen)
            time.sleep(0.02)
        changes.end()
        wait_until(lambda: shows_the_truth(page, daemon), f"the rows of the daemon, seed {seed}: {page.script(VISIBLE)}")
        place = [row["id"] for row in rows_of(daemon)].index(int(chosen))
        page.script(f"document.querySelector('.list').scrollTop = {place * HEIGHT}")
        wait_until(lambda: any(text.startswith(f"{chosen}:") and mark == "true" for _, text, mark, _ in page.script(VISIBLE)), "the selection is at its row")
        if life == 0:
            daemon.restart(hard=True)


def test_the_rows_in_view_stay_when_others_come_and_go_above(kit, daemon, open_kit):
    page = open_kit(kit)
    append(daemon, 2000)
    scroll_to(page, 1000 * HEIGHT + 7, "1001: row 1001")
    before = [one[:2] for one in page.script(VISIBLE)]
    with daemon.connect("desk") as client:
        for index in range(100):
            client.call("lab.move", {"from": 1999, "to": index})
        client.call("lab.removeRows", {"value": list(range(1, 300))})
    wait_until(lambda: shows_the_truth(page, daemon), "the rows of the daemon")
    assert [one[:2] for one in page.script(VISIBLE)] == before
    assert page.script("return document.querySelector('.list').scrollTop") == (1000 + 100 - 299) * HEIGHT + 7


def test_no_key_and_no_caret_is_lost_on_a_slow_line(kit, slow_line, daemon, open_kit):
    page = open_kit(kit, slow_line)
    field = page.find("#send input")
    wait_until(lambda: page.named("#send button", "Add"), "the button")
    field.click()
    typed, caret = "", 0

    def check():
        now = page.script("return [arguments[0].value, arguments[0].selectionStart]", field)
        assert now == [typed, caret], (now, typed, caret)
    for key in "The quick brown fox jumps over the lazy dog":
        page.driver.execute_cdp_cmd("Input.insertText", {"text": key})
        typed, caret = typed + key, caret + 1
        time.sleep(0.04)
        check()
    page.script("arguments[0].setSelectionRange(4, 9)", field)
    for key in "slow and old":
        page.driver.execute_cdp_cmd("Input.insertText", {"text": key})
        typed, caret = (typed[:4] + key + typed[9:], 5) if caret == 43 else (typed[:caret] + key + typed[caret:], caret + 1)
        time.sleep(0.04)
        check()
    with daemon.connect("desk") as client:
        wait_until(lambda: client.value("sendList", "draft") == typed, "the daemon has every key")
    # The action takes the newest text, though it is typed a moment before.
    field.send_keys(Keys.END, "!")
    page.named("#send button", "Add").click()
    page.wait("#send li", lambda text: text.startswith(typed + "!"), "the newest text is added")
    wait_until(lambda: field.get_attribute("value") == "", "the field is empty")


def test_without_a_daemon_nothing_is_enabled_and_typed_text_is_kept(kit, daemon, open_kit):
    page = open_kit(kit)
    button = page.named("#send button", "Count" if kit == "react" else "Fail")
    wait_until(button.is_enabled, "the action is enabled")
    daemon.kill()
    daemon.drop_clients()
    wait_until(lambda: not button.is_enabled(), "nothing is enabled")
    page.type("#send input", "kept")
    daemon.start()
    with daemon.connect("desk") as client:
        wait_until(lambda: client.value("sendList", "draft") == "kept", "what was typed arrives")
    wait_until(button.is_enabled, "the action is enabled again")


def test_a_failure_is_shown(daemon, open_kit):
    page = open_kit("dom")
    button = page.named("#send button", "Fail")
    wait_until(button.is_enabled, "Fail is enabled")
    button.click()
    page.wait("#send small", "onPurpose")


def test_a_call_with_other_arguments_cannot_be_cancelled_after_a_reload(daemon, open_kit):
    page = open_kit("dom")
    wait_until(lambda: page.find("#count").is_enabled(), "Count is enabled")
    page.click("#count")
    wait_until(lambda: page.find("#cancel").is_enabled(), "it can be cancelled")
    page.driver.refresh()
    wait_until(lambda: page.all("#count[aria-busy=true]"), "it still executes")
    page.type("#send input", "later")
    with daemon.connect("desk") as client:
        wait_until(lambda: client.value("sendList", "draft") == "later", "earlier calls have their replies")
    assert page.text("#send small") == "" and not page.find("#cancel").is_enabled()
    assert page.script("return sessionStorage.length") == 0



def test_a_prompt_takes_no_key_from_a_text(daemon, open_kit):
    page = open_kit("react", width=780, height=700)
    page.wait("header small", "connected")
    box = page.find("#send input")
    box.send_keys("a")
    [ask] = [one for one in page.all("#send button") if one.text == "Ask"]
    wait_until(ask.is_enabled, "the action is enabled")
    page.script("arguments[0].click()", ask)
    wait_until(lambda: page.all("dialog[open]"), "the prompt is shown")
    box.send_keys("b\n")
    assert not page.all("dialog:modal") and box.get_property("value") == "ab"
    wait_until(lambda: page.all("dialog:modal"), "the prompt takes the focus")
