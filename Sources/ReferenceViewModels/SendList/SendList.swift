import Accounts
import ViewModelKit

/// A list of messages that are kept until the backend has accepted them.
@ViewModel
final class SendList {
    /// The draft: the text that is being typed, at most 65,536 bytes.
    @Field(.session, check: SessionOutbox.checkLength(of:)) var draft = ""
    /// The added messages, oldest first.
    @Output var items: Rows<OutboxMessage> { outbox.messages }

    private let account: SessionAccount
    private let outbox: SessionOutbox
    private let coordinator: Coordinator
    private var canAdd: Bool { !draft.allSatisfy(\.isWhitespace) }
    private var canSend: Bool { account.isSignedIn && outbox.hasUnsent }

    init(account: SessionAccount, outbox: SessionOutbox, coordinator: Coordinator) {
        self.account = account
        self.outbox = outbox
        self.coordinator = coordinator
    }

    /// Removes the item with this id, unless it is being sent.
    @Input func remove(_ id: String) throws { try outbox.remove(id) }

    /// Adds the draft to the items and stores it on disk before the reply.
    ///
    /// Enabled while the draft is not blank. Refused beyond `limits.outboxItemsPerUser` and
    /// `limits.outboxBytesPerUser`; sent items do not count.
    @Action(enabled: \SendList.canAdd)
    func add(_ execution: Execution) async throws -> Added {
        let text = draft
        let message = try await outbox.add(text, retryKey: execution.retryKey)
        if draft == text { draft = "" }
        return Added(id: message.id)
    }

    /// Sends the queued and the failed items.
    ///
    /// Enabled while there are some and a user is signed in.
    @Action(enabled: \SendList.canSend)
    @Throws(SendFailure.self)
    func send(_ execution: Execution) async throws -> Sent {
        let result = try await outbox.send(execution, retryingFailed: true) { try await account.deliver($0) }
        if result.failed == 0 {
            coordinator.present("sent", arguments: .object(["count": .integer(result.sent)]))
        }
        return Sent(sent: result.sent, failed: result.failed)
    }

    /// Sends one failed item.
    ///
    /// While the user is signed out, the item is only queued.
    @Action
    @Throws(SendFailure.self)
    func retry(id: String) async throws -> Retried {
        guard account.isSignedIn else {
            try await outbox.retry(id)
            return Retried(status: .queued)
        }
        return Retried(status: try await outbox.retry(id) { try await account.deliver($0) })
    }
}

extension SendList {
    /// The result of `add`.
    @Schemable
    struct Added {
        /// The new item's id.
        let id: String
    }

    /// The result of `send`.
    @Schemable
    struct Sent {
        /// The number of items that the backend accepted.
        var sent = 0
        /// The number of items that failed.
        var failed = 0
    }

    /// The result of `retry`.
    @Schemable
    struct Retried {
        /// The item's status after the attempt.
        let status: OutboxMessage.Status
    }
}
