"""The inspector: sessions, forms, prompts, access."""
import json
import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from wire import wait_until


def test_a_calculator_is_a_live_form(page, daemon, screenshot):
    page.attach("desk")
    page.show("calculator")
    for key in "12+3=":
        page.click(f'[data-input="press"] [data-value="{key}"]')
    page.wait('[data-output="led"] .output-value', "15")
    wait_until(lambda: len(page.all('[data-output="operations"] tbody tr')) == 2, "two operations")
    daemon.ctl("--session", "desk", "call", "keypad.press", "--text", "7")
    page.wait('[data-output="led"] .output-value', "7", "what another client did")
    assert page.find('[data-action="undo"] button.primary').is_enabled()
    page.click('[data-action="undo"] button.primary')
    page.wait('[data-action="undo"] .outcome', "null")
    page.click('[data-action="clear"] button.primary')
    wait_until(lambda: not page.find('[data-action="undo"] button.primary').is_enabled(), "undo is disabled")
    page.click("#health summary")
    wait_until(lambda: {"Sessions, also without a name", "Memory", "Reply to this page", "Socket"} <= set(page.texts("#health dt")), "the numbers are shown")
    page.click("#health summary")
    screenshot(page, "calculator")


def test_results_errors_and_refusals_stand_where_they_belong(lab):
    lab.type('[data-action="book"] input', "5\n")
    lab.wait('[data-action="book"] .outcome', "5")
    lab.type('[data-action="book"] input', "50\n", clear=True)
    lab.wait('[data-action="book"] .outcome.error', "soldOut")
    lab.wait('[data-action="book"] .outcome.error', "Fewer seats are left.")
    lab.wait('[data-action="book"] .outcome.error', "seatsLeft")
    lab.type('[data-input="set"] input', "9999999999999999\n")
    lab.wait('[data-input="set"] .field-error', "Expected", "the daemon's refusal is at the field")
    lab.type('[data-input="set"] input', "12x\n", clear=True)
    lab.wait('[data-input="set"] .field-error', "Expected an integer")
    lab.type('[data-input="word"] input', "abc1")
    lab.wait('[data-input="word"] .outcome.error', "Refused")


def test_everything_can_be_copied(lab):
    copied = lab.copied
    lab.type('[data-input="ring"] input', "it's $HOME \u202e")
    command = copied('[data-input="ring"]', "ctl")
    assert command == "viewmodelctl --session desk call lab.ring '--json={\"value\":\"it'\\''s $HOME \\u202e\"}'", command
    assert json.loads(copied('[data-input="ring"]', "JSON")) == {"value": "it's $HOME \u202e"}
    assert copied('[data-output="value"]', "ctl") == "viewmodelctl --session desk read lab value"
    assert json.loads(copied(".instance-head", "JSON"))["sample"]["decimal"] == "19.99"
    assert copied('[data-output="rows"]', "ctl") == "viewmodelctl --session desk read lab rows --window rows=0,0"
    lab.click("#health summary")
    assert copied("#health", "ctl") == "viewmodelctl status"
    lab.type('[data-action="sleep"] input', "1")
    lab.click('[data-action="sleep"] .call-head button')
    lab.wait('[data-action="sleep"] .outcomes', " ms")
    assert copied('[data-action="sleep"] .outcome', "ctl") == "viewmodelctl --session desk call lab.sleep '--json={\"milliseconds\":1}'"
    assert copied('[data-output="bell"]', "ctl") == "viewmodelctl --session desk watch lab"


def test_a_daemon_with_another_contract_is_shown_as_it_is(lab, daemon, mock):
    lab.expected_log = ("WebSocket", "Failed to load resource")
    daemon.stop()
    mock('{"x-viewModels": {"lab": {"outputs": {"novel": {"schema": {"type": "string"}, "example": "brand new"}}}}}', socket=daemon.socket)
    lab.wait('[data-output="novel"] .output-value', "brand new")


