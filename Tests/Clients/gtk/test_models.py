"""Properties, events and actions of a ViewModel."""
import gc
import typing
import weakref
from datetime import datetime
from decimal import Decimal

import pytest
from clients import generated, load
from conftest import kit, until
from daemons import unique
from gi.repository import GLib, GObject, Gtk

TEMPLATE = """<interface>
  <object class="GtkBox" id="box">
    <child><object class="GtkLabel" id="led"><binding name="label"><lookup name="led">calculator</lookup></binding></object></child>
    <child><object class="GtkButton" id="seven">
      <property name="action-name">calculator.press</property><property name="action-target">'7'</property>
    </object></child>
    <child><object class="GtkButton" id="undo"><property name="action-name">calculator.undo</property></object></child>
    <child><object class="GtkListView" id="operations">
      <property name="factory"><object class="GtkBuilderListItemFactory"><property name="bytes"><![CDATA[<interface>
        <template class="GtkListItem"><property name="child"><object class="GtkLabel">
          <binding name="label"><lookup name="text" type="VmROW"><lookup name="item">GtkListItem</lookup></lookup></binding>
        </object></property></template>
      </interface>]]></property></object></property>
      <binding name="model"><lookup name="operations">calculator</lookup></binding>
    </object></child>
  </object>
</interface>"""


def act(group, name, target=None):
    group.activate_action(name, target)


def test_a_property_shows_its_output_and_notifies(desk, other):
    model, label = kit.model(desk.calculator), Gtk.Label()
    model.bind_property("led", label, "label", kit.SYNC)
    until(lambda: label.get_label() == "0")
    for key in "1.5+":
        other.call("calculator.press", [key])
    until(lambda: label.get_label() == "1.5")
    seen = []
    model.connect("notify::undo-enabled", lambda model, _: seen.append(model.props.undo_enabled))
    until(lambda: seen == [True])


def test_a_property_has_the_type_of_its_output(desk):
    kinds = {spec.name: spec.value_type for spec in kit.model(desk.lab).list_properties()}
    assert kinds["value"] == GObject.TYPE_INT64 and kinds["code"] == GObject.TYPE_STRING
    assert kinds["count-enabled"] == GObject.TYPE_BOOLEAN and kinds["count-progress"] == GObject.TYPE_DOUBLE
    assert kinds["sample"] == GObject.TYPE_PYOBJECT and kinds["rows"].name == "ViewModelRows"
    assert "bell" not in kinds and "set" not in kinds


@pytest.mark.parametrize("hint, kind", [
    (str, "gchararray"), (str | None, "gchararray"), (typing.Literal["a", "b"], "gchararray"), (Decimal, "gchararray"),
    (typing.Literal["a"] | None, "gchararray"), (bool, "gboolean"), (int | None, "gint64"), (float, "gdouble"),
    (list[str], "PyObject"), (dict[str, int], "PyObject"), (datetime, "PyObject"), (str | int, "PyObject"),
])
def test_a_type_has_its_property(hint, kind):
    members = {"do_get_property": kit.shown, "raw": lambda self, name: None, "__gtype_name__": unique("Made")}
    specs = {"it": kit.pspec(hint, GObject.ParamFlags.READABLE)}
    made = type("Made", (GObject.Object,), {"__gproperties__": specs, **members})
    assert made.find_property("it").value_type.name == kind
    assert made().props.it in (None, 0)


def test_null_is_shown_as_the_default(desk, other):
    model = kit.model(desk.lab)
    assert model.props.count_progress == 0 and model.props.value == 0
    problem = kit.model(desk.login)
    assert problem.props.account_problem is None
    other.call("login.account", ["x"])
    until(lambda: problem.props.account_problem)


def test_a_function_of_a_binding_gets_null_as_none(desk, other, show):
    model, label, ids = kit.model(desk.lab), Gtk.Label(), []
    model.bind_property("count_progress", label, "label", kit.SYNC, lambda _, progress: repr(progress))
    assert label.get_label() == "None"
    other.request("lab.count", {"to": 2, "every": 60_000})
    until(lambda: label.get_label() == "0.5")

    def line(show):
        show("id", cell := Gtk.Label(), "label", lambda id: ids.append(id) or str(id))
        return cell
    show(Gtk.ListView(model=model.props.rows, factory=kit.factory(line)))
    other.call("lab.append", [1000])
    until(lambda: 1 in ids)
    assert None in ids and 0 not in ids, "a row that is not loaded has no id"


