"""The timeline: causes, the past, files."""
import pathlib
import re

from wire import wait_until
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import Select


def calculate(page, keys="12+3="):
    page.attach("desk")
    page.show("calculator")
    for key in keys:
        page.click(f'[data-value="{key}"]')
    page.wait('[data-output="led"] .output-value', "15")


def frames(page):
    return page.script("return [...document.querySelectorAll('.tl-row.frame')].map((one) => Number(one.dataset.number))")


def test_each_frame_has_its_cause_and_its_difference(page, screenshot):
    calculate(page)
    page.script("document.querySelector('.tl-row[data-number=\"' + arguments[0] + '\"]').click()", frames(page)[0])
    page.wait(".tl-detail", "Caused by calculator.press")
    page.wait(".tl-detail .diffs", "led")
    assert page.texts(".tl-detail del")[0] == '"0"' and page.texts(".tl-detail ins")[0] == '"1"'
    screenshot(page, "timeline")


def test_the_past_is_shown_and_cannot_be_changed(page, daemon, screenshot):
    calculate(page)
    first = frames(page)[0]
    daemon.ctl("--session", "desk", "call", "coordinator.open", "scene=wallet")
    page.wait("#scenes", "wallet")
    page.script("document.querySelector('.tl-row[data-number=\"' + arguments[0] + '\"]').click()", first)
    page.named("button", "View this step").click()
    page.wait("#past-text", "Nothing can be changed here")
    assert not page.all("#scenes")[0].is_displayed(), "the live scenes are no part of the past"
    page.script("document.querySelector('.skip').focus()")
    page.driver.switch_to.active_element.send_keys("\ue007")
    assert page.driver.switch_to.active_element.get_attribute("id") == "place"
    page.wait('.past [data-output="led"] .output-value', lambda text: text == "1")
    assert not page.all("#place .call"), "no input and no action is there"
    page.find(".tl-list").send_keys("\ue015" * 4)
    page.wait('.past [data-output="led"] .output-value', lambda text: text != "1", "the arrow keys go through the steps")
    screenshot(page, "past")
    page.click("#past-live")
    page.wait('.instance:not(.past) [data-output="led"] .output-value', "15")
    page.click('[data-value="7"]')
    page.wait('[data-output="led"] .output-value', "7")


def test_a_pause_keeps_the_list_and_loses_nothing(page, daemon):
    calculate(page)
    page.named("button", "Pause").click()
    count = page.text(".tl-note").split()[0]
    daemon.ctl("--session", "desk", "call", "keypad.press", "--text", "7")
    page.wait('[data-output="led"] .output-value', "7")
    page.wait(".tl-note", "new while paused")
    assert page.text(".tl-note").split()[0] == count
    page.named("button", "Resume").click()
    page.wait(".tl-note", lambda text: int(text.split()[0]) > int(count), "the new frame is there")


def test_frames_that_follow_each_other_fast_are_one_row(lab, daemon):
    daemon.ctl("--session", "desk", "call", "lab.count", "--json", '{"to":200,"every":5}')
    groups = wait_until(lambda: lab.texts(".tl-row .chip"), "frames are grouped")
    count = int(groups[-1].removeprefix("×"))
    note, rows = lab.text(".tl-note"), len(lab.all(".tl-row"))
    lab.script("[...document.querySelectorAll('.tl-row .chip')].at(-1).click()")
    wait_until(lambda: lab.all(".tl-row.selected") and len(lab.all(".tl-row .chip")) < len(groups), "a group becomes its frames")
    assert count > 2 and rows < 200 and lab.text(".tl-note") == note
    lab.type(".tl-filter input", "nothing like it")
    lab.wait(".tl-note", "No message matches the filter")
    assert not lab.find(".tl-list").get_attribute("aria-activedescendant")


def test_the_number_of_a_late_step_covers_no_name(lab, daemon):
    daemon.ctl("--session", "desk", "call", "lab.count", "--json", '{"to":100000}')
    lab.driver.refresh()
    lab.wait(".tl-row.picture .tl-seq", lambda text: int(text or 0) > 100_000)
    assert not lab.script("return [...document.querySelectorAll('.tl-seq')].filter((one) => one.scrollWidth > one.clientWidth).length")


