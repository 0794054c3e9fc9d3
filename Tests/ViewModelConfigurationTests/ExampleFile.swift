import Foundation

@testable import ViewModelConfiguration

/// The example that ships, made from the table of keys.
enum ExampleFile {
    /// Where the example lies in the repository.
    static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "config/viewmodeld.yaml")

    private static let width = 100

    private static let introduction = """
        # The configuration of viewmodeld.
        #
        # This is the whole of it, and each value that is commented out is the default: to change one, remove the "#" \
        before its key. The file's place is /etc/viewmodeld/viewmodeld.yaml for the system service, \
        ~/.config/viewmodeld/viewmodeld.yaml for a person, and anywhere with --config FILE.
        #
        # Flags go before environment variables, and those before this file. The variable of each key is named beside it. \
        A key that is shown without a value has none, or one that depends on the machine.
        #
        # What the daemon makes of a file, without starting: viewmodeld --check-config --config FILE
        #
        # A running daemon reads the file again when it changes, and on SIGHUP. A new file that is wrong changes nothing: \
        the log says what is wrong with it.
        """

    /// The text that the table stands for.
    static func text() -> String {
        var lines: [String] = introduction.split(separator: "\n").flatMap { line in
            wrap(line.dropFirst(2), indentation: "")
        }
        let variables = EnvironmentSource([:])
        var section: [Substring] = []
        for key in ConfigurationKey.all {
            let parts = key.name.split(separator: ".")
            lines.append("")
            for depth in parts.indices.dropLast() where section.prefix(depth + 1) != parts.prefix(depth + 1) {
                lines.append(indentation(depth) + parts[depth] + ":")
            }
            section = parts.dropLast()
            let indentation = indentation(parts.count - 1)
            for paragraph in key.meaning.split(separator: "\n") {
                lines += wrap(paragraph, indentation: indentation)
            }
            let reload = key.isLive ? "" : " A change takes a restart."
            let expectation = "Expects \(key.expectation). Variable: \(variables.variable(for: key)).\(reload)"
            lines += wrap(expectation[...], indentation: indentation)
            lines.append("\(indentation)#\(parts.last ?? ""):" + (key.defaultText.map { " \($0)" } ?? ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A file's text where nothing is commented out any more but sentences.
    static func uncommented(_ text: String) -> String {
        text.replacing(/(?m)^( *)#(?=[^\s#])/) { $0.output.1 }
    }

    private static func indentation(_ depth: Int) -> String {
        String(repeating: "  ", count: depth)
    }

    private static func wrap(_ text: Substring, indentation: String) -> [String] {
        var lines = [indentation + "#"]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > width { lines.append(indentation + "#") }
            lines[lines.count - 1] += " " + word
        }
        return lines
    }
}
