# Instances


@dataclass(frozen=True)
class Member:
    """A member of a ViewModel in the contract, of the kind `state`, `list`, `event`, `input`, `action` or `field`.

    A field is an input and a state. `name` is the method or else the attribute, `output` the attribute of a picture.
    `parameters` has the Python names of the params by their names in the contract, and is None for a single value.
    `type` is that of a state or field. `row` has the attributes of a row by their names in the contract.
    """

    kind: str
    name: str
    output: str = ""
    type: str = ""
    parameters: Mapping[str, str] | None = None
    row: Mapping[str, str] | None = None
    is_object: bool = False  # Whether the members of the value are the params of a field.

    @property
    def is_text(self) -> bool:
        return self.kind in ("field", "input") and "str" in self.type.split(" | ")


@dataclass(eq=False)
class ViewModel:
    """An instance of a ViewModel type.

    `members` has its members by their names in the contract, `children` the attributes of its children by theirs.
    """

    client: Client
    id: str
    members: ClassVar[Mapping[str, Member]] = {}
    children: ClassVar[Mapping[str, str]] = {}
    _picture: ClassVar[type[Picture]] = Picture
    _events: ClassVar[Mapping[str, type[Event]]] = {}

    async def _call(self, name: str, params: Json, errors: dict[str, type[ActionFailed]], **options: Any) -> Any:
        for box in [*self.client.unsent]:
            box.send_now()  # The call finds what was typed.
        try:
            return await self.client.call(f"{self.id}.{name}", params, **options)
        except ActionFailed as error:
            raise errors.get(error.error, ActionFailed)(error.code, error.message, error.data) from None

    async def _read(self, read: Read[P], choice: Json) -> P:
        return read((await self.client.call("viewModel.read", choice))["values"])

    def _choice(self, outputs: tuple[str, ...], windows: Mapping[Any, range] | None) -> Json:
        parts = {name: window(rows) for name, rows in (windows or {}).items()}
        return {"id": self.id, "windows": parts, **({"outputs": outputs} if outputs else {})}

    def binding(self, tag: str = "") -> Binding[Any, Any]:
        """The binding of this instance that all holders share, or one with a tag."""
        bindings, key = self.client.bindings, (self.id, tag)
        if key not in bindings:
            bindings[key] = Binding(self, self._picture, self._events, tag)
        return bindings[key]

    async def _bind(self, choice: Json, interval: float) -> Binding[Any, Any]:
        binding, choice["minInterval"] = self.binding(), round(interval * 1000)
        await binding.bind(united([binding.wanted, choice]) if binding.wanted else choice)
        return binding

    def _member(self, name: str, *kinds: str) -> Member:
        member = self.members.get(name)
        if member and member.kind in kinds:
            return member
        if member:
            remedy = f"it is of the kind {member.kind}"
        elif name in self.children:
            remedy = f"it is a child, use the members of .{self.children[name]}"
        else:
            known = [each for each, one in self.members.items() if one.kind in kinds]
            remedy = f"there are {', '.join(known)}" if known else "there is none"
        raise LookupError(f"{type(self).__name__} has no {kinds[0]} {name}: {remedy}")

    def watch(self, callback: Callback[Any], *outputs: str, interval: float = 0) -> Cancel:
        """Holds these outputs, or all of them, and calls back with each changed picture. The result ends it."""
        for name in outputs:
            self._member(name, "state", "list", "field", "event")
        return held(self, outputs, interval, callback).close

    def events(self, callback: Callback[Any], *outputs: str) -> Cancel:
        """Calls back with each of these events, or of all. The result ends it."""
        for name in outputs:
            self._member(name, "event")
        return held(self, outputs or (*self._events,), 0, None, callback).close

    def value(self, name: str) -> Value:
        """Holds one output."""
        if not (member := self.members.get(name)) or not member.output:
            raise LookupError(f"{type(self).__name__} has no output {name}")
        return Value(self, name, member.output)

    def action(self, name: str) -> Action:
        """Holds the state of an action, and runs it."""
        self._member(name, "action")
        return Action(self, name)

    def text(self, name: str) -> Field[Any]:
        """Holds a field for a text box of its own."""
        member = self._member(name, "field")

        def read(raw: Any) -> Any:
            return getattr(self._picture({name: raw}), member.output)
        field = Field[Any](self.binding(), name, read, member.is_object)
        field.hold = held(self, (name,), 0, field.follow)
        return field

    def list(self, name: str, page: int = 100) -> RowList[Any]:
        """Holds a list by index, and loads what is shown."""
        return RowList(self, name, self._member(name, "list").output, page)

    def run(self, name: str, /, *args: Any, done: Callable[[Any, Any], object] | None = None, **named: Any) -> Run:
        """Starts an input or an action with its params, or a dictionary of them, and calls `done(result, error)`."""
        return begun(self, self._member(name, "input", "action", "field"), done, args, named)


