"""The inspector in its states and sizes: first use, no daemon, a dead line, long and many names, typing, accessibility."""
import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from wire import wait_until

SIZES = [(320, 640), (844, 390), (768, 1024), (1280, 800)]
LONG = "aVeryLongNameOfAViewModelThatSomebodyChoseWithoutThinkingOf60"
STRING = {"type": "string"}


def check(browser, state, screenshot, sizes=SIZES):
    """No rule of axe is broken, nothing scrolls sideways and no control is outside of the screen, in each size, light and dark."""
    for width, height in sizes:
        for scheme in ("light", "dark"):
            browser.show_scheme(scheme)
            browser.resize(width, height)
            wait_until(lambda: browser.script("return document.getAnimations().length === 0"), "nothing moves")
            broken = browser.broken_rules(scheme)
            lost = browser.script("""
                return [...document.querySelectorAll("button, input, select, summary")]
                    .filter((one) => one.checkVisibility() && !one.closest(".scroller, .scenes ol, .copies") && !one.matches(".offscreen"))
                    .filter((one) => { const box = one.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1; })
                    .map((one) => one.outerHTML.slice(0, 100));
            """)
            place = (state, width, scheme)
            assert (broken, lost, browser.script("return document.documentElement.scrollWidth <= innerWidth")) == ([], [], True), place
            screenshot(browser, f"{state}-{width}-{scheme}")
    browser.show_scheme("light")
    browser.resize(1280, 800)


def test_a_page_that_is_opened_before_the_daemon_comes_alive(own, gateways, open_browser, screenshot):
    daemon = own(start=False)
    browser = open_browser(gateways(daemon).url("act"), ("WebSocket", "Failed to load resource"))
    browser.wait("#place", f"No daemon answers at {daemon.socket}")
    check(browser, "waiting", screenshot)
    daemon.start()
    browser.named("button", "Open session desk")


def test_a_page_says_that_the_daemon_refuses_the_connection(own, gateways, open_browser):
    daemon = own({"limits": {"connectionsPerUser": 1}})
    with daemon.connect_last():
        browser = open_browser(gateways(daemon).url("act"), ("WebSocket", "Failed to load resource"))
        browser.wait("#place", "It refuses the connection")


def test_the_first_use_is_one_button_and_the_address_names_the_place(page, screenshot):
    check(page, "first", screenshot)
    page.named("button", "Open session desk").click()
    page.wait('[data-output="led"] .output-value', "0")
    assert page.driver.current_url.endswith("/?session=desk&instance=calculator")
    page.show("lab")
    page.driver.back()
    page.wait(".instance-head h2", "calculator")
    check(page, "calculator", screenshot)
    page.driver.forward()
    page.wait(".instance-head h2", "lab")
    page.driver.refresh()
    page.wait(".instance-head h2", "lab")
    for _ in range(2):
        page.driver.back()
    page.wait("#place", "Choose a session")
    page.named("button", "desk\n5 instances").click()
    page.wait("#connection", "desk")


def test_a_hidden_side_leaves_its_room_to_the_middle(page):
    page.resize(1280, 800)
    page.click("#toggle-side")
    middle, timeline = page.find(".middle").rect, page.find("#timeline").rect
    assert (middle["x"], middle["width"], timeline["width"]) == (0, 1280 - timeline["width"], 330)
    page.click("#toggle-timeline")
    assert page.find(".middle").rect["width"] == 1280


def test_a_long_message_is_scrolled_by_keys(lab, screenshot):
    field = lab.find('[data-input="ring"] input')
    lab.script("arguments[0].value = 'x'.repeat(2000); arguments[0].dispatchEvent(new Event('input', { bubbles: true }))", field)
    field.send_keys(Keys.ENTER)

    def is_shown():
        lab.script("[...document.querySelectorAll('.tl-row:is(.request, .notice)')].at(-1)?.click()")
        return "xxx" in lab.text(".tl-detail pre")
    wait_until(is_shown, "the message is shown")
    check(lab, "message", screenshot, SIZES[-1:])


