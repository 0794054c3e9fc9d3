# Fields


@dataclass(eq=False)
class Field(Generic[T]):
    """A text box for a field: an input, and a state that shows what the ViewModel made of it.

    Show `value` with the caret at `caret`, and call `edit` for each change. The box shows its own value until the
    ViewModel has answered. Callbacks in `on_change` get each value of the ViewModel. `problem` is the last refusal.
    """

    binding: Binding[Any, Any]
    _name: str
    _read: Read[T]
    _is_object: bool  # The members of an object are the params.
    problem: Exception | None = None
    _is_unsent = False
    _work: asyncio.Future[None] | None = None

    def __post_init__(self) -> None:
        self.value: T = self._read(self.binding.picture.raw[self._name])
        self.caret = len(str(self.value))
        self.on_change: list[Callback[T]] = []

    def edit(self, value: T, caret: int | None = None) -> None:
        """Changes the value, with the caret at the end by default."""
        self.value, self.caret, self._is_unsent = value, len(str(value)) if caret is None else caret, True
        self._work = self._work or loop().create_task(self._send())

    async def settle(self) -> T:
        """Waits until the ViewModel has answered, and returns the value."""
        while self._work:
            await asyncio.wait({self._work})
        return self.value

    def follow(self) -> None:
        if not self._work:
            self._show(self.binding.picture.raw)

    def _show(self, raw: Json) -> None:
        value = self._read(raw[self._name])
        if value != self.value:
            self.caret, self.value = moved_caret(str(self.value), str(value), self.caret), value
            tell(self.on_change, value)

    async def _send(self) -> None:
        binding, name, held = self.binding, self._name, False
        client, id = binding.client, binding.owner.id
        while self._is_unsent or held:
            is_edit, self._is_unsent = self._is_unsent, False
            try:
                if is_edit:
                    value: Any = self.value
                    params: Any = {"value": value}
                    if self._is_object:
                        params = value.to_json() if hasattr(value, "to_json") else value
                    self.problem = None
                    held = "held" in await client.call(f"{id}.{name}", params, time_limit=client.time_limit)
                    continue
                state = await client.call("viewModel.read", {"id": id, "outputs": [name]})
                # No frame comes if the value turns back to that in the picture.
                held = state["seq"] > binding.seq and state["values"][name] != binding.picture.raw[name]
                if held and not self._is_unsent:
                    self._show(state["values"])
                    await asyncio.sleep(0.05)
            except (OutcomeUnknown, TimedOut, ShuttingDown):
                self._is_unsent = self._is_unsent or is_edit
                await asyncio.sleep(client.backoff[0])
            except Exception as error:
                self.problem, held = error, False
        self._work = None
        self.follow()


def moved_caret(old: str, new: str, caret: int) -> int:
    """The place of a caret in a changed text, by the common prefix and suffix."""
    prefix = len(os.path.commonprefix([old, new]))
    suffix = len(os.path.commonprefix([old[prefix:][::-1], new[prefix:][::-1]]))
    if caret <= prefix:
        return caret
    return len(new) - len(old) + caret if caret >= len(old) - suffix else min(caret, len(new) - suffix)