def begun(model: ViewModel, member: Member, done: Any, args: tuple[Any, ...], named: Json) -> Run:
    names = member.parameters or {}
    if member.parameters is not None and len(args) == 1 and isinstance(args[0], dict):
        named, args = {**cast(Json, args[0]), **named}, ()
    work = getattr(model, member.name)(*args, **{names.get(key, key): value for key, value in named.items()})
    for binding in [*model.client.bindings.values()]:
        binding.change_now()  # So that what it causes is seen.
    return Run(model.client, work, done)


class Run:
    """A call that `run` has started."""

    is_done = False
    _call: Call | None = None

    def __init__(self, client: Client, work: Coroutine[Any, Any, Any], done: Callable[[Any, Any], object] | None):
        self.client, self._work, self._done = client, work, done
        if client.state == "connected":
            self._step()
        else:
            work.close()
            self._end(None, NotConnected(f"The client is {client.state}: {client.problem}"))

    def cancel(self) -> None:
        """Cancels the call, which ends with `RequestCancelled` if it is not done."""
        if self._call and not self._call.is_done:
            self.client.notify("$/cancelRequest", {"id": self._call.number})

    def _step(self, _: Any = None) -> None:
        self.client.is_running = True
        try:
            self._call = self._work.send(None)
        except StopIteration as end:
            self._end(end.value, None)
        except Exception as error:
            self._end(None, error)
        else:
            cast(Call, self._call).then(self._step)
        finally:
            self.client.is_running = False

    def _end(self, result: Any, error: Exception | None) -> None:
        self.is_done = True
        if self._done:
            self.client.tell([self._done], result, error)


def held(model: ViewModel, outputs: tuple[str, ...], interval: float, tell: Any, tell_event: Any = None) -> Hold:
    """Holds outputs, or all of them."""
    choice: Json = {"id": model.id, "windows": {}, "minInterval": round(interval * 1000)}
    return Hold(model.binding(), {**choice, "outputs": outputs} if outputs else choice, tell, tell_event)


def window(rows: range) -> Json:
    if rows.step != 1:
        raise ValueError(f"{rows} is no window, because its step is not 1")
    return {"offset": rows.start, "limit": len(rows)}


def united(wishes: list[Json], are_holders: bool = False) -> Json:
    """The params of a binding for all wishes of the program, or for all holders.

    For the program an interval of 0 is that of the others. A list is whole if one of several holders has no window.
    """
    every = all("outputs" in wish for wish in wishes)
    names = dict.fromkeys(name for wish in wishes if every for name in wish["outputs"])
    intervals = [wish["minInterval"] for wish in wishes if wish["minInterval"] or are_holders]
    windows = {name: part for wish in wishes for name, part in wish["windows"].items()}
    for wish in wishes if are_holders else []:
        for name in {*wish.get("outputs", windows)} - {*wish["windows"]}:
            windows.pop(name, None)
    parts = {"windows": windows, "minInterval": min(intervals, default=0), **({"outputs": [*names]} if every else {})}
    return {**{name: part for name, part in wishes[0].items() if name != "outputs"}, **parts}


class Callbacks(list[T]):
    """Runs `then` after an append."""

    then: Any

    def append(self, item: T, /) -> None:
        super().append(item)
        self.then()


