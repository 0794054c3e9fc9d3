import ViewModelProtocol

/// The client's state of a binding: its params, its picture, its readers with the updates that they have not read.
///
/// The type is a value without I/O, except that it resumes its readers. A binding shares its request with the others of
/// its instance if the daemon has no tags. It then has a part of the picture.
struct ClientBinding {
    enum Phase {
        /// The reply to `viewModel.bind` is outstanding.
        case requested
        /// The picture exists, and frames change it.
        case live
        /// The binding has ended, with an error or, for nil, normally.
        case ended(ClientError?)
    }

    /// The params of the binding without `since`, and the number of times that they have changed.
    struct Version: Equatable {
        var params: ViewModelBind.Params
        var revision = 0
    }

    /// A reader and the updates that it has not read.
    private struct Reader {
        var buffer: UpdateBuffer
        /// The continuation of a reader that waits for an update.
        var waiting: AsyncStream<BindingUpdate>.Continuation?
    }

    private(set) var version: Version
    private(set) var phase = Phase.requested
    /// The picture of the request, and the version that it satisfies.
    private(set) var picture: Picture?
    private(set) var shown: Version?
    /// The params of the request with the picture.
    ///
    /// A claim to have a picture holds only for the same outputs and windows.
    private(set) var requested: ViewModelBind.Params?
    /// The object whose release ends the binding.
    private(set) weak var owner: ViewModelBinding?
    /// Whether the binding has a tag on the wire, because it is not the only one of its instance.
    let isTagged: Bool
    private var readers: [Int: Reader] = [:]
    private let bufferedUpdates: Int

    init(_ owner: ViewModelBinding, isTagged: Bool) {
        self.owner = owner
        self.isTagged = isTagged
        version = Version(params: owner.params)
        bufferedUpdates = owner.bufferedUpdates
    }

    var id: String { version.params.id }

    var isEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Whether the picture may lack a change that the daemon has sent or would have sent for former params.
    var isUnsettled: Bool {
        if case .live = phase { false } else { true }
    }

    /// Changes the params for the next request.
    mutating func change(_ change: (inout ViewModelBind.Params) -> Void) {
        change(&version.params)
        version.revision += 1
    }

    mutating func markRequested() {
        if !isEnded { phase = .requested }
    }

    /// Forgets the picture after a patch that did not fit.
    mutating func discardPicture() { (picture, requested) = (nil, nil) }

    /// Applies the reply to a request for a version.
    mutating func begin(
        _ result: ViewModelBind.Result,
        _ params: ViewModelBind.Params,
        _ version: Version
    ) throws(JSONPatch.Failure) {
        guard !isEnded, result.full || picture != nil else { return }
        var next = picture ?? Picture(result)
        let change = try next.apply(result)
        let former = picture.map { part(of: $0, change) }
        let isSame = requested != nil && shown == version
        (picture, requested, shown) = (next, params, version)
        phase = version == self.version ? .live : .requested
        followAnchors()
        let update = update(next, change, isFull: result.full)
        // Another binding with the same request has begun or ended.
        if isSame, result.full, former?.picture.epoch == next.epoch, former?.picture.values == update.picture.values {
            return
        }
        deliver(update)
    }

    /// Applies a frame; returns the names of the changed outputs, or nil if there is no picture.
    ///
    /// A frame before the reply to `viewModel.bind` is of the former params, as the picture is.
    mutating func follow(_ frame: ViewModelChanged.Params) throws(JSONPatch.Failure) -> Set<String>? {
        guard !isEnded, var next = picture else { return nil }
        let change = try next.apply(frame)
        picture = next
        followAnchors()
        let update = update(next, change, isFull: false)
        if update.change != Picture.Change() || change == Picture.Change() { deliver(update) }
        return change.outputs
    }

    /// Ends the binding.
    ///
    /// Buffered updates remain readable.
    mutating func end(_ error: ClientError?) {
        if isEnded { return }
        phase = .ended(error)
        for reader in readers.values { reader.waiting?.finish() }
    }

    /// Changes the params of an anchored window as the daemon does: only the same window can be resumed.
    private mutating func followAnchors() {
        guard shown == version, requested == version.params else { return }
        for (list, window) in version.params.windows ?? [:] where window.anchor == true {
            if let offset = picture?[list]?["offset"]?.intValue { version.params.windows?[list]?.offset = offset }
        }
        (shown, requested) = (version, version.params)
    }

