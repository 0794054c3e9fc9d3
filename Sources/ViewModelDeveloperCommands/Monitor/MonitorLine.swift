import Foundation
import Rainbow
import ViewModelClient
import ViewModelCommands
import ViewModelTranscript

struct MonitorLine {
    var time = Date.now
    let connection: Int?
    /// `>` for a message to the daemon, `<` for a message from it, `-` for an event.
    var mark = "-"
    let content: String
}

extension MonitorLine {
    /// Creates the line of a message without its secrets.
    init(_ connection: Int?, _ event: Transcript.Event) {
        switch event {
        case .sent(let text): self.init(connection: connection, mark: ">", content: text)
        case .received(let text): self.init(connection: connection, mark: "<", content: text)
        case .unreadable(let reason): self.init(connection: connection, content: "unreadable: \(reason)")
        case .opened: self.init(connection: connection, content: "open")
        case .closed: self.init(connection: connection, content: "close")
        }
    }

    /// Returns the line for people: the local time, the connection, the mark and the message.
    ///
    /// It is cut to the columns of the terminal. Without them it is whole and has no colours.
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
