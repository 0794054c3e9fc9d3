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
        # To change a value, remove the "#" before its key. A value that is commented out is the default. A key \
        without a value has no default, or one that depends on the machine.
        #
        # The daemon of the machine reads /etc/viewmodeld/viewmodeld.yaml, a person's daemon \
        ~/.config/viewmodeld/viewmodeld.yaml. --config FILE names another file.
        #
        # A flag takes precedence over an environment variable, and a variable over this file. Each key names its \
        variable.
        #
        # To check a file without starting the daemon, run: viewmodeld --check-config --config FILE
        #
        # A running daemon reads the file again on SIGHUP and when it changes. The file and its directory may be \
        created while the daemon runs. A file with an error changes nothing; the log has the error.
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
            let reload = key.isLive ? "" : " A change needs a restart."
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
