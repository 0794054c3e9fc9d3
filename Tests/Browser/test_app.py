"""The app for people: each of its scenes, by keys and by touch, with addresses, prompts, a broken line and accessibility."""
import contextlib
import json
import pathlib

import pytest
from selenium.webdriver.common.keys import Keys
from wire import wait_until
from web import Answer, JSONBackend

ADA = '{"account":"ada","password":"correct horse","nickname":"Ada"}'
SIZES = [(320, 568), (360, 740), (844, 390), (820, 1180), (1440, 900)]
LOST = ("WebSocket", "ERR_CONNECTION_REFUSED", "Failed to load resource")
#: What the client of the page has in place of the runtime, which the gateway serves beside it.
IMPORTS = """\
import { ActionFailedError, Connection, ViewModel, convert, date } from "./viewmodel.js";
export { ProtocolError, webSocket } from "./viewmodel.js";
"""


@pytest.fixture
def open_app(gateway, open_browser):
    """Opens the app in a window of a size."""
    def start(session="app", size=(900, 820), line=gateway, expected_log=LOST, state="connected", page="", **how):
        browser = open_browser(expected_log=expected_log, **how)
        browser.resize(*size)
        browser.driver.get(f"{line.origin}/app/?session={session}#token={line.one_time_token('act')}")
        wait_until(lambda: line_of(browser) == state, f"the line is {state}")
        if page:
            visit(browser, page)
        return browser
    return start


def line_of(browser):
    return browser.script("return document.body.dataset.line")


def visit(browser, name):
    browser.script("location.hash = arguments[0]", name)
    at(browser, name)


def at(browser, name):
    wait_until(lambda: browser.script("return location.hash") == f"#{name}", f"the address is #{name}, not {browser.script('return location.href')}")


def titled(browser, title):
    browser.wait("#title", lambda text: text == title, title)


def press(browser, keys):
    for key in keys:
        browser.click(f'[data-key="{key}"]')


def shows(browser, led):
    browser.wait("#led", lambda text: text == led, led)


def type_keys(browser, keys):
    browser.driver.switch_to.active_element.send_keys(keys)


def tap(browser, css):
    """A touch of a finger in the middle of an element."""
    place = browser.script("const box = arguments[0].getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]", browser.find(css))
    for kind, points in (("touchStart", [{"x": place[0], "y": place[1]}]), ("touchEnd", [])):
        browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def tab_to(browser, css):
    """Presses Tab until the element has the focus, which can be seen."""
    for _ in range(60):
        type_keys(browser, Keys.TAB)
        if browser.script("return document.activeElement.matches(arguments[0])", css):
            assert browser.script("return getComputedStyle(document.activeElement).outlineStyle") != "none", css
            return
    raise AssertionError(f"Tab does not reach {css}")


def sign_in(browser, account="ada", password="correct horse"):
    """Signs in from Mine. Enter waits for what was typed."""
    visit(browser, "mine")
    browser.click("#person")
    titled(browser, "Sign in")
    browser.type("#account", account)
    browser.type("#password", password + Keys.ENTER)
    titled(browser, "Mine")
    wait_until(lambda: browser.script("return document.body.hasAttribute('data-signed-in')"), "the person is signed in")


@pytest.fixture
def ada(daemon, open_app):
    """Opens the app of a person who is signed in."""
    daemon.ctl("--session", "setup", "call", "login.register", "--json", ADA)

    def start(**how):
        browser = open_app(**how)
        sign_in(browser)
        return browser
    return start


# The calculator

def test_two_tabs_work_on_one_calculator(gateway, open_app):
    browser = open_app()
    press(browser, "12+")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(f"{gateway.origin}/app/")
    browser.wait("#operations", "12")
    press(browser, "30=")
    shows(browser, "42")
    browser.driver.switch_to.window(first)
    shows(browser, "42")
    browser.click("#undo")
    shows(browser, "12")
    type_keys(browser, "+5" + Keys.ENTER)
    shows(browser, "17")
    type_keys(browser, Keys.BACKSPACE)
    shows(browser, "12")