def test_a_phone_shows_what_was_chosen(page):
    page.resize(390, 844)
    page.attach("desk")
    page.click("#toggle-side")
    page.click("#side [aria-label=Types] [data-key='show login']")
    wait_until(lambda: page.find(".instance h2").rect["y"] < 200, "the instance is in sight")
    assert not page.find("#toggle-side").get_attribute("aria-expanded") == "true"
    page.click("#toggle-timeline")
    assert page.find(".tl-list").rect["height"] > 200
    assert not page.all(".instance")[0].is_displayed()
    page.click(".tl-row.picture")
    page.click(".tl-detail .primary")
    page.find(".instance.past")
    assert page.driver.switch_to.active_element.get_attribute("id") == "place"
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.find(".instance:not(.past)")


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_no_key_moves_below_the_pointer_when_a_list_above_it_grows(page, size):
    page.attach("desk")
    page.resize(*size)
    page.show("calculator")
    key = page.find('[data-value="+"]')
    ActionChains(page.driver).move_to_element(key).perform()
    place = page.script("return arguments[0].getBoundingClientRect().top", key)
    for count in range(1, 5):
        key.click()
        page.click('[data-value="2"]')
        wait_until(lambda: len(page.all('[data-output="operations"] tbody tr')) == count, f"{count} operations")
    assert page.script("return arguments[0].getBoundingClientRect().top", key) == place


def test_a_long_prompt_keeps_its_buttons_in_sight(lab, daemon):
    lab.resize(844, 390)
    with daemon.connect("desk") as client:
        request = client.request("lab.prompt", {"kind": "confirm", "title": "Delete it?", "message": "It cannot be undone. " * 40})
        button = lab.find("dialog.prompt button.primary")
        assert button.rect["y"] + button.rect["height"] <= 390
        button.click()
        assert client.reply(request)["result"]["button"]


def test_a_prompt_takes_no_key_that_was_meant_for_a_text(lab, daemon):
    field = lab.type('[data-input="code"] input', "hello")
    with daemon.connect("desk") as client:
        request = client.request("lab.prompt", {"kind": "confirm", "title": "Delete your account?"})
        lab.wait("#waiting", "1 prompt waits")
        lab.find("dialog.prompt")
        lab.driver.switch_to.active_element.send_keys("  \n")
        lab.wait("#waiting", "1 prompt waits", "no key has answered")
        assert lab.all("dialog.prompt") and field.get_attribute("value") == "HELLO"
        lab.click("dialog.prompt button.primary")
        assert client.reply(request)["result"]["button"]


def test_a_form_shows_all_its_errors_and_its_json_keeps_what_was_typed(lab, screenshot):
    form = '[data-input="setSample"]'

    def texts():
        return [one.get_attribute("value") for one in lab.all(f"{form} .form input[type=text]")]
    lab.click(f"{form} button.primary")
    wait_until(lambda: len(lab.all(f"{form} .field-error")) == 6, "date, double, two of nested, uuid, decimal")
    double = lab.all(f"{form} .form input[type=text]")[1]
    double.send_keys("x")
    assert len(lab.all(f"{form} .field-error")) == 6
    double.send_keys(Keys.BACKSPACE + "0.1")
    wait_until(lambda: len(lab.all(f"{form} .field-error")) == 5, "a corrected member has no error")
    double.send_keys("x")
    check(lab, "errors", screenshot, SIZES[:1])
    toggle, current = lab.all(f"{form} .form-tools .link")
    toggle.click()
    area = lab.find(f"{form} textarea.raw")
    assert json.loads(area.get_attribute("value"))["double"] == "0.1x"
    assert "double: Expected a number" in lab.text(f"{form} .field-error")
    area.send_keys("x")
    toggle.click()
    lab.wait(f"{form} .field-error", "Expected JSON", "what is no JSON stays")
    area.send_keys(Keys.BACKSPACE)
    toggle.click()
    assert texts()[1] == "0.1x"
    current.click()
    assert texts()[1] == "0.5"
    lab.click(f"{form} button.primary")
    lab.wait(form, "sent")


