# Fields


class Field(Generic[T]):
    """A text box for a field: an input, and a state that shows what the ViewModel made of it.

    Show `value` with the caret at `caret`, and call `edit` for each change. One request is under way at a time, with
    the newest value. Until its reply the box shows its own value, then that of the ViewModel. After a lost connection
    the value is sent again. `problem` is the refusal of the last value. Callbacks in `on_change` get each value that
    the ViewModel made.
    """

    def __init__(self, owner: ViewModel, binding: Binding[Any, Any], name: str, read: Callable[[Any], T]) -> None:
        self._client, self._id, self._name, self._read, self.binding = owner.client, owner.id, name, read, binding
        self.value: T = read(binding.picture.raw[name])
        self.caret = len(str(self.value))
        self.problem: ViewModelError | None = None
        self.on_change: list[Callable[[T], object]] = []
        self._is_unsent = False
        self._work: asyncio.Future[None] | None = None
        binding.on_change.append(lambda picture: None if self._work else self._show(binding.picture.raw))

    def edit(self, value: T, caret: int | None = None) -> None:
        """Changes the value, with the caret at the end by default."""
        self.value, self.caret, self._is_unsent = value, len(str(value)) if caret is None else caret, True
        self._work = self._work or self._client.spawn(self._send())

    async def settle(self) -> T:
        """Waits until the ViewModel has answered, and returns the value."""
        while self._work:
            await asyncio.wait({self._work})
        return self.value

    def _show(self, raw: Mapping[str, Any]) -> None:
        value = self._read(raw[self._name])
        if value != self.value:
            self.caret, self.value = moved_caret(str(self.value), str(value), self.caret), value
            tell(self.on_change, value)

    async def _send(self) -> None:
        try:
            held = False
            while self._is_unsent or held:
                is_reading = not self._is_unsent
                try:
                    held = await (self._is_held() if is_reading else self._is_sent_and_held())
                except ViewModelError as error:
                    self.problem, held = error, False
                    if isinstance(error, (OutcomeUnknown, TimedOut)) or getattr(error, "code", 0) == -32007:
                        self._is_unsent, held = self._is_unsent or not is_reading, is_reading
                        await asyncio.sleep(self._client.backoff[0])
        finally:
            self._work = None
            self._show(self.binding.picture.raw)

    async def _is_sent_and_held(self) -> bool:
        """Sends the value. Returns whether a frame with the new one still waits."""
        self._is_unsent, self.problem, params = False, None, {"value": self.value}
        limit = self._client.time_limit
        return "held" in await self._client.call(f"{self._id}.{self._name}", params, time_limit=limit)

    async def _is_held(self) -> bool:
        """Shows the value of the ViewModel. No frame comes if it turns back to that in the picture, so ask again."""
        state = await self._client.call("viewModel.read", {"id": self._id, "outputs": [self._name]})
        newest, picture = state["values"], self.binding.picture.raw
        held = bool(state["seq"] > self.binding.seq and newest[self._name] != picture[self._name])
        if held and not self._is_unsent:
            self._show(newest)
            await asyncio.sleep(0.05)
        return held


def moved_caret(old: str, new: str, caret: int) -> int:
    """The place of a caret after a text was replaced, by the common prefix and suffix of both texts."""
    prefix = len(os.path.commonprefix([old, new]))
    suffix = len(os.path.commonprefix([old[prefix:][::-1], new[prefix:][::-1]]))
    if caret <= prefix:
        return caret
    return len(new) - (len(old) - caret) if caret >= len(old) - suffix else min(caret, len(new) - suffix)
