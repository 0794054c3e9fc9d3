public import ViewModelKit

/// A user has as many messages that are not sent as there can be.
public struct OutboxFull: Error, Hashable, Sendable {
    /// How many there can be.
    public let limit: Int

    /// What the callers of an action get to know: `outboxFull`.
    public var failure: ActionFailure {
        ActionFailure("outboxFull", message: "\(limit) messages wait already: send or remove some of them first")
    }
}
