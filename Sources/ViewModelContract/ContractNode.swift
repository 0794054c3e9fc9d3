import JSONRPC
package import ViewModelProtocol

/// A value of a contract document, with its place.
///
/// Members keep their order, which is the order on the wire.
package struct ContractNode: Sendable {
    /// The value if it has no parts.
    private let scalar: JSONValue
    /// The members of an object; nil for another value.
    package let members: [(name: String, node: ContractNode)]?
    /// The elements of an array; nil for another value.
    package let elements: [ContractNode]?
    /// The place in the document.
    package let pointer: JSONPointer
    /// The line in the file, from 1.
    package let line: Int

    /// The text of a string; nil for another value.
    package var text: String? { scalar.stringValue }

    /// The value of a Boolean; nil for another value.
    package var bool: Bool? { scalar.boolValue }

    /// The value without its place.
    package var json: JSONValue {
        if let members { return .object(JSONObject(members.map { ($0.name, $0.node.json) })) }
        return elements.map { .array($0.map(\.json)) } ?? scalar
    }

    /// Returns the member with a name, or nil if the object has no such member.
    package subscript(name: String) -> ContractNode? {
        members?.last { $0.name.isExactly(name) }?.node
    }

    /// Creates an object at a place.
    package init(members: [(name: String, node: ContractNode)], pointer: JSONPointer, line: Int) {
        (scalar, self.members, elements, self.pointer, self.line) = (.null, members, nil, pointer, line)
    }

    /// Creates an array at a place.
    package init(elements: [ContractNode], pointer: JSONPointer, line: Int) {
        (scalar, members, self.elements, self.pointer, self.line) = (.null, nil, elements, pointer, line)
    }

    /// Creates a value whose parts are in its line; that of a document without lines, such as a reply of the daemon, is 1.
    package init(_ value: JSONValue, at pointer: JSONPointer = JSONPointer(tokens: []), line: Int = 1) {
        scalar = value
        members = value.objectValue?.map { ($0, ContractNode($1, at: pointer.appending($0), line: line)) }
        elements = value.arrayValue?.enumerated().map {
            ContractNode($1, at: pointer.appending("\($0)"), line: line)
        }
        (self.pointer, self.line) = (pointer, line)
    }

    /// The largest number of values in a contract, those included that aliases and `allOf` repeat.
    package static let limit = 1_000_000
    /// The largest depth of values in a contract.
    package static let deepest = 128

    /// The message for a contract that is too large.
    package static let excess =
        "the contract has more than \(limit) values, the limit, with those that aliases and allOf repeat"

    /// Returns an error at this place.
    package func fault(_ message: String) -> ContractFault {
        ContractFault(line: line, pointer: pointer.description, message: message)
    }
}

/// An error in a contract document.
package struct ContractFault: Error, Equatable {
    /// The line, or nil if it is unknown.
    package var line: Int?
    /// The place in the document, as a JSON Pointer.
    package var pointer = ""
    /// The error and the expected value.
    package var message: String

    /// Creates an error.
    package init(line: Int? = nil, pointer: String = "", message: String) {
        self.line = line
        self.pointer = pointer
        self.message = message
    }
}

extension ContractNode {
    /// Reads a document in JSON, with the lines of its values.
    ///
    /// - Parameter text: the text.
    /// - Throws: ``ContractFault``: the text is not JSON.
    package init(json text: String) throws(ContractFault) {
        self = try JSONReader.read(text)
    }
}

extension JSONPointer {
    /// Returns the pointer to a member or an element of this value.
    package func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }
}

/// A reader of JSON text that keeps the order of members and the lines of values.
private struct JSONReader {
    let text: Bytes
    /// The number of values that have been read.
    var count = 0
    /// The offset up to which the lines are counted, and its line.
    var position = 0
    var line = 1

    static func read(_ text: String) throws(ContractFault) -> ContractNode {
        let bytes = Array(text.utf8)
        let node: Result<ContractNode, ContractFault> = bytes.withUnsafeBytes { bytes in
            var reader = JSONReader(text: bytes)
            do throws(JSONSyntaxError) {
                try JSONText.validate(bytes)
            } catch {
                return .failure(ContractFault(line: reader.line(of: error.offset), message: "the file is not JSON"))
            }
            let node = reader.node(
                JSONPart(document: bytes, range: JSONText.trimmed(bytes)),
                at: JSONPointer(tokens: [])
            )
            let isExcessive = reader.count > ContractNode.limit
            return isExcessive ? .failure(ContractFault(message: ContractNode.excess)) : .success(node)
        }
        return try node.get()
    }

    /// Returns the line of an offset, which is not before that of the last call.
    private mutating func line(of offset: Int) -> Int {
        line += text[position..<min(offset, text.count)].count { $0 == UInt8(ascii: "\n") }
        position = offset
        return line
    }

    private mutating func node(_ part: JSONPart, at pointer: JSONPointer) -> ContractNode {
        count += 1
        let line = line(of: part.range.lowerBound)
        switch part.kind {
        case .object:
            let members = part.members.map { (name: $0.name, node: node($0.value, at: pointer.appending($0.name))) }
            return ContractNode(members: members, pointer: pointer, line: line)
        case .array:
            let elements = part.elements.enumerated().map { node($1, at: pointer.appending("\($0)")) }
            return ContractNode(elements: elements, pointer: pointer, line: line)
        default: return ContractNode((try? JSONValue(parsing: part.text)) ?? .null, at: pointer, line: line)
        }
    }
}
