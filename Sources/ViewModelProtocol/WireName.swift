/// A string that obeys a rule of the protocol.
///
/// Reading a string that breaks the rule throws a ``ValueMismatch`` whose `expected` is ``rule``.
public protocol WireName: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The form of the string, in the words of an error's `expected`.
    static var rule: String { get }

    /// The name on the wire.
    var text: String { get }

    /// Creates a name; returns nil if the text breaks the rule.
    init?(_ text: String)
}

extension WireName {
    /// The name on the wire.
    public var description: String { text }

    /// Reads a string and checks it against the rule.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = Self(text) else {
            throw ValueMismatch(expected: Self.rule, found: ValueMismatch.describe(.string(text)))
        }
        self = name
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension String {
    /// Whether the text has 1 to 64 ASCII letters, digits and marks, and the first character is of a kind.
    fileprivate func isName(of marks: String, beginsWith isFirst: (Character) -> Bool) -> Bool {
        guard let first, isFirst(first), utf8.count <= 64 else { return false }
        return allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }
}

/// The name of a session: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}` (protocol, section 4).
public struct SessionName: WireName {
    /// The form of a session name, in words.
    public static let rule = "1 to 64 characters A-Z a-z 0-9 . _ -, the first a letter or digit"

    /// The name on the wire.
    public let text: String

    /// Creates a name; returns nil if the text breaks the rule.
    public init?(_ text: String) {
        guard text.isName(of: "._-", beginsWith: { $0.isLetter || $0.isNumber }) else { return nil }
        self.text = text
    }
}

/// The id of an instance that is not a child: `[A-Za-z][A-Za-z0-9_-]{0,63}` (protocol, section 3).
public struct InstanceID: WireName {
    /// The form of an instance id, in words.
    public static let rule = "1 to 64 characters A-Z a-z 0-9 _ -, the first a letter"

    /// The first parts of the protocol's own methods, which no instance may have as its id.
    package static let reserved: Set<String> = ["rpc", "session", "viewModel"]

    /// The instances that exist in every session (protocol, section 8).
    package static let builtIn: Set<String> = ["coordinator", "prompter", "daemon"]

    /// The id on the wire.
    public let text: String

    /// Creates an id; returns nil if the text breaks the rule.
    public init?(_ text: String) {
        guard text.isName(of: "_-", beginsWith: \.isLetter) else { return nil }
        self.text = text
    }
}

/// The tag of a binding: `[A-Za-z0-9._-]{1,64}` (protocol, section 7).
public struct BindingTag: WireName {
    /// The form of a tag, in words.
    public static let rule = "1 to 64 characters A-Z a-z 0-9 . _ -"

    /// The tag on the wire.
    public let text: String

    /// Creates a tag; returns nil if the text breaks the rule.
    public init?(_ text: String) {
        guard text.isName(of: "._-", beginsWith: { _ in true }) else { return nil }
        self.text = text
    }
}

/// A binding of a connection: its instance and its tag.
package struct BindingKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The instance's id.
    package let instance: String
    /// The tag; nil for the binding without one.
    package let tag: String?

    package init(instance: String, tag: String? = nil) {
        (self.instance, self.tag) = (instance, tag)
    }

    package var description: String { tag.map { "\(instance) (tag \($0))" } ?? instance }

    package static func < (one: Self, other: Self) -> Bool {
        (one.instance, one.tag ?? "") < (other.instance, other.tag ?? "")
    }
}

/// A method that names an input or action: `<instance>.<member>`, split at its last dot (protocol, section 3).
package struct MemberPath: Hashable, Sendable, CustomStringConvertible {
    /// The instance's id, which may be `parent.child`.
    package let instance: String
    /// The name of the input or action.
    package let member: String

    package init(instance: String, member: String) {
        (self.instance, self.member) = (instance, member)
    }

    /// Splits a method at its last dot; returns nil without a dot or with an empty part.
    package init?(method: String) {
        guard let dot = method.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let instance = method[..<dot]
        let member = method[method.utf8.index(after: dot)...]
        guard !instance.isEmpty, !member.isEmpty else { return nil }
        self.init(instance: String(instance), member: String(member))
    }

    package var method: String { "\(instance).\(member)" }

    package var description: String { method }
}