class Hold:
    """What one holder wants of a binding."""

    _due = 0.0
    _seen: Json | None = None

    def __init__(self, binding: Binding[Any, Any], wanted: Json, tell: Any, tell_event: Any = None):
        self.binding, self.wanted, self._tell, self._tell_event = binding, wanted, [tell], [tell_event]
        binding.holds.append(self)
        binding.change()
        if binding.seq:
            self.show(binding.picture.raw)

    def show(self, raw: Json, is_splice: bool = False) -> None:
        """Tells the picture if it has changed, but not before the interval is over."""
        names, seen = self.names(raw), self._seen
        if not self._tell[0] or not names or not all(name in raw for name in names):
            return  # It is not bound yet.
        if seen and not is_splice and all(name in seen and raw[name] == seen[name] for name in names):
            return
        client, interval = self.binding.client, self.wanted["minInterval"] / 1000
        if interval and now() < self._due:
            return client.after(f"hold {id(self)}", self._due - now(), lambda: self.show(self.binding.picture.raw))
        self._seen, self._due = {name: raw[name] for name in names}, now() + interval
        client.tell(self._tell, self.binding.picture)

    def names(self, raw: Json) -> list[str]:
        """The states and lists that are held."""
        binding = self.binding
        if "outputs" in self.wanted:
            return [name for name in self.wanted["outputs"] if name not in binding.kinds]
        return [] if "outputs" in binding.bound else [*raw]

    def show_event(self, event: Event) -> None:
        if self._tell_event[0] and event.output in self.wanted.get("outputs", (event.output,)):
            self.binding.client.tell(self._tell_event, event)

    def close(self) -> None:
        """Ends it. The others are not disturbed."""
        if self in self.binding.holds:
            self.binding.holds.remove(self)
            self._tell[0] = self._tell_event[0] = None
            self.binding.change()


