public import Observation
public import ViewModelProtocol

/// The rows of a list, of which the client has those that are shown, and a page before and after them.
///
/// It is a collection as long as the whole list. A row that is not there is nil, a placeholder, and asks for its page.
/// The window has a binding of its own, which moves with its rows, so that rows which come or go above do not move what a
/// person reads. Rows that are far from those last shown are dropped.
///
/// If the daemon does not say where rows came and went, one splice replaces the whole list.
@MainActor
@Observable
public final class RemoteRows<Row: Decodable & Equatable & Sendable> {
    /// The number of rows of the whole list.
    public private(set) var count = 0
    /// The end of the binding, or a row that could not be read.
    public private(set) var problem: ClientError?
    /// The index of the selected row, which moves with its row.
    ///
    /// It is nil when the row goes. A row that moves where rows are not loaded is selected again when it is loaded.
    public var selection: Int? {
        get { place }
        set {
            place = newValue
            let row = newValue.flatMap { loaded.indices.contains($0 - offset) ? loaded[$0 - offset] : nil }
            chosen = row.flatMap { row in known.first { $0.value.row == row }?.key }
        }
    }
    /// Receives each splice before ``count`` and the rows follow it.
    @ObservationIgnored public var onSplicing: ((ListSplice) -> Void)?
    /// Receives each splice after ``count`` and the rows have followed it, so that each state between two is consistent.
    @ObservationIgnored public var onSplice: ((ListSplice) -> Void)?
    /// Receives the indices of rows that have another content, or that were placeholders.
    @ObservationIgnored public var onChange: ((Range<Int>) -> Void)?

    /// The index of the first row in ``loaded``.
    private var offset = 0
    private var loaded: [Row?] = []
    /// The rows in ``loaded`` by their ids, with their values on the wire.
    @ObservationIgnored private var known: [JSONValue: (value: JSONValue, row: Row)] = [:]
    /// The rows that were asked for.
    @ObservationIgnored private var asked: Range<Int>
    @ObservationIgnored private var requests = 0
    /// The placeholder that was read last, until its page is asked for.
    @ObservationIgnored private var missed: Int?
    /// The epoch and the revision of the latest picture.
    @ObservationIgnored private var epoch: String?
    @ObservationIgnored private var revision = 0
    @ObservationIgnored private var task: Task<Void, Never>?
    /// The index of the selected row.
    private var place: Int?
    /// The id of the row that was selected last, if it was loaded, also after a splice has removed it.
    @ObservationIgnored private var chosen: JSONValue?
    private let binding: ViewModelBinding
    private let list: String
    private let page: Int

    /// Creates the rows of a list, which ``close()`` or the last reference ends.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - instance: The instance's id.
    ///   - list: The name of the list.
    ///   - page: The number of rows that are loaded at once, 1 or more.
    public init(_ client: ViewModelClient, _ instance: String, _ list: String, page: Int = 100) {
        (self.list, self.page, asked) = (list, page, 0..<2 * page)
        let window = Window(offset: 0, limit: asked.count, anchor: true)
        let params = ViewModelBind.Params(id: instance, outputs: [list], windows: [list: window], splices: true)
        let binding = client.bind(params, bufferedUpdates: ViewModelBinding.mostBufferedUpdates)
        self.binding = binding
        let updates = binding.makeAsyncIterator()
        task = Task { [weak self] in
            var updates = updates
            do {
                while let update = try await updates.next() { self?.follow(update) }
                self?.problem = .bindingEnded(instance)
            } catch {
                self?.problem = error as? ClientError
            }
        }
    }

    deinit {
        task?.cancel()
    }

    /// Ends the binding.
    ///
    /// The rows stay as they are.
    public func close() { task?.cancel() }

