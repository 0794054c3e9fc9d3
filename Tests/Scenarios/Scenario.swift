import Foundation

/// A scenario of a table: what clients send, and what they receive, in order.
///
/// `Tables/README.md` describes the text.
package struct Scenario: Sendable, CustomStringConvertible {
    /// What the scenario shows.
    package let name: String
    /// The file and the line of the name.
    package let place: String
    /// The lines that hold for all scenarios of the table, then those of this one.
    package let steps: [Step]

    package var description: String { "\(place): \(name)" }

    /// Whether the scenario needs no virtual time, no other user and no store that the test holds.
    package var worksOnSockets: Bool { steps.allSatisfy { !$0.needsHarness } }

    /// All scenarios of the tables that follow the protocol.
    package static let all = tables(in: "Tables")

    /// All scenarios about several machines that share a database.
    package static let machines = tables(in: "Tables/Machines")

    /// All scenarios about the state machine of a connection.
    package static let connections = tables(in: "Tables/Connections")

    private static func tables(in folder: String) -> [Scenario] {
        guard let folder = Bundle.module.resourceURL?.appending(path: folder),
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else { return [] }
        return names.filter { $0.hasSuffix(".scenarios") }.sorted().flatMap { name in
            let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
            return table(text, of: name)
        }
    }

    /// Reads a table.
    package static func table(_ text: String, of file: String) -> [Scenario] {
        var common: [Step] = []
        var current: (name: String, line: Int, steps: [Step])?
        var scenarios: [Scenario] = []
        func finish() {
            guard let current else { return }
            scenarios.append(
                Scenario(name: current.name, place: "\(file):\(current.line)", steps: common + current.steps)
            )
        }
        for (number, line) in joined(text) {
            if line.hasPrefix("== ") {
                finish()
                current = (String(line.dropFirst(3)), number, [])
            } else if line.hasPrefix("-- ") {
                // The next part of a table begins with steps of its own.
                finish()
                (current, common) = (nil, [])
            } else {
                let step = Step(line, at: "\(file):\(number)")
                if current == nil { common.append(step) } else { current?.steps.append(step) }
            }
        }
        finish()
        return scenarios
    }

    /// The lines without comments and empty ones, each with those that continue it, which are indented.
    private static func joined(_ text: String) -> [(number: Int, text: String)] {
        var lines: [(number: Int, text: String)] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            if line.hasPrefix("    "), !lines.isEmpty {
                lines[lines.count - 1].text += " " + line.drop { $0 == " " }
            } else {
                lines.append((index + 1, String(line)))
            }
        }
        return lines
    }

    /// One line of a scenario.
    package struct Step: Sendable {
        /// Its words before the JSON.
        let words: [String]
        /// The JSON texts and patterns of the line, and the arrows between them.
        let rest: String
        let place: String
        let text: String

        init(_ text: String, at place: String) {
            self.text = text
            self.place = place
            let head = text.prefix { !"{[\"".contains($0) }
            let arrow = head.range(of: " =")?.lowerBound ?? head.endIndex
            words = head[..<arrow].split(separator: " ").map(String.init)
            rest = String(text[arrow...]).trimmingCharacters(in: .whitespaces)
        }

        /// Whether only a harness without sockets can do it.
        var needsHarness: Bool {
            guard let first = words.first else { return false }
            if ["in", "advance", "restart", "saves", "client", "stop"].contains(first) { return true }
            return words.count > 1 && ["stalls", "takes"].contains(words[1])
        }
    }
}
