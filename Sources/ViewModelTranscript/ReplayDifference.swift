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

    private static let maximumMembers = 20
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
