/// The messages to be delivered for users.
///
/// An item is durable when its addition returns.
///
/// Items belong to a user, not to a session. An item's status changes from `queued` to `sending`, then to `sent`,
/// `failed` or back to `queued`. A `failed` item can become `queued` again. Only one caller can claim an item.
///
/// A claim lasts until ``finish(_:of:_:)``, or until the daemon that has the claim has died. The next start queues the item
/// again. In a store of several daemons, the end of the dead daemon's lease does. A daemon whose claim has ended cannot
/// count an attempt of the item or finish it.
///
/// The last ``OutboxItem/sentLimit`` sent items of a user are kept. ``StoreBounds`` has the number and the bytes of the
/// others. The cost of an operation does not grow with the number of items that it leaves alone.
///
/// Isolation: used from anywhere. Operations on the items of one user take effect one after the other.
package protocol Outbox: Sendable {
    /// Appends an item to the queue, or returns the bound that it exceeds.
    ///
    /// - Parameters:
    ///   - text: the text of the item.
    ///   - id: the id, by which a repeated addition finds the item of the first one in the next ten minutes. After that the
    ///     item gets another id. Nil for a new id.
    ///   - uid: the user.
    /// - Returns: the item, or the bound.
    /// - Throws: ``StoreError`` if the store cannot be written.
    @discardableResult
    func add(_ text: String, id: String?, of uid: UInt32) async throws(StoreError) -> OutboxAddition

    /// Returns the number and the text bytes of all items of a user, sent ones included.
    func size(of uid: UInt32) async throws(StoreError) -> (items: Int, bytes: Int)

    /// Returns all items of a user, in the order of their additions.
    func items(of uid: UInt32) async throws(StoreError) -> [OutboxItem]

    /// Removes an item unless it is being sent.
    func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxRemoval

    /// Claims the oldest queued item, which becomes `sending`.
    ///
    /// Returns nil if no item is queued.
    ///
    /// No other caller gets a claimed item. The caller must call ``finish(_:of:_:)``, even after a cancellation.
    /// Otherwise only the end of this daemon queues the item again.
    func claim(of uid: UInt32) async throws(StoreError) -> OutboxItem?

    /// Claims one item, or returns nil if it is not queued.
    func claim(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem?

    /// Counts an attempt to deliver a claimed item; call it before the attempt.
    ///
    /// - Parameters:
    ///   - id: the id of the item.
    ///   - uid: the owner of the item.
    ///   - problem: the reason why the former attempt failed.
    /// - Returns: The item, or nil if this daemon has no claim of it.
    /// - Throws: ``StoreError`` if the store cannot be written.
    @discardableResult
    func countAttempt(_ id: String, of uid: UInt32, problem: String?) async throws(StoreError) -> OutboxItem?

    /// Records the outcome of a claimed item.
    ///
    /// Returns nil if this daemon has no claim of the item.
    @discardableResult
    func finish(_ id: String, of uid: UInt32, _ outcome: OutboxOutcome) async throws(StoreError) -> FinishedOutboxItem?

    /// Queues a failed item with 0 attempts, and returns it.
    ///
    /// Returns nil if the item has not failed.
    func retry(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem?

    /// Queues all failed items with 0 attempts, and returns them in no particular order.
    @discardableResult
    func retryAll(of uid: UInt32) async throws(StoreError) -> [OutboxItem]
}

/// The outcome of an addition to an outbox.
package enum OutboxAddition: Equatable, Sendable {
    /// The item is on disk.
    case added(OutboxItem)
    /// The user already has `limit` unsent items.
    case tooManyItems(limit: Int)
    /// The texts of the user's unsent items would have more than `limit` bytes.
    case tooManyBytes(limit: Int)
}

/// The outcome of a removal from an outbox.
package enum OutboxRemoval: Sendable {
    /// The item is removed.
    case removed
    /// The user has no item of this id.
    case unknown
    /// The item is being sent and stays.
    case sending
}

/// The outcome of a claimed item.
package enum OutboxOutcome: Equatable, Sendable {
    /// The backend accepted the item.
    case sent
    /// Delivery was given up, with the reason for people.
    case failed(problem: String)
    /// The item is queued again, for example until the next sign-in, with an optional reason for people.
    case queued(problem: String?)

    /// The status and the problem that the item gets.
    package var state: (status: OutboxItem.Status, problem: String?) {
        switch self {
        case .sent: (.sent, nil)
        case .failed(let problem): (.failed, problem)
        case .queued(let problem): (.queued, problem)
        }
    }
}

/// The result of ``Outbox/finish(_:of:_:)``.
package struct FinishedOutboxItem: Equatable, Sendable {
    /// The item in its new state.
    package let item: OutboxItem
    /// The ids of old sent items that were removed beyond ``OutboxItem/sentLimit``.
    package let forgotten: [String]

    /// Creates a result.
    package init(item: OutboxItem, forgotten: [String]) {
        self.item = item
        self.forgotten = forgotten
    }
}

extension Outbox {
    /// The time in which a repeated addition finds the item of the first one.
    package static var repetitionTime: Duration { .seconds(600) }

    /// Appends an item with a new id to the queue, or returns the bound that it exceeds.
    @discardableResult
    package func add(_ text: String, of uid: UInt32) async throws(StoreError) -> OutboxAddition {
        try await add(text, id: nil, of: uid)
    }
}
