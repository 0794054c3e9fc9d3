public import ViewModelProtocol

/// The picture after a frame, and the changes of the frame.
public struct BindingUpdate: Equatable, Sendable {
    /// The picture after the frame.
    public var picture: Picture
    /// The changes and events of the frame.
    public var change: Picture.Change
    /// Whether the daemon sent the whole picture: for a new binding, and if it could not resume one.
    public var isFull: Bool
}

/// The updates of a binding, from ``ViewModelClient/bind(_:outputs:windows:minInterval:)``.
///
/// Each iterator is a separate binding.
public struct BindingUpdates: AsyncSequence, Sendable {
    /// A picture and its changes.
    public typealias Element = BindingUpdate

    let client: ViewModelClient
    let params: ViewModelBind.Params

    /// Returns an iterator.
    ///
    /// It binds at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(client: client, params: params)
    }

    /// An iterator over the updates of one binding.
    ///
    /// The binding ends with the iterator.
    public struct Iterator: AsyncIteratorProtocol {
        let client: ViewModelClient
        let params: ViewModelBind.Params
        private var lease: Lease?

        init(client: ViewModelClient, params: ViewModelBind.Params) {
            self.client = client
            self.params = params
        }

        /// Waits for the next update; returns nil after the instance was closed or another binding has replaced this
        /// one.
        ///
        /// - Returns: The update.
        /// - Throws: ``ClientError``, `CancellationError`.
        public mutating func next() async throws -> BindingUpdate? {
            try Task.checkCancellation()
            let lease: Lease
            if let own = self.lease {
                lease = own
            } else {
                lease = Lease(client: client, token: try await client.open(params))
                self.lease = lease
            }
            return try await client.next(lease.token)
        }
    }

    /// A reference that keeps a binding alive.
    ///
    /// Its deinitializer ends the binding.
    private final class Lease: Sendable {
        let client: ViewModelClient
        let token: Int

        init(client: ViewModelClient, token: Int) {
            self.client = client
            self.token = token
        }

        deinit { client.release(token) }
    }
}
