import Logging
import ViewModelStore

/// Tells a provider which tokens of one user are needed no more, one after the other, beside everything else.
///
/// A provider that does not answer holds up neither the user nor other users: a user has one such request at a time.
/// Isolation: confined to its actor, except for the work itself.
final class Revocations {
    /// The tokens that wait; beyond it the oldest one is given up.
    static let limit = 16

    private let provider: any AccountProvider
    private var waiting: [VaultToken] = []
    /// Ends when no token waits; nil while there is nothing to do.
    private var work: Task<Void, Never>?
    private var isOver = false

    init(provider: any AccountProvider) {
        self.provider = provider
    }

    /// Revokes a token soon.
    ///
    /// - Parameter next: returns the next token that waits, on the owner's actor.
    /// - Returns: whether a token that waited had to be given up.
    func add(_ token: VaultToken, next: @escaping @Sendable () async -> VaultToken?) -> Bool {
        guard !isOver else { return true }
        let isFull = waiting.count == Self.limit
        if isFull { waiting.removeFirst() }
        waiting.append(token)
        if work == nil {
            let provider = provider
            work = Task {
                while let token = await next() { await provider.revoke(token) }
            }
        }
        return isFull
    }

    /// The next token that waits; nil at the end of the work.
    func next() -> VaultToken? {
        if waiting.isEmpty || isOver {
            work = nil
            return nil
        }
        return waiting.removeFirst()
    }

    /// What is under way; nil where there is nothing.
    var current: Task<Void, Never>? { work }

    /// Gives up what is under way and what waits; there is no more work afterwards.
    func end() {
        isOver = true
        work?.cancel()
    }
}
