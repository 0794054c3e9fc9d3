import Foundation
import ViewModelDaemon

@testable import ViewModelConfiguration
@testable import viewmodeld

/// The program `viewmodeld` with all of its features.
let viewmodeld = DaemonProgram(name: "viewmodeld", features: features.map(\.feature.keys)) ?? .viewmodeld

/// A loader of nothing else but what is given.
func loader(
    of program: DaemonProgram = viewmodeld,
    _ file: String? = nil,
    environment: [String: String] = [:],
    flags: [KeyFlag] = []
) -> ConfigurationLoader {
    ConfigurationLoader(of: program, file: file, flags: flags, environment: environment, isRoot: false)
}

/// Reads a configuration whose file has a text.
func load(
    _ text: String = "",
    environment: [String: String] = [:],
    flags: [KeyFlag] = []
) throws -> DaemonConfiguration {
    try withFile(text) { try loader($0, environment: environment, flags: flags).load().configuration }
}

/// What is wrong with a configuration, a line each, `FILE` for the path of the file.
func problems(_ text: String = "", environment: [String: String] = [:]) throws -> [String] {
    try withFile(text) { path in
        do {
            _ = try loader(path, environment: environment).load()
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { $0.description.replacing(path, with: "FILE") }
        }
    }
}

/// Makes a file in a directory of its own, which is removed in the end.
func withFile<Result>(
    _ text: String,
    at name: String = "viewmodeld.yaml",
    _ body: (String) throws -> Result
) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: name).path(percentEncoded: false)
    try write(text, to: path)
    return try body(path)
}

/// Gives a file a text, and makes its directory.
func write(_ text: String, to path: String) throws {
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
}
