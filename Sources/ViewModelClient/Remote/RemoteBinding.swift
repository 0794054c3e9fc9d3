public import ViewModelProtocol

/// The typed picture after a frame, and the events of the frame.
public struct RemoteUpdate<Model: RemoteViewModel>: Equatable, Sendable {
    /// The values after the frame.
    public var picture: Model.Picture
    /// The events of the frame, in order.
    public var events: [Model.Event]
    /// The number of earlier events that the daemon has dropped.
    public var lost: Int
    /// The names of the outputs that changed, as on the wire.
    public var changed: Set<String>
    /// Whether the daemon sent the whole picture: for a new binding, and if it could not resume one.
    public var isFull: Bool
    /// The step of the picture.
    public var seq: Int

    init(_ update: BindingUpdate, after previous: Model.Picture?) throws {
        let reader = PictureReader(
            update.picture,
            changed: previous == nil || update.isFull ? nil : update.change.outputs
        )
        picture = try Model.Picture(reading: reader, after: previous)
        events = update.change.events.map { Model.Event($0) }
        lost = update.change.lost
        changed = update.change.outputs
        isFull = update.isFull
        seq = update.picture.seq
    }
}

/// A live binding with typed pictures, from ``RemoteViewModel/bind(_:minInterval:)``.
///
/// ``ViewModelBinding`` describes its life and its isolation.
public struct RemoteBinding<Model: RemoteViewModel>: AsyncSequence, Sendable {
    /// A typed picture and its events.
    public typealias Element = RemoteUpdate<Model>

    /// The binding without types.
    public let untyped: ViewModelBinding

    init(_ binding: ViewModelBinding) {
        self.untyped = binding
    }

    /// Returns an iterator over the updates, which begins with the picture.
    public func makeAsyncIterator() -> Iterator {
        Iterator(updates: untyped.makeAsyncIterator())
    }

    /// Waits for the picture and returns it, as ``ViewModelBinding/picture()`` does.
    public func picture() async throws -> Model.Picture {
        try Model.Picture(try await untyped.picture())
    }

    /// Waits until the picture satisfies a condition, as ``ViewModelBinding/wait(timeout:until:)`` does.
    @discardableResult
    public func wait(
        timeout: Duration? = nil,
        until condition: @escaping @Sendable (Model.Picture) throws -> Bool
    ) async throws -> Model.Picture {
        try Model.Picture(try await untyped.wait(timeout: timeout) { try condition(Model.Picture($0)) })
    }

    /// Scrolls a list: changes its window and waits for the picture with the new rows.
    ///
    /// ```swift
    /// try await binding.scroll(\.rows, to: Window(offset: 40, limit: 20))
    /// ```
    ///
    /// The iterators of the binding get the picture as well.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - window: The rows to show.
    /// - Returns: The picture with the new window.
    /// - Throws: ``ClientError``, `CancellationError`.
    @discardableResult
    public func scroll(_ list: WritableKeyPath<Model.Windows, Window?>, to window: Window) async throws -> Model.Picture
    {
        var windows = Model.Windows()
        windows[keyPath: list] = window
        var picture = try await untyped.picture()
        for (name, window) in windows.byOutput { picture = try await untyped.scroll(name, to: window) }
        return try Model.Picture(picture)
    }

    /// An iterator over the typed updates of a binding.
    public struct Iterator: AsyncIteratorProtocol {
        var updates: ViewModelBinding.Iterator
        private var previous: Model.Picture?

        init(updates: ViewModelBinding.Iterator) {
            self.updates = updates
        }

        /// Waits for the next update; returns nil after the instance was closed or the client has moved to
        /// another session.
        ///
        /// - Returns: The update.
        /// - Throws: ``ClientError``, `CancellationError`.
        public mutating func next() async throws -> RemoteUpdate<Model>? {
            guard let update = try await updates.next() else { return nil }
            let typed = try RemoteUpdate<Model>(update, after: previous)
            previous = typed.picture
            return typed
        }
    }
}
