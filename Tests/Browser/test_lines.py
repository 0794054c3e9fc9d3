"""Slow lines, lost lines, and programs that start again."""
import pathlib
import re

import pytest
from wire import wait_until


@pytest.fixture
def slow_page(slow_line, gateways, open_browser):
    """The page in the session "desk", whose gateway is behind the slow line."""
    browser = open_browser(gateways(slow_line).url("act"), ("WebSocket", "Failed to load resource"))
    browser.attach("desk")
    return browser


def test_an_input_method_is_not_disturbed_by_another_writer(page, daemon):
    def compose(text):
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        page.driver.execute_cdp_cmd("Input.imeSetComposition", {"text": text, **place})

    def write(text):
        daemon.ctl("--session", "desk", "call", "sendList.draft", "--text", text)
        page.wait(shown, lambda found: found == text)
    page.attach("desk")
    page.show("sendList")
    shown, field = '[data-output="draft"] .output-value', page.type('[data-input="draft"] input', "hello")
    page.wait(shown, "hello")
    compose("ni")
    write("other")
    compose("nihao")
    assert field.get_attribute("value") == "hellonihao", "nothing is rewritten during the composition"
    page.driver.execute_cdp_cmd("Input.insertText", {"text": "你好"})
    page.wait(shown, "hello你好")
    assert field.get_attribute("value") == "hello你好"
    # What somebody else changes is shown, and the caret stays with its neighbours.
    page.script("arguments[0].setSelectionRange(5, 5)", field)
    write("Oh, hello你好")
    wait_until(lambda: field.get_attribute("value") == "Oh, hello你好", "the box shows the other text")
    assert page.script("return [arguments[0].selectionStart, arguments[0].selectionEnd]", field) == [9, 9]


def prepared(page):
    page.attach("desk")
    page.show("lab")
    page.type('[data-input="set"] input', "41\n")
    page.wait('[data-output="value"] .output-value', "41")


def test_a_reload_shows_the_same_instance(page):
    prepared(page)
    page.driver.refresh()
    page.wait('[data-output="value"] .output-value', "41")
    page.wait("#connection", "desk")


def test_a_new_gateway_goes_on_at_the_step(page, gateway, daemon, screenshot):
    page.expected_log = ("WebSocket", "ERR_CONNECTION_REFUSED", "401", "Failed to load resource")
    prepared(page)
    gateway.stop()
    page.wait("#connection", "connecting again")
    assert not page.find('[data-input="set"] button.primary').is_enabled(), "nothing can be sent meanwhile"
    daemon.ctl("--session", "desk", "call", "lab.set", "42")
    gateway.start()
    page.wait("#connection", "resumed at step")
    page.wait('[data-output="value"] .output-value', "42", "what happened meanwhile")
    assert any(title.startswith("lab resumed: value") for title in page.texts(".tl-row.picture .tl-title")), page.texts(".tl-row.picture .tl-title")
    page.type('[data-input="set"] input', "43\n", clear=True)
    page.wait('[data-output="value"] .output-value', "43")
    screenshot(page, "resumed")


def test_an_instance_stays_if_another_is_chosen_while_the_line_is_down(page, gateway, daemon):
    page.expected_log = ("WebSocket", "ERR_CONNECTION_REFUSED", "401", "Failed to load resource")
    prepared(page)
    page.show("calculator")
    page.show("lab")
    gateway.stop()
    page.wait("#connection", "connecting again")
    page.click('[data-key="show calculator"]')
    page.wait(".toast", "The line is down")
    gateway.start()
    page.wait("#connection", "resumed at step")
    daemon.ctl("--session", "desk", "call", "lab.set", "42")
    page.wait('[data-output="value"] .output-value', "42", "the instance is still live")
    page.show("calculator")


def test_the_instance_that_was_chosen_last_is_shown(slow_page):
    slow_page.show("calculator")
    slow_page.show("lab")
    slow_page.click('[data-key="show calculator"]')
    slow_page.click('[data-key="show lab"]')
    slow_page.type('[data-input="set"] input', "41\n")
    slow_page.wait('[data-output="value"] .output-value', "41", "the instance is still live")
    slow_page.wait(".tl-list", "viewModel.unbind", "the other one was bound in vain")


@pytest.mark.parametrize("hard", [False, True])
def test_a_new_daemon_gives_whole_pictures(page, daemon, hard):
    page.expected_log = ("WebSocket", "Failed to load resource")
    prepared(page)
    page.show("sendList")
    page.type('[data-input="draft"] input', "unsent text")
    page.wait('[data-output="draft"] .output-value', "unsent text")
    daemon.restart(hard=hard)
    page.wait("#connection", "new pictures at step")
    page.show("calculator")
    page.click('[data-value="7"]')
    page.wait('[data-output="led"] .output-value', "7")


def test_a_session_that_another_client_ends(page, daemon):
    prepared(page)
    daemon.ctl("close", "desk")
    page.wait("#place", "The session desk has ended")
    page.named("button", "Attach again").click()
    page.wait("#connection", "desk")


def test_the_example_of_events_shows_two_instances_on_one_stream(page, gateway, daemon):
    page.expected_log = ("Failed to load resource", "ERR_INCOMPLETE_CHUNKED_ENCODING")
    guide = pathlib.Path(__file__).parents[2] / "docs" / "gateway.md"
    example = re.search(r"^```js\n(const query.+?)^```", guide.read_text(), re.DOTALL | re.MULTILINE)[1]
    page.driver.get(gateway.origin + "/session")
    page.script("document.body.innerHTML = '<output id=led></output><output id=draft></output>'")
    page.script(example)
    page.wait("#led", "0")
    daemon.ctl("--session", "desk", "call", "calculator.press", "7")
    daemon.ctl("--session", "desk", "call", "sendList.draft", "--text", "one stream")
    page.wait("#led", "7")
    page.wait("#draft", "one stream")
    daemon.stop()
    wait_until(lambda: "The daemon does not answer" in str(gateway.get("/healthz").body), "the gateway misses it")
    daemon.start()
    daemon.ctl("--session", "desk", "call", "sendList.draft", "--text", "connected again")
    page.wait("#draft", "connected again")
