"""People who sign in at the gateway, each in a browser: with a provider that a test can spoil, and with a real one."""
import secrets

import pytest
from conftest import PAGE
from daemons import Daemon, root_only
from openid import HOST, Glewlwyd, Key, TeamGateway, needs_glewlwyd
from test_states import SIZES, check
from web import HangUp
from wire import wait_until

pytestmark = root_only
ORIGIN = f"https://{HOST}"
#: What the console says of requests without a sign-in.
NOBODY = ("Failed to load resource", "WebSocket")
PERSON, NOTE = "#person-card", "#person-note"


@pytest.fixture
def team(request):
    """Starts gateways in team mode, each with a daemon."""
    def start(make, **gateway):
        daemon = Daemon({"access": [{"user": TeamGateway.USER, "scope": "delegate"}]}, shared=True)
        request.addfinalizer(daemon.discard)
        made = make(daemon.start()).with_tls()
        request.addfinalizer(made.discard)
        made.flags, made.daemon = PAGE, daemon
        made.config["gateway"] |= gateway
        return made.start()
    return start


@pytest.fixture
def gateway(team, provider):
    def make(daemon):
        rules = [{"groups": "staff", "scope": "act"}, {"groups": "wardens", "scope": "admin"}, {"groups": "visitors", "scope": "observe"}]
        return TeamGateway(daemon, provider.url, secrets.token_bytes(32), roles=rules)
    return team(make)


@pytest.fixture
def signed_in(gateway, provider, open_browser):
    """Opens a page in the browser of a person."""
    def start(person="ada", path="/", log=NOBODY):
        provider.person = person
        browser = open_browser(ORIGIN + path, log, **gateway.for_browsers)
        browser.wait(PERSON, provider.people[person]["name"])
        return browser
    return start


def call(browser, method, params, session="desk"):
    """The reply to a request of the page."""
    return browser.driver.execute_async_script("""
        const [method, params, session, done] = arguments;
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        fetch(`/rpc?session=${session}`, { method: "POST", headers: { "Content-Type": "application/json" }, body })
            .then(async (reply) => done(reply.ok ? await reply.json() : reply.status));
        """, method, params, session)


def draft(browser, session="desk"):
    return call(browser, "viewModel.read", {"id": "sendList", "outputs": ["draft"]}, session)["result"]["values"]["draft"]


def sign_out(browser):
    browser.click("#person-badge")
    browser.named("button", "Sign out").click()
    browser.wait("h1", "You are signed out")


def tabs(browser, path):
    """Opens another tab, and returns the handles of both."""
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(ORIGIN + path)
    return first, browser.driver.current_window_handle


def test_two_people_in_two_browsers_sign_in_and_out(signed_in, provider, screenshot):
    ada, bob = signed_in("ada", "/?session=desk&instance=calculator"), signed_in("bob")
    assert "result" in call(ada, "sendList.draft", ["for Ada"])
    assert (draft(ada), draft(bob)) == ("for Ada", "")

    ada.click("#person-badge")
    check(ada, "people-card", screenshot)
    first, second = tabs(ada, "/app/?session=desk#calculator")
    ada.wait(PERSON, "Ada Lovelace")
    ada.click("#person-badge")
    check(ada, "people-card-app", screenshot)
    ada.click("#person-badge")
    sign_out(ada)
    ada.driver.switch_to.window(first)
    ada.wait(NOTE, "You are signed out")
    assert call(ada, "session.list", {}) == 401
    assert draft(bob) == ""
    # The page waits without requests. Before that it would have sent several.
    ada.script("""
        window.requests = [];
        const [fetch, WebSocket] = [window.fetch, window.WebSocket];
        window.fetch = (...all) => (requests.push(all[0]), fetch(...all));
        window.WebSocket = function (...all) { requests.push(all[0]); return new WebSocket(...all); };
        setTimeout(() => (window.isOver = true), 6000);
    """)
    wait_until(lambda: ada.script("return window.isOver"), "some seconds are over")
    requests = [str(one) for one in ada.script("return requests")]
    assert len(requests) <= 1 and not any(one.endswith("/ws") for one in requests), requests    # the question of each half minute

    provider.person = "ada"
    ada.click(f"{NOTE} button")
    wait_until(lambda: set(ada.driver.window_handles) == {first, second}, "the tab of the sign-in has closed")
    ada.find("#connection .dot.good")
    assert not ada.all(NOTE)
    assert draft(ada) == "for Ada"


