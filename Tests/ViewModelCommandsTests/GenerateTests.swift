import Foundation
import Testing

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

@Suite struct `An adapter` {
    private func generate(_ arguments: [String]) throws -> Generate {
        let command = try ViewModelCtl.$addedVerbs.withValue(developerVerbs) {
            try ViewModelCtl.command(["generate"] + arguments)
        }
        return try #require(command as? Generate)
    }

    @Test(arguments: [
        ("gtk", "viewmodel_gtk.py"), ("qt", "viewmodel_qt.py"), ("textual", "viewmodel_textual.py"),
        ("react", "viewmodel-react.js"), ("dom", "viewmodel-dom.js"),
    ])
    func `is written without a contract and without a daemon, and is checked`(kit: String, file: String) async throws {
        let runtimes = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/ClientGenerators/Runtimes").standardized
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = folder.appending(path: file)

        try await generate([kit, "--output", output.path]).run()

        let adapter = try Data(contentsOf: output)
        #expect(try adapter == Data(contentsOf: runtimes.appending(path: file)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [file])
        try await generate([kit, "--output", output.path, "--check"]).run()
        try (adapter + Data("\n".utf8)).write(to: output)
        let stale = await #expect(throws: CommandFailure.self) {
            try await generate([kit, "--check", "--output", output.path]).run()
        }
        #expect(stale?.status == .failed)
        #expect(stale?.message == "\(output.path) is not the adapter of this viewmodelctl")
    }

    @Test(arguments: [
        ["--from", "contract.json"], ["--socket", "/s"], ["--session", "desk"], ["--session", "desk", "--existing"],
        ["--uid", "1000"], ["--linger", "5"],
    ])
    func `refuses options for a contract or a daemon`(options: [String]) throws {
        let error = #expect(throws: (any Error).self) { try generate(["gtk"] + options) }
        let report = ErrorReport(try #require(error))
        #expect(report.status == .usage)
        let message = "\(options[0]) has no effect on gtk: an adapter is the same for each contract and daemon"
        #expect(report.text.contains(message))
        _ = try generate(["python"] + options)
    }

    @Test func `has a kit that is named if it is mistyped`() throws {
        let error = #expect(throws: (any Error).self) { try generate(["gkt"]) }
        #expect(ErrorReport(try #require(error)).text.contains("the kits are gtk, qt, textual, react, dom"))
    }
}