def test_a_new_address_works_in_the_tab_of_the_app(gateway, open_browser):
    browser = open_browser(f"{gateway.origin}/app/?session=named", ("401", "WebSocket"))
    browser.wait("#line", "no access")
    browser.driver.get(f"{gateway.origin}/app/?session=named#token={gateway.one_time_token('act')}")
    press(browser, "7")
    shows(browser, "7")
    browser.driver.refresh()
    shows(browser, "7")
    assert browser.driver.current_url == f"{gateway.origin}/app/?session=named#calculator"


def test_a_page_that_may_only_look(gateway, open_browser, daemon):
    browser = open_browser(f"{gateway.origin}/app/#token={gateway.one_time_token('observe')}")
    browser.wait("#line", "You may look")
    assert not browser.find('[data-key="7"]').is_enabled() and not browser.find("#undo").is_enabled()
    daemon.ctl("--session", "app", "call", "calculator.press", "7")
    shows(browser, "7")
    browser.click('nav [href="#mine"]')
    browser.wait("#services", "customer service")
    browser.resize(844, 390)
    assert faults(browser, "light") == []
    tab_to(browser, "#main")
    type_keys(browser, Keys.END)
    wait_until(lambda: browser.script("return document.querySelector('#main').scrollTop") > 0, "keys scroll it")


@pytest.mark.parametrize("size", SIZES)
def test_every_digit_is_seen_and_the_seventeenth_is_refused(open_app, size):
    browser = open_app(size=size)
    press(browser, "-1234567890123456")
    browser.click('[data-key="7"]')
    browser.wait("#notes", "16 digits")
    press(browser, "*1000000000=")
    browser.wait("#led", "-1.234567890123456e24")
    assert browser.script("const led = document.querySelector('#led'); return led.scrollWidth <= led.clientWidth && led.clientHeight < 90")
    for key in "7890.=":
        assert browser.script("""
            const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return box.bottom <= innerHeight && box.top >= 0 && box.height >= 24 && box.width >= 24""", f'[data-key="{key}"]'), key


def test_a_hint_is_shown(open_app, daemon):
    browser = open_app()
    press(browser, "9/0=")
    browser.wait("#notes .error[role=alert]", "Cannot divide by zero")
    press(browser, "1")
    wait_until(lambda: not browser.all("#notes p"), "the next press answers the note")
    daemon.ctl("--session", "app", "call", "lab.hint", "--json", '{"level":"warning","text":"It rains."}')
    browser.wait("#notes .warning[role=status]", "It rains.")


# Signing in, and Mine

def test_a_wrong_and_a_right_password(daemon, open_app):
    daemon.ctl("--session", "setup", "call", "login.register", "--json", ADA)
    browser = open_app(page="mine")
    browser.wait("#nickname", "Sign in")
    browser.click('[data-row="wallet"]')
    at(browser, "login")
    browser.type("#account", "ad")
    browser.wait("#account-problem", "3 to 64")
    browser.type("#account", "a")
    browser.wait("#account-problem", lambda text: text == "")
    browser.type("#password", "wrong horse" + Keys.ENTER)
    browser.wait("#notes .error", "wrong")
    browser.type("#password", "correct horse" + Keys.ENTER, clear=True)
    browser.wait("#nickname", "Ada")
    at(browser, "mine")
    browser.wait("#wallet-cards b", lambda text: text == "0 yuan", "the wallet has an amount")
    browser.click("#person")
    browser.wait("#facts", "NameAda")
    browser.click("#sign-out")
    browser.wait("#facts", "Nobody")
    browser.click("#back")
    browser.wait("#nickname", "Sign in")
    browser.click("#person")
    assert browser.find("#account").get_attribute("value") == "", "the form is empty again"


