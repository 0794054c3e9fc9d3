/// A method that names an input or action: `<instance>.<member>`, split at its last dot (protocol, section 3).
package struct MemberPath: Hashable, Sendable, CustomStringConvertible {
    /// The instance's id, which may be `parent.child`.
    package let instance: String
    /// The name of the input or action.
    package let member: String

    /// Creates a path from an instance and a member.
    package init(instance: String, member: String) {
        self.instance = instance
        self.member = member
    }

    /// Splits a method at its last dot; returns nil without a dot or with an empty part.
    package init?(method: String) {
        guard let dot = method.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let instance = method[..<dot]
        let member = method[method.utf8.index(after: dot)...]
        guard !instance.isEmpty, !member.isEmpty else { return nil }
        self.init(instance: String(instance), member: String(member))
    }

    /// The method's name on the wire.
    package var method: String { "\(instance).\(member)" }

    /// The method's name on the wire.
    package var description: String { method }
}
