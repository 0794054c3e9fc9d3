import DequeModule
import Synchronization

/// A queue that serves users round-robin.
///
/// The elements of one user leave it in the order in which they came. Between two of them, each other waiting user gets
/// one element.
///
/// Isolation: used from anywhere.
package final class FairQueue<Element: Sendable>: Sendable {
    private struct State {
        /// The users with waiting elements, in the order of their turns.
        var users: Deque<UInt32> = []
        var elements: [UInt32: Deque<Element>] = [:]
        var isServed = false
    }

    private let state = Mutex(State())
    private let serve: @Sendable (FairQueue) -> Void

    /// `serve` is called when an element arrives and none is served.
    ///
    /// It starts work that removes elements until ``next()`` returns nil.
    package init(_ serve: @escaping @Sendable (FairQueue) -> Void) {
        self.serve = serve
    }

    /// Adds an element behind those of the same user.
    package func add(_ element: Element, of uid: UInt32) {
        let isFirst = state.withLock { state in
            if state.elements[uid] == nil { state.users.append(uid) }
            state.elements[uid, default: []].append(element)
            defer { state.isServed = true }
            return !state.isServed
        }
        if isFirst { serve(self) }
    }

    /// Removes the next element in turn; returns nil if the queue is empty.
    package func next() -> Element? {
        state.withLock { state in
            guard let uid = state.users.popFirst(), let element = state.elements[uid]?.popFirst() else {
                state.isServed = false
                return nil
            }
            if state.elements[uid]?.isEmpty == true {
                state.elements[uid] = nil
            } else {
                state.users.append(uid)
            }
            return element
        }
    }
}