def test_actions_show_progress_and_are_cancelled(lab):
    lab.type('[data-action="sleep"] input[type=text]', "60000\n")
    lab.wait('[data-action="sleep"] .action-state', "executing")
    assert not lab.find('[data-action="sleep"] button.primary').is_enabled()
    lab.named("button", "Cancel").click()
    wait_until(lambda: lab.find('[data-action="sleep"] button.primary').is_enabled(), "it can be called again")
    lab.click('[data-action="sleep"] .meta summary')
    lab.type('[data-action="sleep"] .meta input', "50")
    lab.click('[data-action="sleep"] button.primary')
    lab.wait('[data-action="sleep"] .outcome.error', "-32008")
    fields = lab.all('[data-action="count"] input[type=text]')
    fields[0].send_keys("500")
    fields[1].send_keys("200\n")
    lab.wait('[data-action="count"] .action-state', "%", "the progress is told")
    lab.find('[data-action="count"] progress')


def test_a_call_can_be_cancelled_after_a_reload_and_after_another_instance(lab, daemon):
    call = '[data-action="sleep"]'
    lab.type(f"{call} input[type=text]", "60000\n")
    lab.wait(f"{call} .run", "executing")
    lab.driver.refresh()
    lab.wait(f"{call} .run", "executing")
    lab.show("calculator")
    lab.show("lab")
    lab.named("button", "Cancel").click()
    lab.wait(f"{call} .run", "This page has cancelled the call")
    wait_until(lambda: lab.find(f"{call} button.primary").is_enabled(), "it can be called again")
    assert lab.script("return sessionStorage.length") == 0
    with daemon.connect("desk") as other:
        other.request("lab.sleep", {"milliseconds": 60000})
        lab.wait(f"{call} .action-state", "not called here")
        lab.driver.refresh()
        lab.wait(f"{call} .action-state", "not called here", "the protocol lets only a caller cancel")


def test_a_call_under_way_can_be_cancelled_after_many_others(lab):
    call = '[data-action="sleepConcurrent"]'
    lab.type(f"{call} input[type=text]", "60000\n")
    for number in range(2, 8):
        lab.type(f"{call} input[type=text]", "1\n", clear=True)
        lab.wait(f"{call} .run", lambda text: text.startswith(f"#{number}") and text.endswith(" ms"))
    assert [text.split(" ")[0][:2] for text in lab.texts(f"{call} .run")] == ["#7", "#6", "#5", "#4", "#3", "#1"]
    lab.named("button", "Cancel").click()
    lab.wait(f"{call} .run:last-child", "This page has cancelled the call")


def test_a_deadline_that_is_no_number_calls_nothing(lab):
    call = '[data-action="sleep"]'
    lab.click(f"{call} .meta summary")
    lab.type(f"{call} .meta input", "5s")
    lab.click(f"{call} .meta summary")
    lab.type(f"{call} input[type=text]", "1\n")
    wait_until(lambda: lab.script("return document.activeElement.matches(':invalid')"), "the field of the deadline is shown")
    lab.click(f"{call} .copies summary")
    lab.click(f"{call} .copies button:last-child")
    lab.wait(".toast", "Not copied")
    assert lab.texts(f"{call} .run") == []
    lab.type(f"{call} .meta input", "5000", clear=True)
    lab.click(f"{call} button.primary")
    lab.wait(f"{call} .run", "#1")
    assert "--deadline 5000" in lab.copied(call, "ctl")


def test_fast_frames_do_not_freeze_the_page(lab, daemon):
    daemon.ctl("--session", "desk", "call", "lab.count", "--json", '{"to":200,"every":2}')
    lab.wait('[data-output="value"] .output-value', "200")
    assert lab.all('[data-output="value"] .changed'), "the change is shown"


def test_a_form_of_every_type_and_its_json(lab):
    form = '[data-input="setSample"]'
    lab.click(f"{form} .form-tools .link")
    area = lab.find(f"{form} textarea.raw")
    sample = {"date": "2026-11-23T20:15:00Z", "data": "AAEC", "double": 1.5, "optional": None, "nested": {"name": "Paris", "latitude": 48.9, "longitude": 2.3}, "colour": "blue",
              "uuid": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "decimal": "12345678901234567890.10", "list": ["a", "b"], "dictionary": {"x": 1}}
    area.clear()
    area.send_keys(json.dumps(sample))
    lab.click(f"{form} .form-tools .link")
    wait_until(lambda: lab.script("return [...document.querySelectorAll('[data-input=setSample] input')].some((one) => one.value === 'Paris')"), "the JSON is a form again")
    lab.click(f"{form} button.primary")
    for text in ("Paris", "3 B", "12 345 678 901 234 567 890.1".replace(" ", "\u202f"), "blue"):
        lab.wait('[data-output="sample"] .output-value', text)