    private func update(_ picture: Picture, _ change: Picture.Change, isFull: Bool) -> BindingUpdate {
        let (picture, change) = part(of: picture, change)
        return BindingUpdate(picture: picture, change: change, isFull: isFull, revision: shown?.revision ?? 0)
    }

    /// Returns what the binding has asked for, of a picture with the outputs and rows of all that share the request.
    private func part(of picture: Picture, _ change: Picture.Change) -> (picture: Picture, change: Picture.Change) {
        guard let own = shown?.params, own != requested else { return (picture, change) }
        var (values, change) = (picture.values, change)
        if let outputs = own.outputs.map(Set.init) {
            values = JSONObject(values.filter { outputs.contains($0.0) })
            change.outputs.formIntersection(outputs)
            change.events.removeAll { !outputs.contains($0.output) }
        }
        for (list, window) in own.windows ?? [:] {
            guard let value = values[list] else { continue }
            values[list] = Self.rows(of: value, in: window)
        }
        return (Picture(id: picture.id, epoch: picture.epoch, seq: picture.seq, values: values), change)
    }

    /// Returns a window of a list, or of a larger window.
    private static func rows(of list: JSONValue, in window: Window) -> JSONValue {
        let rows = list.arrayValue ?? list["rows"]?.arrayValue ?? []
        let start = window.offset - (list["offset"]?.intValue ?? 0)
        let part = rows.dropFirst(max(0, start)).prefix(window.limit)
        let count = list["count"] ?? .integer(rows.count)
        return .object(["offset": .integer(window.offset), "count": count, "rows": .array(Array(part))])
    }
}

extension ClientBinding {
    /// Returns the params of one request for some bindings of an instance.
    ///
    /// It has the outputs of all. It has a window of a list if each binding with this list has one.
    static func union(_ bindings: [ClientBinding]) -> ViewModelBind.Params? {
        let all = bindings.map(\.version.params)
        guard var union = all.first else { return nil }
        for params in all.dropFirst() {
            union.outputs = union.outputs.flatMap { outputs in
                params.outputs.map { outputs + $0.filter { !outputs.contains($0) } }
            }
            union.minInterval = union.minInterval.flatMap { least in params.minInterval.map { min(least, $0) } }
        }
        guard all.count > 1, all.contains(where: { $0.windows != nil }) else { return union }
        let lists = Set(all.flatMap { $0.windows?.keys.map(\.self) ?? [] })
        let windows = lists.map { list in
            let windows = all.filter { $0.outputs?.contains(list) ?? true }.map { $0.windows?[list] }
            let known = windows.compactMap(\.self)
            guard let start = known.map(\.offset).min(), known.count == windows.count else {
                return (list, Window?.none)
            }
            let end = known.map { $0.offset + min($0.limit, .max - $0.offset) }.max() ?? start
            return (list, Window(offset: start, limit: end - start))
        }
        union.windows = Dictionary(uniqueKeysWithValues: windows).compactMapValues(\.self)
        return union
    }

    /// Returns the next update of a reader, or nil if there is none yet.
    ///
    /// A new reader begins with the picture.
    mutating func next(_ reader: Int) -> BindingUpdate? {
        if readers[reader] == nil {
            var new = Reader(buffer: UpdateBuffer(limit: bufferedUpdates))
            if case .live = phase, let picture {
                let change = Picture.Change(outputs: Set(picture.values.keys))
                new.buffer.append(update(picture, change, isFull: true))
            }
            readers[reader] = new
        }
        return readers[reader]?.buffer.popFirst()
    }

    /// Returns a sequence with the next update of a reader, which is empty if the binding ends.
    mutating func wait(_ reader: Int) -> AsyncStream<BindingUpdate> {
        let (stream, waiting) = AsyncStream.makeStream(of: BindingUpdate.self)
        readers[reader]?.waiting = waiting
        return stream
    }

    mutating func remove(_ reader: Int) {
        readers[reader] = nil
    }

    private mutating func deliver(_ update: BindingUpdate) {
        for id in readers.keys {
            // A reader whose task was cancelled gets the update with its next call.
            if let waiting = readers[id]?.waiting.take(), case .enqueued = waiting.yield(update) {
                waiting.finish()
            } else {
                readers[id]?.buffer.append(update)
            }
        }
    }
}
