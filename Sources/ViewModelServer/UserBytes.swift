import NIOCore
import ViewModelHost

/// The bytes that one event loop holds for each user (`limits.bytesPerUser`): unsent replies and frames, input that
/// waits, remembered outcomes of retry keys.
///
/// All connections of a user are on one loop, and so are the user's sessions. Isolation: confined to the event loop.
final class UserBytes {
    private struct User {
        var held = 0
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    private let eventLoop: any EventLoop
    private let limits: () -> HostConfiguration.Limits
    private var users: [UInt32: User] = [:]
    private var isClosing = false

    /// Below this no limit is looked up.
    private static let small = 1 << 20

    init(_ eventLoop: any EventLoop, limits: @escaping () -> HostConfiguration.Limits) {
        self.eventLoop = eventLoop
        self.limits = limits
    }

    /// The bytes that are held for a user.
    func held(by uid: UInt32) -> Int { users[uid]?.held ?? 0 }

    /// Counts a change of what is held for a user.
    ///
    /// - Parameter connection: the connection that holds it; nil where a session does.
    func count(_ change: Int, of uid: UInt32, by connection: Connection?) {
        var user = users.removeValue(forKey: uid) ?? User()
        user.held += change
        if let connection {
            let held = connection.heldBytes + change
            user.connections[ObjectIdentifier(connection)] = held > 0 ? connection : nil
        }
        guard user.held > 0 || !user.connections.isEmpty else { return }
        users[uid] = user
        if user.held > Self.small, user.held > limits().bytesPerUser { closeLargest(of: uid) }
    }

    /// Closes the connection of a user that holds the most, after what is being done now.
    private func closeLargest(of uid: UInt32) {
        guard !isClosing else { return }
        isClosing = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            let users = bound.value
            users.isClosing = false
            let limit = users.limits().bytesPerUser
            guard let user = users.users[uid], user.held > limit else { return }
            guard let largest = user.connections.values.max(by: { $0.heldBytes < $1.heldBytes }) else { return }
            largest.closeForBytes(held: user.held, limit: limit)
            if users.held(by: uid) > limit { users.closeLargest(of: uid) }
        }
    }
}
