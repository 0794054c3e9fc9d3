package import Logging
import UnixIO
import Yams

/// The value of a key in a source of the configuration.
struct ConfigurationEntry: Sendable {
    let value: ConfigurationValue
    let location: ConfigurationProblem.Location
    var itemLines: [Int?] = []
    var isQuoted = true

    /// The value for an error message, or nil.
    var found: String? {
        guard isQuoted else { return nil }
        switch value {
        case .integer(let text), .boolean(let text), .other(let text): return text
        case .text(let text), .untyped(let text):
            let (text, limit) = (text.shown, 80)
            return String(text.prefix(limit)).debugDescription + (text.count > limit ? "…" : "")
        case .list: return "a list"
        case .map: return "a map"
        case .nothing: return "nothing"
        }
    }
}

extension ConfigurationEntry {
    /// Reads the value of a key in a file.
    init(_ node: Node, at location: ConfigurationProblem.Location) {
        let value: ConfigurationValue =
            switch node {
            case .scalar(let scalar):
                switch node.tag {
                case Tag(.str): .text(scalar.string)
                case Tag(.int): .integer(scalar.string)
                case Tag(.bool): .boolean(scalar.string)
                case Tag(.null): .nothing
                default: .other(scalar.string)
                }
            case .sequence(let items): .list(items.map { (try? Yams.serialize(node: $0)) ?? "" })
            case .mapping, .alias: .map
            }
        self.init(value: value, location: location, itemLines: node.sequence?.map(\.mark?.line) ?? [])
    }
}

/// The command-line flags that override a key of the configuration.
package struct FlagSource: Sendable {
    let entries: [String: ConfigurationEntry]

    package init(
        logLevel: Logger.Level? = nil,
        listen: String? = nil,
        control: Bool = false,
        others: [(key: String, flag: String, value: String)] = []
    ) {
        var given = others
        if let logLevel { given.append(("log.level", "--log-level", logLevel.rawValue)) }
        if let listen { given.append(("gateway.listen", "--listen", listen)) }
        if control { given.append(("gateway.control", "--control", "true")) }
        let entries = given.map { key, flag, value in
            (key, ConfigurationEntry(value: .untyped(value), location: .init(source: flag), isQuoted: false))
        }
        self.entries = Dictionary(entries) { first, _ in first }
    }
}
