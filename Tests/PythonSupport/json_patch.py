"""JSON Patch (RFC 6902) and JSON Pointer (RFC 6901)."""
from __future__ import annotations

import copy
import re

INDEX = re.compile(r"0|[1-9][0-9]*")


class BadPatch(AssertionError):
    """The patch is malformed or does not fit the document."""


def equal(one, other) -> bool:
    """Equality of JSON values: 1 equals 1.0, true does not equal 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def _steps(pointer) -> list[str]:
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise BadPatch(f"not a pointer: {pointer!r}")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _position(step, size) -> int:
    if not INDEX.fullmatch(step):
        raise BadPatch(f"not an index: {step!r}")
    if int(step) >= size:
        raise BadPatch(f"index {step} is out of range")
    return int(step)


def _child(node, step):
    if isinstance(node, list):
        return node[_position(step, len(node))]
    if isinstance(node, dict) and step in node:
        return node[step]
    raise BadPatch(f"no such place: {step!r}")


def _at(document, steps):
    for step in steps:
        document = _child(document, step)
    return document


def _insert(document, steps, value):
    if not steps:
        return value
    parent, last = _at(document, steps[:-1]), steps[-1]
    if isinstance(parent, dict):
        parent[last] = value
    elif isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _position(last, len(parent) + 1), value)
    else:
        raise BadPatch(f"no such place: {last!r}")
    return document


def _delete(document, steps):
    if not steps:
        return None
    parent, last = _at(document, steps[:-1]), steps[-1]
    _child(parent, last)
    del parent[int(last) if isinstance(parent, list) else last]
    return document


def patched(document, operations):
    """The document after the patch. The argument may be changed on the way."""
    if not isinstance(operations, list):
        raise BadPatch("a patch is an array")
    for operation in operations:
        try:
            name, steps = operation["op"], _steps(operation["path"])
            if name in ("move", "copy"):
                source = _steps(operation["from"])
                value = copy.deepcopy(_at(document, source))
                if name == "move":
                    if steps[:len(source)] == source and len(steps) > len(source):
                        raise BadPatch("a value cannot move into itself")
                    document = _delete(document, source)
            elif name in ("add", "replace", "test"):
                value = copy.deepcopy(operation["value"])
        except (KeyError, TypeError) as problem:
            raise BadPatch(f"a malformed operation: {operation}") from problem
        if name in ("add", "move", "copy"):
            document = _insert(document, steps, value)
        elif name == "remove":
            document = _delete(document, steps)
        elif name == "replace":
            _at(document, steps)
            if steps and isinstance(parent := _at(document, steps[:-1]), list):
                parent[int(steps[-1])] = value
            else:
                document = _insert(document, steps, value)
        elif name == "test":
            if not equal(_at(document, steps), value):
                raise BadPatch(f"the test of {operation['path']} failed")
        else:
            raise BadPatch(f"unknown operation: {name!r}")
    return document
