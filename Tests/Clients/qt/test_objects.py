"""ViewModels as objects: properties, events, inputs, actions, and what happens when objects go."""
import gc

import pytest
from conftest import application, click, item, pump, qt, until


def test_a_property_notifies_when_its_output_changes(desk):
    calculator, seen = desk.calculator, []
    calculator.ledChanged.connect(lambda: seen.append(calculator.led))
    until(lambda: calculator.led == "0")
    calculator.press("7")
    until(lambda: calculator.led == "7")
    desk.lab.append(1)
    until(lambda: desk.lab.rows.count == 1)
    assert seen == ["0", "7"] and calculator.property("led") == "7"


def test_a_property_has_a_value_of_its_type_before_the_first_picture(open_desk):
    desk = open_desk(socket="/nonexistent/socket")
    assert (desk.calculator.led, desk.lab.value, desk.state) == ("", 0, "offline")
    until(lambda: "/nonexistent/socket" in desk.problem, "the reason")


def test_an_unread_output_is_not_bound(desk, problems):
    assert desk.calculator.led is not None
    pump(0.1)
    assert [id for id, _ in desk.session.bindings if id not in ("calculator", "coordinator", "prompter")] == []


def test_an_event_is_a_signal(desk, other):
    heard = []
    desk.lab.bell.connect(heard.append)
    until(lambda: desk.lab.value == 0)
    pump(0.1)
    other.call("lab.ring", ["ding"])
    until(lambda: heard == ["ding"])


def test_values_of_any_type_are_json(desk):
    sample = until(lambda: desk.lab.sample)
    assert (sample["nested"]["name"], sample["date"], sample["decimal"], sample["list"]) == (
        "Greenwich", "2001-01-01T00:00:00Z", "19.99", ["one", "two"])
    desk.lab.echo([1, {"a": None}])
    until(lambda: desk.lab.echoed == [1, {"a": None}])


def test_children_and_other_instances(desk):
    page = desk.instance("labPage", "second")
    assert page is desk.instance("labPage", "second") is not desk.labPage
    assert until(lambda: desk.mine.header.nickname) == "click login"


def test_an_action_follows_its_viewmodel(desk):
    button = qt.widgets.QToolButton()
    undo = desk.calculator.undo
    button.setDefaultAction(undo)
    until(lambda: desk.calculator.led == "0")
    assert not button.isEnabled()
    for key in "1+":
        desk.calculator.press(key)
    until(button.isEnabled)
    button.click()
    until(lambda: not button.isEnabled() and desk.calculator.led == "0")


def test_an_action_tells_its_progress_and_is_cancelled(desk):
    count, seen = desk.lab.count, []
    count.progressChanged.connect(lambda: seen.append(count.progress))
    until(count.isEnabled)
    count.setData({"to": 20, "every": 5})
    count.trigger()
    until(lambda: count.executing and 0 < count.progress < 1)
    until(lambda: not count.executing)
    until(lambda: desk.lab.value == 20)
    assert seen == sorted(seen[:-1]) + [0.0]
    count.run({"to": 1000, "every": 5})
    until(lambda: count.progress > 0)
    count.errorChanged.connect(lambda: seen.append(count.error))
    count.cancel()
    until(lambda: count.action.error)
    until(lambda: not count.executing)
    assert count.error == "" and "" not in seen, "a cancelled call is no error"


def test_a_click_that_came_too_late_is_no_error(desk):
    count, undo = desk.lab.count, desk.calculator.undo
    until(count.isEnabled)
    until(lambda: desk.calculator.led == "0")
    count.run({"to": 100, "every": 5})
    count.run({"to": 100, "every": 5})
    until(lambda: count.action.error)
    assert (count.error, type(count.action.error).__name__) == ("", "ActionExecuting")
    undo.run()
    assert "undo" in until(lambda: undo.error), "a program that runs what it sees disabled is told"


