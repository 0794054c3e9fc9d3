/// A state of a service at one moment, with a revision that increases with each change.
protocol RevisedSnapshot: Sendable {
    var revision: Int { get }
}

extension AccountSnapshot: RevisedSnapshot {}

/// The filter that passes each snapshot of a service once, and only the newer ones.
///
/// The service's stream delivers a change in a later step. Code that needs the change in this step reads it directly, so
/// a snapshot of the stream may arrive after a newer one.
///
/// Isolation: confined to its session.
final class NewestSnapshot<Snapshot: RevisedSnapshot> {
    private let current: () -> Snapshot
    /// The revision of the last snapshot that was returned.
    private var revision: Int

    /// Creates the filter after `first` was shown.
    ///
    /// - Parameters:
    ///   - first: The snapshot that was shown.
    ///   - current: Returns the service's current snapshot.
    init(after first: Snapshot, current: @escaping () -> Snapshot) {
        revision = first.revision
        self.current = current
    }

    /// Returns a snapshot of the stream, or nil if it is not newer than the last one.
    func newer(_ snapshot: Snapshot) -> Snapshot? {
        guard snapshot.revision > revision else { return nil }
        revision = snapshot.revision
        return snapshot
    }

    /// Returns the service's current snapshot, or nil if it is not newer than the last one.
    func newer() -> Snapshot? { newer(current()) }
}
