import Foundation
import ViewModelDaemon

@testable import ViewModelConfiguration
@testable import viewmodeld

/// The program `viewmodeld` with all of its features.
let viewmodeld = DaemonProgram(name: "viewmodeld", features: features.map(\.feature.keys)) ?? .viewmodeld

/// Reads a configuration whose file has a text, with nothing else but what is given.
func load(
    _ text: String = "",
    environment: [String: String] = [:],
    flags: FlagSource = FlagSource()
) throws -> DaemonConfiguration {
    try withFile(text) { path in
        let loader = ConfigurationLoader(
            of: viewmodeld,
            file: path,
            flags: flags,
            environment: environment,
            isRoot: false
        )
        return try loader.load().configuration
    }
}

/// What is wrong with a configuration, a line each, `FILE` for the path of the file.
func problems(_ text: String = "", environment: [String: String] = [:]) throws -> [String] {
    try withFile(text) { path in
        do {
            let loader = ConfigurationLoader(
                of: viewmodeld,
                file: path,
                flags: FlagSource(),
                environment: environment,
                isRoot: false
            )
            _ = try loader.load()
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
    let file = directory.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return try body(file.path(percentEncoded: false))
}

/// Gives a file another text.
func rewrite(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}
