# Lists by index

numbers = itertools.count(1)


class RowList(Generic[T]):
    """A list by index: `rows[i]` is the row, or None until it is loaded. The same row is the same object.

    Callbacks in `on_splicing` and `on_splice` get `(at, removed, inserted)` before and after `inserted` rows replace
    `removed` ones, those in `on_change` `(first, last)` when the rows before `last` have changed or are loaded.
    """

    _problem: Exception | None = None

    def __init__(self, model: ViewModel, name: str, attribute: str, page: int):
        self.model, self.client, self.name, self.page = model, model.client, name, page
        self._attribute = attribute
        self.on_splicing: list[Callable[[int, int, int], object]] = []
        self.on_splice: list[Callable[[int, int, int], object]] = []
        self.on_change: list[Callable[[int, int], object]] = []
        self._start, self._count = 0, 0
        self._rows: list[T | None] = []  # The loaded ones, from `_start` on.
        self._ids: list[Any] = []
        self._shown, self._ahead = (0, 1), 0
        self._asked: tuple[int, int] | None = None
        self._call: Call | None = None
        self._hold: Hold | None = None
        self._tag = ""
        self.client.lists.append(self)
        if self.client.state == "connected":
            self.place()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> T | None:
        row = self.peek(index)
        if row is None:
            low, high = self._asked or (index, index)
            near = low - self.page <= index <= high + self.page
            self._asked = (min(low, index), max(high, index)) if near else (index, index)
            self.client.after(f"list {id(self)}", 0, self._load)
        return row

    def peek(self, index: int) -> T | None:
        """Returns a row if it is loaded."""
        if not 0 <= index < self._count:
            raise IndexError(index)
        at = index - self._start
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def show(self, first: int, last: int) -> None:
        """Loads these rows, and a page ahead of the scroll. Rows far behind are dropped."""
        self._ahead = (first > self._shown[0]) - (first < self._shown[0])
        self._move(first, last)

    @property
    def problem(self) -> Exception | None:
        """The last error."""
        return self._hold and self._hold.binding.ended or self._problem

    def close(self) -> None:
        """Ends it."""
        if self in self.client.lists:
            self.client.lists.remove(self)
            if self._hold:
                self._hold.close()

    def place(self) -> None:
        """Binds it, with a tag if the daemon has tags and splices."""
        is_tagged = {"tags", "splices"} <= self.client.features
        if self._hold and self._hold.binding.ended is None and is_tagged == bool(self._tag):
            return
        if self._hold:
            self._hold.close()
        self._tag = f"list{next(numbers)}" if is_tagged else ""
        wanted: Json = {"id": self.model.id, "outputs": [self.name], "windows": {}, "minInterval": 0}
        if is_tagged:
            wanted["windows"] = {self.name: self._window(*self._shown)}
        self._hold = Hold(self.model.binding(self._tag), wanted, self._follow)

    def _load(self) -> None:
        if self._asked:
            (low, high), self._asked = self._asked, None
            self._move(low, high + 1)

    def _window(self, first: int, last: int) -> Json:
        before, after = (self.page // (2 if turn else 1) for turn in (self._ahead > 0, self._ahead < 0))
        offset = max(0, first - before)
        # At the begin rows that come are shown.
        return {"offset": offset, "limit": last + after - offset, **({"anchor": True} if offset else {})}

    def _move(self, first: int, last: int) -> None:
        """Moves the window if rows that are shown, or soon will be, are not in it."""
        self._shown, margin = (first, last), self.page // 2
        if self._call or not self._tag or not self._hold or self._hold.binding.ended or not self._hold.binding.seq:
            return
        low = max(0, first - margin * (self._ahead <= 0))
        high = min(self._count, last + margin * (self._ahead >= 0))
        if low < self._start or high > self._start + len(self._rows):
            self._hold.wanted["windows"] = {self.name: self._window(first, last)}
            self._call = self._hold.binding.request()
            self._call.then(self._moved)

    def _moved(self, call: Call) -> None:
        self._call, self._problem = None, call.error
        if not call.error:
            self._move(*self._shown)

    def _follow(self, picture: Picture) -> None:
        new: Rows[T] = getattr(picture, self._attribute)
        known = self._hold.binding.splices if self._hold else None
        splices = self._guess(new) if known is None else known.get(self.name, [])
        states = self._states(splices, new)
        if not states or states[-1][-1] == new.total:
            first = self._shown[0] + sum(came - gone for at, gone, came in splices if at < self._shown[0])
            self._shown = (max(0, first), max(0, first) + self._shown[1] - self._shown[0])
        else:  # The daemon's word does not fit.
            states = self._states([[0, self._count, new.total]], new)
        for at, removed, inserted, start, cells, count in states:
            self._tell(self.on_splicing, at, removed, inserted)
            self._start, self._rows, self._count = start, [cell[0] for cell in cells], count
            self._tell(self.on_splice, at, removed, inserted)
        changed = self._changed(new)
        self._start, self._rows, self._ids = new.offset, cast(Any, [*new]), ids(new) if self._tag else []
        for first, last in changed:
            self._tell(self.on_change, first, last)
        self._move(*self._shown)

    def _guess(self, new: Rows[T]) -> list[list[int]]:
        """The splices of a picture without them: none if nothing speaks for one."""
        shift, newer = new.offset - self._start, ids(new) if self._tag else []
        old = self._ids[max(0, shift):max(0, shift + len(newer))]
        fits = old == newer[max(0, -shift):max(0, len(self._ids) - shift)]
        return [] if fits and new.total == self._count else [[0, self._count, new.total]]

    def _states(self, splices: list[list[int]], new: Rows[T]) -> list[Any]:
        """What is loaded after each splice, with the rows that come."""
        if len(splices) == 1 and splices[0] == [0, self._count, new.total]:
            return [(*splices[0], new.offset, [[row] for row in new], new.total)]
        start, count, cells = self._start, self._count, [[row] for row in self._rows] if splices else []
        states: list[Any] = []
        for at, removed, inserted in splices:
            fresh: list[list[T | None]] = [[None] for _ in range(min(inserted, len(new)))]
            low = at - start
            if at + removed <= start and start:
                start += inserted - removed
            elif low < 0:
                cells, start = cells[low + removed:], at + inserted
            elif low <= len(cells):
                cells = cells[:low] + fresh + (cells[low + removed:] if inserted == len(fresh) else [])
            count += inserted - removed
            states.append((at, removed, inserted, start, cells, count))
        for index, row in enumerate(new, new.offset - start):
            if 0 <= index < len(cells) and cells[index][0] is None:
                cells[index][0] = row
        return states

    def _changed(self, new: Rows[T]) -> list[tuple[int, int]]:
        """Where rows are other objects than before."""
        low, high = max(self._start, new.offset), min(self._start + len(self._rows), new.offset + len(new))
        places = [*range(new.offset, min(low, new.offset + len(new)))]
        for at in range(low, high, 1024):
            end = min(at + 1024, high)
            old, now = self._rows[at - self._start:end - self._start], new[at - new.offset:end - new.offset]
            if old != now:
                places += [at + index for index, row in enumerate(now) if row is not old[index]]
        places += range(max(low, high, new.offset), new.offset + len(new))
        runs: list[tuple[int, int]] = []
        for place in places:
            if runs and runs[-1][1] == place:
                runs[-1] = runs[-1][0], place + 1
            else:
                runs.append((place, place + 1))
        return runs

    def _tell(self, callbacks: list[Any], *news: Any) -> None:
        for callback in [*callbacks]:
            self.client.guarded(callback, *news)


def ids(rows: Rows[Any]) -> list[Any]:
    return [row.get("id") for row in rows.raw]
