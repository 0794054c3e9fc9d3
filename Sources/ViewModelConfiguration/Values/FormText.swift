import ViewModelKit

/// A form of texts in the configuration.
package protocol TextForm: Sendable {
    /// Completes "expected …".
    static var expectation: String { get }
    /// Whether an error quotes a text of another form.
    static var isEchoed: Bool { get }
    /// Whether the texts are paths.
    static var isPath: Bool { get }

    static func isValid(_ text: String) -> Bool
}

extension TextForm {
    package static var isEchoed: Bool { true }
    package static var isPath: Bool { false }
}

/// A text of a form, which the kind of its key has checked.
package struct FormText<Form: TextForm>: RawRepresentable, Schemable, ConfigurableValue, ExpressibleByStringLiteral,
    Equatable, Sendable
{
    package static var kind: ValueKind {
        .text(Form.expectation, isEchoed: Form.isEchoed, isPath: Form.isPath) { Form.isValid($0) ? $0 : nil }
    }

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(stringLiteral: String) {
        rawValue = stringLiteral
    }
}

/// An absolute path of a file.
package enum AbsolutePath: TextForm {
    package static let expectation = "an absolute path"
    package static let isPath = true

    package static func isValid(_ text: String) -> Bool { text.hasPrefix("/") }
}

/// An absolute path of a file with a secret, in whose place the secret itself may stand by mistake.
package enum SecretPath: TextForm {
    package static let expectation = AbsolutePath.expectation
    package static let isEchoed = false
    package static let isPath = true

    package static func isValid(_ text: String) -> Bool { AbsolutePath.isValid(text) }
}

/// Hosts with their ports.
package enum HostNames: TextForm {
    package static let expectation =
        "hosts as browsers name them, each with its port unless the port is the default of the scheme, separated by "
        + "single spaces"

    package static func isValid(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && !text.contains("  ")
    }
}

package enum Origins: TextForm {
    package static let expectation = "origins, each with scheme and host, separated by single spaces"

    package static func isValid(_ text: String) -> Bool { HostNames.isValid(text) }
}
