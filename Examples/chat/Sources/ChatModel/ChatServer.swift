public import Foundation
public import ViewModelKit

/// A server that has rooms with messages.
public protocol ChatServer: Sendable {
    /// Returns all rooms.
    func rooms(token: String) async throws(ChatFailure) -> [Room]

    /// Returns up to `count` messages of a room, from the message with this number on.
    func messages(in room: String, from first: Int, count: Int, token: String) async throws(ChatFailure) -> [Message]

    /// Tells the others that the account types in a room.
    func tellTyping(in room: String, token: String) async throws(ChatFailure)

    /// Waits for changes after a number, which an earlier call has returned as `next`.
    ///
    /// Without a number it returns only the present one. Without a change it returns after some seconds.
    func changes(after number: Int?, token: String) async throws(ChatFailure) -> Changes
}

/// A room in which people write.
public struct Room: Identifiable, Equatable, Codable, Sendable {
    /// The name in addresses.
    public let id: String
    /// The name for people.
    public let name: String
    /// The number of the newest message; the first one has the number 1.
    public var newest: Int

    /// Creates a room.
    public init(id: String, name: String, newest: Int) {
        self.id = id
        self.name = name
        self.newest = newest
    }
}

/// A message in a room.
public struct Message: Identifiable, Equatable, Codable, Sendable {
    /// The number in its room.
    public let id: Int
    /// The room.
    public let room: String
    /// The account that has written it.
    public let author: String
    /// What was written.
    public let text: String
    /// The time at which the server got it.
    public let time: Date

    /// Creates a message.
    public init(id: Int, room: String, author: String, text: String, time: Date) {
        self.id = id
        self.room = room
        self.author = author
        self.text = text
        self.time = time
    }
}

/// Somebody who types in a room.
public struct Typist: Hashable, Codable, Sendable {
    /// The room.
    public let room: String
    /// The account.
    public let author: String

    /// Creates a notice.
    public init(room: String, author: String) {
        self.room = room
        self.author = author
    }
}

/// What has happened in all rooms.
public struct Changes: Codable, Sendable {
    /// The number of the last change.
    public let next: Int
    /// The new messages, oldest first.
    public let messages: [Message]
    /// Who has typed.
    public let typists: [Typist]

    /// Creates changes.
    public init(next: Int, messages: [Message] = [], typists: [Typist] = []) {
        self.next = next
        self.messages = messages
        self.typists = typists
    }
}

/// A text for a room, as the outbox keeps it.
@Schemable
public struct Letter: Sendable {
    /// The room.
    public let room: String
    /// The text.
    public let text: String

    /// Creates a letter.
    public init(room: String, text: String) {
        self.room = room
        self.text = text
    }
}

/// Why the server did not answer.
@Failure
public enum ChatFailure {
    /// The server cannot be reached.
    @Retryable case unreachable
    /// The server has too much to do.
    @Retryable case busy
    /// Nobody is signed in any more.
    case signedOut
    /// There is no such room.
    case noRoom
    /// The server's reply makes no sense.
    case confused(status: Int)
}
