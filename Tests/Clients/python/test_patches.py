"""The client's JSON Patch against the public vectors."""
import copy
import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[2] / "ViewModelProtocolTests" / "Vectors"
CASES = [
    case
    for file in sorted(VECTORS.glob("*.json"))
    for case in json.loads(file.read_text())
    if "patch" in case and not case.get("disabled")
]


@pytest.mark.parametrize("case", CASES, ids=[case.get("comment", "-")[:40] for case in CASES])
def test_a_vector(vm, case):
    document = copy.deepcopy(case["doc"])
    if "error" in case:
        with pytest.raises(vm.UnexpectedValue):
            vm.apply_patch(document, case["patch"])
    else:
        patched = vm.apply_patch(document, case["patch"])
        assert "expected" not in case or patched == case["expected"]
    assert document == case["doc"], "the document stays as it was"


def test_a_failed_step_changes_nothing(vm):
    document = {"rows": [{"id": 1}]}
    with pytest.raises(vm.UnexpectedValue):
        vm.apply_patch(document, [{"op": "remove", "path": "/rows/0"}, {"op": "remove", "path": "/rows/7"}])
    assert document == {"rows": [{"id": 1}]}


def test_untouched_parts_are_shared(vm):
    document = {"rows": [{"id": 1}, {"id": 2}], "value": [0]}
    patched = vm.apply_patch(document, [{"op": "replace", "path": "/rows/0/id", "value": 3}])
    assert patched["rows"][1] is document["rows"][1] and patched["value"] is document["value"]
    assert document["rows"][0] == {"id": 1}