def test_a_sign_out_that_fails_is_not_shown_as_one(signed_in):
    browser = signed_in()
    browser.script("window.fetch = () => Promise.resolve(new Response('', { status: 502 }));")
    browser.click("#person-badge")
    browser.named("button", "Sign out").click()
    browser.wait(PERSON, "There is no connection. Try again")
    assert browser.driver.current_url == ORIGIN + "/"


@pytest.mark.parametrize("name", ["Bob", "Ada Lovelace"])
def test_another_person_in_the_other_tab_gets_nothing_that_was_typed(signed_in, provider, name):
    browser = signed_in(path="/?session=desk&instance=lab")
    first, _ = tabs(browser, "/app/")
    browser.wait(PERSON, "Ada Lovelace")
    sign_out(browser)
    browser.driver.switch_to.window(first)
    browser.wait(NOTE, "You are signed out")
    browser.type('[data-input="code"] input', "secret")
    provider.person = "bob"
    provider.people["bob"]["name"] = name
    browser.script("window.isFormer = true")
    browser.click(f"{NOTE} button")
    wait_until(lambda: not browser.script("return window.isFormer"), "the page was loaded again")
    browser.wait(PERSON, name)
    browser.wait('[data-output="code"] .output-value', lambda text: text != "")
    assert browser.find('[data-input="code"] input').get_attribute("value") == ""
    assert "secret" not in str(call(browser, "viewModel.read", {"id": "lab"})).lower()


ROLES = {"observe": "visitors", "act": "staff", "admin": "wardens"}


