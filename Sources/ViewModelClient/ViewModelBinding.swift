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
        try await picture(timeout: nil, "The picture of \(id)") { _ in true }
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
        try await picture(timeout: timeout, "Waiting for \(id)", until: condition)
    }

    /// Waits for a picture with the params of a revision that satisfies a condition.
    func picture(
        from revision: Int = 0,
        timeout: Duration?,
        _ what: String,
        until condition: @escaping @Sendable (Picture) throws -> Bool
    ) async throws -> Picture {
        try await TimeLimit.run(timeout, what) {
            for try await update in self where update.revision >= revision {
                if try condition(update.picture) { return update.picture }
            }
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
        let revision = try await client.scroll(self, list, window)
        let timeout = client.options.timeout
        return try await picture(from: revision, timeout: timeout, "Scrolling \(list) of \(id)") { _ in true }
    }

    /// An iterator over the updates of a binding.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let lease: Lease

        init(binding: ViewModelBinding) {
            lease = Lease(binding)
        }

        /// Waits for the next update; returns nil after the instance was closed or the client has moved to
        /// another session.
        ///
        /// - Returns: The update.
        /// - Throws: ``ClientError``, `CancellationError`.
        public mutating func next() async throws -> BindingUpdate? {
            try await lease.binding.client.next(lease.binding, lease.reader)
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