def test_a_drop_down_and_a_number_are_fields(own, connect, name, tmp_path):
    """Also a case that is set elsewhere. Before the first picture no case is shown, and none is sent."""
    mode, speed = {"enum": ["once", "all", "shuffle"]}, {"type": "integer", "maximum": 9}
    generated(tmp_path, "player", {"x-viewModels": {"player": {
        "inputs": {"mode": {"schema": mode}, "speed": {"schema": speed}},
        "outputs": {"mode": {"schema": mode, "example": "all"}, "speed": {"schema": speed, "example": 3}}}}})
    daemon = own(None, "--mock", str(tmp_path / "player.json"), lab=False)
    desk, other = connect(name, daemon.socket, load(tmp_path / "player.py", "player")), daemon.connect(name)
    drop, spin = Gtk.DropDown.new_from_strings(["Once", "All", "Mixed"]), Gtk.SpinButton.new_with_range(0, 20, 1)
    model = kit.model(desk.player)
    model.bind_property("mode", drop, "selected", kit.BOTH)
    model.bind_property("speed", spin, "value", kit.BOTH)
    assert drop.get_selected() == Gtk.INVALID_LIST_POSITION
    until(lambda: drop.get_selected() == 1 and spin.get_value() == 3)
    drop.set_selected(2)
    spin.set_value(7)
    until(lambda: (other.value("player", "mode"), other.value("player", "speed")) == ("shuffle", 7))
    other.call("player.mode", ["once"])
    until(lambda: drop.get_selected() == 0)
    spin.set_value(12)
    until(lambda: spin.get_value() == 7, "the number of the ViewModel after a refusal")


def test_a_text_that_may_be_null_is_edited(own, connect, name, tmp_path):
    text = {"type": ["string", "null"]}
    generated(tmp_path, "player", {"x-viewModels": {"player": {"inputs": {"note": {"schema": text}},
                                                               "outputs": {"note": {"schema": text, "example": "sun"}}}}})
    daemon = own(None, "--mock", str(tmp_path / "player.json"), lab=False)
    desk, other = connect(name, daemon.socket, load(tmp_path / "player.py", "player")), daemon.connect(name)
    entry, view = kit.edit(desk.player, "note", Gtk.Entry()), Gtk.TextView()
    kit.model(desk.player).bind_property("note", view.get_buffer(), "text", kit.BOTH)

    def shown():
        return entry.get_text(), view.get_buffer().get_property("text")
    until(lambda: shown() == ("sun", "sun"))
    other.call("player.note", [None])
    until(lambda: shown() == ("", ""))
    view.get_buffer().set_text("two\nlines")
    until(lambda: other.value("player", "note") == "two\nlines")
    entry.set_text("moon")
    until(lambda: other.value("player", "note") == "moon" and shown() == ("moon", "moon"))


def test_a_field_is_a_property_that_is_set(desk, other):
    model, entry = kit.model(desk.lab), Gtk.Entry()
    model.bind_property("word", entry, "text", kit.SYNC | GObject.BindingFlags.BIDIRECTIONAL)
    other.call("lab.word", ["sky"])
    until(lambda: entry.get_text() == "sky")
    entry.set_text("moon")
    until(lambda: other.value("lab", "word") == "moon")
    other.call("lab.word", ["sun"])
    until(lambda: entry.get_text() == "sun")


def test_an_event_is_a_signal(desk, other):
    model, seen = kit.model(desk.lab), []
    model.connect("event::bell", lambda _, text: seen.append(text))
    until(lambda: other.call("lab.ring", ["ding"]) and seen)
    assert set(seen) == {"ding"}
    model.connect("event", lambda _, text: seen.append(text))
    until(lambda: other.call("lab.ring", ["dong"]) and "dong" in seen)
    other.call("lab.ring", ["end"])
    until(lambda: seen.count("end") == 2)
    assert seen.count("dong") % 2 == 0, "each of two handlers gets each event once"


def test_a_template_needs_no_code(desk, show):
    model, builder = kit.model(desk.calculator), Gtk.Builder()
    row = model.props.operations.get_item_type()
    builder.expose_object("calculator", model)
    builder.add_from_string(TEMPLATE.replace("VmROW", row.name).replace(">calculator<", "><constant>calculator</constant><"))
    box, led, undo = (builder.get_object(name) for name in ("box", "led", "undo"))
    box.insert_action_group("calculator", kit.Actions(desk.calculator))
    show(box)
    until(lambda: led.get_label() == "0" and not undo.is_sensitive())
    builder.get_object("seven").emit("clicked")
    until(lambda: led.get_label() == "7")
    box.activate_action("calculator.press", GLib.Variant("s", "+"))
    until(undo.is_sensitive)
    rows = builder.get_object("operations")
    until(lambda: rows.get_first_child() and rows.get_first_child().get_first_child().get_label() == "7")
    undo.emit("clicked")
    until(lambda: not undo.is_sensitive() and rows.get_first_child() is None)


