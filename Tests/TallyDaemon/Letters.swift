import Accounts
import ViewModelKit

/// Letters that are on disk until the server has them.
@ViewModel
final class Letters {
    @Output var letters: Rows<OutboxMessage> { outbox.messages }

    private var canSend: Bool { account.isSignedIn }
    private let account: SessionAccount
    private let outbox: SessionOutbox

    init(account: SessionAccount, outbox: SessionOutbox) {
        self.account = account
        self.outbox = outbox
    }

    /// Writes a letter, which is on disk before the reply, and begins to deliver it.
    @Action(.queued)
    func write(_ text: String) async throws -> String {
        let letter = try await outbox.add(text)
        $send.run()
        return letter.id
    }

    @Action(.shared, enabled: \Letters.canSend, runs: .atOpen)
    @Throws(AccountError.self)
    func send() async throws -> OutboxDelivery { try await outbox.send { try await account.deliver($0) } }
}