def test_a_row_is_selected_while_new_ones_come(lab, daemon):
    with daemon.connect("desk") as client:
        client.request("lab.count", {"to": 5000, "every": 60})
        note = lab.wait(".tl-note", lambda text: int(text.split()[0]) > 40 and text, "the list is full")
        ActionChains(lab.driver).move_to_element(lab.find(".tl-list")).click_and_hold().perform()
        lab.wait(".tl-note", lambda text: text != note, "the rows are made anew")
        ActionChains(lab.driver).release().perform()
        lab.wait(".tl-detail", "View this step")


def exported(page, tmp_path) -> pathlib.Path:
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "downloads")})
    page.named("button", "Export").click()
    return wait_until(lambda: next(iter((tmp_path / "downloads").glob("*.transcript")), None), "the file is saved")


def test_an_export_can_be_replayed_and_imported(page, daemon, tmp_path):
    calculate(page)
    file = exported(page, tmp_path)
    replay = daemon.ctl("replay", str(file), check=False)
    assert replay.returncode == 0, replay.stdout + replay.stderr
    page.attach("other")
    page.find("#timeline")
    page.script("document.querySelector('#import-file').classList.remove('offscreen')")
    page.find("#import-file").send_keys(str(file))
    page.wait("#imported-text", file.name)
    page.wait(".past h2", "calculator", "the instance of the last message is shown")
    Select(page.find("#timeline select")).select_by_visible_text("Frames")
    page.click(".tl-row.frame")
    page.named("button", "View this step").click()
    page.wait('.past [data-output="led"] .output-value', "1")
    page.click("#imported-close")
    wait_until(lambda: not page.find("#timeline").find_elements("css selector", ".tl-row.frame"), "the page's own timeline is back")
    page.find("#import-file").send_keys(__file__)
    page.wait(".toast.error", "this is no transcript")


def test_a_password_is_nowhere(page, tmp_path):
    secret = "hunter2-hunter2"
    page.attach("desk")
    page.show("login")
    field = page.find('[data-input="password"] input')
    assert field.get_attribute("type") == "password" and field.get_attribute("autocomplete") == "current-password"
    page.type('[data-input="account"] input', "ada\n")
    field.send_keys(secret + "\n")
    page.wait('[data-input="password"]', "sent")
    assert page.find('[data-input="password"] input').get_attribute("value") == ""
    page.click('[data-action="register"] .link')
    page.find('[data-action="register"] textarea.raw').clear()
    page.find('[data-action="register"] textarea.raw').send_keys('{"account":"ada","pasword":"%s"}' % secret)
    page.click('[data-action="register"] button.primary')
    page.wait('[data-action="register"] .outcome.error, [data-action="register"] .field-error', lambda text: text != "")
    page.script("document.querySelector('[data-action=\"register\"] textarea.raw').value = ''")
    page.find(".tl-list").send_keys("\ue011")
    for _ in range(40):
        page.find(".tl-list").send_keys("\ue015")
        assert secret not in page.text("body")
    text = exported(page, tmp_path).read_text()
    assert secret not in text and "secret-" in text


def test_a_full_timeline_drops_its_oldest_messages_and_counts_them(lab, daemon):
    with daemon.connect("desk") as client:
        for number in range(24):
            client.call("lab.ring", [f"{number} " + "x" * 800_000])
            lab.wait('[data-output="bell"] .events', f"{number} x", "the page has the event")
    note = lab.wait(".tl-note", "older ones dropped", "the timeline is full")
    shown, size, dropped, dropped_size = re.match(r"(\d+) messages · ([\d.]+) MB · (\d+) older ones dropped \(([\d.]+) MB\)", lab.text(".tl-note")).groups()
    assert 14 < float(size) <= 16, note
    assert 24 * 0.8 - 16 < float(dropped_size) < 8, note
    last = lab.script("return Math.max(...[...document.querySelectorAll('.tl-row')].map((one) => Number(one.dataset.number)))")
    assert int(shown) + int(dropped) == last, "each message is shown or counted"
    lab.script("document.querySelector('.tl-row.frame').click()")
    lab.named("button", "View this step").click()
    lab.wait("#past-text", "Nothing can be changed here")


def test_replies_and_frames_are_copied_as_commands(page):
    calculate(page)

    def copied(kind):
        page.script("[...document.querySelectorAll('.tl-row.' + arguments[0])].at(-1).click()", kind)
        return page.copied(".tl-detail", "ctl")
    request = copied("request")
    assert request.startswith("viewmodelctl --session desk call calculator.press"), request
    assert copied("reply") == request
    assert copied("frame") == "viewmodelctl --session desk watch calculator"
