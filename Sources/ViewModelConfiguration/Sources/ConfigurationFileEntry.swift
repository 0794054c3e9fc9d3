import Yams

/// The value of a key in a configuration file.
struct ConfigurationFileEntry: Sendable {
    let line: Int?
    let value: ConfigurationValue
    /// The lines of a list's items.
    let itemLines: [Int?]

    init(_ node: Node, line: Int?) {
        self.line = line
        itemLines = node.sequence?.map(\.mark?.line) ?? []
        value =
            switch node {
            case .scalar(let scalar): Self.value(of: scalar, node)
            case .sequence(let items): .list(items.map { (try? Yams.serialize(node: $0)) ?? "" })
            case .mapping, .alias: .map
            }
    }

    /// Returns whether a node is YAML's null, such as a section whose keys are all commented out.
    static func isNull(_ node: Node) -> Bool {
        node.tag == Tag(.null)
    }

    private static func value(of scalar: Node.Scalar, _ node: Node) -> ConfigurationValue {
        switch node.tag {
        case Tag(.str): .text(scalar.string)
        case Tag(.int): .integer(scalar.string)
        case Tag(.bool): .boolean(scalar.string)
        case Tag(.null): .nothing
        default: .other(scalar.string)
        }
    }
}
