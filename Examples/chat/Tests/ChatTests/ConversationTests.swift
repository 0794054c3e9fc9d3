import Accounts
import ChatModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Chat

@Suite(.timeLimit(.minutes(2))) struct `A conversation` {
    private func open(_ chat: TestChat) throws -> Harness<Conversation> {
        try chat.session.open(Conversation.self, id: "town", arguments: ["room": "town"])
    }

    private func unsent(_ town: Harness<Conversation>) throws -> [String] {
        try town.read(\.outputs.unsent).map { "\($0.text): \($0.problem ?? "waits")" }
    }

    @Test func `of 100,000 messages loads those that clients see`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(100_000))
            let phone = lobby.client, desk = try chat.session.connect()
            try chat.openTown(phone)
            try phone.bind("town", outputs: ["timeline"], windows: ["timeline": Window(offset: 99_990, limit: 10)])
            try await chat.session.wait { !chat.server.pages.waiting.isEmpty }
            #expect(phone.picture(of: "town")?["timeline"]?["count"] == 100_000)
            #expect(phone.picture(of: "town")?["timeline"]?["rows"]?[0]?["text"] == .null)
            #expect(chat.load() == [StubServer.Page(room: "town", first: 99_991, count: 10)])
            #expect(phone.picture(of: "town")?["timeline"]?["rows"]?[9]?["text"] == "Message 100000")

            // A new message is in the window of a client that asks for one more.
            try phone.bind("town", outputs: ["timeline"], windows: ["timeline": Window(offset: 99_990, limit: 11)])
            try await chat.change([.numbered(100_001)])
            try await chat.session.wait { !chat.server.pages.waiting.isEmpty }
            #expect(chat.load() == [StubServer.Page(room: "town", first: 100_001, count: 1)])

            // More than a page is loaded in parts, and what is loaded is not requested again.
            try desk.bind("town", outputs: ["timeline"], windows: ["timeline": Window(offset: 0, limit: 250)])
            try await chat.session.wait { !chat.server.pages.waiting.isEmpty }
            var pages = chat.load()
            try await chat.session.wait { pages.count == 2 || !chat.server.pages.waiting.isEmpty }
            pages += chat.load()
            #expect(pages.map(\.first) == [1, 201])
            #expect(desk.picture(of: "town")?["timeline"]?["rows"]?[249]?["author"] == "bob")
            let town = try phone.viewModel("town", as: Conversation.self)
            #expect(town.timeline.count { $0.text != nil } == 261)
        }
    }

    @Test func `loads again after failures that may pass, and when the server is back`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(1))
            let town = try open(chat)
            for _ in 1...3 {
                try await town.wait { !chat.server.pages.waiting.isEmpty }
                chat.server.pages.fail(with: .busy)
                chat.session.runUntilIdle()
                #expect(chat.server.pages.waiting.isEmpty)
                town.advance(by: .seconds(1))
            }
            #expect(chat.server.pages.calls.count == 3)
            chat.server.polls.fail(with: .unreachable)
            try await lobby.wait { try !lobby.read(\.outputs.isOnline) }
            lobby.advance(by: .seconds(2))
            try await chat.begin([.town(1)])
            try await town.wait { !chat.server.pages.waiting.isEmpty }
            chat.load()
            #expect(try town.read(\.outputs.timeline).map(\.text) == ["Message 1"])
        }
    }

    @Test func `has a draft for each room, which survives and which all sessions show`() async throws {
        try await TestChat.run { chat in
            let town = try open(chat)
            try town.send(\.inputs.draft, "Hello")
            let bread = try town.open(Conversation.self, id: "bread", arguments: ["room": "bread"])
            #expect(try bread.read(\.outputs.draft) == "")
            try bread.send(\.inputs.draft, "Rye?")

            let kitchen = try chat.session.connect(to: "kitchen")
            try chat.openTown(kitchen)
            #expect(try kitchen.read("town")["draft"] == "Hello")

            chat.session.advance(by: .seconds(1))
            chat.session.restart()
            #expect(try open(chat).read(\.outputs.draft) == "Hello")
            let again = try chat.session.open(Conversation.self, id: "bread", arguments: ["room": "bread"])
            #expect(try again.read(\.outputs.draft) == "Rye?")
        }
    }

    @Test func `keeps a message while the server is away`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(0))
            let town = try open(chat)
            #expect(try !town.isEnabled(\.$send))
            chat.server.polls.fail(with: .unreachable)
            try await lobby.wait { try !lobby.read(\.outputs.isOnline) }
            try town.send(\.inputs.draft, "Hello")
            _ = try await town.start(\.$send).answered()
            #expect(try town.read(\.outputs.draft) == "")
            lobby.advance(by: .seconds(2))
            try await lobby.wait { !chat.server.polls.waiting.isEmpty }
            #expect(try unsent(town) == ["Hello: waits"])
            #expect(chat.accounts.delivered.isEmpty)

            try await chat.begin([.town(0)])
            try await town.wait { try unsent(town) == [] }
            #expect(chat.accounts.delivered.count == 1)
            #expect(chat.accounts.delivered.first?.contains("Hello") == true)
        }
    }

    @Test func `keeps a message whose delivery was interrupted`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(0))
            let town = try open(chat), outbox = try chat.session.open(WholeOutbox.self)
            chat.accounts.fail(with: AccountError(.unreachable, "No network"))
            try town.send(\.inputs.draft, "Hello")
            _ = try await town.start(\.$send).answered()
            try await outbox.wait { try outbox.read(\.outputs.messages).first?.problem == "No network" }
            #expect(try outbox.read(\.outputs.messages).map(\.status) == [.sending])
            chat.server.polls.fail(with: .unreachable)
            try await outbox.wait { try outbox.read(\.outputs.messages).map(\.status) == [.queued] }
            #expect(try unsent(town) == ["Hello: waits"])

            chat.accounts.fail(with: nil)
            lobby.advance(by: .seconds(2))
            try await chat.begin([.town(0)])
            try await town.wait { try unsent(town) == [] }
            #expect(chat.accounts.delivered.count == 1)
        }
    }

    @Test func `shows why the server refused a message, which is sent again or discarded`() async throws {
        try await TestChat.run { chat in
            _ = try await chat.lobby(.town(0))
            let town = try open(chat)
            chat.accounts.fail(with: AccountError(.rejected, "Too long"))
            for text in ["One", "Two"] {
                try town.send(\.inputs.draft, text)
                _ = try await town.start(\.$send).answered()
                try await town.wait { try unsent(town).last == "\(text): Too long" }
            }
            chat.accounts.fail(with: nil)
            let ids = try town.read(\.outputs.unsent).map(\.id)
            try town.send(\.inputs.discard, ids[0])
            _ = try await town.start(\.$retry, .init(id: ids[1])).answered()
            try await town.wait { try unsent(town) == [] }
            #expect(chat.accounts.delivered.count == 1)
            #expect(throws: InvalidValue.self) { try town.send(\.inputs.discard, ids[0]) }
        }
    }

    @Test func `says who types, until they write or have stopped for five seconds`() async throws {
        try await TestChat.run { chat in
            _ = try await chat.lobby(.town(0))
            let town = try open(chat)
            let bob = Typist(room: "town", author: "bob")
            try await chat.change(typists: [
                bob, Typist(room: "town", author: "ada"), Typist(room: "bread", author: "cleo"),
            ])
            #expect(try town.read(\.outputs.typing) == "bob types …")
            try await chat.change(typists: [Typist(room: "town", author: "cleo")])
            #expect(try town.read(\.outputs.typing) == "bob and cleo type …")
            try await chat.change([.numbered(1, author: "cleo")])
            #expect(try town.read(\.outputs.typing) == "bob types …")

            town.advance(by: .seconds(4))
            try await chat.change(typists: [bob])
            town.advance(by: .milliseconds(4999))
            #expect(try town.read(\.outputs.typing) == "bob types …")
            town.advance(by: .milliseconds(1))
            #expect(try town.read(\.outputs.typing) == nil)
            #expect(town.frames { town.advance(by: .seconds(60)) }.isEmpty)
        }
    }

    @Test func `tells the others that the user types, every three seconds at most`() async throws {
        try await TestChat.run { chat in
            _ = try await chat.lobby(.town(0))
            let town = try open(chat)
            try town.send(\.inputs.draft, "H")
            try await town.wait { chat.server.notices.waiting.map(\.input) == ["town"] }
            chat.server.notices.complete()
            try town.send(\.inputs.draft, "Hi")
            town.advance(by: .milliseconds(2999))
            #expect(chat.server.notices.calls.count == 1)
            town.advance(by: .milliseconds(1))
            try await town.wait { chat.server.notices.waiting.count == 1 }
        }
    }

    @Test func `is not opened for a room whose id is no id`() async throws {
        try await TestChat.run { chat in
            let client = try chat.session.connect()
            #expect(throws: ProtocolError.self) {
                try client.request("viewModel.open", ["type": "conversation", "arguments": ["room": "../login"]])
            }
        }
    }
}