def test_a_run_with_wrong_arguments_is_an_error(desk, problems):
    desk.lab.count.run("x")
    assert type(problems.pop()) is TypeError
    assert "count" in desk.lab.count.error
    desk.lab.count.run({"to": 0})
    assert desk.lab.count.error == ""


def test_a_failure_is_shown(desk):
    desk.lab.book.run({"seats": 20})
    assert "Fewer seats" in until(lambda: desk.lab.book.error)


def test_offline_disables_actions_and_refuses(desk, daemon):
    clear, undo = desk.lab.count, desk.calculator.undo
    until(clear.isEnabled)
    daemon.kill()
    until(lambda: desk.state == "offline" and not clear.isEnabled())
    clear.run({"to": 3})
    undo.run()
    until(lambda: clear.error and undo.error)
    daemon.start()
    until(lambda: desk.state == "connected" and clear.isEnabled())
    assert (clear.error, undo.error) == ("", ""), "also of one that stays disabled"
    pump(0.1)
    assert desk.lab.value == 0, "nothing was sent by surprise"


def test_qml_reads_writes_and_calls(desk, page):
    window = page("""ApplicationWindow { visible: true; width: 300; height: 200
        property string rung
        Connections { target: desk.lab; function onBell(text) { rung = text } }
        Label { objectName: "led"; text: desk.calculator.led }
        Button { objectName: "undo"; enabled: desk.calculator.undo.enabled; onClicked: desk.calculator.undo.run() }
        Label { objectName: "place"; text: desk.lab.sample ? desk.lab.sample.nested.name : "" }
        function work() { desk.calculator.press("8"); desk.calculator.press("+"); desk.lab.append(2)
            desk.lab.update({id: 1, text: "new"}); desk.lab.ring("dong"); desk.lab.hint({text: "hint"}) } }""", desk)
    until(lambda: item(window, "place").property("text") == "Greenwich")
    qt.core.QMetaObject.invokeMethod(window, "work")
    until(lambda: item(window, "led").property("text") == "8" and item(window, "undo").property("enabled"))
    until(lambda: (desk.lab.rows.get(0) or {}).get("text") == "new")
    until(lambda: window.property("rung") == "dong")
    click(window, "undo")
    until(lambda: item(window, "led").property("text") == "0")


def test_names_that_qt_has_are_kept_apart():
    assert (qt.given("event"), qt.given("parent"), qt.given("led")) == ("event_", "parent_", "led")


def test_a_destroyed_object_is_not_called(desk, other):
    """Objects go while frames arrive, by Qt and by Python."""
    for turn in range(30):
        lab = qt.adapt(desk.session.lab, desk)
        lab.valueChanged.connect(lambda: None)
        rows, action = lab.rows, lab.count
        box = qt.widgets.QLineEdit()
        lab.edit("code", box)
        for at in range(5):
            other.notify("lab.set", [turn * 5 + at])
            other.notify("lab.append", [1])
            other.notify("lab.code", [f"{turn} {at}"])
        if turn % 2:
            box.deleteLater()
            lab.deleteLater()
        else:
            lab.setParent(None)
            del lab, rows, action, box
            gc.collect()
        pump(0.01)
    holds = len(desk.session.bindings)
    assert holds < 15, "what the objects held has ended"


def test_a_callback_that_fails_is_reported(desk, problems):
    def fail():
        raise LookupError("of the program")
    qt.callback(desk, lambda _: fail())()
    assert [str(error) for error in problems] == ["of the program"]
    problems.clear()


def test_dispatch_works_after_its_application(client):
    run = qt.dispatch()
    run(lambda: done.append(1))
    done = []
    until(lambda: done == [1])


@pytest.mark.parametrize("count", [2000])
def test_dispatch_keeps_the_order_of_threads(count):
    import threading
    run, seen = qt.dispatch(), []
    worker = threading.Thread(target=lambda: [run(lambda number=number: seen.append(number)) for number in range(count)])
    worker.start()
    until(lambda: len(seen) == count)
    worker.join()
    assert seen == list(range(count)) and application is not None
