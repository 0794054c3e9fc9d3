"""A list of a million rows."""
from selenium.webdriver.common.keys import Keys
from wire import wait_until

VIEW = '[data-output="rows"] .scroller'


def rows(page):
    return page.script("return [...document.querySelectorAll('[data-output=\"rows\"] tbody tr')].map((one) => [one.firstChild.textContent.replaceAll('\\u202f', ''), one.lastChild.textContent])")


def shows(page, index):
    found = rows(page)
    return any(number == str(index) for number, _ in found) and all(text == f"row {int(number) + 1}" for number, text in found)


def test_a_million_rows_scroll_and_only_the_visible_ones_are_bound(lab, screenshot):
    lab.type('[data-input="append"] input', "1000000\n")
    lab.wait('[data-output="rows"] .grid-foot', "0–9 of 1\u202f000\u202f000")
    assert shows(lab, 0)
    view = lab.find(VIEW)
    lab.script("arguments[0].scrollTop = arguments[0].scrollHeight", view)
    wait_until(lambda: shows(lab, 999_999), "the last row is shown")
    lab.script("arguments[0].scrollTop = (arguments[0].scrollHeight - arguments[0].clientHeight) / 2", view)
    wait_until(lambda: shows(lab, 499_995), "the middle is shown")
    lab.type('[data-output="rows"] .grid-jump', "123456\n")
    wait_until(lambda: shows(lab, 123_456), "a row by its number")
    screenshot(lab, "rows")
    view.send_keys(Keys.HOME)
    wait_until(lambda: shows(lab, 0), "Home")
    for _ in range(24):
        view.send_keys(Keys.ARROW_DOWN)
    wait_until(lambda: shows(lab, 24) and "24" in lab.text(f"{VIEW} tr.current"), "the arrow keys")
    view.send_keys(Keys.END)
    wait_until(lambda: shows(lab, 999_999), "End")
    lab.wait('[data-output="rows"] .grid-foot', "999\u202f990–999\u202f999 of")
    view.send_keys(Keys.ENTER)
    lab.wait('[data-output="rows"] .grid-detail', "row 1000000")
    assert len(lab.all(f"{VIEW} tr")) < 40, "few rows are elements"
    largest = lab.script("return Math.max(...[...document.querySelectorAll('.tl-size')].map((one) => parseFloat(one.textContent) * (one.textContent.includes('KB') ? 1000 : one.textContent.includes('MB') ? 1e6 : 1) || 0))")
    assert largest < 20_000, "no message has more than some rows"


def test_rows_change_under_the_eyes(lab, daemon):
    lab.type('[data-input="append"] input', "50\n")
    lab.wait('[data-output="rows"] .grid-foot', "of 50")
    daemon.ctl("--session", "desk", "call", "lab.update", "--json", '{"id":3,"text":"changed"}')
    wait_until(lambda: ["2", "changed"] in rows(lab), "the change is shown")
    daemon.ctl("--session", "desk", "call", "lab.removeRows", "--json", '{"value":[1,2]}')
    wait_until(lambda: rows(lab)[0] == ["0", "changed"], "rows have gone")
