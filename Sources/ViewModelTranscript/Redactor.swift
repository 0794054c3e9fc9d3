package import ViewModelContract
import ViewModelProtocol

/// A filter that replaces the secrets in messages by pseudonyms, before they are written.
///
/// These are replaced:
///
/// - each value whose schema has the format `password`, in params, results, outputs, patches, events, arguments and
///   details of failures;
/// - what the contract does not know and could hence be a secret with a mistyped name: unknown members of params and of
///   values with secrets, the params of unknown methods, and values outside of the protocol;
/// - the values with secrets in the scripts of a mock;
/// - what an error message quotes of params with secrets;
/// - a secret that was seen in a declared place, in any string or number of a later message, if it has at least six bytes
///   and is no name of the contract;
/// - the password in a URL.
///
/// A message that is no JSON is not written, because its secrets cannot be found.
///
/// The other text is kept as it was. Isolation: not `Sendable`.
package final class Redactor {
    private let contract: Contract
    /// The names of the protocol's own methods.
    private let protocolMethods: Set<String>
    private var pseudonyms = Pseudonyms()
    /// The names of the contract.
    ///
    /// A secret that equals one is not looked for.
    private let words: Set<String>
    private var reader: SecretShape.Reader
    /// The shapes of members that were needed, by instance and member.
    private var shapes: [String: [SecretShape]] = [:]
    /// The methods of requests without a reply, by connection and id.
    private var requests: [Int: [ExactString: String]] = [:]
    /// The edits of the current message, as ranges of it and their new text.
    private var edits: [(range: Range<Int>, text: String)] = []

    /// The requests of a connection whose methods are kept.
    ///
    /// A daemon allows fewer.
    private static let maximumRequests = 100_000

    /// Creates a redactor with a new random key.
    package init(contract: Contract) {
        self.contract = contract
        let own = contract.methods.map(\.name).filter { name in
            ["rpc.", "session.", "viewModel."].contains { name.hasPrefix($0) }
        }
        protocolMethods = Set(own).union([RPCDiscover.name, CancelRequest.name])
        reader = SecretShape.Reader(contract.components)
        words = contract.types.reduce(into: []) { words, type in
            words.insert(type.name)
            words.formUnion(type.inputs.map(\.name))
            words.formUnion(type.outputs.map(\.name))
            words.formUnion(type.actions.map(\.name))
        }
    }

    /// Forgets what a connection has requested.
    package func close(_ connection: Int) {
        requests[connection] = nil
    }

    /// Returns the event of a message without its secrets.
    ///
    /// - Parameters:
    ///   - message: the bytes of the message.
    ///   - isFromClient: whether a client has sent it.
    ///   - connection: the number of the connection.
    /// - Returns: the event. Its text is one line.
    package func redact(_ message: [UInt8], isFromClient: Bool, on connection: Int) -> Transcript.Event {
        message.withUnsafeBytes { bytes in
            guard (try? JSONText.validate(bytes)) != nil else { return .unreadable("\(bytes.count) bytes, no JSON") }
            edits = []
            let whole = JSONText.trimmed(bytes)
            if JSONText.kind(of: bytes) == .array {
                for entry in elements(whole, bytes) { redact(envelope: entry, bytes, isFromClient, connection) }
            } else {
                redact(envelope: whole, bytes, isFromClient, connection)
            }
            redactKnown(bytes)
            let text = edited(bytes, whole)
            return isFromClient ? .sent(text) : .received(text)
        }
    }

    // MARK: Envelopes

    private func redact(envelope: Range<Int>, _ bytes: Bytes, _ isFromClient: Bool, _ connection: Int) {
        guard JSONText.kind(of: bytes.part(envelope)) == .object else { return redactAll(envelope, bytes) }
        let members = members(envelope, bytes)
        let methods = members.filter { $0.name == "method" }
        let method = methods.count == 1 ? string(methods[0].value, bytes) : nil
        let id = members.first { $0.name == "id" }.map { key(of: $0.value, bytes) }
        if isFromClient, let id, let method {
            if requests[connection, default: [:]].count >= Self.maximumRequests { requests[connection] = nil }
            requests[connection, default: [:]][id] = method
        }
        for member in members {
            switch member.name {
            case "jsonrpc", "id": continue
            case "method" where method != nil: continue
            case "params" where method != nil:
                guard let method else { continue }
                if isFromClient {
                    redact(params: member.value, of: method, bytes)
                } else if method == ViewModelChanged.name {
                    redact(frame: member.value, bytes)
                }
            case "result" where !isFromClient:
                redact(result: member.value, of: take(id, on: connection), bytes)
            case "error" where !isFromClient:
                redact(error: member.value, of: take(id, on: connection), bytes)
            default: redactAll(member.value, bytes)
            }
        }
    }

    /// Returns the method of a request, which is answered now.
    private func take(_ id: ExactString?, on connection: Int) -> String? {
        id.flatMap { requests[connection]?.removeValue(forKey: $0) }
    }

    private func redact(params: Range<Int>, of method: String, _ bytes: Bytes) {
        if method == ViewModelOpen.name {
            let members = members(params, bytes)
            let type = members.first { $0.name == "type" }.flatMap { string($0.value, bytes) } ?? ""
            for member in members where member.name == "arguments" {
                guard let type = contract.type(type) else {
                    redactAll(member.value, bytes)
                    continue
                }
                redact(member.value, argumentShapes(of: type), bytes)
            }
        } else if protocolMethods.contains(method) {
            return
        } else if let input = MockInput(method, in: contract) {
            redact(script: params, of: input, bytes)
        } else if let shapes = callShapes(of: method) {
            redact(call: params, shapes, bytes)
        } else {
            redactAll(params, bytes)
        }
    }

    /// Redacts the params of an input or action: the members of an object, `{"value": …}` or `[…]`.
    private func redact(call params: Range<Int>, _ shapes: [SecretShape], _ bytes: Bytes) {
        if JSONText.kind(of: bytes.part(params)) == .array {
            for element in elements(params, bytes) { redact(element, shapes, bytes) }
            return
        }
        for member in members(params, bytes) where member.name != "_meta" {
            let named = shapes.flatMap { $0.member(member.name) ?? [] }
            if !named.isEmpty {
                redact(member.value, named, bytes)
            } else if member.name == "value" {
                redact(member.value, shapes, bytes)
            } else {
                redactAll(member.value, bytes)
            }
        }
    }

    private func redact(result: Range<Int>, of method: String?, _ bytes: Bytes) {
        guard let method else { return redactAll(result, bytes) }
        if method == ViewModelBind.name || method == ViewModelRead.name { return redact(frame: result, bytes) }
        if protocolMethods.contains(method) { return }
        redact(result, resultShapes(of: method), bytes)
    }

    private func redact(error: Range<Int>, of method: String?, _ bytes: Bytes) {
        guard let method else { return }
        let script = MockInput(method, in: contract).map { SecretShape(members: $0.plainMembers) }
        let called = (callShapes(of: method) ?? []) + [script].compactMap(\.self)
        guard !called.isEmpty else { return }
        let hasSecrets = called.contains(where: \.hasSecrets)
        let details = detailShapes(of: method)
        for data in members(error, bytes) where data.name == "data" {
            let parts = members(data.value, bytes)
            let path = parts.first { $0.name == "path" }.flatMap { string($0.value, bytes) } ?? ""
            // A member that the method does not have is redacted in the params, too.
            let hidesFound = hasSecrets || !isDescribed(path, called)
            for member in parts {
                switch member.name {
                case "found" where hidesFound: redactAll(member.value, bytes)
                case "details": redact(member.value, details, bytes)
                default: break
                }
            }
        }
    }

    /// Returns whether the contract describes the place in params that an error names.
    private func isDescribed(_ path: String, _ shapes: [SecretShape]) -> Bool {
        guard let name = JSONPointer(path)?.tokens.first else { return true }
        let isPlain = name == "value" || name == "_meta" || Int(name) != nil
        return !shapes.isEmpty && (isPlain || shapes.contains { $0.member(name) != nil })
    }

    /// Redacts the values, the patch and the events of a frame, or of the reply to a bind or a read.
    private func redact(frame: Range<Int>, _ bytes: Bytes) {
        let parts = members(frame, bytes)
        let instance = parts.first { $0.name == "id" }.flatMap { string($0.value, bytes) } ?? ""
        for part in parts {
            switch part.name {
            case "values":
                for value in members(part.value, bytes) {
                    redact(value.value, outputShapes(of: value.name, of: instance), bytes)
                }
            case "patch":
                for operation in elements(part.value, bytes) {
                    let members = members(operation, bytes)
                    let path = members.first { $0.name == "path" }.flatMap { string($0.value, bytes) } ?? ""
                    let tokens = JSONPointer(path)?.tokens ?? []
                    let output = outputShapes(of: tokens.first ?? "", of: instance)
                    let shapes = SecretShape.part(at: tokens.dropFirst(), of: output)
                    for member in members where member.name == "value" {
                        if let shapes { redact(member.value, shapes, bytes) } else { redactAll(member.value, bytes) }
                    }
                }
            case "events":
                for event in elements(part.value, bytes) {
                    let members = members(event, bytes)
                    let output = members.first { $0.name == "output" }.flatMap { string($0.value, bytes) } ?? ""
                    for member in members where member.name == "value" {
                        redact(member.value, outputShapes(of: output, of: instance), bytes)
                    }
                }
            default: break
            }
        }
    }

    // MARK: Shapes

    /// Returns the shapes of the params of an input or action, or nil if no type has such a member.
    func callShapes(of method: String) -> [SecretShape]? {
        guard let dot = method.lastIndex(of: ".") else { return nil }
        let member = String(method[method.index(after: dot)...])
        let types = contract.types(of: String(method[..<dot]))
        guard types.contains(where: { $0.input(member) != nil || $0.action(member) != nil }) else { return nil }
        return shapes(of: method, as: "call") { type, member in
            [type.input(member).map { $0.schema ?? .null }, type.action(member).map { $0.parameters ?? .null }]
        }
    }

    /// Returns the shapes of the results of an action.
    func resultShapes(of method: String) -> [SecretShape] {
        shapes(of: method, as: "result") { [$0.action($1)?.result] }
    }

    /// Returns the shapes of the details of an action's failures.
    func detailShapes(of method: String) -> [SecretShape] {
        shapes(of: method, as: "details") { $0.action($1)?.failures.map(\.details) ?? [] }
    }

    /// Returns the shapes of an output.
    func outputShapes(of output: String, of instance: String) -> [SecretShape] {
        shapes(of: "\(instance).\(output)", as: "output", at: instance, output) { [$0.output($1)?.schema] }
    }

    private func shapes(
        of method: String,
        as use: String,
        _ schemas: (ContractType, String) -> [ContractSchema?]
    ) -> [SecretShape] {
        guard let dot = method.lastIndex(of: ".") else { return [] }
        let member = String(method[method.index(after: dot)...])
        return shapes(of: method, as: use, at: String(method[..<dot]), member, schemas)
    }

    private func shapes(
        of name: String,
        as use: String,
        at instance: String,
        _ member: String,
        _ schemas: (ContractType, String) -> [ContractSchema?]
    ) -> [SecretShape] {
        // Clients choose the names of instances, so that only those of the contract are kept.
        let isOwn = contract.type(String(instance.prefix { $0 != "." })) != nil
        let key = isOwn ? "\(use) \(name)" : "\(use) *.\(member)"
        if let known = shapes[key] { return known }
        let made = contract.types(of: instance).flatMap { schemas($0, member) }.compactMap(\.self)
            .map { reader.shape(of: $0) }
        if isOwn || !made.isEmpty { shapes[key] = made }
        return made
    }

    private func argumentShapes(of type: ContractType) -> [SecretShape] {
        let key = "arguments \(type.name)"
        if let known = shapes[key] { return known }
        let made = [type.arguments].compactMap(\.self).map { reader.shape(of: $0) }
        shapes[key] = made
        return made
    }

    // MARK: Values

    /// Redacts the secrets in a value that has one of the shapes.
    func redact(_ value: Range<Int>, _ shapes: [SecretShape], _ bytes: Bytes) {
        guard shapes.contains(where: \.hasSecrets) else { return }
        if shapes.contains(where: \.mayBeSecret) { return redactAll(value, bytes, isDeclared: true) }
        switch JSONText.kind(of: bytes.part(value)) {
        case .array:
            let element = shapes.flatMap(\.element)
            for part in elements(value, bytes) { redact(part, element, bytes) }
        case .object:
            for member in members(value, bytes) {
                if let parts = SecretShape.member(member.name, of: shapes) {
                    redact(member.value, parts, bytes)
                } else {
                    redactAll(member.value, bytes)
                }
            }
        // A value of another kind than the schema's: what it stands for is unknown.
        default: redactAll(value, bytes)
        }
    }

    /// Replaces each string and number in a value.
    ///
    /// Those of a declared place are secrets, which are looked for in later messages.
    func redactAll(_ value: Range<Int>, _ bytes: Bytes, isDeclared: Bool = false) {
        switch JSONText.kind(of: bytes.part(value)) {
        case .array: for element in elements(value, bytes) { redactAll(element, bytes, isDeclared: isDeclared) }
        case .object:
            for member in members(value, bytes) { redactAll(member.value, bytes, isDeclared: isDeclared) }
        case .string, .number:
            let text = string(value, bytes) ?? String(decoding: bytes[value], as: UTF8.self)
            if isDeclared, !words.contains(text) { pseudonyms.learn(text) }
            edits.append((value, pseudonyms.pseudonym(of: text)))
        case .boolean, .null: break
        }
    }

    /// Replaces known secrets and the passwords of URLs in the strings and numbers that no edit covers.
    private func redactKnown(_ bytes: Bytes) {
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var next = 0
        var found: [(range: Range<Int>, text: String)] = []
        forEachScalar(bytes) { range, isString in
            while next < edits.count, edits[next].range.upperBound <= range.lowerBound { next += 1 }
            if next < edits.count, edits[next].range.overlaps(range) { return }
            let text = isString ? string(range, bytes) ?? "" : String(decoding: bytes[range], as: UTF8.self)
            guard !pseudonyms.isEmpty || text.utf8.contains(UInt8(ascii: "@")) else { return }
            if let replaced = pseudonyms.replacing(in: text) { found.append((range, replaced)) }
        }
        edits = (edits + found).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Calls a closure with the position of each string that is no name of a member, and of each number.
    private func forEachScalar(_ bytes: Bytes, _ body: (Range<Int>, _ isString: Bool) -> Void) {
        var offset = 0
        while offset < bytes.count {
            let start = offset
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                while bytes[offset] != UInt8(ascii: "\"") { offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1 }
                offset += 1
                let end = offset
                while offset < bytes.count, bytes[offset] <= 0x20 { offset += 1 }
                if offset == bytes.count || bytes[offset] != UInt8(ascii: ":") { body(start..<end, true) }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                while offset < bytes.count, !" \t\r\n,]}".utf8.contains(bytes[offset]) { offset += 1 }
                body(start..<offset, false)
            default: offset += 1
            }
        }
    }

    /// Returns the message with its edits, on one line.
    private func edited(_ bytes: Bytes, _ whole: Range<Int>) -> String {
        var writer = JSONWriter(reserving: bytes.count + 32 * edits.count)
        var position = whole.lowerBound
        func keep(to end: Int) {
            // Outside of strings only white space is below a space.
            for byte in bytes[position..<end] { writer.byte(byte < 0x20 ? 0x20 : byte) }
        }
        for edit in edits {
            keep(to: edit.range.lowerBound)
            writer.string(edit.text)
            position = edit.range.upperBound
        }
        keep(to: whole.upperBound)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    // MARK: Text

    func members(_ object: Range<Int>, _ bytes: Bytes) -> [(name: String, value: Range<Int>)] {
        guard JSONText.kind(of: bytes.part(object)) == .object else { return [] }
        var members: [(name: String, value: Range<Int>)] = []
        JSONText.forEachMember(of: bytes.part(object)) { name, value in
            members.append((name.description, value.moved(by: object.lowerBound)))
        }
        return members
    }

    private func elements(_ array: Range<Int>, _ bytes: Bytes) -> [Range<Int>] {
        guard JSONText.kind(of: bytes.part(array)) == .array else { return [] }
        var elements: [Range<Int>] = []
        JSONText.forEachElement(of: bytes.part(array)) { elements.append($0.moved(by: array.lowerBound)) }
        return elements
    }

    func string(_ value: Range<Int>, _ bytes: Bytes) -> String? {
        let text = bytes.part(value)
        guard JSONText.kind(of: text) == .string else { return nil }
        let trimmed = JSONText.trimmed(text)
        return JSONText.string(text.part(trimmed.lowerBound + 1..<trimmed.upperBound - 1))
    }

    /// Returns the id of a request in a form that is equal for equal ids.
    private func key(of id: Range<Int>, _ bytes: Bytes) -> ExactString {
        if let text = string(id, bytes) { return ExactString("\"" + text) }
        let text = bytes.part(id)
        return ExactString(String(decoding: text[JSONText.trimmed(text)], as: UTF8.self))
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
