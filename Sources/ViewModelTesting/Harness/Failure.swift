import Synchronization

/// The error of a factory, which the host would log and not send to clients.
final class Failure: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    var error: (any Error)? { kept.withLock { $0 } }

    func record(_ error: any Error) {
        kept.withLock { $0 = error }
    }
}
