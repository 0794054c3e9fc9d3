import Accounts
import Configuration
import ViewModelHost

extension ValueKind<String> {
    /// An absolute path of a file.
    static func absolutePath(isEchoed: Bool = true) -> ValueKind {
        text(
            "an absolute path",
            isEchoed: isEchoed,
            make: { $0.hasPrefix("/") && !$0.contains("\0") ? $0 : nil },
            text: { $0 }
        )
    }

    /// A text that is not empty.
    static let someText = text("a text", make: { $0.isEmpty ? nil : $0 }, text: { $0 })

    /// The address of a service on the web: a scheme, a host, and perhaps a port and a path.
    static let webAddress = text(
        "an http:// or https:// address with a host, perhaps a port from 1 to 65535, and no user, query or fragment",
        isEchoed: false,
        make: { text in (try? WebAddress(text)).flatMap { $0.hasQueryOrFragment ? nil : text } },
        text: { $0 }
    )

    /// Scope tokens (RFC 6749, section 3.3).
    static let scopes = text(
        "scopes, separated by single spaces",
        make: { text in
            let tokens = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            let isValid = tokens.allSatisfy { token in
                !token.isEmpty && token.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
            }
            return isValid ? text : nil
        },
        text: { $0 }
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
        type: .stringArray,
        expectation: AccessRule.expectation,
        value: { content throws(ValueProblem) in
            guard case .stringArray(let texts) = content else {
                throw ValueProblem(expected: AccessRule.expectation)
            }
            return try AccessRule.rules(from: texts)
        },
        text: { _ in "[]" }
    )
}
