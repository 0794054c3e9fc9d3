"""A page in Chromium, with the words of the inspector."""
import contextlib
import importlib.resources

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By

from wire import wait_until

AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()


def start(width=1440, height=920, accepts_any_certificate=False, arguments=()) -> "Browser":
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}", *arguments):
        options.add_argument(argument)
    options.accept_insecure_certs = accepts_any_certificate
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Browser(webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver")))


class Browser:
    def __init__(self, driver):
        self.driver = driver

    def show_scheme(self, scheme):
        """Prefers light or dark colours."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def resize(self, width, height):
        """Shows the page in a size, with touch on a small screen. Its scripts have heard of the size when this returns."""
        is_small = width < 900
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": is_small})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_small})
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def broken_rules(self, scheme) -> list:
        """The rules of axe-core that the page breaks, each with an element. The rules that ask for no colour are left to the light scheme."""
        rules = ["color-contrast", "link-in-text-block"] if scheme == "dark" else None
        if not self.script("return 'axe' in window"):
            self.script(AXE)
        return self.driver.execute_async_script("""
            const [rules, done] = arguments;
            const which = rules ? { runOnly: rules } : { rules: { "target-size": { enabled: true } } };
            axe.run(document, { ...which, resultTypes: ["violations"], selectors: false })
                .then(({ violations }) => done(violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)])));
        """, rules)

    def forget(self):
        """Leaves one new tab, and nothing of what the pages have stored and set."""
        tabs = self.driver.window_handles
        self.driver.switch_to.window(tabs[0])
        self.driver.switch_to.new_window("tab")
        new = self.driver.current_window_handle
        for tab in tabs:
            self.driver.switch_to.window(tab)
            self.driver.close()
        self.driver.switch_to.window(new)
        for command in ("Network.clearBrowserCookies", "Network.clearBrowserCache", "Browser.resetPermissions"):
            self.driver.execute_cdp_cmd(command, {})
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        self.driver.get_log("browser")

    def find_among(self, css: str, fits, what: str):
        """The first element that fits. One that the page has replaced meanwhile is looked for again."""
        def found():
            with contextlib.suppress(StaleElementReferenceException):
                return next(filter(fits, self.all(css)), None)
        return wait_until(found, what)

    def find(self, css: str):
        """The first element that a selector matches and that is shown."""
        return self.find_among(css, lambda one: one.is_displayed(), f"{css} is shown")

    def all(self, css: str):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def texts(self, css: str) -> list[str]:
        return self.script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", css)

    def text(self, css: str) -> str:
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", css)

    def script(self, code: str, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, css: str, test, what=""):
        """Waits until the text of an element passes a test."""
        check = test if callable(test) else lambda text: test in text
        return wait_until(lambda: check(self.text(css)), f"{css}: {what or test!r}, is {self.text(css)!r}")

    def click(self, css: str):
        def done():
            with contextlib.suppress(StaleElementReferenceException):
                self.find(css).click()
                return True
        wait_until(done, f"{css} is clicked")

    def type(self, css: str, text: str, clear=False):
        element = self.find(css)
        if clear:
            element.clear()
        element.send_keys(text)
        return element

    def named(self, tag: str, text: str):
        return self.find_among(tag, lambda one: one.is_displayed() and one.text == text, f"{tag} {text}")

    # The inspector

    def attach(self, session: str):
        if self.script("return document.body.classList.contains('no-side')"):
            self.click("#toggle-side")
        self.type(".new-session input", session + "\n")
        self.wait("#connection", session)

    def show(self, instance: str):
        """Shows an instance: that of the list, or the default instance of a type."""
        wait_until(lambda: self.script("""
            const keys = [...document.querySelectorAll("[aria-label=Instances] [data-key], [aria-label=Types] [data-key]")];
            const one = keys.find((one) => one.dataset.key === `show ${arguments[0]}`);
            one?.click();
            return one !== undefined;
        """, instance), f"{instance} is listed")
        wait_until(lambda: self.all(f'article[data-instance="{instance}"]'), f"{instance} is shown")

    def copied(self, css: str, kind: str) -> str:
        """What a copy button of a part copies: `JSON` or `ctl`."""
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.script("document.querySelector('#toasts').replaceChildren()")
        if self.all(f"{css} .copies"):
            self.click(f"{css} .copies summary")
        self.find_among(f"{css} .copy", lambda one: one.is_displayed() and one.text == kind, kind).click()
        self.wait(".toast", "Copied")
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")

    def console(self) -> list[str]:
        lines = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [line for line in lines if not any(part in line for part in self.expected_log)]
