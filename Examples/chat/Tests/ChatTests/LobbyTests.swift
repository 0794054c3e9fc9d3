import AccountsTesting
import ChatModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Chat

@Suite(.timeLimit(.minutes(2))) struct `The lobby` {
    private func rows(_ lobby: Harness<Lobby>) throws -> [String] {
        try lobby.read(\.outputs.rooms).map { "\($0.name) \($0.unread)" }
    }

    @Test func `counts what was not read, also after a restart`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(3), .bread(2))
            #expect(try rows(lobby) == ["Bread and cake 2", "Town square 3"])
            let town = try lobby.open(Conversation.self, id: "town", arguments: ["room": "town"])
            try town.send(\.inputs.markRead, 2)
            #expect(try lobby.read(\.outputs.unread) == 3)
            // Neither less nor more than there is.
            try town.send(\.inputs.markRead, 1)
            #expect(try lobby.read(\.outputs.unread) == 3)
            try town.send(\.inputs.markRead, 99)
            #expect(try rows(lobby) == ["Bread and cake 2", "Town square 0"])

            try await chat.change([.numbered(4), .numbered(5)])
            #expect(try rows(lobby) == ["Bread and cake 2", "Town square 2"])
            try await chat.change([.numbered(6, author: "ada")])
            #expect(try rows(lobby) == ["Bread and cake 2", "Town square 0"])

            chat.session.advance(by: .seconds(1))
            chat.session.restart()
            let next = try chat.session.open(Lobby.self)
            try await chat.begin([.town(7), .bread(2)])
            #expect(try rows(next) == ["Bread and cake 2", "Town square 1"])
        }
    }

    @Test func `is searched`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(1), .bread(1))
            try lobby.exhaustively {
                try lobby.send(\.inputs.search, "BREAD")
                #expect(try rows(lobby) == ["Bread and cake 1"])
                #expect(try lobby.read(\.outputs.search) == "BREAD")
            }
            try lobby.send(\.inputs.search, "")
            #expect(try rows(lobby).count == 2)
        }
    }

    @Test func `connects again two seconds after an error`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(1))
            chat.server.polls.fail(with: .unreachable)
            try await lobby.wait { try !lobby.read(\.outputs.isOnline) }
            #expect(try rows(lobby) == ["Town square 1"])
            lobby.advance(by: .milliseconds(1999))
            #expect(chat.server.polls.waiting.isEmpty)
            lobby.advance(by: .milliseconds(1))
            try await chat.begin([.town(4)])
            #expect(try lobby.read(\.outputs.isOnline))
            #expect(try rows(lobby) == ["Town square 4"])
        }
    }

    @Test func `is empty when nobody is signed in`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(1))
            let door = try lobby.open(Door.self)
            #expect(try door.read(\.outputs.user) == "Ada")
            _ = try await door.start(\.$signOut).answered()
            try await lobby.wait { try !lobby.read(\.outputs.isOnline) }
            #expect(try rows(lobby) == [])
            #expect(try door.read(\.outputs.user) == nil)
            #expect(try door.isEnabled(\.$signIn) && !door.isEnabled(\.$signOut))
            #expect(chat.server.polls.waiting.isEmpty)
        }
    }

    @Test func `signs the user out when the server forgets him`() async throws {
        try await TestChat.run { chat in
            let lobby = try await chat.lobby(.town(1))
            chat.accounts.revokeTokens()
            chat.server.polls.fail(with: .signedOut)
            let door = try lobby.open(Door.self)
            try await door.wait { try door.read(\.outputs.user) == nil }
            try await lobby.wait { try rows(lobby) == [] }
        }
    }

    @Test func `opens for the right password only`() async throws {
        try await TestChat.run { chat in
            let door = try chat.session.open(Door.self)
            let call = try door.start(\.$signIn, .init(name: "ada", password: "open barley"))
            #expect(try await call.answered() == .failure(TestAccounts.wrongPassword.failure))
            #expect(try door.isEnabled(\.$signIn))
        }
    }
}
