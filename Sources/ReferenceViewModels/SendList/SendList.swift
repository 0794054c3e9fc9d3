import Accounts
import ViewModelKit

/// A list of messages that are kept until the backend has accepted them.
@ViewModel
final class SendList {
    struct Inputs {
        /// The text that is being typed, at most 65,536 bytes.
        let draft = Input<String>()
        /// Removes the item with this id, unless it is being sent.
        let remove = Input<String>()
    }
    struct Outputs {
        /// The current draft.
        let draft: Output<String>
        /// The added messages, oldest first.
        let items: ListOutput<OutboxMessage>
    }
    struct Actions {
        /// Adds the draft to the items and stores it on disk before the reply.
        ///
        /// Enabled while the draft is not blank. Refused beyond `limits.outboxItemsPerUser` and `limits.outboxBytesPerUser`; sent items do not count.
        let add: Action<Void, Added>
        /// Sends the queued and the failed items.
        ///
        /// Enabled while there are some and a user is signed in.
        let send: Action<Void, Sent>
        /// Sends one failed item.
        let retry: Action<ItemID, Retried>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(account: SessionAccount, outbox: SessionOutbox, coordinator: Coordinator, clock: SessionClock) {
        let draft = Cell("", restoring: "draft")
        inputs.draft.check { try SessionOutbox.checkLength(of: $0) }
        inputs.draft.assign(to: draft)
        inputs.remove.check { try outbox.checkRemoval(of: $0) }
        inputs.remove.sink { outbox.remove($0) }
        outputs = Outputs(draft: Output(draft), items: ListOutput(outbox.messages))
        let sender = Sender(account: account, outbox: outbox, clock: clock)
        let isSignedIn = account.isSignedIn
        actions = Actions(
            add: Action(enabled: draft.map { !$0.allSatisfy(\.isWhitespace) }) {
                let text = draft.untracked
                let message = try await outbox.add(text)
                if draft.untracked == text { draft.value = "" }
                return Added(id: message.id)
            },
            send: Action(
                enabled: Derived { isSignedIn.value && outbox.hasUnsent.value }
            ) { (_: Void, execution: Execution) in
                let result = try await sender.sendAll(execution)
                if result.failed == 0 {
                    coordinator.present("sent", arguments: .object(["count": .integer(result.sent)]))
                }
                return result
            },
            retry: Action { try await sender.retry($0) }
        )
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

    /// The parameter of `retry`.
    @Schemable
    struct ItemID {
        /// The id of a failed item.
        let id: String
    }

    /// The result of `retry`.
    @Schemable
    struct Retried {
        /// The item's status after the attempt.
        let status: OutboxMessage.Status
    }
}
