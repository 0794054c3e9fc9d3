import UnixIO
import Yams

/// A value as a source has it, before the kind of its key gives it a type.
struct ConfigurationValue {
    let node: Node
    let location: ConfigurationProblem.Location
    /// Whether it is a text of the environment or of the command line, which may mean a value of any kind.
    let isUntyped: Bool
    private let isQuoted: Bool

    init(_ node: Node, at location: ConfigurationProblem.Location) {
        (self.node, self.location, isUntyped, isQuoted) = (node, location, false, true)
    }

    init(_ text: String, from source: String, isQuoted: Bool = true) {
        (node, location, isUntyped, self.isQuoted) = (Node(text), .init(source: source), true, isQuoted)
    }

    /// The scalar if it has one of the types or none; it keeps the spelling of the file.
    private func scalar(_ types: Tag.Name...) -> Node.Scalar? {
        isUntyped || types.contains { node.tag == Tag($0) } ? node.scalar : nil
    }

    /// The value as a text, or nil.
    ///
    /// An integer is also valid where a text is expected, such as a group's number or the mode 0660.
    var text: String? { scalar(.str, .int)?.string }

    var integer: Int? { scalar(.int).flatMap { isUntyped ? Int($0.string) : Int.construct(from: plain($0)) } }

    var number: Double? {
        scalar(.int, .float).flatMap { isUntyped ? Double($0.string) : Double.construct(from: plain($0)) }
    }

    /// Returns a scalar without quotes, which Yams reads no number from, even with a tag.
    private func plain(_ scalar: Node.Scalar) -> Node.Scalar { Node.Scalar(scalar.string) }

    /// The value as a Boolean, or nil; a variable may also be `yes`, `no`, 1 or 0, in any case.
    var boolean: Bool? {
        guard let scalar = scalar(.bool) else { return nil }
        guard isUntyped else { return Bool.construct(from: scalar) }
        return switch scalar.string.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// The items of the value, or nil; an untyped text is YAML.
    var items: [Node]? {
        guard isUntyped else { return node.sequence.map(Array.init) }
        do {
            return try Yams.compose(yaml: text ?? "").map { [$0] } ?? []
        } catch {
            return nil
        }
    }

    /// The line of an item in the file, or nil.
    func line(ofItem index: Int) -> Int? {
        node.sequence.flatMap { $0.indices.contains(index) ? $0[index].mark?.line : nil }
    }

    var isNothing: Bool { !isUntyped && node.tag == Tag(.null) }

    /// The value for an error message, or nil.
    var found: String? {
        guard isQuoted else { return nil }
        if isUntyped || node.tag == Tag(.str), let scalar = node.scalar {
            let (text, limit) = (scalar.string.shown, 80)
            return String(text.prefix(limit)).debugDescription + (text.count > limit ? "…" : "")
        }
        return switch node {
        case .scalar(let scalar): isNothing ? "nothing" : scalar.string
        case .sequence: "a list"
        case .mapping, .alias: "a map"
        }
    }
}
