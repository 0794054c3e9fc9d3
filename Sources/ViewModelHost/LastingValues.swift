import Logging
import Synchronization
import ViewModelKit
import ViewModelProtocol

/// The owner of values that outlast sessions: a user, or the daemon itself.
package enum ValueArea: Hashable, Sendable {
    case user(UInt32)
    case daemon

    /// The user, for the log.
    var metadata: Logger.Metadata {
        switch self {
        case .user(let uid): ["uid": "\(uid)"]
        case .daemon: [:]
        }
    }
}

/// The values that outlast sessions, as JSON texts.
///
/// All sessions read and write them here. The store has a copy.
package final class LastingValues: Sendable {
    private struct Value {
        var text: [UInt8]
        var revision: Int
        /// The text that was last read from the store or saved; nil for none.
        var known: [UInt8]?
        /// The texts of the latest saves that have failed since, of which the store may have one.
        var sent: [[UInt8]] = []
        /// The bytes that are counted for the user.
        var counted = 0
    }

    private struct Area {
        var values: [SavedValue.Key: Value] = [:]
        var changed: Set<SavedValue.Key> = []
        /// Whether the stored values could not be read yet.
        var isUnread = false
        /// Whether a save follows after the save interval.
        var isScheduled = false
        /// Whether changes are on their way to the store.
        var isSaving = false
        /// Whether the store has refused the values because they are too large, and none has changed since.
        var isTooLarge = false
        /// The delay before a failed save is repeated, or nil while saves succeed.
        var retryPause: Duration?
        /// Whether a failed save will be repeated.
        var isRetryScheduled = false
        /// Whether there are changes that the store has neither confirmed nor refused as too large.
        var isUnsaved: Bool { !isTooLarge && (isSaving || !changed.isEmpty) }
    }

    private let areas = Mutex<[ValueArea: Area]>([:])

    /// Whether the values of an area have been read from the store.
    func isLoaded(_ area: ValueArea) -> Bool { areas.withLock { $0[area] != nil } }

    /// Sets the saved values of an area, unless it has been loaded before.
    package func load(_ values: [SavedValue.Key: [UInt8]], of area: ValueArea) {
        areas.withLock { areas in
            guard areas[area] == nil else { return }
            areas[area] = Area(values: values.mapValues { Value(text: $0, revision: 1, known: $0) })
        }
    }

    /// Removes the values of an area from memory, unless they have changes that are not saved.
    ///
    /// - Returns: the bytes that were counted for the user; nil if the values stay.
    package func forget(_ area: ValueArea) -> Int? {
        areas.withLock { areas in
            guard let values = areas[area] else { return 0 }
            guard values.changed.isEmpty, !values.isSaving else { return nil }
            areas[area] = nil
            return values.values.values.reduce(0) { $0 + $1.counted }
        }
    }

    /// Lets the values of an area start fresh until they can be read.
    func loadLater(_ area: ValueArea) {
        areas.withLock { areas in
            if areas[area] == nil { areas[area] = Area(isUnread: true) }
        }
    }

    /// Whether the stored values of an area must be read before others are stored.
    func isUnread(_ area: ValueArea) -> Bool { areas.withLock { $0[area]?.isUnread == true } }

    /// Returns a value, its revision, and the change of the bytes that are counted for the user.
    package func value(_ key: SavedValue.Key, of area: ValueArea) -> (text: [UInt8], revision: Int, counted: Int)? {
        areas.withLock { areas in
            guard let value = areas[area]?.values[key] else { return nil }
            let counted = HeldBytes.counted(value.text.count)
            areas[area]?.values[key]?.counted = counted
            return (value.text, value.revision, counted - value.counted)
        }
    }

    /// Sets a value.
    ///
    /// - Parameters:
    ///   - text: the value.
    ///   - key: its key.
    ///   - area: its owner.
    /// - Returns: its revision, the change of the bytes that are counted for the user, and whether the caller has to
    ///   schedule a save.
    func set(
        _ text: [UInt8],
        _ key: SavedValue.Key,
        of area: ValueArea
    ) -> (revision: Int, counted: Int, mustSchedule: Bool) {
        areas.withLock { areas in
            let former = areas[area]?.values[key]
            let revision = (former?.revision ?? 1) + 1
            let counted = HeldBytes.counted(text.count)
            areas[area, default: Area()].values[key] = Value(
                text: text,
                revision: revision,
                known: former?.known,
                sent: former?.sent ?? [],
                counted: counted
            )
            areas[area]?.changed.insert(key)
            areas[area]?.isTooLarge = false
            let mustSchedule = areas[area]?.isScheduled == false
            areas[area]?.isScheduled = true
            return (revision, counted - (former?.counted ?? 0), mustSchedule)
        }
    }

    /// Takes over the values of the store that differ, because another daemon has saved them.
    ///
    /// A value with a change that is not saved yet stays, unless the stored one is read for the first time: the change knew
    /// nothing of it. No save of the area may be running.
    ///
    /// - Returns: the values that differed, with their new revisions.
    func adopt(
        _ saved: [SavedValue.Key: [UInt8]],
        of area: ValueArea
    ) -> [(key: SavedValue.Key, text: [UInt8], revision: Int)] {
        areas.withLock { areas in
            guard var current = areas[area] else { return [] }
            var adopted: [(key: SavedValue.Key, text: [UInt8], revision: Int)] = []
            if current.isUnread { current.changed.subtract(saved.keys) }
            current.isUnread = false
            for (key, text) in saved where !current.changed.contains(key) {
                let former = current.values[key]
                current.values[key]?.known = text
                guard former?.text != text else { continue }
                let revision = (former?.revision ?? 1) + 1
                // The bytes are counted when a session reads the value.
                let counted = former?.counted ?? 0
                current.values[key] = Value(text: text, revision: revision, known: text, counted: counted)
                adopted.append((key, text, revision))
            }
            areas[area] = current
            return adopted
        }
    }

    /// The areas with changes that the store has not confirmed, without those that it has refused as too large.
    var unsavedAreas: [ValueArea] { areas.withLock { areas in areas.filter(\.value.isUnsaved).map(\.key) } }

    /// Returns those of the unsaved areas whose values the sessions of a user have.
    func unsavedAreas(of uid: UInt32) -> [ValueArea] {
        areas.withLock { areas in [.daemon, .user(uid)].filter { areas[$0]?.isUnsaved == true } }
    }

    /// Returns the changed values, which are about to be saved.
    func takeChanges(of area: ValueArea) -> [LastingChange] {
        areas.withLock { areas in
            guard let taken = areas[area] else { return [] }
            areas[area]?.changed = []
            areas[area]?.isScheduled = false
            areas[area]?.isSaving = true
            return taken.changed.compactMap { key in
                taken.values[key].map { LastingChange(key: key, text: $0.text, known: $0.known, sent: $0.sent) }
            }
        }
    }

    /// Records that changes were saved, except those of values that another daemon has saved since.
    func saved(_ changes: [LastingChange], _ newer: [SavedValue.Key: [UInt8]], of area: ValueArea) {
        areas.withLock { areas in
            areas[area]?.isSaving = false
            areas[area]?.retryPause = nil
            for change in changes {
                areas[area]?.values[change.key]?.known = newer[change.key] ?? change.text
                areas[area]?.values[change.key]?.sent = []
            }
        }
    }

    /// Records that changes could not be saved.
    ///
    /// - Returns: the delay before the next attempt, which the caller schedules; nil if one is scheduled.
    func failed(_ changes: [LastingChange], of area: ValueArea, _ error: any Error) -> Duration? {
        areas.withLock { areas in
            let pause = Duration.beforeNextSave(after: error, areas[area]?.retryPause)
            areas[area]?.isSaving = false
            // A value may have been written since.
            let isUnchanged = areas[area]?.changed.isEmpty ?? true
            areas[area]?.isTooLarge = error is ValuesTooLarge && isUnchanged
            areas[area]?.changed.formUnion(changes.map(\.key))
            for change in changes where !change.sent.contains(change.text) {
                areas[area]?.values[change.key]?.sent = change.sent.suffix(7) + [change.text]
            }
            areas[area]?.retryPause = pause
            areas[area]?.isScheduled = true
            guard areas[area]?.isRetryScheduled == false else { return nil }
            areas[area]?.isRetryScheduled = true
            return pause
        }
    }

    /// Records that the scheduled attempt begins.
    func retryBegins(of area: ValueArea) {
        areas.withLock { $0[area]?.isRetryScheduled = false }
    }
}
