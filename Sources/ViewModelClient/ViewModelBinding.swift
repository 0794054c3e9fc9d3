public import ViewModelProtocol

/// A live binding to an instance: the sequence of its updates, from ``ViewModelClient/bind(_:outputs:windows:minInterval:)``.
///
/// Each iterator reads all updates, beginning with the picture. The binding begins with the first call of an iterator's
/// `next()` or of a method, and ends with the last reference to it and its iterators.
///
/// Isolation: `Sendable`; any number of tasks may read and scroll.
public final class ViewModelBinding: AsyncSequence, Sendable {
    /// A picture and its changes.
    public typealias Element = BindingUpdate

    /// The instance's id.
    public var id: String { params.id }

    let client: ViewModelClient
    /// The params with which the binding begins.
    let params: ViewModelBind.Params
    /// The number of updates that wait for a reader separately; later ones are merged into the last.
    let bufferedUpdates: Int
    /// The number for a reader that needs each update.
    package static let mostBufferedUpdates = 256
    let token = ClientToken.next()

    init(
        client: ViewModelClient,
        params: ViewModelBind.Params,
        bufferedUpdates: Int = ViewModelBinding.mostBufferedUpdates
    ) {
        self.client = client
        self.params = params
        self.bufferedUpdates = bufferedUpdates
    }

    deinit {
        let token = token
        client.later { $0.release(token) }
    }

    /// Returns an iterator over the updates, which begins with the picture.
    public func makeAsyncIterator() -> Iterator {
        Iterator(binding: self)
    }

    /// Waits for the picture and returns it; later calls return the present picture.
    ///
    /// - Returns: The picture.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func picture() async throws -> Picture {
        var iterator = makeAsyncIterator()
        guard let update = try await iterator.next() else { throw ClientError.bindingEnded(id) }
        return update.picture
    }

    /// Waits until the picture satisfies a condition.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the call throws ``ClientError/Code-swift.struct/timedOut``, or nil for none.
    ///   - condition: The condition. It is called with the present picture first.
    /// - Returns: The picture that satisfies the condition.
    /// - Throws: ``ClientError``, `CancellationError`, and any error of `condition`.
    @discardableResult
    public func wait(
        timeout: Duration? = nil,
        until condition: @escaping @Sendable (Picture) throws -> Bool
    ) async throws -> Picture {
        try await TimeLimit.run(timeout, "Waiting for \(id)") {
            for try await update in self where try condition(update.picture) { return update.picture }
            throw ClientError.bindingEnded(self.id)
        }
    }

    /// Scrolls a list: changes its window and waits for the picture with the new rows.
    ///
    /// The iterators of the binding get the picture as well. Of several calls under way the last one decides.
    ///
    /// - Parameters:
    ///   - list: The name of the list.
    ///   - window: The rows to show.
    /// - Returns: The picture with the new window.
    /// - Throws: ``ClientError``, `CancellationError`. The daemon refuses a list that the binding does not have, which
    ///   ends the binding.
    @discardableResult
    public func scroll(_ list: String, to window: Window) async throws -> Picture {
        var iterator = makeAsyncIterator()
        iterator.minimumRevision = try await client.scroll(self, list, window)
        let reader = iterator
        return try await TimeLimit.run(client.options.timeout, "Scrolling \(list) of \(id)") {
            var iterator = reader
            guard let update = try await iterator.next() else { throw ClientError.bindingEnded(self.id) }
            return update.picture
        }
    }

    /// An iterator over the updates of a binding.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let lease: Lease
        /// Earlier updates are of former params and are skipped.
        var minimumRevision = 0

        init(binding: ViewModelBinding) {
            lease = Lease(binding)
        }

        /// Waits for the next update; returns nil after the instance was closed or another binding has replaced this
        /// one.
        ///
        /// - Returns: The update.
        /// - Throws: ``ClientError``, `CancellationError`.
        public mutating func next() async throws -> BindingUpdate? {
            try Task.checkCancellation()
            let (binding, reader) = (lease.binding, lease.reader)
            while let update = try await binding.client.next(binding, reader) {
                if update.revision >= minimumRevision { return update }
            }
            return nil
        }
    }

    /// A reference that keeps a binding and a reader alive.
    private final class Lease: Sendable {
        let binding: ViewModelBinding
        let reader = ClientToken.next()

        init(_ binding: ViewModelBinding) {
            self.binding = binding
        }

        deinit {
            let (token, reader) = (binding.token, reader)
            binding.client.later { $0.bindings[token]?.remove(reader) }
        }
    }
}
