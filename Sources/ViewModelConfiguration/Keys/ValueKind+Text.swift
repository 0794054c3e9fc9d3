import Accounts
import ViewModelHost

extension ValueKind<String> {
    /// An absolute path of a file.
    static func absolutePath(isEchoed: Bool = true) -> ValueKind {
        text(
            "an absolute path",
            isEchoed: isEchoed,
            isPath: true,
            make: { $0.hasPrefix("/") ? $0 : nil },
            text: { $0 }
        )
    }

    /// A text that is not empty.
    static let someText = text("a text", make: { $0.isEmpty ? nil : $0 }, text: { $0 })

    /// The address of a web service: a scheme, a host, an optional port and an optional path.
    static let webAddress = text(
        "an http:// or https:// address with a host, perhaps a port from 1 to 65535, and no user, query or fragment",
        isEchoed: false,
        make: { text in (try? WebAddress(text)).flatMap { $0.hasQueryOrFragment ? nil : text } },
        text: { $0 }
    )

    /// The address of a PostgreSQL database, which the store parses.
    ///
    /// It is never quoted, because it may have a password in spite of the documentation.
    static let databaseAddress = text(
        "an address of PostgreSQL such as postgresql://USER@HOST/DATABASE",
        isEchoed: false,
        make: { text in ["postgresql://", "postgres://"].contains(where: text.hasPrefix) ? text : nil },
        text: { $0 }
    )

    /// The name of a machine.
    static let nodeName = text(
        "a name of at most 64 letters, digits, dots, hyphens and underscores",
        make: { text in
            let isName = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            return isName && 1...64 ~= text.utf8.count ? text : nil
        },
        text: { $0 }
    )

    /// Hosts with their ports, or origins.
    static func names(_ expectation: String) -> ValueKind {
        text(
            expectation + ", separated by single spaces",
            make: { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } && !$0.contains("  ") ? $0 : nil },
            text: { "\"\($0)\"" }
        )
    }

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
            guard let texts = found.items else {
                throw ValueProblem(expected: AccessRule.expectation)
            }
            return try AccessRule.rules(from: texts)
        },
        text: { _ in "[]" }
    )
}
