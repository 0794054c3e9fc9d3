# The synchronous face


@dataclass(eq=False)
class Synchronous(Generic[P]):
    """Has methods that block, for the asynchronous ones of `target`."""

    client: SyncClient
    target: P


def blocking(
    method: Callable[Concatenate[P, A], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Synchronous[P], A], T]:
    """Makes a method that blocks from an asynchronous one."""
    @functools.wraps(method)
    def call(self: Synchronous[P], /, *args: A.args, **kwargs: A.kwargs) -> T:
        return self.client.wait_for(method(self.target, *args, **kwargs))
    return call


class SyncClient(Synchronous[Client]):
    """A client on a thread of its own. Its methods block, also in Jupyter."""

    _is_closed = False

    def __init__(self, target: Client):
        super().__init__(self, target)
        self._loop, self._lock = asyncio.new_event_loop(), threading.Lock()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self.wait_for(target.connect())
        except BaseException:
            self.close()
            raise

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection and ends the thread."""
        with suppress(Closed):
            self.wait_for(self._end(), True)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _end(self) -> None:
        await self.target.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        with suppress(TimedOut):  # The rest is cancelled.
            await within(1, asyncio.gather(*rest, return_exceptions=True), "close")

    call = blocking(Client.call)

    def wait_for(self, work: Coroutine[Any, Any, T], is_last: bool = False) -> T:
        """Runs work of the client. Callbacks run on its thread, so they must not block."""
        nested = threading.current_thread() is self._thread
        with self._lock:  # After the end of the client nothing runs.
            if nested or self._is_closed:
                work.close()
                raise RuntimeError("a callback must not block") if nested else Closed("the client is closed")
            self._is_closed = is_last
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # After an interrupt.


class SyncBinding(Synchronous[Binding[P, E]]):
    """A `Binding` whose methods block. Its callbacks are in `target`."""

    event = blocking(Binding[P, E].event)
    wait = blocking(Binding[P, E].wait)
    scroll = blocking(Binding[P, E].scroll)
    close = blocking(Binding[P, E].close)

    @property
    def picture(self) -> P:
        return self.target.picture


class SyncField(Synchronous[Field[T]]):
    """A `Field` whose methods block. Its callbacks are in `target`."""

    settle = blocking(Field[T].settle)

    @property
    def value(self) -> T:
        return self.target.value

    def edit(self, value: T, caret: int | None = None) -> None:
        async def edit() -> None:
            self.target.edit(value, caret)
        self.client.wait_for(edit())