@pytest.mark.parametrize("action, target, expected", [
    ("set", GLib.Variant("i", 5), {"value": 5}),
    ("append", GLib.Variant("u", 2), {"rows": [{"id": 1, "text": "row 1"}, {"id": 2, "text": "row 2"}]}),
    ("code", GLib.Variant("s", " a"), {"code": "A"}),
    ("echo", GLib.Variant("b", True), {"echoed": True}),
    ("echo", GLib.Variant("d", 0.5), {"echoed": 0.5}),
    ("echo", GLib.Variant("i", 0), {"echoed": 0}),
    ("echo", GLib.Variant("s", ""), {"echoed": ""}),
    ("echo", GLib.Variant.parse(None, "@a{sv} {}", None, None), {"echoed": {}}),
    ("count", GLib.Variant.parse(None, "{'to': <3>, 'every': <1>}", None, None), {"value": 3}),
    ("count", GLib.Variant("i", 3), {"value": 3}),
])
def test_the_target_of_an_action_is_its_value_or_its_params(desk, other, action, target, expected):
    group = kit.Actions(desk.lab)
    until(lambda: group.get_action_enabled(action))
    act(group, action, target)
    until(lambda: {name: other.value("lab", name) for name in expected} == expected)


def test_a_param_has_its_name_in_the_contract(desk, other):
    other.call("lab.append", [3])
    group = kit.Actions(desk.lab)
    act(group, "move", GLib.Variant.parse(None, "{'from': <0>, 'to': <2>}", None, None))
    until(lambda: [row["id"] for row in other.value("lab", "rows")] == [2, 3, 1])


def test_an_action_is_enabled_and_cancelled(desk, other, show):
    group, errors = kit.Actions(desk.lab), []
    group.connect("failed", lambda _, error: errors.append(error))
    run, cancel, bar = Gtk.Button(action_name="lab.sleep", action_target=GLib.Variant("i", 60000)), Gtk.Button(action_name="lab.sleep.cancel"), Gtk.Box()
    for each in (run, cancel):
        bar.append(each)
    bar.insert_action_group("lab", group)
    show(bar)
    until(lambda: run.is_sensitive() and not cancel.is_sensitive())
    run.emit("clicked")
    until(lambda: cancel.is_sensitive() and not run.is_sensitive())
    cancel.emit("clicked")
    until(lambda: run.is_sensitive() and not cancel.is_sensitive())
    assert errors == [], "who cancels needs no error"


def test_a_failure_is_a_signal(desk, vm):
    group, errors = kit.Actions(desk.lab), []
    group.connect("failed::fail", lambda _, error: errors.append(error))
    group.connect("failed::set", lambda _, error: errors.append(error))
    until(lambda: group.get_action_enabled("fail"))
    act(group, "fail", GLib.Variant("s", "broken"))
    until(lambda: len(errors) == 1 and errors[0].error == "broken")
    act(group, "set", GLib.Variant("s", "no number"))
    until(lambda: len(errors) == 2 and isinstance(errors[1], vm.InvalidParams))


def test_nothing_is_enabled_without_a_connection(own, connect, name):
    daemon = own()
    desk = connect(name, daemon.socket)
    group, model = kit.Actions(desk.calculator), kit.model(desk.calculator)
    act(group, "press", GLib.Variant("s", "+"))
    until(lambda: group.get_action_enabled("undo") and group.get_action_enabled("press") and model.props.undo_enabled)
    daemon.kill()
    until(lambda: not group.get_action_enabled("undo") and not group.get_action_enabled("press"))
    until(lambda: not model.props.undo_enabled)
    daemon.drop_clients()
    daemon.start()
    until(lambda: group.get_action_enabled("press"))


def test_what_is_not_used_any_more_is_not_held(desk):
    model, group, label = kit.model(desk.calculator), kit.Actions(desk.calculator), Gtk.Label()
    model.bind_property("led", label, "label", kit.SYNC)
    rows = model.props.operations
    until(lambda: label.get_label() == "0" and group.get_action_enabled("press"))

    def held():
        return [hold for binding in desk.bindings.values() for hold in binding.holds]
    assert len(held()) == 4
    del model, group
    gc.collect()
    assert len(held()) == 2, "the label keeps its model and the list"
    del label, rows
    gc.collect()
    until(lambda: held() == [])


