import Yams

/// The value of a key in a configuration file.
struct ConfigurationFileEntry: Sendable {
    /// A value as the file has it: scalars in the file's own spelling.
    enum Content: Equatable, Sendable {
        case text(String)
        case integer(String)
        case boolean(String)
        /// YAML texts of the items.
        case list([String])
        case map
        case nothing
        /// A scalar that no key takes, such as a fraction or a date.
        case other(String)
    }

    let line: Int?
    let content: Content
    /// The lines of a list's items.
    let itemLines: [Int?]

    init(_ node: Node, line: Int?) {
        self.line = line
        itemLines = node.sequence?.map(\.mark?.line) ?? []
        content =
            switch node {
            case .scalar(let scalar): Self.content(of: scalar, node)
            case .sequence(let items): .list(items.map { (try? Yams.serialize(node: $0)) ?? "" })
            case .mapping, .alias: .map
            }
    }

    /// Whether a node is YAML's null, as a section is whose keys are all commented out.
    static func isNull(_ node: Node) -> Bool {
        node.tag == Tag(.null)
    }

    private static func content(of scalar: Node.Scalar, _ node: Node) -> Content {
        switch node.tag {
        case Tag(.str): .text(scalar.string)
        case Tag(.int): .integer(scalar.string)
        case Tag(.bool): .boolean(scalar.string)
        case Tag(.null): .nothing
        default: .other(scalar.string)
        }
    }
}