@pytest.mark.parametrize("kind", ["alert", "confirm", "input"])
def test_prompts_are_dialogs(lab, kind, screenshot):
    Select(lab.find('[data-action="prompt"] select')).select_by_visible_text(kind)
    title = lab.all('[data-action="prompt"] input[type=text]')[0]
    title.send_keys("Delete \u202e the file?\n")
    lab.wait("dialog.prompt h2", "⟨U+202E⟩", "a control character is visible")
    if kind == "confirm":
        screenshot(lab, "prompt")
    inside = "return document.querySelector('dialog.prompt').contains(document.activeElement)"
    for _ in range(8):
        assert lab.script(inside + " || document.activeElement === document.body")
        lab.driver.switch_to.active_element.send_keys(Keys.TAB)
    # The first half second counts nothing.
    later = lambda: lab.driver.switch_to.active_element.send_keys(Keys.ESCAPE) or not lab.all("dialog.prompt")  # noqa: E731
    wait_until(later, "the prompt is put off", pause=0.1)
    lab.wait("#waiting", "1 prompt waits")
    lab.click("#waiting button")
    if kind == "input":
        lab.type("dialog.prompt input", "yes")
    lab.click("dialog.prompt button.primary")
    wait_until(lambda: not lab.all("dialog"), "the dialog is gone")
    lab.wait('[data-action="prompt"] .outcome', "yes" if kind == "input" else "button")


def test_hints_are_messages_and_scenes_are_a_path(lab):
    lab.type('[data-input="hint"] input[type=text]', "<b>Saved</b>\n")
    lab.wait(".toast", "<b>Saved</b>")
    lab.type('[data-action="open"] input[type=text]', "wallet\n")
    lab.wait("#scenes", "wallet")
    lab.click("#scenes button.small")
    lab.wait("#scenes", lambda text: "wallet" not in text)


def test_sessions_are_opened_and_closed(page, daemon):
    page.attach("one")
    page.show("labPage")
    page.click(".types [aria-label='Open a new labPage']")
    form = page.find(".types [open]")
    form.find_elements("css selector", "input")[0].send_keys("page-2")
    form.find_elements("css selector", "input")[1].send_keys("Title")
    next(one for one in form.find_elements("css selector", "button") if one.text == "Open new").click()
    page.wait('article[data-instance="page-2"] h2', "page-2")
    page.wait('[data-output="title"] .output-value', "Title")
    page.click('[aria-label="Close the instance: page-2"]')
    page.wait("#place", "page-2 was closed")
    page.named(".tile b", "calculator")
    page.attach("two")
    page.click('[aria-label="End the session: two"]')
    page.click("dialog button.danger")
    page.wait("#place", "The session two has ended")
    wait_until(lambda: "two" not in daemon.ctl("sessions").stdout, "the session has ended")
    assert "inspector-" not in page.text("#side"), "the page's own session is no session of the person's"


def test_many_sessions_leave_room_for_the_instances(page, daemon):
    page.attach("desk")
    page.show("calculator")
    with daemon.connect() as client:
        for number in range(300):
            client.attach(f"many-{number:03}", linger=600)
    sessions = "[aria-label=Sessions]"
    wait_until(lambda: len(page.all(f"{sessions} li")) > 300, "all sessions are listed")
    assert page.script("return document.querySelector('[aria-label=Instances]').getBoundingClientRect().bottom < innerHeight")
    page.script(f"document.querySelector('{sessions}').scrollTop = 3000")
    daemon.ctl("--session", "one-more", "--linger", "60", "call", "lab.set", "1")
    wait_until(lambda: page.all(f"{sessions} [data-name=one-more]"), "a new session is listed")
    assert page.script(f"return document.querySelector('{sessions}').scrollTop") == 3000, "the list stays where it is"


def test_who_may_only_observe_sees_and_changes_nothing(gateway, daemon, open_browser, screenshot):
    daemon.ctl("--session", "desk", "--linger", "60", "call", "lab.set", "7")
    browser = open_browser(gateway.url("observe"))
    browser.wait("#read-only", "viewmodelctl inspect --control")
    browser.attach("desk")
    browser.show("lab")
    browser.wait('[data-output="value"] .output-value', "7")
    assert not browser.find('[data-input="set"] button.primary').is_enabled()
    assert not browser.find('[data-action="sleep"] button.primary').is_enabled()
    daemon.ctl("--session", "desk", "call", "lab.set", "8")
    browser.wait('[data-output="value"] .output-value', "8")
    screenshot(browser, "read-only")
    browser.show("sendList")
    daemon.ctl("--session", "desk", "call", "sendList.draft", "--text", "two\nlines")
    assert not browser.find('[data-input="draft"] textarea').is_enabled()