def test_a_new_account(open_app):
    browser = open_app(page="mine")
    browser.click("#person")
    browser.type("#account", "grace")
    browser.type("#password", "long enough")
    browser.click("#register")
    browser.wait("#nickname", lambda text: text != "Sign in", "the new person is signed in")
    assert not browser.all("#notes .error")


SCENES = {"wallet": ("My wallet", "#amounts", "0 yuan"), "support": ("Contact customer service", "#compose", "Your message"),
          "cooperation": ("I want cooperation", "#compose", "Your message"), "help": ("Help", "#health", "running"),
          "feedback": ("I want feedback", "#compose", "Your message"), "balance": ("Balance", "#amounts", "0 yuan")}


@pytest.mark.parametrize("how, size", [("keys", (900, 820)), ("touch", (360, 740)), ("touch", (844, 390)), ("keys", (1440, 900))])
def test_every_row_leads_to_a_scene(ada, how, size):
    browser = ada(size=size)
    for row, (title, css, text) in SCENES.items():
        select = f'[data-row="{row}"]'
        if how == "keys":
            tab_to(browser, select)
            type_keys(browser, Keys.ENTER)
        else:
            browser.script("arguments[0].scrollIntoView()", browser.find(select))
            tap(browser, select)
        at(browser, "wallet" if row == "balance" else row)
        titled(browser, "My wallet" if row == "balance" else title)
        browser.wait(css, text)
        assert browser.find(css).is_displayed()
        if how == "keys":
            tab_to(browser, "#back")
            type_keys(browser, Keys.ENTER)
        else:
            tap(browser, "#back")
        at(browser, "mine")
        titled(browser, "Mine")


# Addresses

def scenes(daemon, session="app"):
    return [one["scene"] for one in json.loads(daemon.ctl("--session", session, "read", "coordinator", "--output", "json").stdout)["scenes"]]


def test_back_forward_and_reload(daemon, ada, gateway):
    browser = ada()
    browser.click('[data-row="help"]')
    at(browser, "help")
    browser.driver.back()
    titled(browser, "Mine")
    wait_until(lambda: scenes(daemon) == ["root"], "Back has popped the scene")
    browser.driver.forward()
    titled(browser, "Help")
    browser.driver.refresh()
    titled(browser, "Help")
    assert scenes(daemon) == ["root", "help"]
    browser.click("#back")
    at(browser, "mine")
    visit(browser, "calculator")
    browser.driver.back()
    titled(browser, "Mine")
    # Another client navigates.
    daemon.ctl("--session", "app", "call", "coordinator.open", "--json", '{"scene":"feedback"}')
    titled(browser, "I want feedback")
    at(browser, "feedback")
    browser.driver.back()
    titled(browser, "Mine")
    # A link from outside.
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(f"{gateway.origin}/app/#wallet")
    titled(browser, "My wallet")
    assert scenes(daemon) == ["root", "wallet"]
    browser.click("#back")
    wait_until(lambda: scenes(daemon) == ["root"], "there is a page below")
    browser.script("location.hash = 'nowhere'")
    browser.wait("#notes .error", "nowhere")
    at(browser, "calculator")


def test_a_scene_that_the_app_does_not_know(daemon, open_app):
    browser = open_app()
    daemon.ctl("--session", "app", "call", "lab.open", "--json", '{"scene":"attic"}')
    titled(browser, "Attic")
    assert browser.find("#other").is_displayed()
    browser.click("#back")
    titled(browser, "Calculator")


# Messages

@pytest.fixture
def backend():
    server = JSONBackend()
    yield server
    server.close()


@pytest.fixture
def messages(own, gateways, open_app, backend):
    """The messages of a person whose account an HTTP server has."""
    daemon = own({"account": {"provider": "http", "url": backend.url}})
    browser = open_app(line=gateways(daemon))
    sign_in(browser, "ali", JSONBackend.PASSWORD)
    visit(browser, "messages")
    return browser


