import UnixIO
package import ViewModelClient

/// A writer of results to the standard output, as JSON lines or as text.
package struct Printer: Sendable {
    /// Whether results are written as text for people.
    let isText: Bool
    /// Whether the output is a terminal, which can be coloured and overwritten.
    let isTerminal: Bool

    /// The columns of the terminal, to which tables are cut; nil if the output is no terminal.
    package var columns: Int? { TerminalSize()?.columns }

    package init(_ format: OutputFormat) {
        isTerminal = Descriptor.output.isTerminal
        isText = format == .text || (format == .auto && isTerminal)
    }

    /// Writes a value as one line of JSON or as text.
    package func print(_ value: JSONValue) throws {
        if isText {
            try print(text: ValueText.block(value, width: columns))
        } else {
            try Descriptor.output.write(value.text + [UInt8(ascii: "\n")])
        }
    }

    /// Writes a value as one line of JSON, or the text that stands for it.
    package func print(_ value: @autoclosure () -> JSONValue, as text: @autoclosure () -> String) throws {
        if isText { try print(text: text()) } else { try print(value()) }
    }

    /// Writes a result of the daemon; in JSON format its bytes stay unchanged, including the digits of numbers.
    func print(raw result: [UInt8]) throws {
        guard isText else { return try Descriptor.output.write(result + [UInt8(ascii: "\n")]) }
        try print(JSONValue(text: result) ?? .null)
    }

    /// Writes text and a line feed if it does not end with one; an empty text writes nothing.
    package func print(text: String) throws {
        guard !text.isEmpty else { return }
        try Descriptor.output.write(Array(text.shown.utf8) + (text.hasSuffix("\n") ? [] : [UInt8(ascii: "\n")]))
    }
}

package enum OutputFormat: String, CaseIterable, Sendable {
    /// Text on a terminal, JSON elsewhere.
    case auto
    /// One JSON value per line.
    case json
    /// Tables for people.
    case text
}
