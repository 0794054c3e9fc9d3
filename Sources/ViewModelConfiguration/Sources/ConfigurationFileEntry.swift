import Yams

/// The value of a key in a configuration file.
struct ConfigurationFileEntry: Sendable {
    /// A value of the file.
    ///
    /// Scalars keep the file's spelling.
    enum Content: Equatable, Sendable {
        case text(String)
        case integer(String)
        case boolean(String)
        /// The items as YAML texts.
        case list([String])
        case map
        case nothing
        /// A scalar of a type that no key accepts, such as a fraction or a date.
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

    /// Returns whether a node is YAML's null, such as a section whose keys are all commented out.
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
