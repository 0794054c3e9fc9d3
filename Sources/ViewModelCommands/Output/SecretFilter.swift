import ArgumentParser
import ViewModelClient
import ViewModelContract

/// The option of the verbs that print values.
struct SecretOptions: ParsableArguments {
    @Flag(
        name: .customLong("show-secrets"),
        help: ArgumentHelp(
            "Print passwords.",
            discussion: "Without it, a value of the format password is \"•••\", also with --output json and for --exec."
        )
    )
    var areShown = false
}

/// A filter that puts dots in the place of the secrets in values that a verb prints (protocol, section 9).
///
/// The contract tells the secrets. It is fetched when the first value comes, and again when a binding begins anew,
/// because the daemon may have another contract then.
actor SecretFilter {
    private let context: CommandContext
    private let isOff: Bool
    private var isFirst = true
    private var outputs: [String: [String: SecretShape]] = [:]

    /// Creates a filter; one that is off returns the values as they are.
    init(_ context: CommandContext, _ options: SecretOptions) {
        self.context = context
        isOff = options.areShown || context.showsSecrets
    }

    func filtered(_ update: BindingUpdate) async throws -> BindingUpdate {
        guard !isOff else { return update }
        if update.isFull {
            if !isFirst {
                outputs = [:]
                await context.forgetContract()
            }
            isFirst = false
        }
        var filtered = update
        let picture = update.picture
        let shapes = try await outputs(of: picture.id)
        filtered.picture = Picture(
            id: picture.id,
            epoch: picture.epoch,
            seq: picture.seq,
            values: Self.filtered(picture.values, shapes)
        )
        for (index, event) in update.change.events.enumerated() {
            let shape = shapes[event.output] ?? .unknown
            filtered.change.events[index].value = shape.hidingSecrets(in: event.value)
        }
        return filtered
    }

    func filtered(_ values: JSONObject, of instance: String) async throws -> JSONObject {
        isOff ? values : Self.filtered(values, try await outputs(of: instance))
    }

    /// Sends a request, and returns its result without secrets.
    ///
    /// A result without a secret is that of the daemon, with the digits of its numbers. An error has no secrets in the
    /// details of a failure.
    func request(_ method: String, params: [UInt8]?) async throws -> [UInt8] {
        let path = MemberPath(method: method).flatMap { InstanceID.reserved.contains($0.instance) ? nil : $0 }
        let hasPicture = [ViewModelRead.name, ViewModelBind.name].contains(method)
        guard !isOff, path != nil || hasPicture else {
            return try await context.client.request(method, params: params)
        }
        do {
            let result = try await context.client.request(method, params: params)
            guard let value = JSONValue(text: result), Self.mayHaveSecrets(value) else { return result }
            let filtered =
                if let path {
                    try await filtered(value, of: path) { [$0.result] }
                } else {
                    try await filtered(reply: value)
                }
            return filtered == value ? result : filtered.text
        } catch var error as ClientError {
            var data = error.reply?.data?.objectValue ?? [:]
            guard let path, let details = data["details"] else { throw error }
            data["details"] = try await filtered(details, of: path) { $0.failures.map(\.details) }
            error.reply?.data = .object(data)
            throw error
        }
    }

    /// Returns the result of an action, or the details of its failure, without secrets.
    private func filtered(
        _ value: JSONValue,
        of path: MemberPath,
        _ schemas: (ContractType.Action) -> [ContractSchema?]
    ) async throws -> JSONValue {
        let actions = try await types(of: path.instance).compactMap { $0.action(path.member) }
        let components = try await context.contract(of: path.instance).components
        return SecretShape(anyOf: actions.flatMap(schemas), in: components).hidingSecrets(in: value)
    }

    /// Returns whether a result is another one than null and the reply to an input.
    private static func mayHaveSecrets(_ result: JSONValue) -> Bool {
        guard let members = result.objectValue else { return !result.isNull }
        return !members.keys.allSatisfy { ["seq", "held"].contains($0) }
    }

    private static func filtered(_ values: JSONObject, _ shapes: [String: SecretShape]) -> JSONObject {
        JSONObject(values.map { ($0, (shapes[$0] ?? .unknown).hidingSecrets(in: $1)) })
    }

    /// Returns the reply to a bind or a read without secrets.
    private func filtered(reply: JSONValue) async throws -> JSONValue {
        guard var members = reply.objectValue else { return reply }
        let shapes = try await outputs(of: members["id"]?.stringValue ?? "")
        if let values = members["values"]?.objectValue { members["values"] = .object(Self.filtered(values, shapes)) }
        for name in ["patch", "events"] {
            guard let parts = members[name]?.arrayValue else { continue }
            members[name] = .array(
                parts.map { part in
                    guard var part = part.objectValue, let value = part["value"] else { return part }
                    let output = part["output"]?.stringValue.map { [$0] }
                    let tokens = output ?? part["path"]?.stringValue.flatMap(JSONPointer.init)?.tokens ?? []
                    let whole = shapes[tokens.first ?? ""] ?? .unknown
                    part["value"] = whole.hidingSecrets(in: value, at: tokens.dropFirst())
                    return .object(part)
                }
            )
        }
        return .object(members)
    }

    // MARK: Shapes

    private func outputs(of instance: String) async throws -> [String: SecretShape] {
        if let known = outputs[instance] { return known }
        let components = try await context.contract(of: instance).components
        let found = Dictionary(grouping: try await types(of: instance).flatMap(\.outputs), by: \.name)
            .mapValues { SecretShape(anyOf: $0.map(\.schema), in: components) }
        outputs[instance] = found
        return found
    }

    /// Returns the type of an instance, or all types if it is gone.
    private func types(of instance: String) async throws -> [ContractType] {
        if let type = try await context.type(of: instance) { return [type] }
        return try await context.contract().types
    }
}
