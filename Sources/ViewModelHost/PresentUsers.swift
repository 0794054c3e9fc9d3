import Synchronization

/// The users whose data is in memory: those who have a connection or a session, and those who had one some minutes ago.
///
/// Isolation: used from anywhere.
package final class PresentUsers: Sendable {
    private struct User {
        /// The number of connections, sessions and attaches.
        var holders = 0
        /// Whether the data that the first session shows is in memory.
        var isPrepared = false
        /// The number of the sweep before which the last holder has left.
        var sweep = 0
    }

    private let state = Mutex((users: [UInt32: User](), sweep: 0))

    /// Keeps the data of a user in memory until ``leave(_:)``, and returns whether the user is prepared.
    @discardableResult
    package func enter(_ uid: UInt32) -> Bool {
        state.withLock { state in
            state.users[uid, default: User()].holders += 1
            return state.users[uid]?.isPrepared ?? false
        }
    }

    /// Ends what ``enter(_:)`` has begun.
    package func leave(_ uid: UInt32) {
        state.withLock { state in
            state.users[uid]?.holders -= 1
            state.users[uid]?.sweep = state.sweep + 1
        }
    }

    /// Records that a user who has entered is prepared.
    package func prepared(_ uid: UInt32) {
        state.withLock { $0.users[uid]?.isPrepared = true }
    }

    /// Forgets the users who have left before the last sweep.
    ///
    /// - Parameter forget: removes the data of a user from memory, and returns whether all is removed. It is called while no
    ///   user can enter, so it must be short.
    /// - Returns: the number of forgotten users.
    @discardableResult
    package func sweep(_ forget: (_ uid: UInt32) -> Bool) -> Int {
        let gone = state.withLock { state in
            defer { state.sweep += 1 }
            return state.users.filter { $0.value.holders == 0 && $0.value.sweep <= state.sweep }.map(\.key)
        }
        return gone.count { uid in
            state.withLock { state in
                guard state.users[uid]?.holders == 0 else { return false }
                state.users[uid]?.isPrepared = false
                guard forget(uid) else { return false }
                state.users[uid] = nil
                return true
            }
        }
    }

    /// The number of users whose data is in memory.
    package var count: Int { state.withLock { $0.users.count } }
}
