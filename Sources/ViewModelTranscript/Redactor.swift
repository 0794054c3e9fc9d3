import Digests
package import ViewModelContract
import ViewModelProtocol

/// A filter that replaces the secrets in messages by pseudonyms, before they are written.
///
/// These are replaced:
///
/// - each value whose schema has the format `password`, in params, results, outputs, patches, events, arguments and
///   details of failures;
/// - what the contract does not know and could hence be a secret with a mistyped name, or in the place of a name: unknown
///   members of params, of values with secrets and of messages, and the params of unknown methods. Their names are
///   replaced like their values, except those that the contract or the protocol has elsewhere;
/// - the values with secrets in the scripts of a mock;
/// - what an error quotes of params with secrets and of unknown members;
/// - a secret that was seen in a declared place, in any string, number or name of a later message, also in upper or lower
///   case, if it has at least six bytes and is no name of the contract or the protocol;
/// - the password in a URL.
///
/// A message that is no JSON is not written, because its secrets cannot be found. A reply to `rpc.discover` that is equal
/// to an earlier one is written without the document.
///
/// The other text is kept as it was. Isolation: not `Sendable`.
package final class Redactor {
    private let contract: Contract
    /// The names of the protocol's own methods.
    private let protocolMethods: Set<String>
    private var pseudonyms = Pseudonyms()
    /// The names of the contract and of the protocol.
    ///
    /// They are never replaced as names, and a secret that equals one is not looked for.
    private let names: Set<String>
    /// The digest of the newest document that `rpc.discover` has returned.
    private var discovered: [UInt8]?
    private var reader: SecretShape.Reader
    /// The shapes of members that were needed, by instance and member.
    private var shapes: [String: SecretShape] = [:]
    /// The requests without a reply, by connection and id.
    private var requests: [Int: [ExactString: Request]] = [:]
    /// The edits of the current message, as ranges of it and their new text.
    private var edits: [(range: Range<Int>, text: String)] = []

    private struct Request {
        let method: String
        /// The type of which `viewModel.open` makes an instance.
        let type: String?
    }

    /// The requests of a connection that are kept.
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
        names = ProtocolNames.all.union(contract.names)
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
            let params = members.first { $0.name == "params" }?.value
            let type = type(openedBy: method, params, bytes)
            requests[connection, default: [:]][id] = Request(method: method, type: type)
        }
        for member in members {
            switch member.name {
            case "jsonrpc" where string(member.value, bytes) == "2.0": continue
            case "id" where !isComposite(member.value, bytes): continue
            case "method" where method != nil: continue
            case "params" where method != nil:
                guard let method else { continue }
                if isFromClient {
                    redact(params: member.value, of: method, bytes)
                } else if method == ViewModelChanged.name {
                    redact(frame: member.value, bytes)
                }
            case "result" where !isFromClient:
                redact(result: member.value, of: take(id, on: connection)?.method, bytes)
            case "error" where !isFromClient:
                redact(error: member.value, of: take(id, on: connection), bytes)
            default: redactUnknown(member, bytes)
            }
        }
    }

    /// Returns a request, which is answered now.
    private func take(_ id: ExactString?, on connection: Int) -> Request? {
        id.flatMap { requests[connection]?.removeValue(forKey: $0) }
    }

    /// Returns the type in the params of `viewModel.open`; nil for another method.
    private func type(openedBy method: String, _ params: Range<Int>?, _ bytes: Bytes) -> String? {
        guard method == ViewModelOpen.name, let params else { return nil }
        return members(params, bytes).first { $0.name == "type" }.flatMap { string($0.value, bytes) }
    }

    private func redact(params: Range<Int>, of method: String, _ bytes: Bytes) {
        if protocolMethods.contains(method) {
            guard let schema = ProtocolNames.params[method] else { return }
            redact(params, schema, bytes)
            guard method == ViewModelOpen.name else { return }
            let shape = argumentShape(of: type(openedBy: method, params, bytes))
            for member in members(params, bytes) where member.name == "arguments" {
                redact(named: member.value, shape, bytes)
            }
        } else if let input = MockInput(method, in: contract) {
            redact(script: params, of: input, bytes)
        } else if let shape = callShape(of: method) {
            redact(call: params, takesValue(method) ? shape : .unknown, bytes)
        } else {
            redactAll(params, bytes)
        }
    }

    /// Redacts what a schema of the protocol does not have: members, and values of another kind with parts.
    private func redact(_ value: Range<Int>, _ schema: WireSchema, _ bytes: Bytes) {
        let kind = JSONText.kind(of: bytes.part(value))
        switch schema {
        case .any, .dictionary(.any): break
        case .object(let known) where kind == .object:
            for member in members(value, bytes) {
                if member.name == Meta.member {
                    redact(meta: member.value, bytes)
                } else if let schema = known.first(where: { $0.name == member.name })?.schema {
                    redact(member.value, schema, bytes)
                } else {
                    redactUnknown(member, bytes)
                }
            }
        case .dictionary(let schema) where kind == .object:
            for member in members(value, bytes) {
                if !isNamed(member.name) { redactName(of: member, bytes) }
                redact(member.value, schema, bytes)
            }
        case .array(let schema) where kind == .array:
            for element in elements(value, bytes) { redact(element, schema, bytes) }
        case .optional(let schema): redact(value, schema, bytes)
        case .object, .dictionary, .array: redactAll(value, bytes)
        default: if isComposite(value, bytes) { redactAll(value, bytes) }
        }
    }

    /// Redacts what is unknown in `_meta`.
    func redact(meta: Range<Int>, _ bytes: Bytes) {
        guard isObject(meta, bytes) else { return redactAll(meta, bytes) }
        for member in members(meta, bytes)
        where !Self.metaNames.contains(member.name) || isComposite(member.value, bytes) {
            redactUnknown(member, bytes)
        }
    }

    private static let metaNames = ["deadline", "key"]

    /// Redacts the params of an input or action: the members of an object, `{"value": …}` or `[…]`.
    ///
    /// If the shape is unknown, nothing is known of them, or the member takes no value.
    private func redact(call params: Range<Int>, _ shape: SecretShape, _ bytes: Bytes) {
        guard JSONText.kind(of: bytes.part(params)) == .array else {
            return redact(named: params, shape, value: shape, bytes)
        }
        for element in elements(params, bytes) { redact(element, as: shape, bytes) }
    }

    /// Redacts params or arguments by name; `value` is the shape of a member `value` that no schema names.
    private func redact(
        named params: Range<Int>,
        _ shape: SecretShape,
        value: SecretShape = .unknown,
        _ bytes: Bytes
    ) {
        guard isObject(params, bytes) else { return redactAll(params, bytes) }
        for member in members(params, bytes) {
            let named = shape.named(member.name)
            if member.name == Meta.member {
                redact(meta: member.value, bytes)
            } else if !named.isUnknown {
                redact(member.value, named, bytes)
            } else if member.name == "value", !value.isUnknown {
                redact(member.value, value, bytes)
            } else {
                redactUnknown(member, bytes)
            }
        }
    }

    private func redact(result: Range<Int>, of method: String?, _ bytes: Bytes) {
        guard let method else { return redactAll(result, bytes) }
        if method == ViewModelBind.name || method == ViewModelRead.name { return redact(frame: result, bytes) }
        if method == RPCDiscover.name {
            let digest = SHA256.hash(Array(bytes[result]))
            defer { discovered = digest }
            if digest == discovered { edits.append((result, "the document of the reply before, \(contract.hash)")) }
            return
        }
        if protocolMethods.contains(method) { return }
        redact(result, resultShape(of: method), bytes)
    }

    private func redact(error: Range<Int>, of request: Request?, _ bytes: Bytes) {
        guard let request else { return }
        let method = request.method
        let script = MockInput(method, in: contract).map { SecretShape(members: $0.plainMembers) }
        let called = SecretShape(anyOf: [takesValue(method) ? callShape(of: method) : nil, script])
        let schema = ProtocolNames.params[method]
        let arguments = argumentShape(of: request.type)
        let details = detailShape(of: method)
        for data in members(error, bytes) where data.name == "data" {
            let parts = members(data.value, bytes)
            let path = parts.first { $0.name == "path" }.flatMap { string($0.value, bytes) } ?? ""
            let tokens = JSONPointer(path)?.tokens ?? []
            // The names and values that are redacted in the params are redacted here, too.
            let described =
                if method == ViewModelOpen.name, tokens.first == "arguments" {
                    1 + self.described(Array(tokens.dropFirst()), arguments)
                } else {
                    schema.map { self.described(tokens, $0) } ?? self.described(tokens, called)
                }
            // So is a value of another kind, which an error quotes with its parts.
            let found = parts.first { $0.name == "found" }.flatMap { string($0.value, bytes) } ?? ""
            let isComposite = schema != nil && (["{", "["].contains(found.first) || tokens == ["arguments"])
            let hidesFound =
                called.hasSecrets || described < tokens.count || isComposite || tokens.isEmpty && script == nil
            for member in parts {
                switch member.name {
                case "found" where hidesFound: redactAll(member.value, bytes)
                case "path": redact(path: member.value, tokens, from: described)
                case "details": redact(member.value, details, bytes)
                default: break
                }
            }
        }
    }

    /// Returns the number of tokens of a path in params up to the first that the schemas do not describe.
    private func described(_ tokens: [String], _ shape: SecretShape) -> Int {
        guard let name = tokens.first else { return 0 }
        if name == Meta.member {
            return tokens.dropFirst().first.map { Self.metaNames.contains($0) ? tokens.count : 1 } ?? 1
        }
        let named = shape.named(name)
        guard !named.isUnknown || name == "value" || isIndex(name), !shape.isUnknown else { return 0 }
        return 1 + (named.isUnknown ? shape : named).described(tokens.dropFirst())
    }

    /// Returns the number of tokens of a path up to the first that a schema of the protocol does not describe.
    private func described(_ tokens: [String], _ schema: WireSchema) -> Int {
        var schema = schema
        for (index, token) in tokens.enumerated() {
            if token == Meta.member { return index + described(Array(tokens[index...]), .unknown) }
            while case .optional(let value) = schema { schema = value }
            switch schema {
            case .object(let members):
                guard let member = members.first(where: { $0.name == token }) else { return index }
                schema = member.schema
            case .dictionary where !isNamed(token): return index
            case .array(let value), .dictionary(let value): schema = value
            default: return index
            }
        }
        return tokens.count
    }

    /// Whether a text is a number that is too short for a secret.
    private func isIndex(_ text: some StringProtocol) -> Bool {
        text.utf8.count < Pseudonyms.shortestKnown && Int(text) != nil
    }

    /// Redacts the tokens of a path from an index on, as the names of members at this place are redacted.
    private func redact(path: Range<Int>, _ tokens: [String], from described: Int) {
        guard described < tokens.count else { return }
        let hidden = tokens[described...].map { token in
            token == "-" || isIndex(token) || names.contains(token) ? token : pseudonyms.pseudonym(of: token)
        }
        let text = JSONPointer(tokens: tokens[..<described] + hidden).description
        if hidden != Array(tokens[described...]) { edits.append((path, text)) }
    }

    /// Redacts the values, the patch and the events of a frame, or of the reply to a bind or a read.
    private func redact(frame: Range<Int>, _ bytes: Bytes) {
        let parts = members(frame, bytes)
        let instance = parts.first { $0.name == "id" }.flatMap { string($0.value, bytes) } ?? ""
        for part in parts {
            switch part.name {
            case "values":
                for value in members(part.value, bytes) {
                    redact(value.value, outputShape(of: value.name, of: instance), bytes)
                }
            case "patch":
                for operation in elements(part.value, bytes) {
                    let members = members(operation, bytes)
                    let path = members.first { $0.name == "path" }.flatMap { string($0.value, bytes) } ?? ""
                    let tokens = JSONPointer(path)?.tokens ?? []
                    let shape = outputShape(of: tokens.first ?? "", of: instance).part(at: tokens.dropFirst())
                    for member in members {
                        switch member.name {
                        case "value":
                            if let shape {
                                redact(member.value, shape, bytes)
                            } else {
                                redactAll(member.value, bytes)
                            }
                        case "path", "from":
                            let tokens = string(member.value, bytes).flatMap { JSONPointer($0)?.tokens } ?? []
                            let output = outputShape(of: tokens.first ?? "", of: instance)
                            let described = 1 + output.described(tokens.dropFirst())
                            redact(path: member.value, tokens, from: described)
                        default: break
                        }
                    }
                }
            case "events":
                for event in elements(part.value, bytes) {
                    let members = members(event, bytes)
                    let output = members.first { $0.name == "output" }.flatMap { string($0.value, bytes) } ?? ""
                    for member in members where member.name == "value" {
                        redact(member.value, outputShape(of: output, of: instance), bytes)
                    }
                }
            default: break
            }
        }
    }

    // MARK: Shapes

    /// Returns the shape of the params of an input or action, or nil if no type has such a member.
    func callShape(of method: String) -> SecretShape? {
        guard let path = MemberPath(method: method) else { return nil }
        let types = contract.types(of: path.instance)
        guard types.contains(where: { $0.input(path.member) != nil || $0.action(path.member) != nil }) else {
            return nil
        }
        return shape(of: method, as: "call") { type, member in
            [type.input(member).map { $0.schema ?? .null }, type.action(member).map { $0.parameters ?? .null }]
        }
    }

    /// Whether an input or action takes a value.
    private func takesValue(_ method: String) -> Bool {
        guard let path = MemberPath(method: method) else { return false }
        return contract.types(of: path.instance).contains { type in
            type.input(path.member).map { $0.schema != nil } ?? (type.action(path.member)?.parameters != nil)
        }
    }

    /// Returns the shape of the results of an action.
    func resultShape(of method: String) -> SecretShape {
        shape(of: method, as: "result") { [$0.action($1)?.result] }
    }

    /// Returns the shape of the details of an action's failures.
    func detailShape(of method: String) -> SecretShape {
        shape(of: method, as: "details") { $0.action($1)?.failures.map(\.details) ?? [] }
    }

    /// Returns the shape of an output.
    func outputShape(of output: String, of instance: String) -> SecretShape {
        shape(of: output, at: instance, as: "output") { [$0.output($1)?.schema] }
    }

    private func shape(
        of method: String,
        as use: String,
        _ schemas: (ContractType, String) -> [ContractSchema?]
    ) -> SecretShape {
        MemberPath(method: method).map { shape(of: $0.member, at: $0.instance, as: use, schemas) } ?? .unknown
    }

    private func shape(
        of member: String,
        at instance: String,
        as use: String,
        _ schemas: (ContractType, String) -> [ContractSchema?]
    ) -> SecretShape {
        // Clients choose the names of instances, so that only those of the contract are kept.
        let isOwn = contract.type(String(instance.prefix { $0 != "." })) != nil
        let key = "\(use) \(isOwn ? instance : "*").\(member)"
        if let known = shapes[key] { return known }
        let made = reader.shape(anyOf: contract.types(of: instance).flatMap { schemas($0, member) })
        if isOwn || !made.isUnknown { shapes[key] = made }
        return made
    }

    /// Returns the shape of the arguments of a type, which is unknown for an unknown type, or one without arguments.
    private func argumentShape(of type: String?) -> SecretShape {
        guard let type = type.flatMap({ contract.type($0) }), let arguments = type.arguments else { return .unknown }
        let key = "arguments \(type.name)"
        if let known = shapes[key] { return known }
        let made = reader.shape(of: arguments)
        shapes[key] = made
        return made
    }

    // MARK: Values

    /// Redacts a value, as a whole if its shape is unknown.
    func redact(_ value: Range<Int>, as shape: SecretShape, _ bytes: Bytes) {
        if shape.isUnknown { redactAll(value, bytes) } else { redact(value, shape, bytes) }
    }

    /// Redacts the secrets in a value.
    func redact(_ value: Range<Int>, _ shape: SecretShape, _ bytes: Bytes) {
        guard shape.hasSecrets else { return }
        if shape.mayBeSecret { return redactAll(value, bytes, isDeclared: true) }
        switch JSONText.kind(of: bytes.part(value)) {
        case .array:
            let element = shape.elements
            for part in elements(value, bytes) { redact(part, element, bytes) }
        case .object:
            for member in members(value, bytes) {
                if let part = shape.member(member.name) {
                    redact(member.value, part, bytes)
                } else {
                    redactUnknown(member, bytes)
                }
            }
        // A value of another kind than the schema's: what it stands for is unknown.
        default: redactAll(value, bytes)
        }
    }

    /// Replaces the name of a member that no schema has, and its value.
    func redactUnknown(_ member: Member, _ bytes: Bytes, isDeclared: Bool = false) {
        if !names.contains(member.name) {
            if isDeclared { learn(member.name) }
            redactName(of: member, bytes)
        }
        redactAll(member.value, bytes, isDeclared: isDeclared)
    }

    private func redactName(of member: Member, _ bytes: Bytes) {
        edits.append((range(ofNameBefore: member.value, bytes), pseudonyms.pseudonym(of: member.name)))
    }

    private func learn(_ secret: String) {
        pseudonyms.learn(secret) { names.contains($0) }
    }

    /// Replaces each string, number and name in a value.
    ///
    /// Those of a declared place are secrets, which are looked for in later messages.
    func redactAll(_ value: Range<Int>, _ bytes: Bytes, isDeclared: Bool = false) {
        switch JSONText.kind(of: bytes.part(value)) {
        case .array: for element in elements(value, bytes) { redactAll(element, bytes, isDeclared: isDeclared) }
        case .object:
            for member in members(value, bytes) { redactUnknown(member, bytes, isDeclared: isDeclared) }
        case .string, .number:
            let text = string(value, bytes) ?? String(decoding: bytes[value], as: UTF8.self)
            if isDeclared { learn(text) }
            edits.append((value, pseudonyms.pseudonym(of: text)))
        case .boolean, .null: break
        }
    }

    /// Replaces known secrets and the passwords of URLs in the strings, numbers and names that no edit covers.
    ///
    /// A name of the contract or the protocol, a method and a path of such names stay, although a part may be a secret.
    private func redactKnown(_ bytes: Bytes) {
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var next = 0
        var found: [(range: Range<Int>, text: String)] = []
        forEachScalar(bytes) { range, isString in
            while next < edits.count, edits[next].range.upperBound <= range.lowerBound { next += 1 }
            if next < edits.count, edits[next].range.overlaps(range) { return }
            let text = isString ? string(range, bytes) ?? "" : String(decoding: bytes[range], as: UTF8.self)
            guard !pseudonyms.isEmpty || text.utf8.contains(UInt8(ascii: "@")), !isNamed(text) else { return }
            if let replaced = pseudonyms.replacing(in: text) { found.append((range, replaced)) }
        }
        edits = (edits + found).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns whether a text consists of names, such as `login.password` or `/rows/3/title`.
    private func isNamed(_ text: String) -> Bool {
        text.utf8.count < 256
            && text.split { $0 == "." || $0 == "/" }.allSatisfy { names.contains(String($0)) || isIndex($0) }
    }

    /// Calls a closure with the position of each string, names of members included, and of each number.
    private func forEachScalar(_ bytes: Bytes, _ body: (Range<Int>, _ isString: Bool) -> Void) {
        var offset = 0
        while offset < bytes.count {
            let start = offset
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                while bytes[offset] != UInt8(ascii: "\"") { offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1 }
                offset += 1
                body(start..<offset, true)
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

    /// A member of an object, with the position of its value.
    typealias Member = (name: String, value: Range<Int>)

    func members(_ object: Range<Int>, _ bytes: Bytes) -> [Member] {
        guard isObject(object, bytes) else { return [] }
        var members: [Member] = []
        JSONText.forEachMember(of: bytes.part(object)) { name, value in
            members.append((name.description, value.moved(by: object.lowerBound)))
        }
        return members
    }

    private func isComposite(_ value: Range<Int>, _ bytes: Bytes) -> Bool {
        [.object, .array].contains(JSONText.kind(of: bytes.part(value)))
    }

    func isObject(_ value: Range<Int>, _ bytes: Bytes) -> Bool {
        JSONText.kind(of: bytes.part(value)) == .object
    }

    /// Returns the position of a member's name, with its quotes, by that of its value.
    private func range(ofNameBefore value: Range<Int>, _ bytes: Bytes) -> Range<Int> {
        // Only white space and the colon are in between.
        let end = bytes[..<value.lowerBound].lastIndex(of: UInt8(ascii: "\"")) ?? 0
        var start = end
        repeat {
            start = bytes[..<start].lastIndex(of: UInt8(ascii: "\"")) ?? 0
            // An odd number of backslashes before it makes a quote a part of the name.
        } while !bytes[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
        return start..<end + 1
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
