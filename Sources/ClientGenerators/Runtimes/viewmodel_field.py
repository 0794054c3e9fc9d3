# Fields


@dataclass(eq=False)
class Field(Generic[T]):
    """A text box for a field: an input, and a state that shows what the ViewModel made of it.

    Show `value` with the caret at `caret`, and call `edit` for each change. The box shows its own value until the
    ViewModel has answered. Callbacks in `on_change` get each value of the ViewModel. `problem` is the last refusal,
    until the next edit or a change by the ViewModel. What the person has typed is sent again to a new session.
    """

    binding: Binding[Any, Any]
    _name: str
    _read: Read[T]
    _is_object: bool  # The members of an object are the params.
    problem: Exception | None = None
    hold: Hold | None = None
    is_busy = _is_own = _is_closed = False
    _call: Call | None = None

    def __post_init__(self) -> None:
        self.client, self._epoch = self.binding.client, self.binding.epoch
        self._unsent = self.client.unsent
        raw = self.binding.picture.raw
        self.value: T = self._read(raw[self._name]) if self._name in raw else cast(T, "")
        self.caret = len(str(self.value or ""))
        self.on_change: list[Callback[T]] = []
        self._callbacks: list[Callable[[T, int], object]] = []
        self._settled: list[Callable[[], object]] = []

    def edit(self, value: T, caret: int | None = None) -> None:
        """Changes the value, and the caret, which is at the end by default."""
        is_new, self.caret = value != self.value, len(str(value or "")) if caret is None else caret
        if is_new or self.problem:
            self.value, self._is_own = value, True
            self._unsent[self] = None
            self._turn(None)
            self._send()

    def subscribe(self, callback: Callable[[T, int], object]) -> Cancel:
        """Calls back with value and caret, now and when the ViewModel has changed it or `problem`."""
        return self.client.subscribe(self._callbacks, callback, self.value, self.caret)

    def send_now(self) -> None:
        """Sends without waiting for the last answer."""
        self.is_busy = False
        self._send()

    async def settle(self) -> T:
        """Waits until the ViewModel has answered, and returns the value."""
        while self.is_busy:
            await until(self._settled.append)
        return self.value

    def close(self) -> None:
        """Ends what `text` holds."""
        self._is_closed = True
        if self.hold:
            self.hold.close()

    def follow(self, _: Any = None, is_answer: bool = False) -> None:
        raw, is_same = self.binding.picture.raw, self._epoch in ("", self.binding.epoch)
        if self.is_busy or self._name not in raw:
            return
        self._epoch = self.binding.epoch
        is_new = self._read(raw[self._name]) != self.value
        if is_new and self._is_own and not is_same:
            return self._send()  # The text of an ended session is older.
        self._is_own = self._is_own and (is_answer or not is_new)
        if is_new and not is_answer:
            self.problem = None
        self._show(raw)

    def _show(self, raw: Json) -> None:
        value = self._read(raw[self._name])
        if value != self.value:
            self.caret, self.value = moved_caret(str(self.value or ""), str(value or ""), self.caret), value
            self.client.tell(self.on_change, value)
            self.client.tell(self._callbacks, value, self.caret)

    def _turn(self, problem: Exception | None) -> None:
        if problem is not self.problem:
            self.problem = problem
            self.client.tell(self._callbacks, self.value, self.caret)

    def _send(self) -> None:
        if self.is_busy or self.client.has_ended:
            return
        self.is_busy, value = True, cast(Any, self.value)
        self._unsent.pop(self, None)
        params: Any = {"value": value}
        if self._is_object:
            params = value.to_json() if hasattr(value, "to_json") else value
        try:
            call = self.client.send(f"{self.binding.owner.id}.{self._name}", params, limit=self.client.time_limit)
        except Exception as error:
            return self._settle(error)
        self._wait(call, self._answered)

    def _wait(self, call: Call, then: Callback[Call]) -> None:
        self._call = call
        call.then(lambda _: then(call) if call is self._call else None)

    def _later(self, work: Callable[[], object], seconds: float = 0.05) -> None:
        call = self._call
        self.client.after(f"field {id(self)}", seconds, lambda: work() if call is self._call else None)

    def _answered(self, call: Call) -> None:
        if isinstance(call.error, (OutcomeUnknown, TimedOut, ShuttingDown)):
            self._unsent[self] = None
            self._later(self._settle, self.client.backoff[0])
        elif self in self._unsent or not call.error and "held" not in call.result:
            self._settle(call.error)
        else:
            self._turn(call.error)
            self._ask()

    def _ask(self) -> None:
        """Reads the value: the picture is older than the answer."""
        if self._is_closed or self.client.has_ended:
            return self._settle()
        choice = {"id": self.binding.owner.id, "outputs": [self._name]}
        self._wait(self.client.send("viewModel.read", choice, None, True, self.client.time_limit), self._asked)

    def _asked(self, call: Call) -> None:
        state, raw = call.result, self.binding.picture.raw
        if isinstance(call.error, (OutcomeUnknown, TimedOut, ShuttingDown)):
            return self._later(self._ask, self.client.backoff[0])
        # No frame comes if the value is the old one again.
        is_late = call.error or self in self._unsent or state["seq"] <= self.binding.seq
        if is_late or state["values"][self._name] == raw.get(self._name):
            return self._settle(call.error)
        self._show(state["values"])
        self._later(self._ask)

    def _settle(self, error: Exception | None = None) -> None:
        self.is_busy = False
        if self in self._unsent:
            self._send()
        elif error:
            self._turn(error)
        if not self.is_busy:
            self.follow(is_answer=True)
            settled, self._settled = self._settled, []
            self.client.tell(settled)


def moved_caret(old: str, new: str, caret: int) -> int:
    """The place of a caret in a changed text."""
    prefix = len(os.path.commonprefix([old, new]))
    suffix = len(os.path.commonprefix([old[prefix:][::-1], new[prefix:][::-1]]))
    if caret <= prefix:
        return caret
    return len(new) - len(old) + caret if caret >= len(old) - suffix else min(caret, len(new) - suffix)