@pytest.mark.parametrize("role", ROLES)
def test_the_pages_allow_what_the_role_allows(signed_in, provider, role):
    provider.people["ada"]["groups"] = [ROLES[role]]
    browser = signed_in(path="/?session=desk&instance=calculator")
    may_act = role != "observe"
    browser.wait('[data-output="led"] .output-value', "0")
    if not may_act:
        assert browser.find("#read-only").text == "This page may only observe, so its forms are disabled."
    browser.driver.get(ORIGIN + "/app/#calculator")
    browser.wait(PERSON, f"Role: {role}")
    browser.wait("#line", lambda text: text == ("" if may_act else "You may look, and change nothing."))
    ids = browser.script("return [...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert len(set(ids)) == len(ids), sorted(ids)
    assert browser.find("[data-key='7']").is_enabled() == may_act
    if may_act:
        browser.click("[data-key='7']")
        browser.wait("#led", "7")


def test_a_changed_role_is_told(signed_in, provider):
    browser = signed_in(path="/app/#calculator")
    provider.people["ada"]["groups"] = ["visitors"]
    wait_until(lambda: "Your role has changed" in browser.text(NOTE), "the role has changed", 70)
    browser.click(f"{NOTE} button")
    browser.wait("#line", "You may look, and change nothing.")


def test_a_person_without_a_role_sees_why(gateway, provider, open_browser, screenshot):
    provider.person = "eve"
    browser = open_browser(ORIGIN, ("403",), **gateway.for_browsers)
    browser.wait("h1", "No access")
    check(browser, "people-no-access", screenshot)
    provider.person = "ada"
    browser.named("a", "Sign in as somebody else").click()
    browser.wait(PERSON, "Ada Lovelace")


def test_a_provider_that_is_away_has_a_page_until_it_is_back(team, provider, open_browser, screenshot):
    provider.set("/.well-known/openid-configuration", HangUp())
    gateway = team(lambda daemon: TeamGateway(daemon, provider.url, secrets.token_bytes(32)))
    browser = open_browser(ORIGIN + "/app/", ("503",), **gateway.for_browsers)
    browser.wait("h1", "The sign-in is not available")
    check(browser, "people-away", screenshot)
    browser.named("a", "Try again").click()
    browser.wait("h1", "The sign-in is not available")
    provider.set("/.well-known/openid-configuration", None)
    provider.next("/token", HangUp())
    browser.named("a", "Try again").click()
    wait_until(lambda: provider.asked("/token"), "the code was exchanged")
    browser.wait("h1", "The sign-in is not available")
    browser.named("a", "Try again").click()
    browser.wait(PERSON, "Ada Lovelace")


def test_a_page_waits_while_the_provider_is_away(signed_in, gateway, provider, screenshot):
    browser = signed_in(path="/?session=desk&instance=lab")
    field = browser.type('[data-input="code"] input', "abc")
    browser.wait('[data-output="code"] .output-value', "ABC")
    provider.set("/userinfo", HangUp())
    gateway.restart()

    def waits():
        if not browser.all(NOTE):
            gateway.restart()       # a line that breaks makes the gateway ask
        return "is not available" in browser.text(NOTE)
    wait_until(waits, "the last answer of the provider is a minute old", 120, 10)
    field.send_keys("def")
    check(browser, "people-waits", screenshot, SIZES[:1])
    first, _ = tabs(browser, "/app/?session=desk#calculator")
    browser.wait(NOTE, "is not available")
    provider.set("/userinfo", None)
    browser.wait("#led", "0", "the page begins by itself")
    browser.click("[data-key='7']")
    browser.wait("#led", "7")
    browser.driver.switch_to.window(first)
    browser.wait('[data-output="code"] .output-value', "ABCDEF")
    assert not browser.all(NOTE)


def test_keys_of_the_provider_change(signed_in, provider):
    browser = signed_in(log=("400", *NOBODY))
    sign_out(browser)
    provider.keys = [Key(name="two")]

    def is_in():
        for link in browser.all("main a"):
            link.click()
        return browser.all(PERSON)
    wait_until(is_in, "the new key is known", 20, 1)


def test_codes_and_cookies_are_good_once_and_for_one_browser(signed_in, gateway, provider, open_browser, screenshot):
    ada = signed_in(log=("400", *NOBODY))
    ada.driver.get(provider.answer)
    ada.wait("h1", "The sign-in failed")
    check(ada, "people-failed", screenshot)
    ada.driver.get(ORIGIN)
    ada.wait(PERSON, "Ada Lovelace")
    cookie = ada.driver.get_cookie("__Host-viewmodel-person")
    assert cookie["httpOnly"] and cookie["secure"] and cookie["sameSite"] == "Lax"

    provider.person = "eve"
    thief = open_browser("about:blank", ("400", "403", *NOBODY), **gateway.for_browsers)

    def come_with(value):
        cookies = {"name": cookie["name"], "value": value, "url": ORIGIN, "path": "/", "secure": True, "httpOnly": True}
        assert thief.driver.execute_cdp_cmd("Network.setCookie", cookies)["success"]
        thief.driver.get(ORIGIN)
    thief.driver.get(provider.answer)
    thief.wait("h1", "The sign-in failed")
    value = cookie["value"]
    come_with(value)
    thief.wait(PERSON, "Ada Lovelace", "a cookie is as good as the person until the sign-out")
    sign_out(ada)
    check(ada, "people-signed-out", screenshot)
    thief.wait(NOTE, "You are signed out")
    for stolen in (value, value[:100] + ("A" if value[100] != "A" else "B") + value[101:], "A" * 100):
        come_with(stolen)
        thief.wait("h1", "No access")


# A real provider

def pass_glewlwyd(browser, person=None):
    """Signs in by the page of the provider, which then asks whether to go on."""
    if person:
        browser.type("#username", person)
        browser.type("#password", Glewlwyd.PASSWORD)
        browser.click("#loginbut")
    browser.find_among("button", lambda one: one.is_displayed() and one.text.strip() == "Continue", "Continue").click()


@needs_glewlwyd
def test_people_sign_in_at_a_real_provider(team, open_browser):
    gateway = team(Glewlwyd().gateway)
    browsers = {}
    for person, name in (("ada", "Ada Lovelace"), ("bob", "Bob Dylan")):
        browsers[person] = open_browser(f"{ORIGIN}/?session=desk&instance=sendList", NOBODY, **gateway.for_browsers)
        pass_glewlwyd(browsers[person], person)
        browsers[person].wait(PERSON, name)
        assert browsers[person].driver.current_url == f"{ORIGIN}/?session=desk&instance=sendList"
    ada, bob = browsers.values()
    ada.wait(PERSON, "Role: act")
    bob.wait(PERSON, "Role: admin")
    ada.type('[data-input="draft"] input', "for Ada")
    ada.wait('[data-output="draft"] .output-value', "for Ada")
    assert (draft(ada), draft(bob)) == ("for Ada", "")
    eve = open_browser(ORIGIN, NOBODY, **gateway.for_browsers)
    pass_glewlwyd(eve, "eve")
    eve.wait("h1", "No access")


@needs_glewlwyd
def test_a_sign_in_that_ends_while_somebody_types_loses_nothing(team, open_browser, screenshot):
    gateway = team(Glewlwyd().gateway, cookieSeconds=25)
    browser = open_browser(f"{ORIGIN}/?session=desk&instance=lab", NOBODY, **gateway.for_browsers)
    pass_glewlwyd(browser, "ada")
    field = browser.type('[data-input="code"] input', "abc")
    browser.wait('[data-output="code"] .output-value', "ABC")
    inspector, app = tabs(browser, "/app/?session=desk#messages")
    text = browser.type("#draft", "Dear ")
    wait_until(lambda: draft(browser) == "Dear ", "the draft is kept")
    wait_until(lambda: "You are signed out" in browser.text(NOTE), "the sign-in ends", 60)
    text.send_keys("Bob")
    check(browser, "people-ended-app", screenshot)
    browser.driver.switch_to.window(inspector)
    browser.wait(NOTE, "You are signed out")
    field.send_keys("def")
    check(browser, "people-ended", screenshot)

    browser.driver.switch_to.window(app)
    browser.click(f"{NOTE} button")
    wait_until(lambda: len(browser.driver.window_handles) == 3, "the provider is asked in a tab beside the page")
    [beside] = set(browser.driver.window_handles) - {inspector, app}
    browser.driver.switch_to.window(beside)
    pass_glewlwyd(browser)
    wait_until(lambda: len(browser.driver.window_handles) == 2, "the tab has closed")
    browser.driver.switch_to.window(app)
    wait_until(lambda: not browser.all(NOTE), "the person is back")
    assert text.get_attribute("value") == "Dear Bob" and browser.driver.current_url.endswith("/app/?session=desk#messages")
    wait_until(lambda: draft(browser) == "Dear Bob", "what was typed meanwhile is sent")
    browser.driver.switch_to.window(inspector)
    browser.wait('[data-output="code"] .output-value', "ABCDEF")
    assert field.get_attribute("value") == "ABCDEF"


@needs_glewlwyd
def test_a_sign_out_ends_the_session_at_a_real_provider(team, open_browser):
    gateway = team(Glewlwyd().gateway)
    browser = open_browser(ORIGIN, NOBODY, **gateway.for_browsers)
    pass_glewlwyd(browser, "ada")
    browser.wait(PERSON, "Ada Lovelace")
    browser.click("#person-badge")
    browser.named("button", "Sign out").click()
    # The provider knows by the ID token whom the gateway signs out. Without one its page is empty.
    browser.find_among("button", lambda one: one.is_displayed() and one.text.strip() == "Logout", "Logout").click()
    wait_until(lambda: not browser.script("return document.querySelector('.btn-danger')"), "the session has ended")
    browser.driver.get(ORIGIN)
    assert browser.find("#password").is_displayed()
