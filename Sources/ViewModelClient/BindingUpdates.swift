import ViewModelProtocol

/// The updates of a binding, as ``ViewModelClient/bind(_:outputs:windows:minInterval:)`` returns them.
///
/// Each iterator is a binding of its own.
public struct BindingUpdates: AsyncSequence, Sendable {
    /// A picture and what changed in it.
    public typealias Element = BindingUpdate

    let client: ViewModelClient
    let params: ViewModelBind.Params

    /// Makes an iterator; it binds when its first element is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(client: client, params: params)
    }

    /// Reads the updates of one binding, which ends with the iterator.
    public struct Iterator: AsyncIteratorProtocol {
        let client: ViewModelClient
        let params: ViewModelBind.Params
        private var lease: Lease?

        init(client: ViewModelClient, params: ViewModelBind.Params) {
            self.client = client
            self.params = params
        }

        /// Waits for the next update; nil when the instance was closed or another binding took this one's place.
        ///
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

    /// Keeps a binding alive as long as somebody holds its iterator.
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
