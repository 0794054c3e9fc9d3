"""PROTOCOL section 3: names of instances, members and methods; default instances."""
import pytest

BUILT_IN = {"coordinator", "prompter", "daemon"}


def ids(c):
    return [entry["id"] for entry in c.call("viewModel.list")["instances"]]


@pytest.mark.parametrize("id", ["", "1a", "_a", "-a", "a.b", "a b", "é", "a/b", "x" * 65, "a\n", "a\0b"])
def test_a_bad_instance_name_is_refused(c, id):
    assert c.refused("viewModel.open", {"type": "lab", "id": id}, -32602)["data"]["path"] == "/id"


@pytest.mark.parametrize("id", ["rpc", "session", "viewModel"])
def test_a_reserved_name_is_refused(c, id):
    c.refused("viewModel.open", {"type": "lab", "id": id}, -32602)
    c.refused("viewModel.read", {"id": id}, -32004)
    c.refused(f"{id}.set", [1], -32601)


@pytest.mark.parametrize("id", ["lab", "coordinator", "calculator", "keypad", "login", "mine", "sendList"])
def test_a_name_of_another_type_is_refused(c, id):
    other = "keypad" if id != "keypad" else "lab"
    c.refused("viewModel.open", {"type": other, "id": id}, -32602)


@pytest.mark.parametrize("id", ["a", "Z", "a-b_c9", "x" * 64])
def test_a_good_instance_name(c, id):
    assert c.call("viewModel.open", {"type": "lab", "id": id}) == {"id": id, "type": "lab", "created": True}
    c.call(f"{id}.set", [3])
    assert c.value(id, "value") == 3


def test_a_childs_type_has_no_default_instance(c):
    c.call("viewModel.read", {"id": "mine"})
    child = next(e for e in c.call("viewModel.list")["instances"] if e["id"] == "mine.header")["type"]
    c.refused("viewModel.open", {"type": child}, -32602)
    c.refused("viewModel.open", {"type": child, "id": "x"}, -32602)
    c.refused("viewModel.read", {"id": child.replace(".", "")}, -32004)


@pytest.mark.parametrize("act", [
    lambda c: c.call("lab.set", [1]), lambda c: c.notify("lab.set", [1]), lambda c: c.values("lab"), lambda c: c.call("viewModel.bind", {"id": "lab"}),
    lambda c: c.refused("lab.trap"), lambda c: c.refused("lab.set", ["x"]),
])
def test_a_default_instance_comes_into_being_when_it_is_named(c, act):
    assert set(ids(c)) == BUILT_IN
    act(c)
    assert set(ids(c)[:3]) == BUILT_IN and ids(c)[3:] == ["lab"]


def test_the_method_is_split_at_its_last_dot(c):
    c.call("mine.header.select")
    assert c.value("coordinator", "scenes")[-1]["scene"] == "login"
    data = c.refused("mine.footer.select", code=-32601)["data"]
    assert data["instance"] == "mine.footer"


def test_naming_a_child_brings_its_parent(c):
    assert c.values("mine.header")["nickname"] == "click login"
    assert ids(c)[3:] == ["mine", "mine.header"]