    /// Loads the rows that are visible, and a page before and after them.
    public func show(_ rows: Range<Int>) {
        let visible = rows.clamped(to: 0..<count)
        // A request before the end of what is there, so that scrolling finds its rows.
        let reserve = page / 2
        let isThere =
            (asked.lowerBound == 0 || visible.lowerBound >= asked.lowerBound + reserve)
            && (asked.upperBound >= count || visible.upperBound + reserve <= asked.upperBound)
        if isThere || visible.isEmpty { return }
        let start = Swift.max(0, (visible.lowerBound / page - 1) * page)
        asked = start..<((visible.upperBound - 1) / page + 2) * page
        requests += 1
        let window = Window(offset: start, limit: asked.count, anchor: true)
        let (binding, list) = (binding, list)
        binding.client.later { client in
            do {
                _ = try client.scroll(binding, list, window)
            } catch {
                // The readers of the binding get its end.
            }
        }
    }

    private func follow(_ update: BindingUpdate) {
        guard let value = update.picture[list] else { return }
        let rows = value.arrayValue ?? value["rows"]?.arrayValue ?? []
        let total = value["count"]?.intValue ?? rows.count
        let start = value["offset"]?.intValue ?? 0
        // The client has not asked for this whole picture: the daemon does not know what changed.
        let isUnasked = update.isFull && update.revision == revision
        let isUnknown = epoch != nil && (isUnasked || epoch != update.picture.epoch)
        if !isUnknown {
            for splice in update.change.splices[list] ?? [] { apply(splice) }
        }
        if total != count || isUnknown { apply(ListSplice(at: 0, removed: count, inserted: total)) }
        (epoch, revision) = (update.picture.epoch, update.revision)
        if update.revision == requests { asked = start..<start + asked.count }
        load(rows, at: start)
        if let place {
            if rows.indices.contains(place - start) { chosen = rows[place - start]["id"] }
        } else if let chosen, let moved = rows.firstIndex(where: { $0["id"] == chosen }) {
            place = start + moved
        }
    }

    /// Moves the rows that are there.
    private func apply(_ splice: ListSplice) {
        onSplicing?(splice)
        if let row = place, row >= splice.at {
            place = row < splice.at + splice.removed ? nil : row + splice.inserted - splice.removed
        }
        let removed = (splice.at..<splice.at + splice.removed).clamped(to: offset..<offset + loaded.count)
        loaded.removeSubrange(removed.lowerBound - offset..<removed.upperBound - offset)
        if splice.at < offset { offset -= Swift.min(splice.removed, offset - splice.at) }
        if splice.at <= offset {
            offset += splice.inserted
        } else if splice.at < offset + loaded.count, splice.inserted <= page {
            loaded.insert(contentsOf: repeatElement(nil, count: splice.inserted), at: splice.at - offset)
        } else if splice.at < offset + loaded.count {
            loaded.removeSubrange((splice.at - offset)...)
        }
        count += splice.inserted - splice.removed
        onSplice?(splice)
    }

    /// Sets the rows that are there, and decodes those that are new.
    private func load(_ values: [JSONValue], at start: Int) {
        let (former, formerOffset) = (loaded, offset)
        var rows: [Row?] = []
        var read: [JSONValue: (value: JSONValue, row: Row)] = [:]
        for value in values {
            let id = value["id"] ?? .null
            if let same = known[id], same.value == value {
                read[id] = same
            } else {
                do throws(ClientError) {
                    read[id] = (value, try ViewModelClient.decode(Row.self, value.text, of: "\(binding.id).\(list)"))
                } catch {
                    problem = error
                }
            }
            rows.append(read[id]?.row)
        }
        known = read
        let changed = rows.indices.filter { index in
            let place = start + index - formerOffset
            return !former.indices.contains(place) || former[place] != rows[index]
        }
        if changed.isEmpty, rows.count == former.count { return }
        (loaded, offset) = (rows, start)
        if let first = changed.first, let last = changed.last { onChange?(start + first..<start + last + 1) }
    }
}

extension RemoteRows: @MainActor RandomAccessCollection {
    /// The index of the first row, 0.
    public var startIndex: Int { 0 }
    /// The number of rows of the whole list.
    public var endIndex: Int { count }

    /// The row at an index of the whole list; nil for a placeholder, which asks for its page.
    public subscript(index: Int) -> Row? {
        let place = index - offset
        if loaded.indices.contains(place) { return loaded[place] }
        if missed == nil {
            Task {
                guard let row = missed else { return }
                missed = nil
                show(row..<row + 1)
            }
        }
        missed = index
        return nil
    }
}
