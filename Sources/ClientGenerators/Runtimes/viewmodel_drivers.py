# What waits for a client


class LoopDriver:
    """Drives a client on the event loop."""

    def __init__(self, client: Client):
        self.client, self.loop = client, loop()
        self._fd, self._is_writing, self._due = -1, False, -1.0
        self._timer: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        client = self.client
        client.flush()
        fd, due = client.fileno(), client.deadline()
        if fd != self._fd:
            if self._fd >= 0:
                self.loop.remove_reader(self._fd)
                self.loop.remove_writer(self._fd)
            if fd >= 0:
                self.loop.add_reader(fd, self._read)
            self._fd, self._is_writing = fd, False
        if client.is_writing != self._is_writing:
            self._is_writing = client.is_writing
            if self._is_writing:
                self.loop.add_writer(fd, self.changed)
            else:
                self.loop.remove_writer(fd)
        if due != self._due:
            if self._timer:
                self._timer.cancel()
            self._due = -1 if due is None else due
            self._timer = None if due is None else self.loop.call_later(due - now(), self._tick)

    def _tick(self) -> None:
        self._due = -1
        self.client.tick()

    def _read(self) -> None:
        if not self.client.has_messages and (data := self.client.received()) is not None:
            self.client.take(data)
            self._step()

    def _step(self) -> None:
        try:
            while self.client.has_messages and not self.client.step():
                pass
        finally:
            if self.client.has_messages:
                self.loop.call_soon(self._step)  # The caller goes on first.


class ThreadDriver:
    """Waits on a thread for the socket and the deadline. The client works on the program's thread."""

    def __init__(self, client: Client, dispatch: Callable[[Callable[[], None]], object]):
        self.client, self._dispatch, self._served = client, dispatch, threading.Event()
        self._wake, self._woken = sockets.socketpair()
        self._wake.setblocking(False)
        self._interest: tuple[int, bool, bool, float | None] = (-1, False, False, None)
        threading.Thread(target=self._wait, daemon=True, name="viewmodel").start()

    def changed(self) -> None:
        client, before = self.client, self._interest
        client.flush()
        due, is_over = client.deadline(), client.state == "closed"
        self._interest = client.fileno(), client.is_writing, is_over, due
        sooner = due is not None and (before[3] is None or due < before[3])
        if self._served.is_set() and (self._interest[:3] != before[:3] or sooner):
            with suppress(OSError):
                self._wake.send(b".")

    def _turn(self) -> None:
        try:
            self.client.pump()
            self.changed()
        finally:
            self._served.set()

    def _wait(self) -> None:
        self._served.set()
        with self._wake, self._woken, suppress(RuntimeError):
            while True:
                fd, is_writing, is_over, due = self._interest
                if fd < 0 and is_over:
                    return
                poll = select.poll()
                poll.register(self._woken, select.POLLIN)
                if fd >= 0:
                    poll.register(fd, select.POLLIN | (select.POLLOUT if is_writing else 0))
                ready = [one for one, _ in poll.poll(None if due is None else max(0, (due - now()) * 1000 + 1))]
                if self._woken.fileno() in ready:
                    self._woken.recv(1 << 12)
                if ready != [self._woken.fileno()]:
                    self._served.clear()
                    self._dispatch(self._turn)
                    self._served.wait()