def test_a_message_is_sent_again_and_removed(messages, backend):
    backend.next("/messages", Answer(400, {"error_desc": "no room in the cave"}))
    messages.type("#draft", "Open, sesame" + Keys.ENTER)
    messages.wait("#items small", "Waits")
    wait_until(lambda: messages.find("#draft").get_attribute("value") == "", "the draft is empty")
    messages.click("#send")
    messages.wait("#items .failed small", "Failed · ")
    messages.named("#items button", "Retry").click()
    messages.wait("#items .sent small", "Sent")
    assert list(backend.delivered.values()) == ["Open, sesame"]
    messages.named("#items button", "Remove").click()
    wait_until(lambda: messages.find(".empty"), "the list is empty")


@pytest.mark.parametrize("is_loaded_again", [False, True])
def test_a_sending_is_cancelled_and_done_later(messages, backend, is_loaded_again):
    for text in ("one", "two"):
        messages.type("#draft", text + Keys.ENTER)
        messages.wait("#items p", text)
    backend.set("/messages", Answer(503, {}))
    messages.click("#send")
    messages.find("#progress")
    messages.wait("#items small", "Is being sent")
    if is_loaded_again:
        messages.driver.refresh()
        messages.find("#progress")
    messages.click("#cancel")
    wait_until(lambda: messages.find("#send").is_enabled(), "it can be sent again")
    messages.wait("#items small", "Waits", "it is not sent any more")
    assert not messages.all("#notes .error"), "one's own cancel is no error"
    backend.set("/messages", None)
    messages.click("#send")
    titled(messages, "Sent")
    messages.wait("#sent-count", "2 messages are delivered")
    at(messages, "sent")
    messages.click("#dismiss")
    titled(messages, "Messages")
    assert sorted(backend.delivered.values()) == ["one", "two"]


def test_the_focus_stays_in_a_list(open_app):
    browser = open_app(page="messages")
    for text in ("one", "two", "three"):
        browser.type("#draft", text + Keys.ENTER)
        browser.wait("#items p", text)
    tab_to(browser, "#items li:first-child button")
    for left in ("two", "one"):
        type_keys(browser, Keys.ENTER)
        browser.wait("#items p", left)
        assert browser.script("return document.activeElement.parentElement.textContent") == f"{left}WaitsRemove"


# Prompts

@pytest.fixture
def asking(daemon):
    """Starts a prompt, whose answer the command prints."""
    with contextlib.ExitStack() as stack:
        def start(**prompt):
            return stack.enter_context(daemon.running_ctl("call", "lab.prompt", "--json", json.dumps(prompt), session="app"))
        yield start


def answer(browser, process, act):
    """Acts until a prompt that has the focus is answered, because the first half second counts nothing."""
    wait_until(lambda: browser.all("dialog:modal"), "the prompt has the focus")
    wait_until(lambda: process.poll() is not None or browser.all("dialog:modal") and act(), "the prompt is answered", pause=0.1)
    return json.loads(process.communicate(timeout=15)[0])


def test_a_prompt_takes_no_key_of_a_text(open_app, asking):
    browser = open_app(page="messages")
    draft = browser.find("#draft")
    draft.click()
    # A person never pauses, however slow the machine is.
    browser.script("window.person = setInterval(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' })), 100)")
    question = asking(kind="confirm", title="Delete your account?")
    browser.wait("dialog h2", "Delete")
    # It is seen, and the text still has the keys.
    type_keys(browser, "hello world of prompts")
    assert draft.get_attribute("value") == "hello world of prompts" and browser.all("dialog[open]:not(:modal)")
    browser.script("clearInterval(window.person)")
    wait_until(lambda: browser.all("dialog:modal"), "it takes the focus when nobody types")
    type_keys(browser, Keys.ENTER + Keys.SPACE)
    assert question.poll() is None and browser.script("return document.activeElement.localName") == "dialog", "no key answers by accident"
    tab_to(browser, "dialog .cancel")
    assert answer(browser, question, lambda: type_keys(browser, Keys.ENTER))["button"] == "cancel"
    assert browser.script("return document.activeElement.id") == "draft", "the text has the focus again"


