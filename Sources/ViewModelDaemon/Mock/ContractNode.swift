import JSONRPC
import ViewModelConfiguration
import ViewModelProtocol
import Yams

/// A value of a contract file, with its place.
///
/// Members keep their order, which is the order on the wire.
struct ContractNode: Sendable {
    enum Value: Sendable {
        case null
        case bool(Bool)
        /// The text of a number, as JSON.
        case number(String)
        case string(String)
        case array([ContractNode])
        case object([(name: String, node: ContractNode)])
    }

    let value: Value
    /// The place in the document.
    let pointer: JSONPointer
    /// The line in the file, from 1.
    let line: Int

    /// The members of an object; nil for another value.
    var members: [(name: String, node: ContractNode)]? {
        if case .object(let members) = value { members } else { nil }
    }

    /// The elements of an array; nil for another value.
    var elements: [ContractNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    /// The text of a string; nil for another value.
    var text: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// Returns the member with a name; nil if there is none.
    subscript(name: String) -> ContractNode? {
        members?.last { $0.name == name }?.node
    }

    /// The value without its place.
    var json: JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let text): .number(text)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members):
            .object(Dictionary(members.map { ($0.name, $0.node.json) }, uniquingKeysWith: { $1 }))
        }
    }

    /// The value as JSON text, with its members in their order.
    var jsonText: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout JSONWriter) {
        switch value {
        case .null: writer.raw("null")
        case .bool(let flag): writer.bool(flag)
        case .number(let text): writer.raw(Array(text.utf8))
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.raw(",") }
                element.write(to: &writer)
            }
            writer.raw("]")
        case .object(let members):
            writer.raw("{")
            for (index, member) in members.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.string(member.name)
                writer.raw(":")
                member.node.write(to: &writer)
            }
            writer.raw("}")
        }
    }

    /// Returns an error at this place.
    func fault(_ message: String) -> ContractFault {
        ContractFault(line: line, pointer: pointer.description, message: message)
    }
}

/// An error in a contract file.
struct ContractFault: Error, Equatable {
    /// The line, or nil if it is unknown.
    var line: Int?
    /// The place in the document, as a JSON Pointer.
    var pointer = ""
    /// The error and the expected value.
    var message: String
}

extension ContractNode {
    /// Reads a file's text, which is JSON or YAML.
    ///
    /// - Parameter text: the text.
    /// - Throws: ``ContractFault``: the text is neither.
    init(parsing text: String) throws(ContractFault) {
        var json: ContractFault?
        // YAML's own form of JSON lacks surrogate escapes, so JSON is tried first.
        if text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) == "{" {
            switch Result(catching: { () throws(ContractFault) in try JSONReader.read(text) }) {
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
        self = try ContractNode(root, at: JSONPointer(tokens: []))
    }

    private init(_ node: Node, at pointer: JSONPointer) throws(ContractFault) {
        self.pointer = pointer
        let line = node.mark?.line ?? 1
        self.line = line
        switch node {
        case .scalar(let scalar): value = try Self.value(of: scalar, node, pointer)
        case .sequence(let items):
            var elements: [ContractNode] = []
            for (index, item) in items.enumerated() {
                elements.append(try ContractNode(item, at: pointer.appending("\(index)")))
            }
            value = .array(elements)
        case .mapping(let mapping):
            var members: [(name: String, node: ContractNode)] = []
            for (key, item) in mapping {
                guard let name = key.scalar?.string else {
                    throw ContractFault(line: line, pointer: "\(pointer)", message: "the name of a member is a text")
                }
                members.append((name, try ContractNode(item, at: pointer.appending(name))))
            }
            value = .object(members)
        case .alias:
            throw ContractFault(line: line, pointer: "\(pointer)", message: "an alias that no anchor has")
        }
    }

    private static func value(
        of scalar: Node.Scalar,
        _ node: Node,
        _ pointer: JSONPointer
    ) throws(ContractFault) -> Value {
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

extension JSONPointer {
    /// Returns the pointer to a member or an element of this value.
    func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }
}

/// A reader of JSON text that keeps the order of members and the lines of values.
private struct JSONReader {
    let text: Bytes
    /// The offsets of the line feeds.
    let lineFeeds: [Int]

    static func read(_ text: String) throws(ContractFault) -> ContractNode {
        let bytes = Array(text.utf8)
        let node: Result<ContractNode, ContractFault> = bytes.withUnsafeBytes { bytes in
            let reader = JSONReader(text: bytes, lineFeeds: bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") })
            do throws(JSONSyntaxError) {
                try JSONText.validate(bytes)
            } catch {
                return .failure(ContractFault(line: reader.line(of: error.offset), message: "the file is not JSON"))
            }
            return .success(reader.node(JSONText.trimmed(bytes), at: JSONPointer(tokens: [])))
        }
        return try node.get()
    }

    private func line(of offset: Int) -> Int {
        var (low, high) = (0, lineFeeds.count)
        while low < high {
            let middle = (low + high) / 2
            if lineFeeds[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low + 1
    }

    private func node(_ range: Range<Int>, at pointer: JSONPointer) -> ContractNode {
        let part = text.part(range)
        let value: ContractNode.Value
        switch JSONText.kind(of: part) {
        case .object:
            var members: [(name: String, node: ContractNode)] = []
            JSONText.forEachMember(of: part) { name, member in
                let absolute = (range.lowerBound + member.lowerBound)..<(range.lowerBound + member.upperBound)
                members.append((name.description, node(absolute, at: pointer.appending(name.description))))
            }
            value = .object(members)
        case .array:
            var elements: [ContractNode] = []
            JSONText.forEachElement(of: part) { element in
                let absolute = (range.lowerBound + element.lowerBound)..<(range.lowerBound + element.upperBound)
                elements.append(node(absolute, at: pointer.appending("\(elements.count)")))
            }
            value = .array(elements)
        default:
            value =
                switch try? JSONValue(parsing: part) {
                case .bool(let flag): .bool(flag)
                case .number(let text): .number(text)
                case .string(let text): .string(text)
                default: .null
                }
        }
        return ContractNode(value: value, pointer: pointer, line: line(of: range.lowerBound))
    }
}
