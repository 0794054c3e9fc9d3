"""Makes the pictures of the pages in `docs/images`: each page at three sizes, above in light and below in dark."""
import io
from pathlib import Path

from PIL import Image
from test_app import ada, open_app, visit  # noqa: F401
from test_people import ORIGIN, gateway as team_gateway, root_only, sign_out, tabs, team  # noqa: F401
from wire import wait_until

IMAGES = Path(__file__).parents[2] / "docs/images"
SIZES = [(360, 740), (820, 1180), (1440, 900)]
GAP, SCALE = 30, 0.5


class Sheet:
    """A picture that has a column for each size."""

    def __init__(self):
        self.pictures = {}

    def add(self, browser, column):
        """Takes the page at the size of a column, in both schemes."""
        browser.resize(*SIZES[column])
        for row, scheme in enumerate(("light", "dark")):
            browser.show_scheme(scheme)
            wait_until(lambda: browser.script("return document.getAnimations().length === 0"), "nothing moves")
            self.pictures[row, column] = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")

    def save(self, name):
        height = max(height for _, height in SIZES)
        whole = Image.new("RGB", (sum(width + GAP for width, _ in SIZES) + GAP, 2 * (height + GAP) + GAP), "#80838d")
        for (row, column), picture in self.pictures.items():
            left = GAP + sum(width + GAP for width, _ in SIZES[:column])
            whole.paste(picture, (left, (row + 1) * (height + GAP) - picture.height))
        small = whole.resize([int(side * SCALE) for side in whole.size], Image.Resampling.LANCZOS)
        # The areas keep their colours, and a small dot does not turn grey.
        common = sorted(small.getcolors(small.width * small.height), reverse=True)[:160]
        palette = Image.new("P", (1, 1))
        palette.putpalette([part for _, color in common for part in color] + small.quantize(96, Image.Quantize.MAXCOVERAGE).getpalette()[:96 * 3])
        small.quantize(palette=palette, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def test_inspector(page, daemon):
    sheet = Sheet()
    page.attach("desk")
    page.show("calculator")
    for key in "12+30*1.5=":
        page.click(f'[data-value="{key}"]')
    page.wait('[data-output="led"] .output-value', "63")
    daemon.ctl("--session", "phone", "read", "calculator")
    for column in range(len(SIZES)):
        page.script("document.activeElement.blur(); document.querySelector('.middle').scrollTop = 0")
        sheet.add(page, column)
    sheet.save("inspector.png")


def test_app(daemon, ada):  # noqa: F811
    sheet = Sheet()
    browser = ada()
    for text in ("Good morning. My order 4711 has not come yet.", "And please ring twice."):
        daemon.ctl("--session", "app", "call", "sendList.draft", "--text", text)
        daemon.ctl("--session", "app", "call", "sendList.add")
    for key in "12+30*1.5=":
        daemon.ctl("--session", "app", "call", "calculator.press", "--text", key)
    for column, scene in enumerate(("messages", "mine", "calculator")):
        visit(browser, scene)
        sheet.add(browser, column)
    sheet.save("app.png")


@root_only
def test_team(team_gateway, provider, open_browser):  # noqa: F811
    sheet = Sheet()
    provider.person = "eve"
    browser = open_browser(ORIGIN, ("403", "WebSocket", "Failed to load resource"), **team_gateway.for_browsers)
    browser.wait("h1", "No access")
    sheet.add(browser, 2)
    provider.person = "ada"
    browser.named("a", "Sign in as somebody else").click()
    browser.wait("#person-card", "Ada Lovelace")
    browser.driver.get(ORIGIN + "/app/#calculator")
    browser.wait("#led", "0")
    browser.click("#person-badge")
    sheet.add(browser, 1)
    browser.click("#person-badge")
    visit(browser, "messages")
    browser.type("#draft", "Dear Bob")
    first, _ = tabs(browser, "/app/")
    browser.wait("#person-card", "Ada Lovelace")
    sign_out(browser)
    browser.driver.switch_to.window(first)
    browser.wait("#person-note", "You are signed out")
    sheet.add(browser, 0)
    sheet.save("team.png")
