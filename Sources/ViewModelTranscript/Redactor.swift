import Digests
package import ViewModelContract
import ViewModelProtocol

/// A filter that replaces the secrets in messages by pseudonyms, before they are written.
///
/// These are replaced:
///
/// - each value whose schema has the format `password`, in params, results, outputs, patches, events, arguments and
///   details of failures;
/// - what the contract does not know and could hence be a secret with a mistyped name, or where a name belongs: unknown
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
    /// The shapes of members that were needed, by instance and member.
    private var shapes: [String: SecretShape] = [:]
    /// The requests without a reply, by connection and id.
    private var requests: [Int: [ExactString: Request]] = [:]
    /// The edits of the current message, as ranges of it and their new text.
    private var edits: [(range: Range<Int>, text: String)] = []

    /// A method, and the type of which `viewModel.open` makes an instance.
    private typealias Request = (method: String, type: String?)

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
        names = ProtocolNames.all.union(contract.names)
    }

    /// Forgets what a connection has requested.
    package func close(_ connection: Int) {
        requests[connection] = nil
    }

    /// Returns the event of a message without its secrets; its text is one line.
    package func redact(_ message: [UInt8], isFromClient: Bool, on connection: Int) -> Transcript.Event {
        message.withUnsafeBytes { bytes in
            guard (try? JSONText.validate(bytes)) != nil else { return .unreadable("\(bytes.count) bytes, no JSON") }
            edits = []
            let whole = JSONPart(document: bytes, range: JSONText.trimmed(bytes))
            for envelope in whole.kind == .array ? whole.elements : [whole] {
                redact(envelope: envelope, isFromClient, connection)
            }
            redactKnown(whole)
            let text = edited(whole)
            return isFromClient ? .sent(text) : .received(text)
        }
    }

    private func redact(envelope: JSONPart, _ isFromClient: Bool, _ connection: Int) {
        guard envelope.kind == .object else { return replace(envelope) }
        let members = envelope.members
        let methods = members.filter { $0.name == "method" }
        let method = methods.count == 1 ? methods[0].value.string : nil
        let type = method == ViewModelOpen.name ? envelope["params"]?["type"]?.string : nil
        // A string and another value of one text are two ids.
        let id = members.first { $0.name == "id" }.map { member in
            ExactString((member.value.kind == .string ? "\"" : "") + member.value.plainText)
        }
        if isFromClient, let id, let method {
            if requests[connection, default: [:]].count >= Self.maximumRequests { requests[connection] = nil }
            requests[connection, default: [:]][id] = (method, type)
        }
        /// Returns the request, which is answered now.
        func answered() -> Request? { id.flatMap { requests[connection]?.removeValue(forKey: $0) } }
        for member in members {
            switch member.name {
            case "jsonrpc" where member.value.string == "2.0", "method" where method != nil: break
            case "id": redact(member.value, as: .scalar)
            case "params":
                guard let method else { redactUnknown(member); continue }
                if isFromClient {
                    redact(member.value, as: rule(forParamsOf: method, opening: type))
                } else if method == ViewModelChanged.name {
                    redact(member.value, as: frame)
                }
            case "result" where !isFromClient:
                let method = answered()?.method
                if method != RPCDiscover.name || !isRepeated(document: member.value) {
                    redact(member.value, as: rule(forResultOf: method))
                }
            case "error" where !isFromClient:
                if let request = answered() { redact(member.value, as: rule(forErrorOf: request)) }
            default: redactUnknown(member)
            }
        }
    }

    /// Replaces a document of `rpc.discover` that is equal to the one before; returns whether it is.
    private func isRepeated(document: JSONPart) -> Bool {
        let digest = SHA256.hash(Array(document.document[document.range]))
        defer { discovered = digest }
        guard digest == discovered else { return false }
        edits.append((document.range, "the document of the reply before, \(contract.hash)"))
        return true
    }

    // MARK: Rules

    private func rule(forParamsOf method: String, opening type: String?) -> RedactionRule {
        if protocolMethods.contains(method) {
            guard let params = ProtocolNames.params[method].map({ RedactionRule($0) }) else { return .keep }
            guard method == ViewModelOpen.name else { return params }
            let arguments = RedactionRule.params(argumentShape(of: type), isValue: false)
            return .object { $0 == "arguments" ? arguments : params.member($0) }
        }
        if let input = MockInput(method, in: contract) { return .of { self.script($0, of: input) } }
        return callShape(of: method).map { RedactionRule.params($0) } ?? .replace()
    }

    private func rule(forResultOf method: String?) -> RedactionRule {
        guard let method else { return .replace() }
        if method == ViewModelBind.name || method == ViewModelRead.name { return frame }
        return protocolMethods.contains(method) ? .keep : .shape(resultShape(of: method))
    }

    /// Returns the rule of an error, which quotes the params of its request.
    private func rule(forErrorOf request: Request) -> RedactionRule {
        let method = request.method
        let called = callShape(of: method) ?? .unknown
        let opened = argumentShape(of: request.type)
        let input = MockInput(method, in: contract)
        // A mock quotes no secret of the value that a script sets.
        let params: RedactionRule =
            input.map { input in
                RedactionRule.object { name in
                    let isPlain = name == "value" || input.plainMembers.contains(name)
                    return isPlain ? .shape(.unknown) : RedactionRule.params(called).member(name)
                }
            } ?? rule(forParamsOf: method, opening: request.type)
        let details = detailShape(of: method)
        let data = RedactionRule.of { [self] data in
            let tokens = data["path"]?.tokens ?? []
            // An error hides what the request hides.
            var kept = described(tokens[...], in: params)
            // A long number is the name of an unknown member, which may be a secret, and no index.
            if case .parts(let member, _) = params, let first = tokens.first, Int(first) != nil, !isIndex(first),
                member(first) == nil
            {
                kept = 0
            }
            // It also hides a value of the wrong kind, because it quotes the parts of the value.
            let isComposite =
                ProtocolNames.params[method] != nil
                && (["{", "["].contains(data["found"]?.string?.first) || tokens == ["arguments"])
            let hidesFound =
                called.hasSecrets || opened.hasSecrets || kept < tokens.count || isComposite
                || tokens.isEmpty && input == nil
            return .object { name in
                switch name {
                case "found" where hidesFound: .replace()
                case "path": .path { _ in kept }
                case "details": .shape(details)
                default: .keep
                }
            }
        }
        return .object { $0 == "data" ? data : .keep }
    }

    /// The rule of a frame, and of the reply to a bind or a read.
    private var frame: RedactionRule {
        .of { frame in
            let instance = frame["id"]?.string ?? ""
            let output = { [self] (name: String?) in outputShape(of: name ?? "", of: instance) }
            let operation = RedactionRule.of { operation in
                let tokens = operation["path"]?.tokens ?? []
                let value = output(tokens.first).part(at: tokens.dropFirst())
                return .object { name in
                    switch name {
                    case "value": value.map { RedactionRule.shape($0) } ?? .replace()
                    case "path", "from":
                        .path { [self] in 1 + described($0.dropFirst(), in: .shape(output($0.first))) }
                    default: .keep
                    }
                }
            }
            let event = RedactionRule.of { event in
                .object { $0 == "value" ? .shape(output(event["output"]?.string)) : .keep }
            }
            return .object { name in
                switch name {
                case "values": .object { .shape(output($0)) }
                case "patch": .array(operation)
                case "events": .array(event)
                default: .keep
                }
            }
        }
    }

    /// Returns the number of tokens of a path up to the first that a rule does not describe.
    private func described(_ tokens: ArraySlice<String>, in rule: RedactionRule) -> Int {
        guard let token = tokens.first else { return 0 }
        let part: RedactionRule? =
            switch rule {
            case .keep: .keep
            case .parts(let member, let element):
                (token == "-" || Int(token) != nil ? element() : nil) ?? member(token)
            case .array(let element): element
            case .dictionary(let value): isNamed(token) ? value : nil
            case .replace, .scalar, .path, .of: nil
            }
        return part.map { 1 + described(tokens.dropFirst(), in: $0) } ?? 0
    }

    // MARK: Shapes

    /// Returns the shape of the params of an input or action, or nil if no type has such a member.
    ///
    /// That of a member without a value is unknown.
    func callShape(of method: String) -> SecretShape? {
        guard let path = MemberPath(method: method) else { return nil }
        let types = contract.types(of: path.instance)
        guard types.contains(where: { $0.input(path.member) != nil || $0.action(path.member) != nil }) else {
            return nil
        }
        return shape("call", of: path) { [$0.input($1)?.schema, $0.action($1)?.parameters] }
    }

    func resultShape(of method: String) -> SecretShape {
        MemberPath(method: method).map { shape("result", of: $0) { [$0.action($1)?.result] } } ?? .unknown
    }

    func detailShape(of method: String) -> SecretShape {
        MemberPath(method: method).map { shape("details", of: $0) { $0.action($1)?.failures.map(\.details) ?? [] } }
            ?? .unknown
    }

    func outputShape(of output: String, of instance: String) -> SecretShape {
        shape("output", of: MemberPath(instance: instance, member: output)) { [$0.output($1)?.schema] }
    }

    private func shape(
        _ use: String,
        of path: MemberPath,
        _ schemas: (ContractType, String) -> [ContractSchema?]
    ) -> SecretShape {
        // Clients choose the names of instances, so that only those of the contract are kept.
        let isOwn = contract.type(String(path.instance.prefix { $0 != "." })) != nil
        let key = "\(use) \(isOwn ? path.instance : "*").\(path.member)"
        if let known = shapes[key] { return known }
        let made = SecretShape(
            anyOf: contract.types(of: path.instance).flatMap { schemas($0, path.member) },
            in: contract.components
        )
        if isOwn || !made.isUnknown { shapes[key] = made }
        return made
    }

    /// Returns the shape of the arguments of a type, which is unknown for an unknown type, or one without arguments.
    private func argumentShape(of type: String?) -> SecretShape {
        guard let type = type.flatMap({ contract.type($0) }), let arguments = type.arguments else { return .unknown }
        return SecretShape(anyOf: [arguments], in: contract.components)
    }

    // MARK: Values

    private func redact(_ part: JSONPart, as rule: RedactionRule) {
        switch (rule, part.kind) {
        case (.keep, _), (.scalar, .string), (.scalar, .number), (.scalar, .boolean), (.scalar, .null): break
        case (.of(let rule), _): redact(part, as: rule(part))
        case (.path(let described), .string):
            let tokens = part.tokens
            let hidden = tokens.dropFirst(described(tokens)).map { token in
                token == "-" || isIndex(token) || names.contains(token) ? token : pseudonyms.pseudonym(of: token)
            }
            let redacted = tokens.dropLast(hidden.count) + hidden
            if Array(redacted) != tokens { edits.append((part.range, JSONPointer(tokens: redacted).description)) }
        case (.array(let rule), .array): for element in part.elements { redact(element, as: rule) }
        case (.parts(_, let element), .array): redact(part, as: .array(element() ?? .replace()))
        case (.dictionary(let rule), .object):
            for member in part.members {
                if !isNamed(member.name) { redactName(of: member) }
                redact(member.value, as: rule)
            }
        case (.parts(let known, _), .object):
            for member in part.members {
                if let rule = known(member.name) { redact(member.value, as: rule) } else { redactUnknown(member) }
            }
        case (.replace(let isSecret), _): replace(part, isDeclared: isSecret)
        default: replace(part)
        }
    }

    /// Replaces the name of a member that no schema has, and its value.
    private func redactUnknown(_ member: (name: String, value: JSONPart), isDeclared: Bool = false) {
        if !names.contains(member.name) {
            if isDeclared { learn(member.name) }
            redactName(of: member)
        }
        replace(member.value, isDeclared: isDeclared)
    }

    private func redactName(of member: (name: String, value: JSONPart)) {
        edits.append((member.value.nameRange, pseudonyms.pseudonym(of: member.name)))
    }

    private func learn(_ secret: String) {
        pseudonyms.learn(secret) { names.contains($0) }
    }

    /// Replaces each string, number and name in a value.
    ///
    /// Those of a declared secret are looked for in later messages.
    private func replace(_ part: JSONPart, isDeclared: Bool = false) {
        switch part.kind {
        case .array: for element in part.elements { replace(element, isDeclared: isDeclared) }
        case .object: for member in part.members { redactUnknown(member, isDeclared: isDeclared) }
        case .string, .number:
            if isDeclared { learn(part.plainText) }
            edits.append((part.range, pseudonyms.pseudonym(of: part.plainText)))
        case .boolean, .null: break
        }
    }

    /// Replaces known secrets and the passwords of URLs in the strings, numbers and names that no edit covers.
    ///
    /// A name of the contract or the protocol, a method and a path of such names stay, although a part may be a secret.
    private func redactKnown(_ message: JSONPart) {
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var next = 0
        var found: [(range: Range<Int>, text: String)] = []
        for scalar in message.scalars {
            while next < edits.count, edits[next].range.upperBound <= scalar.range.lowerBound { next += 1 }
            if next < edits.count, edits[next].range.overlaps(scalar.range) { continue }
            let text = scalar.plainText
            guard !pseudonyms.isEmpty || text.utf8.contains(UInt8(ascii: "@")), !isNamed(text) else { continue }
            if let replaced = pseudonyms.replacing(in: text) { found.append((scalar.range, replaced)) }
        }
        edits = (edits + found).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns whether a text consists of names, such as `login.password` or `/rows/3/title`.
    private func isNamed(_ text: String) -> Bool {
        text.utf8.count < 256
            && text.split { $0 == "." || $0 == "/" }.allSatisfy { names.contains(String($0)) || isIndex($0) }
    }

    /// Whether a text is a number that is too short for a secret.
    private func isIndex(_ text: some StringProtocol) -> Bool {
        text.utf8.count < Pseudonyms.shortestKnown && Int(text) != nil
    }

    /// Returns the message with its edits, on one line.
    private func edited(_ whole: JSONPart) -> String {
        var writer = JSONWriter(reserving: whole.document.count + 32 * edits.count)
        var position = whole.range.lowerBound
        func keep(to end: Int) {
            // Outside of strings only white space is below a space.
            for byte in whole.document[position..<end] { writer.byte(byte < 0x20 ? 0x20 : byte) }
        }
        for edit in edits {
            keep(to: edit.range.lowerBound)
            writer.string(edit.text)
            position = edit.range.upperBound
        }
        keep(to: whole.range.upperBound)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
