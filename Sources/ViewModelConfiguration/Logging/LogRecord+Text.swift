import Logging

extension LogRecord {
    /// A line for people: time, level, message and fields as `name=value`.
    var textLine: [UInt8] { Array("\(timeText) \(level.rawValue) \(summary)\n".utf8) }

    /// A line with the severity in front, as a service manager expects it (sd-daemon(3)).
    var priorityLine: [UInt8] { Array("<\(priority)>\(summary)\n".utf8) }

    /// The severity of syslog(3), from 7 for debug to 2 for critical.
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

    /// The message and the fields on one line.
    ///
    /// Clients cannot forge fields or lines with their values. A value that is not one plain word is quoted. Line ends
    /// and invisible characters are escaped.
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
