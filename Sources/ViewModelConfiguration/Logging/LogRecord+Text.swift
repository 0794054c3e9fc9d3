import Logging

extension LogRecord {
    /// A line for people: time, level, message and the facts as `name=value`.
    var textLine: [UInt8] { Array("\(timeText) \(level.rawValue) \(summary)\n".utf8) }

    /// A line whose beginning tells a service manager how severe it is, as sd-daemon(3) has it.
    var priorityLine: [UInt8] { Array("<\(priority)>\(summary)\n".utf8) }

    /// The level as syslog(3) counts it: 7 is debug, 2 critical.
    var priority: Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// The message and the facts on one line.
    ///
    /// Values of clients can forge nothing: one that could be taken for more than one word is quoted, and what ends a line
    /// or is not seen is escaped.
    var summary: String {
        var text = Self.escaped(message, quotes: false)
        for (name, value) in fields {
            let value = Self.text(value)
            let isWord = !value.isEmpty && value.unicodeScalars.allSatisfy(Self.isPlain)
            text += " \(name)=" + (isWord ? value : "\"\(Self.escaped(value, quotes: true))\"")
        }
        return text
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\"" && scalar != "\\" && scalar != "=" && !scalar.properties.isWhitespace && isSeen(scalar)
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            case "\\" where quotes: escaped += "\\\\"
            case _ where isSeen(scalar): escaped.unicodeScalars.append(scalar)
            default: escaped += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return escaped
    }
}
