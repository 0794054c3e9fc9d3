/// A reference to any instance: an ``InstanceID``, or `parent.child` (protocol, section 3).
public struct InstancePath: WireName {
    /// What a reference to an instance must look like.
    public static let rule = "an instance id, or parent.child"

    /// The reference as it stands on the wire.
    public let text: String

    /// Takes a reference, or is nil where it breaks the rule.
    public init?(_ text: String) {
        guard text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(InstanceID.isValid) else {
            return nil
        }
        self.text = text
    }

    /// Refers to an instance that is nobody's child.
    public init(_ id: InstanceID) {
        self.text = id.text
    }

    /// The instance whose child this is; nil where it is nobody's.
    public var parent: InstancePath? {
        guard let dot = text.lastIndex(of: ".") else { return nil }
        return InstancePath(String(text[..<dot]))
    }
}