def test_a_page_without_access_says_how_to_get_it(gateway, open_browser):
    address = gateway.url("act")
    browser = open_browser(address, ("401", "HTTP Authentication failed"), width=1000)
    browser.wait("#connection", "connected")
    assert "token" not in browser.driver.current_url
    browser.driver.delete_all_cookies()
    browser.driver.get("about:blank")
    browser.driver.get(address)
    browser.wait("#no-access", "viewmodelctl inspect")
    assert browser.find("#no-access").is_displayed()


def test_a_new_address_works_in_the_tab_of_the_page(gateway, open_browser):
    browser = open_browser(f"{gateway.origin}/", ("401", "HTTP Authentication failed"))
    browser.wait("#no-access", "viewmodelctl inspect")
    browser.driver.get(gateway.url("observe"))
    browser.wait("#connection", "connected")
    browser.driver.get(gateway.url("act"))
    wait_until(lambda: browser.text("#connection") == "connected" and browser.script("return document.querySelector('#read-only').hidden"), "the page has control")
    browser.script("window.isSame = true; document.querySelector('.skip').click()")
    browser.attach("desk")
    assert browser.script("return window.isSame"), "another fragment loads nothing again"


def test_the_keyboard_does_all(page):
    page.find(".new-session input").send_keys("keys" + Keys.ENTER)
    page.wait("#connection", "keys")
    page.show("calculator")
    def tab_to(css, limit=90):
        for _ in range(limit):
            ActionChains(page.driver).send_keys(Keys.TAB).perform()
            if page.script("return document.activeElement.matches(arguments[0])", css):
                outline = page.script("return getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"the focus on {css} cannot be seen"
                return page.driver.switch_to.active_element
        raise AssertionError(f"no way to {css} with the Tab key")
    tab_to('[data-value="8"]').send_keys(Keys.ENTER)
    page.wait('[data-output="led"] .output-value', "8")
    tab_to(".tl-list").send_keys(Keys.ARROW_UP)
    page.wait(".tl-detail", "reply")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.wait("#past-text", "You see message")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    wait_until(lambda: not page.script("return document.body.classList.contains('in-past')"), "the page is in the present")


@pytest.mark.parametrize("width", [1000, 480])
def test_no_control_is_lost_on_a_narrow_screen(gateway, open_browser, width, screenshot):
    browser = open_browser(gateway.url("act"), width=width, height=900)
    browser.attach("desk")
    browser.show("lab")
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth"), "the page does not scroll sideways"
    lost = browser.script("""
        return [...document.querySelectorAll(".middle button, .middle input")].filter((one) => one.checkVisibility() && !one.closest(".scroller") && !one.matches(".offscreen"))
            .filter((one) => { const box = one.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1; }).map((one) => one.outerHTML.slice(0, 80));
    """)
    assert lost == []
    screenshot(browser, f"narrow-{width}")


def test_contracts_that_nobody_knows_are_shown(mock, gateways, open_browser, screenshot):
    script = Path(__file__).parents[1] / "Clients/adversarial.py"
    contract = subprocess.run([sys.executable, script], capture_output=True, check=True, text=True).stdout
    daemon = mock(contract)
    browser = open_browser(gateways(daemon).url("act"), ("WebSocket", "Failed to load resource"), scheme="dark")
    daemon.ctl("--session", "desk", "--linger", "60", "open", "hard", "--id", "hard", "--json", '{"id":"x"}')
    browser.attach("desk")
    for name, type_ in json.loads(contract)["x-viewModels"].items():
        if name == "inner":
            continue
        browser.show(name)
        members = [*type_["inputs"], *(one for one, output in type_["outputs"].items() if "." not in one)]
        shown = browser.script("return document.querySelectorAll('[data-input], [data-output]').length")
        assert shown == len(members), name
    browser.show("hard")
    assert not any("\u202e" in text for text in browser.texts(".description")), "control characters are visible"
    screenshot(browser, "adversary")
