import Accounts
import ChatModel
import ViewModelKit

/// What the ViewModels of a session share: the rooms, what was read in them, and who types.
///
/// While the user is signed in, messages arrive and waiting ones are sent.
@SharedModel
final class Messenger {
    @State var rooms: Rows<Room> = []
    /// Whether messages arrive.
    @State private(set) var isOnline = false
    /// The numbers of the last messages that the user has read, by room.
    @State(.user) private var read: [String: Int] = [:]
    /// The others who type, with the timers that end it.
    @State private var typists: [Typist: SessionTimer] = [:]
    private var isSignedIn: Bool { account.isSignedIn }
    private var canSend: Bool {
        isOnline && outbox.messages.contains { $0.status == .queued || $0.status == .sending }
    }
    private let account: SessionAccount
    private let outbox: SessionOutbox
    private let server: any ChatServer
    private let clock: SessionClock

    init(account: SessionAccount, outbox: SessionOutbox, server: any ChatServer, clock: SessionClock) {
        self.account = account
        self.outbox = outbox
        self.server = server
        self.clock = clock
        run(while: \.isSignedIn) { try await $0.follow() }
        run(while: \.canSend) { try await $0.deliver() }
    }

    func typists(in room: String) -> [String] { typists.keys.filter { $0.room == room }.map(\.author).sorted() }

    func unread(in room: Room) -> Int { max(0, room.newest - read[room.id, default: 0]) }

    func markRead(_ id: Int, in room: String) {
        guard let newest = rooms[id: room]?.newest else { return }
        read[room] = min(max(id, read[room, default: 0]), newest)
    }

    func messages(in room: String, from first: Int, count: Int) async throws -> [Message] {
        try await request { try await server.messages(in: room, from: first, count: count, token: $0) }
    }

    func tellTyping(in room: String) async throws {
        try await request { try await server.tellTyping(in: room, token: $0) }
    }

    /// Receives changes, and connects again after an error.
    private func follow() async throws {
        defer {
            rooms.removeAll()
            isOnline = false
        }
        while true {
            do {
                try await receive()
            } catch is ChatFailure, is AccountError {
                try Task.checkCancellation()
                isOnline = false
                try await clock.sleep(for: .seconds(2))
            }
        }
    }

    /// Sends the messages that wait, as long as the server can be reached.
    ///
    /// Another session of the user may be sending them.
    private func deliver() async throws {
        while true {
            try await outbox.send(attempts: .max) { try await account.deliver($0) }
            try await clock.sleep(for: .seconds(2))
        }
    }

    /// Loads the rooms, then receives changes until a request fails.
    private func receive() async throws {
        var last = try await request { try await server.changes(after: nil, token: $0) }.next
        rooms.replaceAll(with: try await request { try await server.rooms(token: $0) })
        isOnline = true
        while true {
            let changes = try await request { [last] in try await server.changes(after: last, token: $0) }
            last = changes.next
            for message in changes.messages { receive(message) }
            for typist in changes.typists where typist.author != account.page?.account {
                typists[typist] = clock.timer(after: .seconds(5)) { [unowned self] in typists[typist] = nil }
            }
        }
    }

    private func receive(_ message: Message) {
        guard let newest = rooms[id: message.room]?.newest, newest < message.id else { return }
        rooms[id: message.room]?.newest = message.id
        typists[Typist(room: message.room, author: message.author)] = nil
        // Who writes has read what is above.
        if message.author == account.page?.account { markRead(message.id, in: message.room) }
    }

    /// Runs a request with the token of the user.
    private func request<Reply>(_ body: (_ token: String) async throws -> Reply) async throws -> Reply {
        try await account.withToken { token in
            do {
                return try await body(token.revealed)
            } catch ChatFailure.signedOut {
                // `withToken` tries again with a fresh token.
                throw AccountError(.signedOut, "Sign in again")
            }
        }
    }
}
