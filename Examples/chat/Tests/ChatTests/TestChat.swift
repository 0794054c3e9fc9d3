import Accounts
import AccountsTesting
import ChatModel
import Foundation
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Chat

/// A server whose calls the test ends.
struct StubServer: ChatServer {
    struct Page: Equatable {
        let room: String
        let first: Int
        let count: Int
    }

    /// The requests for all rooms.
    let lists = TypedEffect<Void, [Room], ChatFailure>(whenCancelled: .unreachable)
    /// The requests for messages.
    let pages = TypedEffect<Page, [Message], ChatFailure>(whenCancelled: .unreachable)
    /// The rooms in which the user was reported to type.
    let notices = TypedEffect<String, Void, ChatFailure>(whenCancelled: .unreachable)
    /// The requests for changes, with the number of the last one.
    let polls = TypedEffect<Int?, Changes, ChatFailure>(whenCancelled: .unreachable)

    func rooms(token: String) async throws(ChatFailure) -> [Room] { try await lists() }
    func messages(in room: String, from first: Int, count: Int, token: String) async throws(ChatFailure) -> [Message] {
        try await pages(Page(room: room, first: first, count: count))
    }
    func tellTyping(in room: String, token: String) async throws(ChatFailure) { try await notices(room) }
    func changes(after number: Int?, token: String) async throws(ChatFailure) -> Changes { try await polls(number) }
}

/// Shows all of the outbox, of which clients of the daemon see a part.
@ViewModel
final class WholeOutbox {
    @Output var messages: Rows<OutboxMessage> { outbox.messages }
    private let outbox: SessionOutbox
}

/// A daemon with a stub of the server, whose user is Ada.
struct TestChat {
    let accounts: TestAccounts
    let server: StubServer
    let catalog: ViewModelCatalog
    let session: SessionHarness

    /// Runs a test.
    static func run(_ body: (TestChat) async throws -> Void) async throws {
        try await TestAccounts.run { accounts in
            accounts.add(AccountPage(account: "ada", nickname: "Ada"), password: "open sesame")
            let server = StubServer()
            var catalog = ViewModelCatalog()
            catalog.provide(server)
            catalog.provide(accounts.accounts)
            try catalog.host(Door.self, Lobby.self, Conversation.self)
            var observed = catalog
            try observed.host(WholeOutbox.self)
            let session = SessionHarness(observed, savesSessions: true)
            try await body(TestChat(accounts: accounts, server: server, catalog: catalog, session: session))
        }
    }

    /// Returns the lobby, in which Ada is signed in and these rooms are loaded.
    func lobby(_ rooms: Room...) async throws -> Harness<Lobby> {
        let door = try session.open(Door.self)
        let call = try door.start(\.$signIn, .init(name: "ada", password: "open sesame"))
        #expect(try await call.answered() == .result(.null))
        let lobby = try door.open(Lobby.self)
        try await begin(rooms)
        return lobby
    }

    /// Lets the lobby load the rooms.
    func begin(_ rooms: [Room]) async throws {
        try await session.wait { server.polls.waiting.map(\.input) == [nil] }
        server.polls.complete(with: Changes(next: 0))
        try await session.wait { !server.lists.waiting.isEmpty }
        server.lists.complete(with: rooms)
        try await session.wait { server.polls.waiting.map(\.input) == [0] }
    }

    /// Answers the request for changes, and waits for the next one.
    func change(_ messages: [Message] = [], typists: [Typist] = []) async throws {
        let last = server.polls.calls.count
        server.polls.complete(with: Changes(next: last, messages: messages, typists: typists))
        try await session.wait { server.polls.waiting.map(\.input) == [last] }
    }

    /// Answers the requests for messages that wait and those that follow at once, and returns them.
    @discardableResult
    func load() -> [StubServer.Page] {
        var pages: [StubServer.Page] = []
        while let call = server.pages.waiting.first {
            pages.append(call.input)
            let numbers = call.input.first..<call.input.first + call.input.count
            call.complete(with: numbers.map { .numbered($0, in: call.input.room) })
            session.runUntilIdle()
        }
        return pages
    }

    /// Opens the room `town`, of which nothing is bound.
    func openTown(_ client: TestClient) throws {
        try client.request("viewModel.open", ["type": "conversation", "id": "town", "arguments": ["room": "town"]])
    }
}

extension Room {
    static func town(_ newest: Int) -> Room { Room(id: "town", name: "Town square", newest: newest) }
    static func bread(_ newest: Int) -> Room { Room(id: "bread", name: "Bread and cake", newest: newest) }
}

extension Message {
    static func numbered(_ id: Int, in room: String = "town", author: String = "bob") -> Message {
        let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(id) * 60)
        return Message(id: id, room: room, author: author, text: "Message \(id)", time: time)
    }
}
