import JSONRPC
package import ViewModelContract
import ViewModelProtocol
import Yams

extension ContractNode {
    /// Reads a file's text, which is JSON or YAML.
    package init(parsing text: String) throws(ContractFault) {
        let text = text.withoutByteOrderMark
        var json: ContractFault?
        // YAML's own form of JSON lacks surrogate escapes, so JSON is tried first.
        if text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) == "{" {
            switch Result(catching: { () throws(ContractFault) in try ContractNode(json: text) }) {
            case .success(let node):
                self = node
                return
            case .failure(let fault): json = fault
            }
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            let problem = (error as? YamlError)?.problem ?? "\(error)"
            let line = (error as? YamlError)?.line
            throw json ?? ContractFault(line: line, message: "the file is not to be read as YAML: \(problem)")
        }
        guard let root else { throw ContractFault(message: "the file is empty") }
        var count = 0
        self = try ContractNode(root, at: JSONPointer(tokens: []), &count)
    }

    /// Reads a value, and counts those in it, those of an alias as often as it stands in the file.
    private init(_ node: Node, at pointer: JSONPointer, _ count: inout Int) throws(ContractFault) {
        let line = node.mark?.line ?? 1
        count += 1
        guard count <= Self.limit else { throw ContractFault(line: line, pointer: "\(pointer)", message: Self.excess) }
        guard pointer.tokens.count <= Self.deepest else {
            let message = "the contract is nested deeper than \(Self.deepest) levels, the limit"
            throw ContractFault(line: line, pointer: "\(pointer)", message: message)
        }
        switch node {
        case .scalar(let scalar): self.init(try Self.value(of: scalar, node, pointer), at: pointer, line: line)
        case .sequence(let items):
            var elements: [ContractNode] = []
            for (index, item) in items.enumerated() {
                elements.append(try ContractNode(item, at: pointer.appending("\(index)"), &count))
            }
            self.init(elements: elements, pointer: pointer, line: line)
        case .mapping(let mapping):
            var members: [(name: String, node: ContractNode)] = []
            for (key, item) in mapping {
                guard let name = key.scalar?.string else {
                    throw ContractFault(line: line, pointer: "\(pointer)", message: "the name of a member is a text")
                }
                members.append((name, try ContractNode(item, at: pointer.appending(name), &count)))
            }
            self.init(members: members, pointer: pointer, line: line)
        case .alias:
            throw ContractFault(line: line, pointer: "\(pointer)", message: "an alias that no anchor has")
        }
    }

    private static func value(
        of scalar: Node.Scalar,
        _ node: Node,
        _ pointer: JSONPointer
    ) throws(ContractFault) -> JSONValue {
        switch node.tag {
        case Tag(.null): return .null
        case Tag(.bool):
            // `on` and `no` are texts in YAML 1.2, and usual names of cases.
            switch scalar.string.lowercased() {
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: return .string(scalar.string)
            }
        case Tag(.int), Tag(.float):
            // A number of JSON keeps its digits. `1_000` and `12:30` are texts in YAML 1.2.
            if case .number(let text)? = JSONValue(text: scalar.string) { return .number(text) }
            if scalar.string.contains(where: { $0 == ":" || $0 == "_" }) { return .string(scalar.string) }
            if let number = Int.construct(from: scalar) { return .number("\(number)") }
            guard let number = Double.construct(from: scalar), number.isFinite else {
                throw ContractFault(line: node.mark?.line, pointer: "\(pointer)", message: "expected a number of JSON")
            }
            return .number("\(number)")
        // A date stays the text that the file has.
        default: return .string(scalar.string)
        }
    }
}
