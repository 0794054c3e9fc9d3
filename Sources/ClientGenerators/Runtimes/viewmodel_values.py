# Values. Unknown members are ignored, unknown cases of an enumeration kept.


@dataclass(frozen=True)
class Event:
    """An event of an instance."""

    output: str
    raw: Any


class Rows(list[T]):
    """The rows of a list or its window. `offset` is the index of the first one, `total` the number of all."""

    offset = total = 0


@dataclass(eq=False)
class Picture:
    """The bound outputs of an instance at one step. `raw` has their JSON by the names of the contract."""

    raw: Json

    def _read(self, name: str, read: Read[T]) -> T:
        if name not in self.raw:
            raise AttributeError(f"the output {name} is not bound")
        return read(self.raw[name])


def reader(parse: Read[T], *types: type) -> Read[T]:
    def read(json: Any) -> T:
        with suppress(ValueError, ArithmeticError):
            if type(json) in types:
                return parse(json)
        raise UnexpectedValue(f"{json!r:.99} does not fit the contract")
    return read


def parse_date(text: str) -> datetime:
    text = re.sub(r"(\.\d{6})\d+", r"\1", text.upper().replace(" ", "T"))
    if text[16:19] == ":60":  # A leap second is the second after it.
        return parse_date(f"{text[:16]}:59{text[19:]}") + timedelta(seconds=1)
    return datetime.strptime(text, f"%Y-%m-%dT%H:%M:%S{'.%f' if '.' in text else ''}%z")


def as_any(json: Any) -> Any:
    return json


def as_none(json: Any) -> None:
    return None


as_text, as_boolean, as_integer = reader(str, str), reader(bool, bool), reader(int, int)
as_number = reader(float, float, int)
as_case, as_object, as_array = reader(as_any, str, int, bool, type(None)), reader(Json, dict), reader(list[Any], list)
as_date, as_decimal, as_uuid = reader(parse_date, str), reader(Decimal, str), reader(UUID, str)
as_bytes = reader(functools.partial(base64.b64decode, validate=True), str)


def as_optional(read: Read[T]) -> Read[T | None]:
    return lambda json: None if json is None else read(json)


def as_list(read: Read[T]) -> Read[list[T]]:
    return lambda json: [read(item) for item in as_array(json)]


def as_dict(read: Read[T]) -> Read[dict[str, T]]:
    return lambda json: {name: read(item) for name, item in as_object(json).items()}


def as_rows(read: Read[T]) -> Read[Rows[T]]:
    def rows(json: Any) -> Rows[T]:
        window = as_object(json) if type(json) is dict else {"rows": json}
        made = Rows(as_list(read)(window["rows"]))
        made.offset, made.total = window.get("offset", 0), window.get("count", len(made))
        return made
    return rows


def as_union(*choices: Read[Any]) -> Read[Any]:
    def read(json: Any) -> Any:
        for choice in choices[:-1]:
            with suppress(UnexpectedValue):
                return choice(json)
        return choices[-1](json)
    return read


def plain(value: Any) -> Any:
    """Makes JSON from a value. A date without a time zone is local time."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, (Decimal, UUID)):
        return str(value) if isinstance(value, UUID) else f"{value:f}"
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value.to_json()


def without_none(members: Mapping[str, Any]) -> Json:
    return {name: value for name, value in members.items() if value is not None}


# JSON Patch


def apply_patch(document: Any, patch: list[Json]) -> Any:
    """Applies a JSON Patch (RFC 6902) and leaves `document` as it was."""
    root: Any = {"": document}
    try:
        for step in patch:
            kind, path = step["op"], tokens(step["path"])
            source = tokens(step["from"]) if kind in ("move", "copy") else path
            value = step["value"] if kind in ("add", "replace", "test") else found(root, source)
            if kind in ("remove", "move"):
                root = edited(root, source, 1)
            if kind in ("add", "replace", "move", "copy"):
                root = edited(root, path, kind == "replace", value)
            elif kind != "remove" and (kind != "test" or canonical(found(root, path)) != canonical(value)):
                raise ValueError(step)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise UnexpectedValue(f"the patch does not fit: {error!r}") from error
    return root.get("")


def tokens(path: str) -> list[str]:
    if path and path[0] != "/":
        raise ValueError(path)
    return [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")]


def found(node: Any, path: list[str]) -> Any:
    return functools.reduce(lambda node, token: node[key_in(node, token)], path, node)


def edited(node: Any, path: list[str], gone: int, *added: Any) -> Any:
    """Returns a copy of `node` with as many values `gone` at a path, and one added."""
    copy, key = node.copy(), key_in(node, path[0], not gone and len(path) == 1)
    if len(path) > 1:
        copy[key] = edited(copy[key], path[1:], gone, *added)
    elif isinstance(node, list):
        copy[key:key + gone] = added
    elif added:
        copy[key] = added[0]
    else:
        del copy[key]
    return copy


def key_in(node: Any, token: str, adding: bool = False) -> Any:
    size = len(node)
    if isinstance(node, dict) and (adding or token in node):
        return token
    if isinstance(node, list) and re.fullmatch("0|[1-9][0-9]*|-", token):
        return range(size + adding)[size if token == "-" else int(token)]
    raise KeyError(token)


def canonical(value: Any) -> str:
    return json.dumps(json.loads(json.dumps(value), parse_int=float), sort_keys=True)
