import Logging
import Synchronization
import ViewModelKit

/// The owner of values that outlast sessions: a user, or the daemon itself.
package enum ValueArea: Hashable, Sendable {
    case user(UInt32)
    case daemon

    /// The user; nil for the daemon.
    var uid: UInt32? {
        if case .user(let uid) = self { uid } else { nil }
    }

    /// The user, for the log.
    var metadata: Logger.Metadata { uid.map { ["uid": "\($0)"] } ?? [:] }
}

/// The values that outlast sessions, as JSON texts.
///
/// All sessions read and write them here. The store has a copy.
package final class LastingValues: Sendable {
    /// A value with its revision, for the sessions that have it; the text is nil if it was erased.
    typealias Published = (key: SavedValue.Key, text: [UInt8]?, revision: Int)

    /// Returns the values to set, or nil to erase them, so that a type can read what its earlier versions have saved.
    ///
    /// It runs the migrations of authors, and so it is called without the lock.
    typealias Preparation = @Sendable ([SavedValue.Key: [UInt8]]) -> [SavedValue.Key: [UInt8]?]

    private struct Value {
        /// The JSON text; nil if the value is erased.
        var text: [UInt8]?
        var revision: Int
        /// The text that was last read from the store or saved; nil for none.
        var known: [UInt8]?
        /// The texts of the latest saves that have failed since, of which the store may have one.
        var sent: [[UInt8]] = []
        var counted = Counted()
    }

    /// The bytes that are counted for the user, and the loop on which they are.
    private struct Counted {
        var bytes = 0
        var loop: (any SessionLoop)?
    }

    private struct Area {
        var values: [SavedValue.Key: Value] = [:]
        var changed: Set<SavedValue.Key> = []
        /// Whether some of the values were put aside.
        var hasAsides = false
        /// The revision of the latest change of any of the values.
        ///
        /// A value that is erased and set again gets a greater one than before.
        var revision = 1
        /// The types whose values have been prepared, or wait for the stored ones, by name.
        var prepared: [String: (owner: RestorableValues.Owner, changes: Preparation)] = [:]
        /// The values that were in the present form when their type lost it, by the type, until it is prepared again.
        var present: [String: Set<SavedValue.Key>] = [:]
        /// The types whose values have been read.
        var owners: Set<String> = []
        /// Whether the stored values could not be read yet.
        var isUnread = false
        /// Whether a save is scheduled.
        var isScheduled = false
        /// Whether changes are on their way to the store.
        var isSaving = false
        /// Whether the store has refused the values because they are too large, and none has changed since.
        var isTooLarge = false
        /// The delay before a failed save is repeated, or nil while saves succeed.
        var retryPause: Duration?

        /// Sets a value or erases it.
        mutating func set(_ text: [UInt8]?, _ key: SavedValue.Key) -> Int {
            revision += 1
            values[key, default: Value(text: text, revision: revision)].text = text
            values[key]?.revision = revision
            if key.isAside { hasAsides = true }
            changed.insert(key)
            isTooLarge = false
            return revision
        }

        /// The texts of the values of a type.
        func texts(of owner: RestorableValues.Owner) -> [SavedValue.Key: [UInt8]] {
            values.filter { $0.key.owner == owner.type || owner.formerNames.contains($0.key.owner) }
                .compactMapValues(\.text)
        }

        /// The texts of the values of a type, as a later version reads them.
        ///
        /// The record of the version is that of another daemon. What is in the present form already has its version in
        /// the name, so that no migration changes it again.
        func textsToPrepare(of owner: RestorableValues.Owner) -> [SavedValue.Key: [UInt8]] {
            var texts = texts(of: owner)
            let count = owner.migrations.count
            guard version(of: owner) < count else { return texts }
            let own = changed.union(present[owner.type] ?? []).filter { $0.owner == owner.type }
            for key in own.sorted(by: { $0.name > $1.name }) {
                guard let place = key.place, place.version == nil, let text = texts.removeValue(forKey: key) else {
                    continue
                }
                // The value is later than the one that was put aside.
                let versioned = key.named.of(count, 0)
                let free = place.number == 0 ? nil : versioned.aside(for: text) { texts[$0] }
                texts[free ?? versioned] = text
            }
            return texts
        }

        /// The number of migrations that the values of a type have passed.
        func version(of owner: RestorableValues.Owner) -> Int {
            values[.version(of: owner.type)]?.text.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        }

        /// Whether there are changes that the store has neither confirmed nor refused as too large.
        var isUnsaved: Bool { !isTooLarge && (isSaving || !changed.isEmpty) }
    }

    private let areas = Mutex<[ValueArea: Area]>([:])

    /// Changes an area, unless it is not in memory.
    @discardableResult
    private func change<Result>(_ area: ValueArea, _ body: (inout Area) -> Result) -> Result? {
        areas.withLock { areas in
            // Without a copy of the values.
            guard let index = areas.index(forKey: area) else { return nil }
            return body(&areas.values[index])
        }
    }

    /// Whether the values of an area have been read from the store.
    func isLoaded(_ area: ValueArea) -> Bool { areas.withLock { $0[area] != nil } }

    /// Sets the saved values of an area, unless it has been loaded before.
    ///
    /// Nil lets them start fresh until they can be read.
    package func load(_ values: [SavedValue.Key: [UInt8]]?, of area: ValueArea) {
        areas.withLock { areas in
            guard areas[area] == nil else { return }
            let saved = values?.mapValues { Value(text: $0, revision: 1, known: $0) }
            let hasAsides = saved?.keys.contains(where: \.isAside) ?? false
            areas[area] = Area(values: saved ?? [:], hasAsides: hasAsides, isUnread: saved == nil)
        }
    }

    /// Removes the values of a user from memory, unless they have changes that are not saved.
    ///
    /// Their bytes are no longer counted.
    package func forget(_ uid: UInt32) -> Bool {
        let counted = areas.withLock { areas -> [Counted]? in
            guard let area = areas[.user(uid)] else { return [] }
            guard area.changed.isEmpty, !area.isSaving else { return nil }
            areas[.user(uid)] = nil
            return area.values.values.map(\.counted)
        }
        for former in counted ?? [] { Self.count(-former.bytes, of: uid, on: former.loop) }
        return counted != nil
    }

    /// Whether the stored values of an area must be read before others are stored.
    func isUnread(_ area: ValueArea) -> Bool { areas.withLock { $0[area]?.isUnread == true } }

    /// Returns a value and its revision.
    package func value(_ key: SavedValue.Key, of area: ValueArea) -> (text: [UInt8], revision: Int)? {
        areas.withLock { areas in
            guard let value = areas[area]?.values[key] else { return nil }
            return value.text.map { ($0, value.revision) }
        }
    }

    /// Returns the values that were put aside under the name of a key, the latest first, and then those of former names.
    func others(of key: SavedValue.Key, formerly names: [String], of area: ValueArea) -> [(SavedValue.Key, [UInt8])] {
        areas.withLock { areas in
            guard let area = areas[area], area.hasAsides || !names.isEmpty else { return [] }
            return key.others(formerly: names) { area.values[$0]?.text }
        }
    }

    /// Keeps the text of a key under another name, unless it is kept so already.
    ///
    /// - Returns: false if as many texts as possible are kept under the name.
    package func putAside(_ text: [UInt8], of key: SavedValue.Key, in area: ValueArea) -> Bool {
        areas.withLock { areas in
            guard let aside = key.aside(for: text, { areas[area]?.values[$0]?.text }) else { return false }
            if areas[area]?.values[aside]?.text == nil { _ = areas[area, default: Area()].set(text, aside) }
            return true
        }
    }

    /// Prepares the values of a type on the first call for it, once they were read from the store.
    ///
    /// Sessions of other threads may prepare them meanwhile. The first one that is ready sets them.
    ///
    /// - Returns: the values that have changed.
    func prepare(
        _ owner: RestorableValues.Owner,
        of area: ValueArea,
        _ changes: @escaping Preparation
    ) -> [Published] {
        // Another daemon may save values of the type meanwhile.
        while true {
            let read = change(area) { area -> [SavedValue.Key: [UInt8]]? in
                guard area.prepared[owner.type] == nil else { return nil }
                if area.isUnread || owner.isPrepared && area.values[.version(of: owner.type)] == nil {
                    area.prepared[owner.type] = (owner, changes)
                    return nil
                }
                return area.textsToPrepare(of: owner)
            }
            guard let texts = read ?? nil else { return [] }
            let changed = changes(texts)
            let published = change(area) { area -> [Published]? in
                if area.prepared[owner.type] != nil { return [] }
                guard area.textsToPrepare(of: owner) == texts else { return nil }
                area.prepared[owner.type] = (owner, changes)
                area.present[owner.type] = nil
                let differing = changed.filter { area.values[$0]?.text != $1 }
                return differing.map { ($0, $1, area.set($1, $0)) }
            }
            if let published = published ?? [] { return published }
        }
    }

    /// Returns the keys of an object's values, on the first call for the object only.
    func firstKeys(of owner: String, in area: ValueArea) -> [SavedValue.Key] {
        change(area) { area in
            guard !area.values.isEmpty, area.owners.insert(owner).inserted else { return [] }
            return area.values.filter { $0.key.owner == owner && $0.value.text != nil }.map(\.key)
        } ?? []
    }

    /// Sets a value or erases it, and returns its revision.
    func set(_ text: [UInt8]?, _ key: SavedValue.Key, of area: ValueArea) -> Int {
        areas.withLock { $0[area, default: Area()].set(text, key) }
    }

    /// Erases a value, unless it has another revision than this one, and returns its new revision; nil if it stays.
    func erase(_ key: SavedValue.Key, at revision: Int?, of area: ValueArea) -> Int? {
        change(area) { area in
            if let revision, area.values[key]?.revision != revision { return nil }
            return area.set(nil, key)
        } ?? nil
    }

    /// Counts the bytes of a user's value after a session on this loop has read or written it.
    ///
    /// Sessions of one user may be on several loops. The bytes are counted on the loop of the last session that has
    /// found the value longer or shorter than it was counted.
    func count(_ key: SavedValue.Key, of uid: UInt32, on loop: any SessionLoop) {
        let (former, bytes) = areas.withLock { areas -> (Counted, Int) in
            guard let value = areas[.user(uid)]?.values[key] else { return (Counted(), 0) }
            let bytes = HeldBytes.counted(value.text?.count ?? 0)
            if bytes != value.counted.bytes {
                areas[.user(uid)]?.values[key]?.counted = Counted(bytes: bytes, loop: loop)
            }
            return (value.counted, bytes)
        }
        guard bytes != former.bytes else { return }
        Self.count(-former.bytes, of: uid, on: former.loop)
        Self.count(bytes, of: uid, on: loop)
    }

    private static func count(_ change: Int, of uid: UInt32, on loop: (any SessionLoop)?) {
        guard let loop, change != 0 else { return }
        if loop.isCurrent {
            loop.count(heldBytes: change, of: uid)
        } else {
            loop.execute { loop.count(heldBytes: change, of: uid) }
        }
    }

    /// Takes over the values of the store that differ, because another daemon has saved them.
    ///
    /// A value with a change that is not saved yet stays, unless the stored one is read for the first time: the change knew
    /// nothing of it. No save of the area may be running. The bytes are counted when a session reads the value.
    ///
    /// - Parameters:
    ///   - saved: the values.
    ///   - area: the owner of the values.
    ///   - isComplete: whether the store has no other values of the area.
    /// - Returns: the values that differed, with their new revisions.
    func adopt(_ saved: [SavedValue.Key: [UInt8]], of area: ValueArea, isComplete: Bool) -> [Published] {
        typealias Prepared = (owner: RestorableValues.Owner, changes: Preparation)
        let (adopted, earlier): ([Published], [Prepared]) =
            change(area) { area -> ([Published], [Prepared]) in
                if area.isUnread { area.changed.subtract(saved.keys) }
                let wasUnread = area.isUnread
                area.isUnread = false
                var adopted: [Published] = []
                var taken: Set<SavedValue.Key> = []
                for (key, text) in saved where !area.changed.contains(key) {
                    var value = area.values[key] ?? Value(text: nil, revision: 1)
                    value.known = text
                    if key.isAside { area.hasAsides = true }
                    if wasUnread || value.text != text { taken.insert(key) }
                    if value.text != text {
                        area.revision += 1
                        value.text = text
                        value.revision = area.revision
                        value.sent = []
                        adopted.append((key, text, value.revision))
                    }
                    area.values[key] = value
                }
                let erased = area.values.filter { key, value in
                    !wasUnread && isComplete && value.text != nil && saved[key] == nil && !area.changed.contains(key)
                }
                for key in erased.keys {
                    area.revision += 1
                    area.values[key]?.text = nil
                    area.values[key]?.known = nil
                    area.values[key]?.revision = area.revision
                    adopted.append((key, nil, area.revision))
                }
                // A daemon of an earlier version, which reads none of a later one, has put the values of a type aside.
                let earlier = area.prepared.values.filter {
                    wasUnread || area.version(of: $0.owner) < $0.owner.migrations.count
                }
                for (owner, _) in earlier {
                    area.prepared[owner.type] = nil
                    // That daemon has put aside all that it has read, so what has the former text was saved by this one.
                    area.present[owner.type] = Set(area.texts(of: owner).keys).subtracting(taken)
                }
                return (adopted, earlier)
            } ?? ([], [])
        let prepared = earlier.flatMap { prepare($0.owner, of: area, $0.changes) }
        // The sessions get the prepared form only, also that of a session that has prepared the values meanwhile.
        return change(area) { area in
            (adopted + prepared).filter { area.values[$0.key]?.revision == $0.revision }
        } ?? []
    }

    /// Returns the unsaved areas whose values the sessions of a user have, or all unsaved areas for nil.
    func unsavedAreas(of uid: UInt32? = nil) -> [ValueArea] {
        areas.withLock { areas in
            (uid.map { [.daemon, .user($0)] } ?? Array(areas.keys)).filter { areas[$0]?.isUnsaved == true }
        }
    }

    /// Returns the delay after which the caller has to save the changes of an area; nil if a save is scheduled.
    func scheduleSave(of area: ValueArea, after interval: Duration) -> Duration? {
        change(area) { area in
            guard !area.isScheduled else { return nil }
            area.isScheduled = true
            return area.retryPause ?? interval
        } ?? nil
    }

    func scheduledSaveBegins(of area: ValueArea) {
        change(area) { $0.isScheduled = false }
    }

    /// Returns the changed values, which are about to be saved.
    func takeChanges(of area: ValueArea) -> [LastingChange] {
        change(area) { area in
            defer { area.changed = [] }
            area.isSaving = true
            return area.changed.compactMap { key in
                area.values[key].map { LastingChange(key: key, text: $0.text, known: $0.known, sent: $0.sent) }
            }
        } ?? []
    }

    /// Records that changes were saved, except those of values that another daemon has saved since.
    func saved(_ changes: [LastingChange], _ newer: [SavedValue.Key: [UInt8]], of area: ValueArea) {
        change(area) { area in
            area.isSaving = false
            area.retryPause = nil
            for change in changes {
                area.values[change.key]?.known = newer[change.key] ?? change.text
                area.values[change.key]?.sent = []
                if change.text == nil, area.values[change.key].map({ $0.text == nil }) == true {
                    area.values[change.key] = nil
                }
            }
        }
    }

    /// Records that changes could not be saved.
    func failed(_ changes: [LastingChange], of area: ValueArea, _ error: any Error) {
        change(area) { area in
            area.isSaving = false
            // A value may have been written since.
            area.isTooLarge = error is SavedStateTooLarge && area.changed.isEmpty
            area.changed.formUnion(changes.map(\.key))
            for change in changes {
                guard let text = change.text, !change.sent.contains(text) else { continue }
                area.values[change.key]?.sent = change.sent.suffix(7) + [text]
            }
            area.retryPause = .beforeNextSave(after: error, area.retryPause)
        }
    }
}
