import ChatModel
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A chat server over HTTP` {
    private let process: ChatServerProcess
    private let server: HTTPChatServer

    init() throws {
        process = try ChatServerProcess("--messages", "1000", "--wait", "0.2")
        server = HTTPChatServer(process.address)
    }

    @Test func `has rooms, and messages in parts`() async throws {
        let token = try await process.signIn("ada")
        let rooms = try await server.rooms(token: token)
        #expect(rooms.map(\.id) == ["town", "bread", "trains", "radios"])
        #expect(rooms[0] == Room(id: "town", name: "Town square", newest: 1000))
        let messages = try await server.messages(in: "town", from: 991, count: 20, token: token)
        #expect(messages.map(\.id) == Array(991...1000))
        let time = Date(timeIntervalSince1970: 1_700_059_940)
        #expect(messages[8] == Message(id: 999, room: "town", author: "Ada", text: "Thank you! (999)", time: time))
    }

    @Test func `waits for changes`() async throws {
        let ada = try await process.signIn("ada"), bob = try await process.signIn("bob")
        let start = try await server.changes(after: nil, token: ada).next
        let nothing = try await server.changes(after: start, token: ada)
        #expect(nothing.next == start && nothing.messages == [] && nothing.typists == [])

        try await server.tellTyping(in: "bread", token: bob)
        try await process.send("Rye?", to: "bread", token: bob)
        let changes = try await server.changes(after: start, token: ada)
        #expect(changes.typists == [Typist(room: "bread", author: "bob")])
        #expect(changes.messages.map(\.text) == ["Rye?"])
        #expect(changes.messages.map(\.id) == [11])
        #expect(try await server.changes(after: changes.next, token: ada).messages == [])
    }

    @Test func `fails as declared`() async throws {
        let token = try await process.signIn("ada")
        await #expect(throws: ChatFailure.signedOut) { try await server.rooms(token: "nobody") }
        await #expect(throws: ChatFailure.noRoom) { try await server.tellTyping(in: "attic", token: token) }
        try await process.fail("busy=1")
        await #expect(throws: ChatFailure.busy) { try await server.rooms(token: token) }
        #expect(try await server.rooms(token: token).count == 4)
    }

    @Test func `that does not run cannot be reached`() async throws {
        let nobody = HTTPChatServer("http://127.0.0.1:1")
        await #expect(throws: ChatFailure.unreachable) { try await nobody.rooms(token: "") }
    }
}
