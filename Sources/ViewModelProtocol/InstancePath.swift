/// A reference to any instance: an ``InstanceID``, or `parent.child` at any depth (protocol, section 3).
package struct InstancePath: WireName {
    /// The form of a reference, in words.
    package static let rule = "an instance id, or parent.child"

    /// The reference on the wire.
    package let text: String

    /// Creates a reference; returns nil if a part of the text is not an instance id.
    package init?(_ text: String) {
        guard text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(InstanceID.isValid) else {
            return nil
        }
        self.text = text
    }

    /// Creates a reference to an instance that is not a child.
    package init(_ id: InstanceID) {
        self.text = id.text
    }

    /// The parent of the instance, or nil if the instance is not a child.
    package var parent: InstancePath? {
        guard let dot = text.lastIndex(of: ".") else { return nil }
        return InstancePath(String(text[..<dot]))
    }
}
