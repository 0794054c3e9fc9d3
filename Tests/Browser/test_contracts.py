"""Forms of contracts that the daemon's own ViewModels do not have."""
import json

from wire import wait_until
from selenium.webdriver.support.ui import Select

PASSWORD = {"type": "string", "format": "password"}
STRING = {"type": "string"}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def of(**members):
    return {"type": "object", "properties": members, "required": list(members)}


def contract(schemas=None, **types):
    return {"components": {"schemas": schemas or {}}, "x-viewModels": types}


def fill(page, css, *texts):
    for field, text in zip(page.all(f"{css} .form input[type=text], {css} .form input[type=password]"), texts):
        field.send_keys(text)


def test_no_password_is_copied(mocked):
    """`secrets.test.mjs` has the schemas of all kinds."""
    credentials = of(user=STRING, password=PASSWORD)
    page = mocked(contract(
        vault={"arguments": of(label=STRING, pin=PASSWORD)},
        nest={
            "inputs": {"both": {"schema": of(password=PASSWORD, inner=credentials)}},
            "actions": {"login": {"params": of(inner=credentials), "result": STRING, "example": "ok"}},
        },
    ))
    page.show("nest")
    dots = "••••••••"

    def masked(css):
        text = page.copied(css, "ctl")
        assert "s3cret" not in text + page.text("#toasts")
        return text

    fill(page, '[data-input="both"]', "s3cret", "ada", "s3cret")
    assert f'password=@- \'inner:={{"user":"ada","password":"{dots}"}}' in masked('[data-input="both"]')
    fill(page, '[data-action="login"]', "ada", "s3cret\n")
    page.wait('[data-action="login"] .outcome', "ok")
    assert dots in masked('[data-action="login"] .outcome')
    page.named("summary", "vault").click()
    fill(page, ".type-form", "Home", "s3cret")
    assert f'{{"label":"Home","pin":"{dots}"}}' in masked(".type-form")


def test_a_schema_that_needs_itself_has_a_form_that_grows(mocked):
    expression = {"anyOf": [of(sum=of(left=ref("Expression"), right=ref("Expression"))), of(number={"type": "number"})]}
    page = mocked(contract({"Expression": expression}, calculation={"inputs": {"evaluate": {"schema": ref("Expression")}}}))
    page.show("calculation")
    form = '[data-input="evaluate"]'
    for _ in range(2):
        page.click(f"{form} [aria-label^=Add]")
        Select(page.all(f"{form} select")[-1]).select_by_visible_text("number")
        wait_until(lambda: page.all(f"{form} input[type=text]"), "a number can be typed")
    fill(page, form, "1", "2")
    assert json.loads(page.copied(form, "JSON")) == {"sum": {"left": {"number": 1}, "right": {"number": 2}}}
