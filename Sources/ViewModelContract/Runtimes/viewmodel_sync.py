# The synchronous face

V = TypeVar("V", bound=ViewModel)


class SyncClient:
    """A client that runs on a thread of its own. Its methods block, in Jupyter and in any thread but its own."""

    def __init__(self, client: Client) -> None:
        self.client, self._loop = client, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="viewmodel", daemon=True)
        self._thread.start()
        try:
            self.wait_for(client.connect())
        except BaseException:
            self.close()
            raise

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection and ends the thread."""
        if self._loop.is_closed():
            return
        self.wait_for(self.client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs work of the client. Callbacks run on the client's thread, so they must not block."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a callback must not block")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:  # An interrupt cancels the request.
            future.cancel()
            raise

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def following() -> list[T]:
            async for item in items:
                return [item]
            return []
        while found := self.wait_for(following()):
            yield found[0]

    def call(self, method: str, params: Mapping[str, Any] | None = None, *, deadline: float | None = None,
             key: str | None = None, retry: bool = False, time_limit: float | None = None) -> Any:
        """Calls any method, as `Client.call` does."""
        work = self.client.call(method, params, deadline=deadline, key=key, retry=retry, time_limit=time_limit)
        return self.wait_for(work)


class SyncViewModel(Generic[V]):
    """An instance of a ViewModel type, with methods that block."""

    def __init__(self, client: SyncClient, target: V) -> None:
        self.client, self.target = client, target


class SyncBinding(Generic[P, E]):
    """A `Binding` whose methods block. Its callbacks and counters are in `binding`."""

    def __init__(self, client: SyncClient, binding: Binding[P, E]) -> None:
        self._client, self.binding = client, binding

    @property
    def picture(self) -> P:
        return self.binding.picture

    def __iter__(self) -> Iterator[P]:
        return self._client.iterate(self.binding.__aiter__())

    def events(self) -> Iterator[E]:
        return self._client.iterate(self.binding.events())

    def wait(self, condition: Callable[[P], object], timeout: float | None = None) -> P:
        return self._client.wait_for(self.binding.wait(condition, timeout))

    def scroll(self, output: str, offset: int, limit: int | None = None) -> None:
        self._client.wait_for(self.binding.scroll(output, offset, limit))

    def close(self) -> None:
        self._client.wait_for(self.binding.close())

    def __enter__(self) -> SyncBinding[P, E]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SyncField(Generic[T]):
    """A `Field` for other threads than the client's. Its callbacks and caret are in `field`."""

    def __init__(self, client: SyncClient, field: Field[T]) -> None:
        self._client, self.field = client, field

    @property
    def value(self) -> T:
        return self.field.value

    def edit(self, value: T, caret: int | None = None) -> None:
        async def edit() -> None:
            self.field.edit(value, caret)
        self._client.wait_for(edit())

    def settle(self) -> T:
        return self._client.wait_for(self.field.settle())
