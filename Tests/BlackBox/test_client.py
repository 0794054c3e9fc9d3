"""The suite's own client: JSON Patch against public vectors, and the rules that a picture enforces."""
import copy
import json
from pathlib import Path

import pytest
from json_patch import BadPatch, equal, patched
from picture import Picture
from wire import HeaderFraming, LineFraming

VECTORS = Path(__file__).parent / "vectors" / "json-patch"


def cases():
    for file in ("spec_tests.json", "tests.json"):
        for index, case in enumerate(json.loads((VECTORS / file).read_text())):
            if "patch" in case and not case.get("disabled"):
                yield pytest.param(case, id=f"{file}-{index}")


@pytest.mark.parametrize("case", cases())
def test_json_patch_vectors(case):
    if "error" in case:
        with pytest.raises(BadPatch):
            patched(copy.deepcopy(case["doc"]), case["patch"])
    else:
        result = patched(copy.deepcopy(case["doc"]), case["patch"])
        assert "expected" not in case or equal(result, case["expected"])


@pytest.mark.parametrize("one, other", [(True, 1), (0, False), ([1], [True]), ({"a": 1}, {"a": 1, "b": None}), ("1", 1), (None, False)])
def test_different_json_values_are_not_equal(one, other):
    assert not equal(one, other)


@pytest.mark.parametrize("frame", [
    {"id": "x", "seq": 5, "values": {"a": 2}}, {"id": "x", "seq": 4, "values": {"a": 2}}, {"id": "x", "seq": 6},
    {"id": "x", "seq": 6, "values": {"a": 1}}, {"id": "x", "seq": 6.5, "values": {"a": 2}},
    {"id": "x", "seq": 6, "patch": [{"op": "remove", "path": "/b"}]}, {"id": "x", "seq": 6, "events": [{"value": 1}]},
    {"id": "x", "seq": 6, "more": 1, "values": {"a": 2}},
])
def test_a_picture_rejects_a_wrong_frame(frame):
    picture = object.__new__(Picture)
    picture.instance, picture.seq, picture.values, picture.events, picture.lost, picture.frames = "x", 5, {"a": 1}, [], 0, []
    with pytest.raises((AssertionError, KeyError)):
        picture.apply(frame)


@pytest.mark.parametrize("framing", [LineFraming, HeaderFraming])
def test_framings_join_chunks_of_any_size(framing):
    data = b"".join(map(framing.wrap, [b"[1]", b"", b"{}"]))
    for size in (1, 2, 7, 100):
        reader, bodies = framing(), []
        for start in range(0, len(data), size):
            bodies += reader.feed(data[start:start + size])
        assert bodies == [b"[1]", b"", b"{}"]
