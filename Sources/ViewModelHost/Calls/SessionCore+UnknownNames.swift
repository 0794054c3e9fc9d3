import ViewModelKit
import ViewModelProtocol

/// The errors for names that are not a method.
extension SessionCore {
    /// Returns names that a client may have meant; none for a notification, which has no reply.
    func suggestions(for name: String, among candidates: @autoclosure () -> some Sequence<String>) -> [String] {
        isAwaited ? Suggestions.close(to: name, among: candidates()) : []
    }

    /// Returns the error for a method whose instance does not exist.
    func unknownMethod(_ instanceID: Bytes, _ memberName: Bytes) -> ProtocolError {
        let id = String(decoding: instanceID, as: UTF8.self)
        let member = String(decoding: memberName, as: UTF8.self)
        guard isAwaited else { return .methodNotFound(instance: id, member: member) }
        if let output = outputOfAction(id, member) {
            return .methodNotFound(instance: id, member: member, hint: Self.hint(forOutput: output))
        }
        return ProtocolMethods.unknown(id, member)
            ?? .methodNotFound(instance: id, member: member, suggestions: suggestions(forInstance: id))
    }

    /// Returns the error for a method whose instance exists and has no input or action of that name.
    func unknownMember(_ instance: Instance, _ memberName: Bytes) -> ProtocolError {
        let name = String(decoding: memberName, as: UTF8.self)
        guard isAwaited else { return .methodNotFound(instance: instance.id, member: name) }
        let contract = instance.type.contract
        var hint: String?
        if instance.type.slotIndices[ExactString(name)] != nil {
            hint = Self.hint(forOutput: "\(instance.id).\(name)")
        } else if name.isEmpty {
            hint = RPCPeer.hint(forInstance: instance.id)
        } else if instance.type.children.contains(where: { $0.name.isExactly(name) }) {
            hint = RPCPeer.hint(forInstance: "\(instance.id).\(name)")
        }
        return .methodNotFound(
            instance: instance.id,
            member: name,
            suggestions: Suggestions.close(
                to: name,
                among: contract.inputs.map(\.name) + contract.actions.map(\.name)
            ),
            hint: hint
        )
    }

    /// Returns ids of instances that the client may have meant.
    ///
    /// The name of a child's type stands for the ids of its children.
    func suggestions(forInstance id: String) -> [String] {
        guard isAwaited else { return [] }
        if let children = host.childPaths[ExactString(id)] { return Array(children.prefix(Suggestions.limit)) }
        let living = instances.lazy.map(\.id).prefix(Suggestions.candidateLimit)
        return Suggestions.close(to: id, among: Set(host.types.keys.map(\.string)).union(living))
    }

    /// Returns the full name of an output of an action, such as `lab.sleep.enabled`; nil if the method is no such name.
    private func outputOfAction(_ id: String, _ member: String) -> String? {
        guard let dot = id.lastIndex(of: ".") else { return nil }
        let owner = String(id[..<dot])
        let output = "\(id[id.index(after: dot)...]).\(member)"
        return instancesByID.find(owner)?.type.slotIndices[ExactString(output)] == nil ? nil : "\(owner).\(output)"
    }

    private static func hint(forOutput name: String) -> String {
        "\(name) is an output: viewModel.read and viewModel.bind return its value"
    }
}

extension RPCPeer {
    /// Returns the hint for the name of an instance in the place of a method.
    static func hint(forInstance id: String) -> String {
        "\(id) is an instance: a method is \(id) and an input or action of it, separated by a dot"
    }
}