class Binding(Generic[P, E]):
    """A live picture of an instance. Iterate over pictures, wait for one, or append callbacks to `on_change`.

    Events wait for `event()`, or for the first callback in `on_event`. `lost` counts dropped ones. `ended` is why no
    more pictures come. Another bind gives the same binding, with the outputs of both and the shorter interval above 0.
    """

    epoch, seq, lost = "", 0, 0
    ended: ViewModelError | None = None
    wanted: Json = {}  # What the program has bound.
    splices: Json | None = None
    bound: Json = {}
    _asked: Json = {}
    _kept: Json = {}  # What the program had bound before.
    _raw: Json = {}
    _is_live = _is_changed = False

    def __init__(
        self, owner: ViewModel, read: Callable[..., P], events: Mapping[str, Callable[..., Any]], tag: str = ""
    ):
        self.owner, self.client, self._read, self.kinds, self.tag = owner, owner.client, read, events, tag
        self._memo: dict[str, Any] = {}
        self.picture = read({}, self._memo)
        self.holds: list[Hold] = []
        self._held: list[Hold] = []  # Those that are bound.
        self.on_change: list[Callback[P]] = []
        self.on_event: Callbacks[Callback[E]] = Callbacks()
        self.on_event.then = self._hand_over
        self.fields: dict[str, Field[Any]] = {}
        self._events: deque[E] = deque(maxlen=1024)
        self._waiters: list[Callable[[], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def bind(self, wanted: Json) -> None:
        if self.ended:
            raise self.ended
        self._loop = loop()
        self.wanted = wanted
        # The daemon may bind it for a cancelled caller, too.
        await within(self.client.time_limit, self.request(), "viewModel.bind")

    def union(self) -> Json:
        wishes = [wish for wish in (self.wanted, *(hold.wanted for hold in self.holds)) if wish]
        tagged: Json = {"tag": self.tag, "splices": True} if self.tag else {}
        return {**united(wishes, True), **tagged} if wishes else {}

    def change(self, seconds: float = 0) -> None:
        """Binds for the present holders, soon."""
        if not self.ended:
            self._is_changed = True
            self.client.after(f"bind {id(self)}", seconds, self.change_now)

    def change_now(self) -> None:
        if self.ended or not self._is_changed:
            return
        self._is_changed = False
        if not self.union():
            self._end()
        elif self.union() != self._asked:
            self.request()

    def resume(self) -> None:
        if self.bound:
            for name, part in self.bound["windows"].items():
                if part.get("anchor") and name in self._raw:
                    part["offset"] = self._raw[name]["offset"]
            self.request(self.bound, since={"epoch": self.epoch, "seq": self.seq})

    def request(self, wanted: Json | None = None, **since: Json) -> Call:
        wanted, kept, holds = wanted or self.union(), self.wanted, [*self.holds]
        self._asked = wanted
        call = self.client.send("viewModel.bind", {**wanted, **since}, repeatable=not since)
        call.resumes = bool(since)
        call.then(lambda _: self._started(call, wanted, kept, holds))
        return call

    def _started(self, call: Call, wanted: Json, kept: Json, holds: list[Hold]) -> None:
        error = call.error
        if not error:
            reply = call.result
            self.bound, self._kept, self._held = wanted, kept, holds
            self.epoch, self._is_live = reply["epoch"], True
            self._raw = {} if reply["full"] else self._raw
            self.apply(reply)
        elif isinstance(error, (ShuttingDown, SessionEnded)) or not isinstance(error, RPCError):
            return  # It binds again.
        elif isinstance(error, NotFound) and self.holds:
            self.wanted, self._asked, self.bound = self._kept, {}, {}
            self.change(1)  # Another client may open it, in a new session again.
        elif self.bound in ({}, wanted):
            self.fail(error)
        else:
            self.wanted, self._asked = self._kept, self.bound
            new = [hold for hold in holds if hold not in self._held]
            for hold in new if all(hold in self.holds for hold in new) else []:
                hold.close()

    def apply(self, frame: Json) -> None:
        if self.ended:
            return
        try:
            before, values, patch = self._raw, frame.get("values", {}), frame.get("patch", [])
            self._raw = apply_patch({**before, **values}, patch)
        except UnexpectedValue:
            self.request()
            return
        for name in self._memo:
            if name not in values:
                self._memo[name].note(name, before, self._raw, patch)
        self.seq, self.splices = frame["seq"], frame.get("splices")
        if "values" in frame or "patch" in frame or self.splices:
            self._show()
        lost = frame.get("lost", 0)
        for part in frame.get("events", ()):
            if kind := self.kinds.get(part["output"]):
                event = kind(part["output"], part["value"])
                for hold in [*self.holds]:
                    hold.show_event(event)
                if self.wanted and part["output"] in self.wanted.get("outputs", (part["output"],)):
                    lost += len(self._events) == self._events.maxlen
                    self._events.append(event)
                    self._tell_events()
        if lost:
            self.lost += lost
            self.client.tell(self.client.on_notice, "eventsLost", {"id": self.owner.id, "lost": lost})
        self._wake()

    def _show(self) -> None:
        raw = self._raw
        if not self._is_live:  # What cannot be called now is not enabled.
            raw = {**raw, **{name: False for name in raw if name.endswith(".enabled")}}
        self.picture = self._read(raw, self._memo)
        self.client.tell(self.on_change, self.picture)
        for field in self.fields.values():
            field.follow()
        for hold in [*self.holds]:
            hold.show(raw, bool(self.splices))

    def rest(self) -> None:
        """Has no connection."""
        if self._is_live:
            self._is_live, self.splices = False, None
            if any(value is True for name, value in self._raw.items() if name.endswith(".enabled")):
                self._show()
                self._wake()

    def _wake(self) -> None:
        for waiter in [*self._waiters]:
            waiter()

    def _hand_over(self) -> None:
        if self._loop:  # Another thread may append.
            self._loop.call_soon_threadsafe(self._tell_events)
        else:
            self._tell_events()

    def _tell_events(self) -> None:
        while self.on_event and self._events:
            self.client.tell(self.on_event, self._events.popleft())

    def fail(self, cause: ViewModelError) -> None:
        if not self.ended:
            self.ended = cause
            self.client.bindings.pop((self.owner.id, self.tag))
            self.rest()
            self._wake()

    async def _when(self, look: Callable[[], T | None]) -> T:
        """Returns the first value that `look` finds, now or in a frame that comes."""
        found: asyncio.Future[T] = loop().create_future()

        def check() -> None:
            try:
                value = None if found.done() else look()
                if value is not None:
                    found.set_result(value)
                elif self.ended and not found.done():
                    found.set_exception(self.ended)
            except Exception as error:
                found.set_exception(error)
        self._waiters.append(check)
        try:
            check()
            return await found
        finally:
            self._waiters.remove(check)

    async def __aiter__(self) -> AsyncIterator[P]:
        """Yields the picture, and after changes the newest one."""
        seen: P | None = None
        with suppress(Closed):
            while True:
                await self._when(lambda: self.picture is not seen or None)
                seen = self.picture
                yield seen

    async def event(self) -> E:
        """Returns the next event since the bind, of the newest 1024."""
        while not self._events:
            await self._when(lambda: bool(self._events) or None)
        return self._events.popleft()

    async def wait(self, condition: Callback[P], timeout: float | None = None) -> P:
        """Returns the first picture that fits, of this one and all that follow."""
        return await within(timeout, self._when(lambda: self.picture if condition(self.picture) else None), "wait")

    async def scroll(self, output: str, rows: range) -> None:
        """Moves the window of a list."""
        windows = {**self.wanted["windows"], output: window(rows)}
        await self.bind({**self.wanted, "windows": windows})

    def field(self, name: str, read: Read[T], is_object: bool = False) -> Field[T]:
        return self.fields.setdefault(name, Field(self, name, read, is_object))

    def _end(self) -> Call | None:
        self.fail(Closed("the binding was closed"))
        if self._asked and not self.client.has_ended:
            tag = {"tag": self.tag} if self.tag else {}
            return self.client.send("viewModel.unbind", {"id": self.owner.id, **tag}, repeatable=True)
        return None

    async def close(self) -> None:
        """Ends the binding, or what the program has of it if others hold outputs."""
        if self.holds:
            self.wanted = {}
            self.fields.clear()
            self.change()
        elif not self.ended and (call := self._end()):
            await within(self.client.time_limit, call, "viewModel.unbind")


# What a program holds


class Value:
    """One output: `now` is its value, and None before the first picture."""

    def __init__(self, model: ViewModel, name: str, attribute: str):
        self.now: Any = False if name.endswith(".enabled") else None
        self._has_value, self._attribute, self.client = False, attribute, model.client
        self._callbacks: list[Any] = []
        self._hold = held(model, (name,), 0, self._look)
        self.close = self._hold.close

    def _look(self, picture: Picture) -> None:
        self.now, self._has_value = getattr(picture, self._attribute), True
        self.client.tell(self._callbacks, self.now)

    def subscribe(self, callback: Callback[Any]) -> Cancel:
        """Calls back with the value, now if there is one, and when it changes. The result ends it."""
        return self.client.subscribe(self._callbacks, callback, *([self.now] if self._has_value else []))


class Action:
    """An action with its state. `error` is the last failure of `run`, and None after the next call.

    `NotConnected` goes with the connection's return.
    """

    enabled = executing = False
    progress: float | None = None
    error: Exception | None = None

    def __init__(self, model: ViewModel, name: str):
        self.model, self.name, self.client = model, name, model.client
        self._callbacks: list[Callback[Action]] = []
        self._running: list[Run] = []
        parts = ("enabled", "executing", "progress")
        self._parts = [part for part in parts if f"{name}.{part}" in model.members]
        self._hold = held(model, tuple(f"{name}.{part}" for part in self._parts), 0, self._look)
        self._unwatch = self.client.watch(self._turned)

    def close(self) -> None:
        """Ends it. The others are not disturbed."""
        self._hold.close()
        self._unwatch()

    def _turned(self, state: str) -> None:
        if state == "connected":
            self._fail(None if isinstance(self.error, NotConnected) else self.error)

    def _fail(self, error: Exception | None) -> None:
        if error is not self.error:
            self.error = error
            self._tell()

    def _look(self, picture: Picture) -> None:
        for part in self._parts:
            setattr(self, part, picture.raw[f"{self.name}.{part}"])
        self._tell()

    def _tell(self) -> None:
        self.client.tell(self._callbacks, self)

    def subscribe(self, callback: Callback[Action]) -> Cancel:
        """Calls back with the action, now and when it changes. The result ends it."""
        return self.client.subscribe(self._callbacks, callback, self)

    def run(self, /, *args: Any, **named: Any) -> None:
        """Starts it. Without a connection it fails with `NotConnected`."""
        self._fail(None)

        def done(_: Any, error: Exception | None) -> None:
            self._running = [each for each in self._running if not each.is_done]
            if error:
                self._fail(error)
        self._running.append(begun(self.model, self.model.members[self.name], done, args, named))

    def cancel(self) -> None:
        """Cancels what this object has started."""
        for run in self._running:
            run.cancel()
