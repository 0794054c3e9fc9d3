import NIOCore
import ViewModelHost

/// The bytes that one event loop holds for each user (`limits.bytesPerUser`).
///
/// They are unsent replies and frames, input that waits, outcomes of retry keys, and params, arguments and events that
/// sessions keep. All connections of a user are on one loop, and so are the sessions, except those that an administrator
/// has loaded.
///
/// Isolation: confined to the event loop.
final class UserBytes {
    private struct User {
        var held = 0
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    private let eventLoop: any EventLoop
    private let limits: () -> HostConfiguration.Limits
    private var users: [UInt32: User] = [:]
    /// The users of whom a task of the loop will close a connection.
    private var closing: Set<UInt32> = []

    /// A user who holds at most this many bytes is not checked, which saves reading the configuration.
    ///
    /// A smaller `limits.bytesPerUser` therefore acts like this value.
    private static let small = 1 << 20

    init(_ eventLoop: any EventLoop, limits: @escaping () -> HostConfiguration.Limits) {
        self.eventLoop = eventLoop
        self.limits = limits
    }

    func held(by uid: UInt32) -> Int { users[uid]?.held ?? 0 }

    /// Counts a change of the bytes that are held for a user, and closes the largest connections of a user above the limit.
    ///
    /// The connection has counted the bytes that it holds; it is nil if a session holds them.
    func count(_ change: Int, of uid: UInt32, by connection: Connection?) {
        var user = users.removeValue(forKey: uid) ?? User()
        user.held += change
        if let connection {
            user.connections[ObjectIdentifier(connection)] = connection.heldBytes > 0 ? connection : nil
        }
        guard user.held > 0 || !user.connections.isEmpty else { return }
        users[uid] = user
        if user.held > Self.small, user.held > limits().bytesPerUser { closeLargest(of: uid) }
    }

    /// Closes the user's connection that holds the most bytes, in a later task of the loop.
    private func closeLargest(of uid: UInt32) {
        guard closing.insert(uid).inserted else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            let users = bound.value
            users.closing.remove(uid)
            let limit = users.limits().bytesPerUser
            guard let user = users.users[uid], user.held > limit else { return }
            guard let largest = user.connections.values.max(by: { $0.heldBytes < $1.heldBytes }) else { return }
            largest.closeForBytes(held: user.held, limit: limit)
            if users.held(by: uid) > limit { users.closeLargest(of: uid) }
        }
    }
}
