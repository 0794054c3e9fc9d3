import Synchronization

/// A fault in a test's use of its harness, or in a message of the session.
public struct HarnessError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The fault as a sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The error of a factory, which the host would log and not send to clients.
final class Failure: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    var error: (any Error)? { kept.withLock { $0 } }

    func record(_ error: any Error) {
        kept.withLock { $0 = error }
    }
}
