package import Foundation
import JSONRPC
import ViewModelProtocol

/// The record of the messages between clients and a daemon: a text with one line a message.
///
/// The first lines are the header:
///
///     # viewmodel-transcript 1
///     # program viewmodeld 1.0.0
///     # contract 9f2c…
///     # date 2026-11-23T20:15:00.250Z
///
/// Each other line has the seconds since the start, the number of the connection and what happened: `open`, `close`,
/// `>` and a message of the client, or `<` and a message of the daemon. `!` and a reason stand for a message that is no
/// JSON. Empty lines and lines that begin with `#` are comments.
package struct Transcript: Sendable {
    /// The version of the format.
    package static let format = 1

    /// The lines at the top of a transcript.
    package struct Header: Equatable, Sendable {
        /// The daemon's name and version.
        package var program: String
        /// The hash of the daemon's contract.
        package var contract: String
        /// The date of the start, in RFC 3339.
        package var date: String

        /// The date of the start, with or without a fraction of a second; nil if it is not in RFC 3339.
        package var startDate: Date? {
            let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            return (try? Date(date, strategy: precise)) ?? (try? Date(date, strategy: .iso8601))
        }

        /// The lines of the header.
        package var text: String {
            """
            # viewmodel-transcript \(Transcript.format)
            # program \(program)
            # contract \(contract)
            # date \(date)

            """
        }
    }

    /// What happened on a connection.
    package enum Event: Equatable, Sendable {
        case opened
        case closed
        /// A message of the client, as JSON text.
        case sent(String)
        /// A message of the daemon, as JSON text.
        case received(String)
        /// A message of the client that is no JSON, and the reason why it is not shown.
        case unreadable(String)
    }

    /// One line.
    package struct Entry: Equatable, Sendable {
        /// The number of the line in the file, from 1.
        package var line: Int
        /// The time since the start.
        package var time: Duration
        /// The number of the connection, from 1.
        package var connection: Int
        package var event: Event
    }

    package var header: Header
    package var entries: [Entry]

    /// Reads a transcript.
    ///
    /// A last line without a line feed was torn by the end of the daemon. It is ignored.
    ///
    /// - Parameter text: the text of the file.
    /// - Throws: ``TranscriptError`` with the number of the first line that is not of the format.
    package init(_ text: String) throws(TranscriptError) {
        let text = text.withoutByteOrderMark
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines.removeLast()
        var values: [Substring: String] = [:]
        entries = []
        for (index, bytes) in lines.enumerated() {
            let line = Substring(bytes)
            if index == 0, line != "# viewmodel-transcript \(Self.format)" {
                throw TranscriptError(line: 1, reason: "this is no transcript of version \(Self.format)")
            }
            if line.hasPrefix("#") {
                let words = line.dropFirst().split(separator: " ", maxSplits: 1)
                if entries.isEmpty, words.count == 2 { values[words[0]] = String(words[1]) }
            } else if !line.isEmpty {
                entries.append(try Entry(line, number: index + 1))
            }
        }
        guard !lines.isEmpty else { throw TranscriptError(line: 1, reason: "the file is empty") }
        header = Header(
            program: values["program"] ?? "",
            contract: values["contract"] ?? "",
            date: values["date"] ?? ""
        )
    }
}

extension Transcript.Entry {
    private static let beginning =
        "it does not begin with a time with six decimals, a connection and an event, as in 0.012345 1 open"

    /// Reads a line that is no comment.
    fileprivate init(_ line: Substring, number: Int) throws(TranscriptError) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count >= 3, let time = Self.time(words[0]), let connection = Int(words[1]), connection > 0 else {
            throw TranscriptError(line: number, reason: Self.beginning)
        }
        self.init(line: number, time: time, connection: connection, event: .opened)
        let rest = words.count > 3 ? String(words[3]) : ""
        switch words[2] {
        case "open": event = .opened
        case "close": event = .closed
        case ">" where rest.hasPrefix("!"): event = .unreadable(String(rest.dropFirst(2)))
        case ">", "<":
            guard Array(rest.utf8).withUnsafeBytes({ (try? JSONText.validate($0)) != nil }) else {
                throw TranscriptError(line: number, reason: "the message is no JSON")
            }
            event = words[2] == ">" ? .sent(rest) : .received(rest)
        default: throw TranscriptError(line: number, reason: "\(words[2]) is no event")
        }
    }

    private static func time(_ text: Substring) -> Duration? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 6, let seconds = Int64(parts[0]), let micro = Int64(parts[1]),
            seconds >= 0, micro >= 0
        else { return nil }
        return .seconds(seconds) + .microseconds(micro)
    }

    /// Returns the line of an event, with its line feed.
    package static func text(time: Duration, connection: Int, event: Transcript.Event) -> String {
        let (seconds, attoseconds) = time.components
        let micro = "\(attoseconds / 1_000_000_000_000)"
        let rest =
            switch event {
            case .opened: "open"
            case .closed: "close"
            case .sent(let message): "> " + message
            case .received(let message): "< " + message
            case .unreadable(let reason): "> ! " + reason
            }
        return "\(seconds).\(String(repeating: "0", count: 6 - micro.count))\(micro) \(connection) \(rest)\n"
    }
}

/// A text that is no transcript.
package struct TranscriptError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The number of the line, from 1.
    package var line: Int
    package var reason: String

    package var description: String { "line \(line): \(reason)" }
}
