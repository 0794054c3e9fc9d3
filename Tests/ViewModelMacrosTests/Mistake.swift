import Testing

/// A source with mistakes, and what the macros say about them.
///
/// A test writes it as text. A line `^ message` stands below each mistake, the caret below its first character; a line
/// `| message` continues the message. `fix: message` at the end names a fix-it, and the source after it may follow.
///
///     @ViewModel
///     public class Calculator {
///            ^ A ViewModel is a final class; write `final class Calculator`
///     fix: write `final class Calculator`
///     @ViewModel
///     public final class Calculator {
struct Mistake: CustomTestStringConvertible, Sendable {
    struct Complaint: Equatable, CustomStringConvertible, Sendable {
        let line: Int
        let column: Int
        var message: String

        var description: String { "\(line):\(column): \(message)" }
    }

    private(set) var source = ""
    private(set) var complaints: [Complaint] = []
    private(set) var fix: String?
    private(set) var fixed: String?

    var testDescription: String { source }

    /// - Parameters:
    ///   - text: the text.
    ///   - frame: the source around it, whose `…` stands for the text.
    init(_ text: String, in frame: String = "…") {
        let around = frame.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
        var (lines, fixedLines): ([String], [String]) = ([], [])
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let content = line.drop { $0 == " " }
            if content.hasPrefix("^ ") {
                let place = around[0].count { $0 == "\n" } + lines.count
                let column = line.count - content.count + 1
                complaints.append(Complaint(line: place, column: column, message: String(content.dropFirst(2))))
            } else if content.hasPrefix("| ") {
                complaints[complaints.count - 1].message += content.dropFirst()
            } else if line.hasPrefix("fix: ") {
                fix = String(line.dropFirst(5))
            } else if fix != nil {
                fixedLines.append(line)
            } else {
                lines.append(line)
            }
        }
        source = around[0] + lines.joined(separator: "\n") + around.dropFirst().joined()
        fixed = fixedLines.isEmpty ? nil : around[0] + fixedLines.joined(separator: "\n") + around.dropFirst().joined()
    }

    /// Returns the mistakes of a table, in which an empty line follows each.
    static func table(in frame: String = "…", _ text: String) -> [Mistake] {
        text.split(separator: "\n\n").map { Mistake(String($0), in: frame) }
    }
}
