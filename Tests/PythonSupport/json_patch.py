"""JSON Patch (RFC 6902): the operations that the daemon sends."""
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
    if not isinstance(pointer, str) or not pointer.startswith("/"):
        raise BadPatch(f"no pointer to a part: {pointer!r}")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _position(step, size) -> int:
    if not INDEX.fullmatch(step) or int(step) >= size:
        raise BadPatch(f"no index below {size}: {step!r}")
    return int(step)


def _key(node, step):
    """The key of a child that exists."""
    if isinstance(node, list):
        return _position(step, len(node))
    if isinstance(node, dict) and step in node:
        return step
    raise BadPatch(f"no such place: {step!r}")


def _place(document, pointer) -> tuple:
    """The value that has the part, and its last step."""
    *steps, last = _steps(pointer)
    for step in steps:
        document = document[_key(document, step)]
    return document, last


def patched(document: dict, operations) -> dict:
    """The document after the patch. The argument may be changed on the way."""
    if not isinstance(operations, list):
        raise BadPatch("a patch is an array")
    for operation in operations:
        try:
            name, (parent, last) = operation["op"], _place(document, operation["path"])
            if name == "move":
                source, key = _place(document, operation["from"])
                value = source.pop(_key(source, key))
                parent, last = _place(document, operation["path"])
            elif name in ("add", "replace"):
                value = copy.deepcopy(operation["value"])
        except (KeyError, TypeError) as problem:
            raise BadPatch(f"a malformed operation: {operation}") from problem
        if name == "remove":
            del parent[_key(parent, last)]
        elif name == "replace":
            parent[_key(parent, last)] = value
        elif name not in ("add", "move"):
            raise BadPatch(f"an operation that the daemon does not send: {name!r}")
        elif isinstance(parent, list):
            parent.insert(len(parent) if last == "-" else _position(last, len(parent) + 1), value)
        else:
            parent[last] = value
    return document
