import ViewModelProtocol

/// The first difference between a transcript and its replay.
package struct ReplayDifference: Error, Equatable, CustomStringConvertible, Sendable {
    /// The line of the transcript.
    package var line: Int
    /// What was called, and on which connection.
    package var call: String
    /// The members that differ.
    package var members: [Member]
    /// A possible cause.
    package var hint: String?

    /// A member with two values.
    package struct Member: Equatable, Sendable {
        /// The path, such as `calculator.operations.0.text`.
        package var path: String
        /// The recorded value as JSON text, or nil if there was none.
        package var recorded: String?
        /// The value of the replay as JSON text; nil if the replay has no such member.
        package var now: String?

        /// Whether both values are dates as text (RFC 3339).
        var isDate: Bool {
            [recorded, now].allSatisfy { $0?.prefixMatch(of: /"\d{4}-\d\d-\d\dT\d\d:\d\d:/) != nil }
        }
    }

    /// The most members that are shown.
    private static let maximumMembers = 20
    /// The most characters of a value that are shown.
    private static let maximumText = 300

    package var description: String {
        var text = "line \(line): \(call)\n"
        for member in members.prefix(Self.maximumMembers) {
            text += "  \(member.path)\n"
            text += "- \(Self.shown(member.recorded))\n+ \(Self.shown(member.now))\n"
        }
        if members.count > Self.maximumMembers { text += "  and \(members.count - Self.maximumMembers) more\n" }
        if let hint { text += hint + "\n" }
        return text
    }

    private static func shown(_ text: String?) -> String {
        guard let text else { return "(nothing)" }
        return text.count > maximumText ? text.prefix(maximumText) + "…" : text
    }
}

/// A comparison of recorded values with those of a replay.
///
/// Ids that a daemon makes at random, in the form of a UUID, are equal if they stand for each other everywhere.
struct ReplayComparison {
    /// The ids of the replay by those of the transcript.
    private(set) var ids: [String: String] = [:]
    private var recordedIDs: [String: String] = [:]
    private(set) var differences: [ReplayDifference.Member] = []

    /// Compares two values at a path.
    mutating func compare(_ recorded: JSONValue?, _ now: JSONValue?, at path: String) {
        switch (recorded, now) {
        case (.object(let left)?, .object(let right)?):
            for name in Self.names(of: left, right) {
                compare(left[name], right[name], at: "\(path).\(name)")
            }
        case (.array(let left)?, .array(let right)?):
            for index in 0..<max(left.count, right.count) {
                compare(
                    left.indices.contains(index) ? left[index] : nil,
                    right.indices.contains(index) ? right[index] : nil,
                    at: "\(path).\(index)"
                )
            }
        case (.string(let left)?, .string(let right)?) where left != right && Self.areIDs(left, right):
            if ids[left] == nil, recordedIDs[right] == nil {
                ids[left] = right
                recordedIDs[right] = left
            } else if ids[left] != right {
                add(recorded, now, path)
            }
        case (nil, nil): break
        default: if recorded != now { add(recorded, now, path) }
        }
    }

    /// Returns the names of the members of two objects, sorted.
    static func names(of left: JSONObject, _ right: JSONObject) -> [String] {
        left.merging(right).keys.sorted()
    }

    private mutating func add(_ recorded: JSONValue?, _ now: JSONValue?, _ path: String) {
        differences.append(.init(path: path, recorded: recorded?.description, now: now?.description))
    }

    /// Forgets the differences and keeps the ids.
    mutating func reset() {
        differences = []
    }

    private static func areIDs(_ left: String, _ right: String) -> Bool {
        let id = /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/
        return left.wholeMatch(of: id) != nil && right.wholeMatch(of: id) != nil
    }
}
