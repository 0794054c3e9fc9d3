"""The thin client: calculator, sign-in and Mine."""
from wire import wait_until


def open_app(browser, gateway, session="app"):
    browser.driver.get(f"{gateway.origin}/app/?session={session}#token={gateway.one_time_token('act')}")
    wait_until(lambda: browser.script("return document.querySelector('#status').hidden"), "the app is connected")


def press(browser, keys):
    for key in keys:
        browser.click(f'[data-key="{key}"]')


def test_two_tabs_work_on_one_calculator(gateway, open_browser, screenshot):
    browser = open_browser(width=900, height=820)
    open_app(browser, gateway)
    press(browser, "12+")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    open_app(browser, gateway)
    browser.wait("#history", "12")
    press(browser, "30=")
    browser.wait("#led", lambda text: text == "42")
    browser.driver.switch_to.window(first)
    browser.wait("#led", lambda text: text == "42")
    browser.click('#keys button[aria-label="undo"]')
    browser.driver.switch_to.window(browser.driver.window_handles[1])
    browser.wait("#led", lambda text: text != "42")
    browser.driver.switch_to.window(first)
    browser.driver.switch_to.active_element.send_keys("+5=")
    browser.wait("#history", "+ 5", "the keyboard presses keys")
    screenshot(browser, "app-calculator")


def test_a_new_address_works_in_the_tab_of_the_app(gateway, open_browser):
    browser = open_browser(f"{gateway.origin}/app/?session=named", ("401",))
    browser.wait("#status", "no access")
    browser.driver.get(f"{gateway.origin}/app/?session=named#token={gateway.one_time_token('act')}")
    press(browser, "7")
    browser.wait("#led", lambda text: text == "7")
    assert browser.driver.current_url == f"{gateway.origin}/app/?session=named"
    browser.driver.refresh()
    browser.wait("#led", lambda text: text == "7")


def test_a_wrong_and_a_right_password_and_mine(daemon, gateway, open_browser, screenshot):
    daemon.ctl("--session", "setup", "call", "login.register", "--json", '{"account":"ada","password":"correct horse","nickname":"Ada"}')
    browser = open_browser(width=900, height=820)
    open_app(browser, gateway)
    browser.click("#tab-mine")
    browser.wait("#nickname", "click login")
    browser.click('[data-row="wallet"]')
    browser.wait("#login h1", "Sign in")
    browser.type("#account", "ad")
    browser.wait("#account-problem", lambda text: text != "", "a problem of the account")
    browser.type("#account", "a")
    browser.type("#password", "wrong horse")
    wait_until(lambda: browser.find("#submit").is_enabled(), "the form can be sent")
    browser.click("#submit")
    browser.wait("#failure", "wrong")
    browser.type("#password", "correct horse", clear=True)
    wait_until(lambda: browser.find("#submit").is_enabled(), "the form can be sent")
    browser.click("#submit")
    browser.wait("#nickname", "Ada", "the person is greeted")
    if browser.script("return document.querySelector('#mine').hidden"):
        browser.click("section:not([hidden]) .back")
    browser.click("#tab-mine")
    wait_until(lambda: browser.texts("#wallet b")[0] != "–", "the wallet has an amount")
    screenshot(browser, "app-mine")
    browser.click('[data-row="wallet"]')
    browser.wait("#scene-title", "Wallet")
    browser.click("#scene .back")
    browser.click("#sign-out")
    browser.wait("#nickname", "click login")
