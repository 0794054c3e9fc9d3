import ArgumentParser
import Foundation

/// The subcommand that counts instructions and compares the counts with a record.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instructions",
        abstract: "Counts the instructions of five key paths with callgrind (Debian: valgrind, binutils).",
        discussion: """
            The daemon has to be built as the record was, by packaging/programs. A path that costs \
            more than 5 % above its record fails --check; --record writes the new counts, with the reason for what changed.
            """
    )

    /// The record of one path.
    private struct Entry: Codable {
        var instructions: Int
        var reason: String
    }

    @Option(help: "The daemon's program (default: the one beside this program).")
    var daemon: String?

    @Option(help: "Fails when a path costs more than this file says, by over 5 %.")
    var check: String?

    @Option(help: "Writes this file; paths within 1 % of what it says keep their counts and reasons.")
    var record: String?

    @Option(help: "Why the counts are others now; needed with --record.")
    var reason: String?

    func validate() throws {
        guard record == nil || reason?.isEmpty == false else { throw ValidationError("--record needs a --reason") }
    }

    func run() throws {
        let program = try DaemonProgram.path(daemon)
        let counts = try InstructionCounts(program: program).measure(DaemonProgram.showProgress)
        if let record { try write(counts, to: record) }
        let recorded = try check.map(read) ?? [:]
        var exceeded: [String] = []
        for path in InstructionCounts.Path.allCases {
            let count = counts[path, default: 0]
            guard let entry = recorded[path.rawValue] else {
                print("\(path.rawValue): \(count)")
                if check != nil { exceeded.append("\(path.rawValue) has no record") }
                continue
            }
            let change = 100 * (Double(count) / Double(entry.instructions) - 1)
            print("\(path.rawValue): \(count), recorded \(entry.instructions) (\(String(format: "%+.1f", change)) %)")
            if change > 5 {
                exceeded.append("\(path.rawValue) costs \(String(format: "%.1f", change)) % more than recorded")
            }
        }
        if let check, !exceeded.isEmpty {
            throw BenchFailure(
                exceeded.joined(separator: "; ") + ". Find out why, or record it: --record \(check) --reason \"…\""
            )
        }
    }

    private func read(_ path: String) throws -> [String: Entry] {
        try JSONDecoder().decode([String: Entry].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func write(_ counts: [InstructionCounts.Path: Int], to path: String) throws {
        var entries = (try? read(path)) ?? [:]
        for name in InstructionCounts.Path.allCases {
            let count = counts[name, default: 0]
            let former = entries[name.rawValue]?.instructions ?? 0
            guard abs(count - former) > former / 100 else { continue }
            entries[name.rawValue] = Entry(instructions: count, reason: reason ?? "")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(entries), as: UTF8.self) + "\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
