import Accounts
import ViewModelKit

/// Messages that are kept until the backend has taken them.
@ViewModel
final class SendList {
    struct Inputs {
        /// What is being typed, at most 65,536 bytes.
        let draft = Input<String>()
        /// Removes the item of this id, unless it is being sent.
        let remove = Input<String>()
    }
    struct Outputs {
        /// What was typed last.
        let draft: Output<String>
        /// What was added, the oldest first.
        let items: ListOutput<OutboxMessage>
    }
    struct Actions {
        /// Adds the draft to the items; it is on disk when the reply comes.
        ///
        /// Refused beyond `limits.outboxItemsPerUser` and `limits.outboxBytesPerUser`, sent items not counted.
        let add: Action<Void, Added>
        /// Sends what is queued or has failed.
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
