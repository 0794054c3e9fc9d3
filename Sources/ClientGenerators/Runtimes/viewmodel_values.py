# Values. Unknown members are ignored, unknown cases of an enumeration kept.


@dataclass(frozen=True)
class Event:
    """An event of an instance."""

    output: str
    raw: Any


class Rows(list[T]):
    """The rows of a list or its window. `offset` is the index of the first one, `total` the number of all."""

    offset = total = 0
    raw: list[Any] = []
    newest: Any = None  # The rows after the `edits` of frames, of which each replaces `gone` rows by new ones.
    edits: list[tuple[int, int, int]] | None = None

    def note(self, name: str, before: Json, after: Json, patch: list[Json]) -> None:
        """Notes what a patch changes, so that it need not be looked for."""
        if self.edits is None or items(before.get(name)) is not self.newest:
            return
        self.newest = items(after.get(name))
        steps: list[tuple[str, str]] = []
        for step in patch:
            steps += [("remove", step["from"])] if step["op"] == "move" else []
            steps.append(("add" if step["op"] == "move" else step["op"], step["path"]))
        for kind, text in steps:
            _, output, *path = tokens(text)
            if output != name or path in (["offset"], ["count"]):
                continue
            place, *inner = path[path[:1] == ["rows"]:] or [""]
            if kind not in ("add", "remove", "replace") or not place.isdigit() or len(self.edits) > 100:
                self.edits = None
                return
            is_change = bool(inner) or kind == "replace"
            self.edits.append((int(place), is_change or kind == "remove", is_change or kind == "add"))


@dataclass(eq=False)
class Picture:
    """The bound outputs of an instance at one step. `raw` has their JSON by the names of the contract."""

    raw: Json
    _memo: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)  # The rows of the newest picture.

    def _read(self, name: str, read: Read[T]) -> T:
        if name not in self.raw:
            raise AttributeError(f"the output {name} is not bound")
        return read(self.raw[name])

    def _rows(self, name: str, read: Read[T]) -> Rows[T]:
        value = self._read(name, as_any)
        window = as_object(value) if type(value) is dict else {"rows": value}
        raw, before = as_array(window["rows"]), self._memo.get(name)
        made: Rows[T] = Rows(parsed(raw, read, before) if before else [read(row) for row in raw])
        made.raw, made.offset, made.total = raw, window.get("offset", 0), window.get("count", len(made))
        made.newest, made.edits = raw, []
        self._memo[name] = made
        return made


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
as_case, as_object, as_array = reader(as_any, str, int, bool, type(None)), reader(Json, dict), reader(as_any, list)
as_date, as_decimal, as_uuid = reader(parse_date, str), reader(Decimal, str), reader(UUID, str)
as_bytes = reader(functools.partial(base64.b64decode, validate=True), str)


def as_optional(read: Read[T]) -> Read[T | None]:
    return lambda json: None if json is None else read(json)


def as_list(read: Read[T]) -> Read[list[T]]:
    return lambda json: [read(item) for item in as_array(json)]


def as_dict(read: Read[T]) -> Read[dict[str, T]]:
    return lambda json: {name: read(item) for name, item in as_object(json).items()}


def same(one: list[Any], other: list[Any]) -> int:
    """The number of equal items before the first difference. Slices compare as fast as memory."""
    at, size = 0, min(len(one), len(other))
    while at < size and one[at:(end := min(at + 1024, size))] == other[at:end]:
        at = end
    while at < size and one[at] == other[at]:
        at += 1
    return at


def parsed(raw: list[Any], read: Read[T], before: Rows[T]) -> list[T]:
    """Reads rows. Those that were equal before stay the same objects."""
    if before.newest is raw and before.edits is not None:
        return edited_rows(raw, read, before[:], before.edits)
    old, head, end, until = before.raw, 0, len(before), len(raw)
    if end != until:  # What is equal at both ends is not looked at again.
        head = same(old, raw)
        stop = head - 1 if head else None
        tail = same(old[:stop:-1], raw[:stop:-1])
        end, until = end - tail, until - tail
    pieces = [slice(at, min(at + 1024, until)) for at in range(head, until, 1024)]
    if end == until:
        gone = pieces = [piece for piece in pieces if old[piece] != raw[piece]]
    else:
        gone = [slice(head, end)]
    made: list[Any] = before[:until] if end == until else [*before[:head], *[None] * (until - head)]
    known: dict[int, T] = {}
    for piece in gone:
        known.update(zip(map(id, old[piece]), before[piece]))
    for piece in pieces:
        made[piece] = map(known.get, map(id, raw[piece]))
    if missing := [at for piece in pieces for at in range(piece.start, piece.stop) if made[at] is None]:
        places = {row["id"]: at for piece in gone for at, row in enumerate(old[piece], piece.start) if has_id(row)}
        for at in missing:
            place = places.get(raw[at]["id"]) if has_id(raw[at]) else None
            made[at] = before[place] if place is not None and old[place] == raw[at] else read(raw[at])
    return made + before[end:] if until < len(raw) else made


def edited_rows(raw: list[Any], read: Read[T], made: list[Any], edits: list[tuple[int, int, int]]) -> list[T]:
    places, old = list[int](), list[T]()
    for at, gone, came in edits:
        old += made[at:at + gone]
        made[at:at + gone] = [None] * came
        places = [place + (came - gone) * (place >= at + gone) for place in places if not at <= place < at + gone]
        places += [at] * came
    for place in places:
        row = read(raw[place])
        made[place] = next((each for each in old if each == row), row)
    return made


def items(value: Any) -> Any:
    return cast(Json, value).get("rows") if type(value) is dict else value


def has_id(row: Any) -> bool:
    return type(row) is dict and "id" in row


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
    own: dict[int, Any] = {}  # The copies, by their identity.
    try:
        for step in patch:
            kind, path = step["op"], tokens(step["path"])
            source = tokens(step["from"]) if kind in ("move", "copy") else path
            value = step["value"] if kind in ("add", "replace", "test") else found(root, source)
            if kind == "copy":
                own = {}  # The value is in two places now.
            if kind in ("remove", "move"):
                root = edited(own, root, source, 1)
            if kind in ("add", "replace", "move", "copy"):
                root = edited(own, root, path, kind == "replace", value)
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


def edited(own: dict[int, Any], node: Any, path: list[str], gone: int, *added: Any) -> Any:
    """Returns a copy of `node` with `gone` values fewer at a path, and one added. `own` has the copies."""
    copy, key = own.get(id(node)) or node.copy(), key_in(node, path[0], not gone and len(path) == 1)
    own[id(copy)] = copy
    if len(path) > 1:
        copy[key] = edited(own, copy[key], path[1:], gone, *added)
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
