import ViewModelKit
import ViewModelProtocol

/// The calls with a retry key of a session that may move: saved with its values, so that a call that is repeated on
/// another node does not run again.
///
/// They are bounded apart from the session's own values. The oldest are dropped first.
struct SavedRetryKeys {
    /// The largest number of calls of a session.
    private static var capacity: Int { 256 }
    /// The largest number of bytes of a session's calls.
    ///
    /// An outcome of more than a quarter is not saved.
    private static var byteCapacity: Int { 128 << 10 }
    /// The seconds for which a call is kept.
    private static var lifetime: Double { 600 }
    /// The beginning of the names.
    ///
    /// No author names a value so.
    private static var prefix: String { "\u{1}key " }

    private struct Entry {
        let key: SavedValue.Key
        let date: Double
        let bytes: Int
    }

    private var entries: [Entry] = []
    private var bytes = 0
    private var changes: [SavedValue.Key: [UInt8]?] = [:]

    var hasChanges: Bool { !changes.isEmpty }

    /// Adds a call.
    ///
    /// - Parameters:
    ///   - call: the retry key and the digest of the params.
    ///   - outcome: the outcome; nil for an input.
    ///   - member: the instance and the name of the action or input.
    ///   - date: the seconds since 1970.
    mutating func add(
        _ call: KeyedCall,
        _ outcome: ActionOutcome?,
        of member: (instance: String, name: String),
        at date: Double
    ) {
        let saved = SavedCall(date: date, parameters: call.parameters, outcome: outcome.map { SavedOutcome($0) })
        var writer = JSONWriter()
        guard (try? writer.encode(saved)) != nil, writer.bytes.count <= Self.byteCapacity / 4 else { return }
        let key = SavedValue.Key(owner: member.instance, name: Self.prefix + member.name + " " + Self.escaped(call.key))
        remove { $0.key == key }
        append(key, at: date, writer.bytes.count)
        changes[key] = writer.bytes
        while let oldest = entries.first,
            entries.count > Self.capacity || bytes > Self.byteCapacity || date - oldest.date > Self.lifetime
        {
            forget { $0.key == oldest.key }
        }
    }

    /// Erases the calls of an instance that is closed.
    mutating func forget(instance: String) {
        forget { $0.key.owner == instance }
    }

    /// Takes the changes since the last call.
    mutating func takeChanges() -> [SavedValue] {
        defer { changes = [:] }
        return changes.map { SavedValue(key: $0.key, text: $0.value) }
    }

    /// Takes changes that could not be saved back, unless newer ones exist.
    mutating func takeBack(_ failed: [SavedValue]) {
        for value in failed where Self.isCall(value.key) && changes[value.key] == nil {
            changes[value.key] = .some(value.text)
        }
    }

    /// Whether a saved value is a call.
    static func isCall(_ key: SavedValue.Key) -> Bool { key.name.hasPrefix(prefix) }

    /// Takes the calls of an instance out of the saved values, the oldest first.
    ///
    /// Calls that are too old are erased.
    mutating func restore(
        _ instance: String,
        from values: inout [SavedValue.Key: [UInt8]],
        at date: Double
    ) -> [RestoredCall] {
        var restored: [RestoredCall] = []
        for (key, text) in values where key.owner == instance && Self.isCall(key) {
            values[key] = nil
            let words = key.name.dropFirst(Self.prefix.count)
                .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let saved = SavedCall(text), date - saved.date <= Self.lifetime else {
                changes[key] = .some(nil)
                continue
            }
            append(key, at: saved.date, text.count)
            let call = KeyedCall(key: Self.unescaped(words[1]), parameters: saved.parameters)
            let age = Duration.seconds(max(0, date - saved.date))
            let outcome = saved.outcome?.outcome
            restored.append(RestoredCall(member: String(words[0]), call: call, outcome: outcome, age: age))
        }
        entries.sort { $0.date < $1.date }
        return restored.sorted { $0.age > $1.age }
    }

    /// Returns a key without U+0000, which PostgreSQL accepts in no text.
    private static func escaped(_ key: String) -> String {
        key.replacing("%", with: "%25").replacing("\0", with: "%00")
    }

    private static func unescaped(_ key: Substring) -> String {
        String(key).replacing("%00", with: "\0").replacing("%25", with: "%")
    }

    private mutating func append(_ key: SavedValue.Key, at date: Double, _ count: Int) {
        entries.append(Entry(key: key, date: date, bytes: count))
        bytes += count
    }

    private mutating func forget(where isForgotten: (Entry) -> Bool) {
        for entry in entries where isForgotten(entry) { changes[entry.key] = .some(nil) }
        remove(where: isForgotten)
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) {
        for entry in entries where isRemoved(entry) { bytes -= entry.bytes }
        entries.removeAll(where: isRemoved)
    }
}

/// A call with a retry key that an earlier life of the session has carried out.
struct RestoredCall {
    /// The name of the action or input.
    let member: String
    let call: KeyedCall
    /// The outcome; nil for an input.
    let outcome: ActionOutcome?
    /// The time since the call.
    let age: Duration
}

/// A saved call.
private struct SavedCall: Codable {
    let date: Double
    let parameters: Int
    let outcome: SavedOutcome?
}

extension SavedCall {
    /// Reads a saved call; returns nil for the text of another version.
    init?(_ text: [UInt8]) {
        let call = text.withUnsafeBytes { text -> SavedCall? in
            guard (try? JSONText.validate(text)) != nil else { return nil }
            return try? JSONValueDecoder.decode(SavedCall.self, from: text)
        }
        guard let call else { return nil }
        self = call
    }
}
