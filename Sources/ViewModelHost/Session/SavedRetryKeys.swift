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
    private static var prefix: String { "\u{1}call " }
    /// The beginning of the names of former versions, whose digests had no key; such calls are erased.
    private static var formerPrefix: String { "\u{1}key " }

    private typealias Entry = (key: SavedValue.Key, date: Double, bytes: Int)

    /// A call that an earlier life of the session has carried out: the name of its member, its outcome, which is nil for
    /// an input, and the time since the call.
    typealias Restored = (member: String, call: KeyedCall, outcome: ActionOutcome?, age: Duration)

    private var entries: [Entry] = []
    private var bytes = 0
    private var changes: [SavedValue.Key: [UInt8]?] = [:]

    var hasChanges: Bool { !changes.isEmpty }

    /// Adds a call at a date in seconds by the clock that all nodes share; the outcome of an input is nil.
    mutating func add(_ call: KeyedCall, _ outcome: ActionOutcome?, of member: KeyedMember, at date: Double) {
        let saved = SavedCall(
            date: date,
            digest: member.takesSecret ? nil : call.parameters.map { PercentText.encode($0) },
            outcome: outcome.map { SavedOutcome($0, of: member) }
        )
        var writer = JSONWriter()
        guard (try? writer.encode(saved)) != nil, writer.bytes.count <= Self.byteCapacity / 4 else { return }
        let name = Self.prefix + member.name + " " + PercentText.encode(call.key.utf8)
        let key = SavedValue.Key(owner: member.instance, name: name)
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

    static func isCall(_ key: SavedValue.Key) -> Bool { key.name.hasPrefix(prefix) || key.name.hasPrefix(formerPrefix) }

    /// Takes the calls of an instance out of the saved values, the oldest first.
    ///
    /// Calls that are too old are erased. A digest with another key than `digestKey` is left out.
    mutating func restore(
        _ instance: String,
        from values: inout [SavedValue.Key: [UInt8]],
        digestKey: [UInt8],
        at date: Double
    ) -> [Restored] {
        var restored: [Restored] = []
        for (key, text) in values where key.owner == instance && Self.isCall(key) {
            values[key] = nil
            let words = key.name.split(separator: " ", omittingEmptySubsequences: false)
            guard key.name.hasPrefix(Self.prefix), words.count == 3,
                let saved = try? Graph.decode(SavedCall.self, from: text),
                date - saved.date <= Self.lifetime
            else {
                changes[key] = .some(nil)
                continue
            }
            append(key, at: saved.date, text.count)
            let name = String(decoding: PercentText.decode(words[2]), as: UTF8.self)
            var digest = saved.digest.map { PercentText.decode($0[...]) }
            if digest?.starts(with: digestKey) == false { digest = nil }
            let call = KeyedCall(key: name, parameters: digest)
            let age = Duration.seconds(max(0, date - saved.date))
            restored.append((String(words[1]), call, saved.outcome?.outcome, age))
        }
        entries.sort { $0.date < $1.date }
        return restored.sorted { $0.age > $1.age }
    }

    private mutating func append(_ key: SavedValue.Key, at date: Double, _ count: Int) {
        entries.append((key, date, count))
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

private struct SavedCall: Codable {
    let date: Double
    /// The digest of the params; nil if they contain a secret.
    let digest: String?
    let outcome: SavedOutcome?
}