def test_a_model_goes_when_its_last_handler_is_disconnected(desk):
    model = kit.model(desk.lab)
    handlers = [model.connect("notify::value", print), model.connect("event", print)]
    gone = weakref.ref(model)
    for handler in handlers:
        model.disconnect(handler)
    del model
    gc.collect()
    assert gone() is None


def test_an_output_may_be_called_event(desk):
    model = kit.model(desk.lab)
    model.connect("event", print)
    assert "event" not in model._held


def test_the_model_has_the_error_of_an_action(desk):
    model, group, again, seen = kit.model(desk.lab), kit.Actions(desk.lab), kit.Actions(desk.lab), []
    label = Gtk.Label()
    model.bind_property("fail-error", label, "label", kit.SYNC)
    model.connect("notify::fail-error", lambda model, _: seen.append(model.props.fail_error))
    assert model.props.fail_error == model.props.sleep_error == ""
    until(lambda: group.get_action_enabled("fail"))
    act(group, "fail", GLib.Variant("s", "broken"))
    until(label.get_label)
    assert seen == [label.get_label()]
    act(again, "fail", GLib.Variant("s", "other"))
    until(lambda: len(seen) == 3)
    assert seen[1] == "" and seen[2] == label.get_label()
    act(group, "sleep", GLib.Variant("i", 60000))
    until(lambda: again.get_action_enabled("sleep.cancel"))
    act(again, "sleep.cancel")
    until(lambda: group.get_action_enabled("sleep"))
    assert model.props.sleep_error == ""


def test_a_shared_action_ends_with_its_last_holder(desk):
    model, group = kit.model(desk.lab), kit.Actions(desk.lab)
    assert model.props.fail_error == ""
    del group
    gc.collect()
    assert [key for key in kit.shared if key[0] is desk] == [(desk, "lab", "fail")]
    del model
    gc.collect()
    assert not [key for key in kit.shared if key[0] is desk]
    until(lambda: ("lab", "") not in desk.bindings)


def test_a_button_has_the_text_of_an_entry_as_its_target(desk, other, show):
    entry, box = Gtk.Entry(text="ab"), Gtk.Box()
    button = kit.button("Code", "lab.code", entry)
    box.append(button)
    box.append(kit.button("Count", "lab.append(2)"))
    box.insert_action_group("lab", kit.Actions(desk.lab))
    show(box)
    until(button.is_sensitive)
    button.emit("clicked")
    until(lambda: other.value("lab", "code") == "AB")
    entry.set_text("cd")
    button.emit("clicked")
    until(lambda: other.value("lab", "code") == "CD")
    button.get_next_sibling().emit("clicked")
    until(lambda: len(other.value("lab", "rows")) == 2)


def test_a_button_has_the_selected_rows_as_its_target(desk, other, show):
    rows, box = kit.Rows(desk.lab, "rows", multiple=True), Gtk.Box()
    remove, copy = kit.button("Remove", "lab.remove-rows", rows), kit.button("Set", "lab.set", one := kit.Rows(desk.lab, "rows"))
    for each in (remove, copy):
        box.append(each)
    box.insert_action_group("lab", kit.Actions(desk.lab))
    show(box)
    other.call("lab.append", [5])
    until(lambda: len(rows) == len(one) == 5 and rows[4].row and one[4].row)
    assert not remove.is_sensitive() and not copy.is_sensitive()
    one.select_item(3, True)
    until(copy.is_sensitive)
    copy.emit("clicked")
    until(lambda: other.value("lab", "value") == 4)
    rows.select_item(1, True)
    rows.select_item(2, False)
    until(remove.is_sensitive)
    remove.emit("clicked")
    until(lambda: [row["id"] for row in other.value("lab", "rows")] == [1, 4, 5])
    until(lambda: not remove.is_sensitive(), "no row is selected")


@pytest.mark.parametrize("call, kind, message", [
    (lambda desk: kit.edit(desk.lab, "value", Gtk.Entry()), LookupError, "Lab has no field value: it is of the kind state"),
    (lambda desk: kit.edit(desk.lab, "set", Gtk.Entry()), TypeError, "Lab.set is no text: use kit.Actions"),
    (lambda desk: kit.edit(desk.send_list, "nope", Gtk.Entry()), LookupError, "SendList has no field nope: there are draft"),
    (lambda desk: kit.Rows(desk.mine, "header"), LookupError, "Mine has no list header: it is a child, use the members of .header"),
])
def test_a_wrong_member_is_named(desk, call, kind, message):
    with pytest.raises(kind) as raised:
        call(desk)
    assert str(raised.value.args[0]).startswith(message)
