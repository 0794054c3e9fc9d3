package import ViewModelKit

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
/// The last ``OutboxMessage/sentLimit`` sent items of a user are kept. ``StoreBounds`` has the number and the bytes of the
/// others. The cost of an operation does not grow with the number of items that it leaves alone.
///
/// Isolation: used from anywhere. Operations on the items of one user take effect one after the other.
package protocol Outbox: Sendable {
    /// Appends an item to the queue, or returns the bound that it exceeds.
    ///
    /// By its id, a repeated addition finds the item of the first one in the next ten minutes. After that the item gets
    /// another id. Without an id it gets a new one.
    @discardableResult
    func add(_ text: String, id: String?, of uid: UInt32) async throws(StoreError) -> OutboxAddition

    /// Returns the number and the text bytes of all items of a user, sent ones included.
    func size(of uid: UInt32) async throws(StoreError) -> (items: Int, bytes: Int)

    /// Returns all items of a user, in the order of their additions.
    func items(of uid: UInt32) async throws(StoreError) -> [OutboxMessage]

    /// Removes an item unless it is being sent, and returns whether it is.
    func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> Bool

    /// Claims a queued item, or the oldest one if `id` is nil; it becomes `sending`.
    ///
    /// Returns nil if there is no such item.
    ///
    /// No other caller gets a claimed item. The caller must call ``finish(_:of:_:)``, even after a cancellation.
    /// Otherwise only the end of this daemon queues the item again.
    func claim(_ id: String?, of uid: UInt32) async throws(StoreError) -> OutboxMessage?

    /// Counts an attempt to deliver a claimed item, and stores why the former one failed; call it before the attempt.
    ///
    /// Returns nil if this daemon has no claim of the item.
    @discardableResult
    func countAttempt(_ id: String, of uid: UInt32, problem: String?) async throws(StoreError) -> OutboxMessage?

    /// Records the outcome of a claimed item.
    ///
    /// Returns nil if this daemon has no claim of the item.
    @discardableResult
    func finish(_ id: String, of uid: UInt32, _ outcome: OutboxOutcome) async throws(StoreError) -> FinishedMessage?

    /// Queues a failed item, or all of them if `id` is nil, with 0 attempts.
    ///
    /// Returns the items in no particular order.
    @discardableResult
    func retry(_ id: String?, of uid: UInt32) async throws(StoreError) -> [OutboxMessage]
}

/// The item that was added or found, or the bound that the user's unsent items would exceed.
package typealias OutboxAddition = Result<OutboxMessage, LimitExceeded>

/// A finished item, and the ids of old sent items that were removed beyond ``OutboxMessage/sentLimit``.
package typealias FinishedMessage = (item: OutboxMessage, forgotten: [String])

package enum OutboxOutcome: Equatable, Sendable {
    /// The backend accepted the item.
    case sent
    /// Delivery was given up, with the reason for people.
    case failed(problem: String)
    /// The item is queued again, for example until the next sign-in, with an optional reason for people.
    case queued(problem: String?)

    package var state: (status: OutboxMessage.Status, problem: String?) {
        switch self {
        case .sent: (.sent, nil)
        case .failed(let problem): (.failed, problem)
        case .queued(let problem): (.queued, problem)
        }
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