def test_prompts_of_every_kind(open_app, asking):
    browser = open_app()
    alert = asking(kind="alert", title="It rains.", message="Take an umbrella.")
    browser.wait("dialog p", "umbrella")
    answer(browser, alert, lambda: browser.script("document.querySelector('dialog button').click()"))
    name = asking(kind="input", title="Your name?")
    browser.wait("dialog h2", "name")
    browser.type("dialog input", "Ada")
    assert answer(browser, name, lambda: type_keys(browser, Keys.ENTER)) ["text"] == "Ada"
    sure = asking(kind="confirm", title="Sure?")
    browser.wait("dialog h2", "Sure")
    assert answer(browser, sure, lambda: type_keys(browser, Keys.ESCAPE))["button"] == "cancel"
    asking(kind="busy", title="Counting", milliseconds=600_000)
    browser.wait(".busy", "Counting")
    press(browser, "7")
    shows(browser, "7")


def test_a_prompt_that_cannot_be_answered_stays(daemon, open_app, asking):
    browser = open_app()
    asking(kind="confirm", title="Sure?")
    wait_until(lambda: browser.all("dialog:modal"), "the prompt has the focus")
    daemon.stop()
    browser.wait("#line", "last known state")
    for _ in range(3):
        type_keys(browser, Keys.ESCAPE)
        browser.driver.execute_async_script("setTimeout(arguments[0], 50)")
        assert browser.all("dialog:modal"), "the browser does not close it"
    daemon.start()
    wait_until(lambda: not browser.all("dialog"), "the prompt is gone")


# The line

def test_a_page_that_was_opened_before_the_daemon(own, gateways, open_app):
    daemon = own(start=False)
    browser = open_app(line=gateways(daemon), state="offline")
    browser.wait("#line", "waits for it")
    assert not browser.find("#undo").is_enabled() and browser.all("#items[aria-busy]")
    browser.click('nav [href="#messages"]')
    titled(browser, "Messages")
    browser.type("#draft", "Typed before")
    daemon.start()
    wait_until(lambda: browser.find("#add").is_enabled(), "the page is alive, and the text is sent")
    browser.click('nav [href="#calculator"]')
    press(browser, "7")
    shows(browser, "7")


def test_what_is_pressed_without_a_line_is_refused(daemon, ada):
    browser = ada()
    visit(browser, "calculator")
    press(browser, "12")
    shows(browser, "12")
    daemon.stop()
    browser.wait("#line", "last known state")
    assert "grayscale" in browser.script("return getComputedStyle(document.querySelector('main')).filter")
    press(browser, "3")
    browser.wait("#notes .error", "not sent")
    type_keys(browser, "4")
    visit(browser, "mine")
    browser.click('[data-row="help"]')
    browser.wait("#notes .error", "not sent")
    browser.script("location.hash = 'help'")
    at(browser, "mine")
    visit(browser, "messages")
    browser.type("#draft", "A long story" + Keys.ENTER)
    daemon.start()
    wait_until(lambda: browser.find("#add").is_enabled(), "what was typed is sent")
    assert not browser.all("#items li"), "an Enter without a line adds nothing later"
    visit(browser, "calculator")
    shows(browser, "12")
    assert browser.text("#line") == "" and scenes(daemon) == ["root"]


def test_a_silent_line_looks_dead(slow_line, gateways, open_app):
    browser = open_app(line=gateways(slow_line))
    press(browser, "7")
    shows(browser, "7")
    slow_line.stall()
    browser.wait("#line", "last known state")
    press(browser, "8")
    browser.wait("#notes .error", "not sent")


