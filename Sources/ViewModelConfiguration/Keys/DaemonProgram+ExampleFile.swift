extension DaemonProgram {
    /// The keys, in the order of the shipped example, with the names of their variables and their effects.
    package var documentedKeys: [(key: ConfigurationKey, variable: String, meaning: String)] {
        configurationKeys.map { ($0, variable(for: $0), $0.meaning.replacing("viewmodeld", with: name)) }
    }

    /// A configuration file with every key, its meaning and its default, in which all values are comments.
    package var exampleFile: String {
        var lines = introduction.split(separator: "\n").flatMap { Self.wrap($0, indentation: "") }
        var section: [Substring] = []
        for (key, variable, meaning) in documentedKeys {
            let parts = key.name.split(separator: ".")
            lines.append("")
            for depth in parts.indices.dropLast() where section.prefix(depth + 1) != parts.prefix(depth + 1) {
                lines.append(Self.indentation(depth) + parts[depth] + ":")
            }
            section = parts.dropLast()
            let indentation = Self.indentation(parts.count - 1)
            for paragraph in meaning.split(separator: "\n") {
                lines += Self.wrap(paragraph, indentation: indentation)
            }
            let reload = key.isLive ? "" : " A change needs a restart."
            let expectation = "Expects \(key.expectation). Variable: \(variable).\(reload)"
            lines += Self.wrap(expectation[...], indentation: indentation)
            lines.append("\(indentation)#\(parts.last ?? ""):" + (key.defaultText.map { " \($0)" } ?? ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The first comment; an empty line of it is a blank.
    private var introduction: String {
        """
        The configuration of \(name).
         
        To change a value, remove the "#" before its key. A value that is commented out is the default. A key without a \
        value has no default, or one that depends on the machine.
         
        The daemon of the machine reads /etc/\(configurationPath), a person's daemon ~/.config/\(configurationPath). \
        --config FILE names another file.
         
        Own settings fit better into files beside it, in the directory \(name).d: \(name).d/local.yaml, for example. Those \
        whose names end in .yaml are read after this file, in the byte order of their names, and take precedence over it. \
        The rules of "access" of all files are added up.
         
        A flag takes precedence over an environment variable, and a variable over this file. Each key names its variable.
         
        To check a file without starting the daemon, run: \(name) --check-config --config FILE
         
        A running daemon reads the file again on SIGHUP and when it changes. The file and its directory may be created \
        while the daemon runs. A file with an error changes nothing; the log has the error.
        """
    }

    private static func indentation(_ depth: Int) -> String {
        String(repeating: "  ", count: depth)
    }

    private static func wrap(_ text: Substring, indentation: String) -> [String] {
        let width = 100
        var lines = [indentation + "#"]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > width { lines.append(indentation + "#") }
            lines[lines.count - 1] += " " + word
        }
        return lines
    }
}
