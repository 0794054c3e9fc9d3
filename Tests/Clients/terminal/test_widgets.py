"""The widgets in an app without a terminal, against a real daemon."""
import asyncio
import subprocess
import sys
import time

import pytest
from conftest import ADAPTER

SECONDS = 20


async def until(pilot, condition, what: str):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f"{what} did not come true in time"
        await pilot.pause(0.02)


@pytest.fixture
def run(folder, daemon, desk, monkeypatch):
    """Runs a test's coroutine in an app with these widgets."""
    monkeypatch.syspath_prepend(str(folder))
    from viewmodel_textual import ViewModelApp
    from viewmodels import Session

    def run(widgets, test):
        session = Session("desk", socket=str(daemon.socket))

        class Program(ViewModelApp):
            def compose(self):
                yield from widgets(session)

        async def whole():
            app = Program(session)
            async with app.run_test() as pilot:
                await until(pilot, lambda: session.state == "connected", "the connection")
                await test(app, pilot)
        asyncio.run(asyncio.wait_for(whole(), 60))
    return run


def test_a_field_shows_what_the_view_model_makes_of_the_text(run, desk):
    from viewmodel_textual import Field

    async def test(app, pilot):
        code, word = app.query(Field)
        code.focus()
        await pilot.press(*"abc")
        await until(pilot, lambda: code.value == "ABC", "the text in upper case")
        await pilot.press("home", "x", "y")
        await until(pilot, lambda: (code.value, code.cursor_position) == ("XYABC", 2), "the text and the caret")
        await pilot.press("end", *"de")
        await until(pilot, lambda: (code.value, code.cursor_position) == ("XYABCDE", 7), "the text and the caret")
        desk.call("lab.code", ["new"])
        await until(pilot, lambda: code.value == "NEW", "the text of another client")
        word.focus()
        await pilot.press("a", "1")
        await until(pilot, lambda: word.has_class("-invalid"), "a refusal")
        assert "without digits" in str(word.tooltip) and desk.value("lab", "word") == "a"
        await pilot.press("backspace", "b")
        await until(pilot, lambda: desk.value("lab", "word") == word.value != "a", "a text that is allowed")
        assert not word.has_class("-invalid")
    run(lambda session: [Field(session.lab.text("code")), Field(session.lab.text("word"))], test)


def test_texts_are_no_markup_and_do_not_control_the_terminal(run, desk):
    from textual.widgets import Label
    from viewmodel_textual import RowList, bind

    async def test(app, pilot):
        desk.call("lab.append", [1])
        desk.call("lab.update", {"id": 1, "text": "[b]row\x1b[2J\n\u202enext"})
        desk.call("lab.code", ["[@click=quit]\x1b]0;x\x07"])
        label, rows = app.query_one(Label), app.query_one(RowList)
        await until(pilot, lambda: "CLICK" in str(label.render()), "the text")
        assert label.render().plain == "[@CLICK=QUIT]\N{REPLACEMENT CHARACTER}]0;X\N{REPLACEMENT CHARACTER}"
        await until(pilot, lambda: "next" in rows.render_line(0).text, "the row")
        assert rows.render_line(0).text.rstrip() == "[b]row\N{REPLACEMENT CHARACTER}[2J \N{REPLACEMENT CHARACTER}next"
    run(lambda session: [bind(Label(), content=session.lab.value("code")),
                         RowList(session.lab.list("rows"), lambda row: row.text)], test)


def test_bind_follows_until_the_widget_is_removed(run, desk):
    from textual.widgets import Label
    from viewmodel_textual import bind

    closed = []

    def widgets(session):
        for name in ("one", "two"):
            value = session.lab.value("value")
            value.close = lambda name=name, close=value.close: (closed.append(name), close())
            yield bind(Label(id=name), content=value, disabled=(value, lambda number: number > 1))

    async def test(app, pilot):
        one, two = app.query(Label)
        desk.call("lab.set", [1])
        await until(pilot, lambda: one.render().plain == two.render().plain == "1" and not one.disabled, "the value")
        await one.remove()
        await until(pilot, lambda: set(closed) == {"one"}, "the end of the first")
        desk.call("lab.set", [2])
        await until(pilot, lambda: two.render().plain == "2" and two.disabled, "the next value")
        assert one.render().plain == "1"
    run(widgets, test)


def test_a_button_runs_an_action_with_named_params_and_follows_it(run, desk):
    from viewmodel_textual import ActionButton

    async def test(app, pilot):
        count, fail = app.query(ActionButton)
        await until(pilot, lambda: not count.disabled, "a button that is enabled")
        await pilot.click(count)
        await until(pilot, lambda: count.disabled, "a button that is disabled while the action runs")
        await app.run_action("app.cancel('lab.count')")
        await until(pilot, lambda: not count.disabled, "the end")
        assert 0 < desk.value("lab", "value") < 1000
        await pilot.click(fail)
        await until(pilot, lambda: [each.message for each in app._notifications], "a message")
        assert ["broken" in each.message for each in app._notifications] == [True], "a cancelled call is no failure"
    run(lambda session: [ActionButton("Count", "lab.count", {"to": 1000, "every": 10}),
                         ActionButton("Fail", "lab.fail", {"error": "broken"})], test)


def test_the_adapter_has_types():
    assert "Success" in subprocess.run([sys.executable, "-m", "mypy", "--strict", str(ADAPTER)], capture_output=True, text=True).stdout


def test_a_path_has_the_names_of_the_contract(run, desk):
    async def test(app, pilot):
        await app.run_action("run('sendList.draft', 'hello')")
        await until(pilot, lambda: desk.value("sendList", "draft") == "hello", "the input of a default instance")
        assert app._member("mine.header.select").id == "mine.header"
    run(lambda session: [], test)


def test_scenes_may_be_empty(run):
    from viewmodel_textual import Scenes

    async def test(app, pilot):
        await app.query_one(Scenes)._show([])
    run(lambda session: [Scenes({})], test)