def test_a_refused_text_stays_and_can_be_corrected(lab):
    field = lab.type('[data-input="word"] input', "abc1def")
    lab.wait('[data-input="word"] .outcome.error', "Refused")
    assert field.get_attribute("value") == "abc1def"
    field.send_keys(Keys.ARROW_LEFT * 3 + Keys.BACKSPACE)
    lab.wait('[data-output="word"] .output-value', lambda text: text == "abcdef")
    wait_until(lambda: not lab.all('[data-input="word"] .outcome'), "the error goes")


def test_a_field_takes_keys_while_the_line_is_down(lab, gateway, screenshot):
    lab.expected_log = ("WebSocket", "ERR_CONNECTION_REFUSED", "401", "Failed to load resource")
    field = lab.type('[data-input="code"] input', "abc")
    lab.wait('[data-output="code"] .output-value', "ABC")
    gateway.stop()
    lab.wait("#offline", "The line to the daemon is down: the gateway does not answer")
    assert not lab.all("#health")[0].is_displayed(), "old figures are hidden"
    lab.driver.switch_to.active_element.send_keys("def")
    check(lab, "offline", screenshot, SIZES[:1])
    gateway.start()
    lab.wait('[data-output="code"] .output-value', "ABCDEF")
    assert field.get_attribute("value") == "ABCDEF" and not lab.find("#connection").text.endswith("…")


def test_hints_have_a_level_in_words(lab, daemon, screenshot):
    for level in ("info", "warning", "error"):
        daemon.ctl("--session", "desk", "call", "lab.hint", f"level={level}", "text=The disk is nearly full.")
    wait_until(lambda: lab.texts(".toast b") == ["Warning ", "Error "], "the levels")
    assert [one.get_attribute("aria-label") for one in lab.all(".toast-sign")] == ["Information", "Warning", "Error"]
    check(lab, "hints", screenshot, SIZES[:1])


def test_names_that_are_long_and_many_hide_nothing(mock, gateways, open_browser, screenshot):
    case = {"type": "string", "enum": ["alpha", "a very long case of an enumeration"]}
    types = {
        LONG: {"instance": LONG, "outputs": {LONG: {"schema": STRING, "example": "x" * 80}}, "inputs": {LONG + "I": {"schema": case}},
               "actions": {LONG + "A": {"params": {"type": "object", "properties": {LONG: STRING}}, "result": STRING, "example": "ok"}}},
        "many": {"instance": "many", "outputs": {f"member{number:03}": {"schema": STRING, "example": "x"} for number in range(300)}},
        **{f"type{number}": {"instance": f"type{number}"} for number in range(13)},
    }
    daemon = mock({"components": {}, "x-viewModels": types})
    browser = open_browser(gateways(daemon).url("act"), ("WebSocket", "Failed to load resource"))
    browser.attach("desk")
    with daemon.connect() as client:
        for number in range(60):
            client.attach(f"session-{number:02}-{LONG[:48]}", linger=600)
    for number in range(13):
        browser.show(f"type{number}")
    browser.show(LONG)
    wait_until(lambda: len(browser.all("[aria-label=Sessions] li")) > 60, "all sessions are listed")
    check(browser, "long", screenshot)
    browser.resize(320, 640)
    browser.click("#toggle-side")
    check(browser, "sessions", screenshot, SIZES[:1])
    browser.type(".new-session input", "session-42")
    wait_until(lambda: len(browser.all("[aria-label=Sessions] li")) == 1, "a session is found")
    browser.show("many")
    browser.type(".instance > input", "member14")
    wait_until(lambda: sum(one.is_displayed() for one in browser.all("[data-output]")) == 10, "members are found")
    browser.type(".instance > input", "nothing")
    browser.wait(".instance > .empty", "No member has this in its name")
