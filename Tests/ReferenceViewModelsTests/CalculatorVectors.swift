import Foundation
import ReferenceViewModels
import Testing

/// What `Vectors/generate_calculator.py` wrote: an independent calculator's answers to random keys.
struct CalculatorVectors: Decodable {
    struct Run: Decodable, Sendable {
        /// The keys, with `u` for undo and `c` for clear.
        let keys: String
        /// The display after each key: nothing if it did not change, `~` if the key was appended to it.
        let leds: String
        /// After each key: 1 if there is something to clear, and 2 more if there is something to undo.
        let flags: String
        /// The index of each key that had no result, and why.
        let problems: [String]
        /// The ids of the operations in the end, the newest first.
        let ids: [Int]
        /// The texts of the operations in the end, the newest first.
        let rows: [String]
    }

    let seed: Int
    let runs: [Run]
    /// Left operand, operator, right operand, result or the code of a problem.
    let arithmetic: [[String]]

    static func load() throws -> CalculatorVectors {
        let folder = try #require(Bundle.module.resourceURL)
        let data = try Data(contentsOf: folder.appending(path: "Vectors/calculator.json"))
        return try JSONDecoder().decode(CalculatorVectors.self, from: data)
    }
}

extension CalculatorBrain {
    /// A calculator after some keys, `u` for undo and `c` for clear; spaces are for the reader.
    init(_ keys: String) throws {
        self.init()
        _ = try type(keys)
    }

    /// Presses keys, `u` for undo and `c` for clear, and returns the problem of the last one.
    mutating func type(_ keys: String) throws -> CalculatorProblem? {
        var problem: CalculatorProblem?
        for character in keys where character != " " {
            problem = nil
            switch character {
            case "u": undo()
            case "c": clear()
            default: problem = press(try #require(Key(rawValue: String(character))))
            }
        }
        return problem
    }
}
