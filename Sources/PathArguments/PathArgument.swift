package import ArgumentParser
import UnixIO

/// A path on the command line, which may have bytes that are not UTF-8 (`String.init(systemBytes:)`).
package struct PathArgument: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init(argument: String) { path = argument }

    package var description: String { path }
}

extension ParsableCommand {
    /// Parses arguments, and refuses each value that is not UTF-8.
    ///
    /// Only a ``PathArgument`` may have such bytes.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the name of the program.
    ///   - parse: Parses them.
    /// - Returns: The command.
    /// - Throws: The error of `parse`; `ValidationError` that names the first argument that is not UTF-8.
    package static func refusingBytes(
        in arguments: [String],
        _ parse: ([String]) async throws -> any ParsableCommand
    ) async throws -> any ParsableCommand {
        guard arguments.contains(where: \.isNotUTF8) else { return try await parse(arguments) }
        do {
            let command = try await parse(arguments)
            try refuseText(in: command, arguments)
            return command
        } catch {
            // The parser quotes the value that it refuses.
            try refuseText(in: fullMessage(for: error), arguments)
            throw error
        }
    }

    private static func refuseText(in parsed: Any, _ arguments: [String]) throws {
        guard let text = textThatIsNotUTF8(in: parsed) else { return }
        let position = arguments.firstIndex { argument in
            let value = argument.split(separator: "=", maxSplits: 1).last ?? ""
            return argument.isNotUTF8 && (text.contains(argument) || text.contains(value))
        }
        throw ValidationError("argument \((position ?? 0) + 1) is not UTF-8 text; write it in UTF-8")
    }

    /// Returns a text in a value or its members that is not UTF-8, apart from paths.
    ///
    /// The parser cannot check the values of all options, so the properties of the parsed command are read.
    private static func textThatIsNotUTF8(in value: Any) -> String? {
        switch value {
        case is PathArgument: nil
        case let text as String: text.isNotUTF8 ? text : nil
        default: Mirror(reflecting: value).children.lazy.compactMap { textThatIsNotUTF8(in: $0.value) }.first
        }
    }
}
