import Testing
import ViewModelTesting

@Suite(.timeLimit(.minutes(2))) struct `The daemon for its clients` {
    @Test func `has the agreed contract`() async throws {
        try await TestChat.run { chat in
            try expectContract(of: chat.catalog, matches: "Fixtures/chat.json")
        }
    }
}
