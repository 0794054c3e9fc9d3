import JSONRPC
import ViewModelKit

/// The format of the log, as `log.format` of the configuration names it.
package enum LogFormat: String, CaseIterable, Schemable, Sendable {
    /// The format that suits the receiver: journald's protocol, lines with a priority for another service manager, else
    /// text.
    case auto
    /// One JSON object a line.
    case json
    /// A line for people.
    case text
}

/// The permissions of a file (chmod(1)).
package struct FileMode: RawRepresentable, Schemable, ConfigurableValue, Equatable, Sendable {
    package static let kind = ValueKind.read("an octal mode such as \"0660\" that lets the owner read and write") {
        $0.text.flatMap(FileMode.init).map { .string($0.rawValue) }
    }

    package let bits: UInt32

    init(_ bits: UInt32) {
        self.bits = bits
    }

    /// Parses octal digits: `660`, `0660` and `0o660` are the same.
    ///
    /// Returns nil for other text, and for a mode without read and write permission for the owner.
    package init?(rawValue text: String) {
        let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text.hasPrefix("0") ? text.dropFirst() : text[...]
        guard digits.count == 3, digits.allSatisfy(\.isASCII), let bits = UInt32(digits, radix: 8) else { return nil }
        guard bits & 0o600 == 0o600 else { return nil }
        self.bits = bits
    }

    /// Four octal digits.
    package var rawValue: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
