import ViewModelProtocol

/// The client's state of a binding: its params, its picture, its readers with the updates that they have not read.
///
/// The type is a value without I/O, except that it resumes its readers.
struct ClientBinding {
    enum Phase {
        /// The reply to `viewModel.bind` is outstanding.
        case requested
        /// The picture exists, and frames change it.
        case live
        /// The binding has ended, with an error or, for nil, normally.
        case ended(ClientError?)
    }

    /// A reader and the updates that it has not read.
    private struct Reader {
        var buffer: UpdateBuffer
        /// The continuation of a reader that waits for an update.
        var waiting: AsyncStream<BindingUpdate>.Continuation?
    }

    /// The params of the binding without `since`.
    private(set) var params: ViewModelBind.Params
    /// The number of times that the params have changed.
    private(set) var revision = 0
    private(set) var phase = Phase.requested
    private(set) var picture: Picture?
    /// The object whose release ends the binding.
    private(set) weak var owner: ViewModelBinding?
    /// The params of the picture.
    ///
    /// A claim to have a picture holds only for the same outputs and windows.
    private var pictureParams: ViewModelBind.Params?
    /// The revision of ``pictureParams``.
    private var pictureRevision = 0
    private var readers: [Int: Reader] = [:]
    private let bufferedUpdates: Int

    init(_ owner: ViewModelBinding) {
        self.owner = owner
        params = owner.params
        bufferedUpdates = owner.bufferedUpdates
    }

    var isEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Whether the picture may lack a change that the daemon has sent or would have sent for former params.
    var isUnsettled: Bool {
        if case .live = phase { false } else { true }
    }

    /// Returns the requests that bind, in order.
    ///
    /// On a new connection the daemon resumes from the picture's step. A picture of former params is resumed with these
    /// first, because only a resumed binding has the events of the meantime.
    func requests(resuming: Bool) -> [(params: ViewModelBind.Params, since: Since?, revision: Int)] {
        let new = (params: params, since: Since?.none, revision: revision)
        guard resuming, let picture, let pictureParams else { return [new] }
        let resumed = (params: pictureParams, since: Since?.some(picture.since), revision: pictureRevision)
        return pictureParams == params ? [resumed] : [resumed, new]
    }

    /// Changes the params for the next request.
    mutating func change(_ change: (inout ViewModelBind.Params) -> Void) {
        change(&params)
        revision += 1
    }

    mutating func markRequested() {
        if !isEnded { phase = .requested }
    }

    /// Forgets the picture after a patch that did not fit.
    mutating func discardPicture() {
        picture = nil
        pictureParams = nil
    }

    /// Applies the reply to `viewModel.bind` with params of a revision.
    mutating func begin(
        _ result: ViewModelBind.Result,
        _ requested: ViewModelBind.Params,
        _ number: Int
    ) throws(JSONPatch.Failure) {
        if isEnded { return }
        var next = picture ?? Picture(result)
        let change = try next.apply(result)
        picture = next
        pictureParams = requested
        pictureRevision = number
        phase = number == revision ? .live : .requested
        deliver(BindingUpdate(picture: next, change: change, isFull: result.full, revision: number))
    }

    /// Applies a frame; returns the names of the changed outputs, or nil if there is no picture.
    ///
    /// A frame before the reply to `viewModel.bind` is of the former params, as the picture is.
    mutating func follow(_ frame: ViewModelChanged.Params) throws(JSONPatch.Failure) -> Set<String>? {
        guard !isEnded, var next = picture else { return nil }
        let change = try next.apply(frame)
        picture = next
        deliver(BindingUpdate(picture: next, change: change, isFull: false, revision: pictureRevision))
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
}

extension ClientBinding {
    /// Returns the next update of a reader, or nil if there is none yet.
    ///
    /// A new reader begins with the picture.
    mutating func next(_ reader: Int) -> BindingUpdate? {
        if readers[reader] == nil {
            var new = Reader(buffer: UpdateBuffer(limit: bufferedUpdates))
            if case .live = phase, let picture {
                let change = Picture.Change(outputs: Set(picture.values.keys))
                new.buffer.append(BindingUpdate(picture: picture, change: change, isFull: true, revision: revision))
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
