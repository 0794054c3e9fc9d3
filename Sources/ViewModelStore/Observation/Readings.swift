/// What the store holds now, then what it holds whenever that has changed.
///
/// Each iterator looks for itself. Changes that come faster than they are taken are one; what is equal to the last one taken is
/// left out. It ends when its task is cancelled.
public struct Readings<Element: Equatable & Sendable>: AsyncSequence, Sendable {
    /// Reading fails as the store does; the iterator may be asked again.
    public typealias Failure = StoreError

    let changes: Broadcast<UInt32, Void>
    let uid: UInt32
    let read: @Sendable () async throws(StoreError) -> Element

    /// Begins to look, before anything is read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: changes.messages(on: uid).makeAsyncIterator(), read: read)
    }

    /// One who looks.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: AsyncStream<Void>.Iterator
        let read: @Sendable () async throws(StoreError) -> Element
        var hasBegun = false
        var last: Element?

        /// The next one, as soon as there is another than the last one.
        public mutating func next() async throws(StoreError) -> Element? {
            try await next(isolation: #isolation)
        }

        /// The next one, as soon as there is another than the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> Element? {
            while true {
                if hasBegun {
                    guard await changes.next(isolation: actor) != nil else { return nil }
                }
                hasBegun = true
                let element = try await read()
                if element != last {
                    last = element
                    return element
                }
            }
        }
    }
}
