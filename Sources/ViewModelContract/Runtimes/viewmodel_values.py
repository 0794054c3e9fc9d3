# Values. Unknown members are ignored, and an unknown case of an enumeration keeps its raw value.


@dataclass(frozen=True)
class Event:
    """An event of an instance."""

    output: str
    value: Any

    @classmethod
    def from_json(cls: type[E], json: Any) -> E:
        return cls(json["output"], json["value"])


@dataclass(frozen=True)
class Window:
    """A part of a list: at most `limit` rows from `offset` on."""

    offset: int
    limit: int


class Rows(list[T]):
    """The rows of a list or of its window. `offset` is the index of the first row, `total` the number of all rows."""

    offset = total = 0


class Picture:
    """The bound outputs of an instance at one step. `raw` has their JSON by the names of the contract."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw

    def _read(self, name: str, read: Callable[[Any], T]) -> T:
        if name not in self.raw:
            raise AttributeError(f"the output {name} is not bound")
        return read(self.raw[name])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw})"


def scalar(kind: Callable[[Any], T], *types: type) -> Callable[[Any], T]:
    def read(json: Any) -> T:
        if type(json) in types and (made := kind(json)) == json:
            return made
        raise UnexpectedValue(f"expected {types[0].__name__}, found {json!r:.99}")
    return read


def parsed(parse: Callable[[str], T]) -> Callable[[Any], T]:
    def read(json: Any) -> T:
        try:
            return parse(as_text(json))
        except (ValueError, ArithmeticError) as error:
            raise UnexpectedValue(f"{json!r:.99}: {error}") from error
    return read


def parse_date(text: str) -> datetime:
    head, point, tail = text.upper().replace("Z", "+00:00").partition(".")
    digits = len(tail) - len(tail.lstrip("0123456789"))
    return datetime.fromisoformat(head + point + (tail[:digits].ljust(6, "0")[:6] + tail[digits:] if point else ""))


as_text, as_boolean, as_integer = scalar(str, str), scalar(bool, bool), scalar(int, int, float)
as_number, as_object, as_array = scalar(float, float, int), scalar(dict[str, Any], dict), scalar(list[Any], list)
as_date, as_decimal, as_uuid = parsed(parse_date), parsed(Decimal), parsed(UUID)
as_bytes = parsed(functools.partial(base64.b64decode, validate=True))


def as_any(json: Any) -> Any:
    return json


def as_none(json: Any) -> None:
    return None


def as_case(json: Any) -> Any:
    return json if json is None or type(json) is bool else as_text(json) if type(json) is str else as_integer(json)


def as_optional(read: Callable[[Any], T]) -> Callable[[Any], T | None]:
    return lambda json: None if json is None else read(json)


def as_list(read: Callable[[Any], T]) -> Callable[[Any], list[T]]:
    return lambda json: [read(item) for item in as_array(json)]


def as_dict(read: Callable[[Any], T]) -> Callable[[Any], dict[str, T]]:
    return lambda json: {name: read(item) for name, item in as_object(json).items()}


def as_rows(read: Callable[[Any], T]) -> Callable[[Any], Rows[T]]:
    def rows(json: Any) -> Rows[T]:
        window: Mapping[str, Any] = as_object(json) if type(json) is dict else {"rows": json}
        made = Rows(as_list(read)(window["rows"]))
        made.offset, made.total = window.get("offset", 0), window.get("count", len(made))
        return made
    return rows


def as_union(*choices: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read(json: Any) -> Any:
        for choice in choices:
            with contextlib.suppress(UnexpectedValue):
                return choice(json)
        raise UnexpectedValue(f"no alternative fits {json!r:.99}")
    return read


def plain(value: Any) -> Any:
    """Makes JSON from a value. A date without a time zone is local time."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, (Decimal, UUID)):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value.to_json()


def without_none(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


# JSON Patch


def apply_patch(document: Any, patch: Iterable[Mapping[str, Any]]) -> Any:
    """Applies a JSON Patch (RFC 6902) and leaves `document` as it was."""
    root = {"": document}
    copies: dict[int, Any] = {}

    def place(path: str, adding: bool = False) -> tuple[dict[str, Any] | list[Any], Any]:
        node: Any = root
        *parents, last = [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")]
        for token in parents:
            key = find(node, token)
            if id(node[key]) not in copies:
                node[key] = node[key].copy()
                copies[id(node[key])] = node[key]
            node = node[key]
        return node, find(node, last, adding and node is not root)

    def find(node: dict[str, Any] | list[Any], token: str, adding: bool = False) -> Any:
        if isinstance(node, dict) and (adding or token in node):
            return token
        index = len(node) if adding and token == "-" else int(token) if token.isdecimal() else -1
        if isinstance(node, list) and token in ("-", str(index)) and 0 <= index < len(node) + adding:
            return index
        raise PatchError(f"{token!r} does not exist")

    for step in patch:
        try:
            kind, path = step["op"], step["path"]
            node, key = place(step["from"] if kind in ("move", "copy") else path, kind == "add")
            value: Any = step["value"] if kind in ("add", "replace", "test") else node[key]
            if kind in ("move", "remove"):
                del node[key]
            if kind in ("move", "copy"):
                value = json.loads(json.dumps(value))
                node, key = place(path, True)
            if kind in ("add", "move", "copy") and isinstance(node, list):
                node.insert(key, value)
            elif kind in ("add", "move", "copy", "replace"):
                node[key] = value
            elif kind != "remove" and (kind != "test" or canonical(node[key]) != canonical(value)):
                raise PatchError(f"{kind} {path} failed")
        except (KeyError, TypeError, AttributeError) as error:
            raise PatchError(f"{step} is not a step") from error
    return root.get("")


def canonical(value: Any) -> str:
    return json.dumps(json.loads(json.dumps(value), parse_int=float), sort_keys=True)
