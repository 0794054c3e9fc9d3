import ViewModelHost

extension ValueKind<String> {
    /// An absolute path of a file.
    package static func absolutePath(isEchoed: Bool = true) -> ValueKind {
        text(
            "an absolute path",
            isEchoed: isEchoed,
            isPath: true,
            make: { $0.hasPrefix("/") ? $0 : nil },
            text: { $0 }
        )
    }

    /// A text that is not empty.
    package static let someText = text("a text", make: { $0.isEmpty ? nil : $0 }, text: { $0 })

    /// Hosts with their ports, or origins.
    static func names(_ expectation: String) -> ValueKind {
        text(
            expectation + ", separated by single spaces",
            make: { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } && !$0.contains("  ") ? $0 : nil },
            text: { "\"\($0)\"" }
        )
    }
}

extension ValueKind<ListenAddress> {
    /// An address on which a gateway listens.
    static let listenAddress = text(
        "HOST:PORT, with the IP address of a host or localhost, or the absolute path of a socket",
        isPath: true,
        make: { ListenAddress($0) },
        text: { "\"\($0)\"" }
    )
}

extension ValueKind<FileMode> {
    /// The permissions of the socket.
    static let fileMode = text(
        "an octal mode such as \"0660\" that lets the owner read and write",
        make: { FileMode(octal: $0) },
        text: { "\"\($0.text)\"" }
    )
}

extension ValueKind<GroupReference> {
    /// A group of the system.
    static let systemGroup = text(
        "a group of this system",
        make: { SystemNames.findGroup($0) },
        text: { $0.name }
    )
}

extension ValueKind<[AccessRule]> {
    /// A list of access rules.
    static let accessRules = ValueKind(
        expectation: AccessRule.expectation,
        value: { found throws(ValueProblem) in
            guard let items = found.items else {
                throw ValueProblem(expected: AccessRule.expectation, found: found.isUntyped ? found.text : nil)
            }
            return try AccessRule.rules(from: items)
        },
        text: { _ in "[]" }
    )
}
