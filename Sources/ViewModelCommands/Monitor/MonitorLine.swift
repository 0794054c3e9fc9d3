import Foundation
import Rainbow
import ViewModelClient
import ViewModelTranscript

/// A line of `viewmodelctl monitor`.
struct MonitorLine {
    private let time: Date
    private let connection: Int?
    /// `>` for a message to the daemon, `<` for a message from it, `-` for an event.
    private let mark: String
    private let content: String

    init(time: Date, connection: Int?, mark: String, text: String) {
        self.time = time
        self.connection = connection
        self.mark = mark
        content = text
    }

    /// Creates the line of a message without its secrets.
    init(time: Date, connection: Int?, event: Transcript.Event) {
        switch event {
        case .sent(let text): self.init(time: time, connection: connection, mark: ">", text: text)
        case .received(let text): self.init(time: time, connection: connection, mark: "<", text: text)
        case .unreadable(let reason):
            self.init(time: time, connection: connection, mark: "-", text: "unreadable: \(reason)")
        case .opened: self.init(time: time, connection: connection, mark: "-", text: "open")
        case .closed: self.init(time: time, connection: connection, mark: "-", text: "close")
        }
    }

    /// Returns the line for people: the local time, the connection, the mark and the message.
    ///
    /// - Parameter columns: The columns of the terminal, to which the line is cut. Nil for a whole line without colours.
    /// - Returns: The line.
    func text(columns: Int?) -> String {
        // The local time without its date and zone.
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .current)
        let clock = "\(time.formatted(style).drop { $0 != "T" }.dropFirst().prefix(12))"
        let colour: NamedColor = mark == ">" ? .cyan : mark == "<" ? .green : .yellow
        let start = "\(clock) \(connection.map { "\($0) " } ?? "")"
        let text = PlainText.of(content)
        guard let columns else { return "\(start)\(mark) \(text)" }
        let room = max(0, columns - start.count - 2)
        return "\(start)\(mark.applyingColor(colour)) \(DisplayWidth.cut(text, to: room))"
    }

    /// The line as JSON.
    var json: JSONValue {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var object: JSONObject = ["time": .string(time.formatted(style))]
        if let connection { object["connection"] = .integer(connection) }
        if mark == "-" {
            object["event"] = .string(content)
        } else {
            object["direction"] = .string(mark)
            object["message"] = JSONValue(text: content) ?? .string(content)
        }
        return .object(object)
    }
}