def test_a_session_that_another_client_ends(daemon, open_app):
    browser = open_app(page="calculator")
    press(browser, "7")
    shows(browser, "7")
    daemon.ctl("close", "app")
    browser.wait("#notes .warning", "ended the session")
    shows(browser, "0")


# The look

def faults(browser, scheme):
    """What axe-core finds, boxes that are wider than the window, and keys below it."""
    browser.driver.execute_async_script(
        "Promise.all(document.getAnimations().map((one) => one.effect.getComputedTiming().iterations === Infinity || one.finished)).then(() => arguments[0]())")
    wide = browser.script("return document.documentElement.scrollWidth > innerWidth || document.querySelector('main').scrollWidth > document.querySelector('main').clientWidth")
    low = browser.script("return document.querySelector('#keys').getBoundingClientRect().bottom > document.querySelector('main').getBoundingClientRect().bottom")
    return browser.broken_rules(scheme) + ["wide"] * wide + ["low"] * low


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_in_every_size(daemon, ada, asking, screenshot, scheme):
    browser = ada(scheme=scheme)
    daemon.ctl("--session", "app", "call", "sendList.draft", "--text", "Donaudampfschifffahrt" * 20)
    daemon.ctl("--session", "app", "call", "sendList.add")
    bad = {}

    def look(page):
        for size in SIZES:
            browser.resize(*size)
            if found := faults(browser, scheme):
                bad[f"{page} {size}"] = found
            screenshot(browser, f"app-{page}-{size[0]}-{scheme}")
    for page in ("calculator", "messages", "mine", "profile", "wallet", "help", "sent"):
        visit(browser, page)
        look(page)
    visit(browser, "profile")
    browser.click("#sign-out")
    browser.wait("#facts", "Nobody")
    for page in ("login", "messages", "wallet"):
        visit(browser, page)
        look(f"{page}-signed-out")
    question = asking(kind="confirm", title="Delete your account?", message="All messages and the wallet go with it.")
    wait_until(lambda: browser.all("dialog:modal"), "the prompt has the focus")
    look("prompt")
    answer(browser, question, lambda: browser.click("dialog .cancel"))
    visit(browser, "calculator")
    daemon.stop()
    browser.wait("#line", "last known state")
    press(browser, "7")
    browser.wait("#notes .error", "not sent")
    look("offline")
    assert not bad, json.dumps(bad, indent=1)


def test_the_first_key_leads_past_the_tabs(open_app):
    browser = open_app()
    tab_to(browser, ".skip")
    box = browser.script("const { x, y, width, height } = document.activeElement.getBoundingClientRect(); return [x, y, width, height]")
    assert min(box) > 0, box
    type_keys(browser, Keys.ENTER)
    assert browser.script("return [document.activeElement.localName, location.hash]") == ["main", "#calculator"]


def test_the_client_is_that_of_the_contract(own, tmp_path):
    sources = pathlib.Path(__file__).resolve().parents[2] / "Sources"
    page, new = sources / "ViewModelGateway/Page/client.js", tmp_path / "client.js"
    generated = own(lab=False).ctl("generate", "javascript").stdout
    head, runtime, types = generated.partition((sources / "ClientGenerators/Runtimes/viewmodel.js").read_text())
    new.write_text(head + IMPORTS + types)
    assert runtime and page.read_text() == new.read_text(), f"cp {new} {page}"


def test_it_can_be_installed(gateway, open_app):
    browser = open_app()
    answer = browser.driver.execute_cdp_cmd("Page.getAppManifest", {})
    assert not answer["errors"] and answer["url"] == f"{gateway.origin}/app.json"
    manifest = json.loads(answer["data"])
    assert manifest["start_url"] == "app/" and manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        reply = gateway.get(f"/{icon['src']}")
        assert reply.status == 200 and reply.headers["content-type"] == icon["type"]
