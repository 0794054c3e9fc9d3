import ViewModelKit

/// A text of a form, which the kind of its key has checked.
package struct FormText<Form: ConfigurableValue>: RawRepresentable, Schemable, ConfigurableValue,
    ExpressibleByStringLiteral, Equatable, Sendable
{
    package static var kind: ValueKind { Form.kind }

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(stringLiteral: String) {
        rawValue = stringLiteral
    }
}

/// An absolute path of a file.
package enum AbsolutePath: ConfigurableValue {
    package static let kind = ValueKind.text("an absolute path", isPath: true) { $0.hasPrefix("/") }
}

/// An absolute path of a file with a secret, in whose place the secret itself may stand by mistake.
package enum SecretPath: ConfigurableValue {
    package static let kind = ValueKind.text("an absolute path", isEchoed: false, isPath: true) { $0.hasPrefix("/") }
}

/// Hosts with their ports.
package enum HostNames: ConfigurableValue {
    package static let kind = ValueKind.text(
        "hosts as browsers name them, each with its port unless the port is the default of the scheme, separated by "
            + "single spaces",
        where: isList
    )

    fileprivate static func isList(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && !text.contains("  ")
    }
}

package enum Origins: ConfigurableValue {
    package static let kind = ValueKind.text(
        "origins, each with scheme and host, separated by single spaces",
        where: HostNames.isList
    )
}

/// A path of HTTP that needs no escapes.
package enum HTTPPath: ConfigurableValue {
    package static let kind = ValueKind.text(
        "a path such as /vm/, of letters, digits, \"-\", \"_\", \".\" and \"~\" between single slashes",
        where: isPath
    )

    private static func isPath(_ text: String) -> Bool {
        let names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return text.hasPrefix("/") && names.dropLast().allSatisfy { !$0.isEmpty }
            && names.allSatisfy { $0 != "." && $0 != ".." && $0.allSatisfy(isUnreserved) }
    }

    private static func isUnreserved(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~".contains(character))
    }
}
