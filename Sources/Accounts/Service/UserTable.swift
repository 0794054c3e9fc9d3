import Synchronization

/// One object for each user who is present, and for each whose object still has work to do.
///
/// Isolation: used from anywhere.
package final class UserTable<User: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable {
        /// Nil once the user has gone.
        var kept: User?
        weak var user: User?
    }

    private let entries = Mutex<[UInt32: Entry]>([:])
    private let make: @Sendable (UInt32) -> User

    /// Creates an empty table with a short function that makes the object of a user.
    init(_ make: @escaping @Sendable (UInt32) -> User) {
        self.make = make
    }

    /// Returns the object of a user, which is made if necessary.
    package subscript(uid: UInt32) -> User {
        entries.withLock { entries in
            let user = entries[uid]?.user ?? make(uid)
            entries[uid] = Entry(kept: user, user: user)
            return user
        }
    }

    /// Returns the object of a user; nil if there is none.
    func present(_ uid: UInt32) -> User? { entries.withLock { $0[uid]?.user } }

    /// Lets the object of a user go, who is not present any more.
    ///
    /// - Returns: false while its work keeps the object. It is the one of the user until then.
    func forget(_ uid: UInt32) -> Bool {
        // What the lock returns is released here, outside of it.
        _ = entries.withLock { entries in
            defer { entries[uid]?.kept = nil }
            return entries[uid]?.kept
        }
        return entries.withLock { entries in
            guard entries[uid]?.user == nil else { return false }
            entries[uid] = nil
            return true
        }
    }
}
