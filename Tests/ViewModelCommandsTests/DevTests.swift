import Foundation
import Testing

@testable import ViewModelCommands

@Suite struct `The watch of a package` {
    private func withPackage(_ body: (String) throws -> Void) throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: "\(folder)/Sources/App", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("// swift-tools-version: 6.2\n", "\(folder)/Package.swift")
        try write("let a = 1\n", "\(folder)/Sources/App/A.swift")
        try body(folder)
    }

    private func write(_ text: String, _ path: String, age: Double = 60) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        let date = Date(timeIntervalSinceNow: -age)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test func `sees changed, new and removed files`() throws {
        try withPackage { folder in
            let before = SourceSnapshot(of: folder)
            #expect(SourceSnapshot(of: folder).changes(since: before).isEmpty)
            try write("let a = 2\n", "\(folder)/Sources/App/A.swift", age: 30)
            try write("let b = 2\n", "\(folder)/Sources/App/B.swift", age: 10)
            let after = SourceSnapshot(of: folder)
            #expect(after.changes(since: before) == ["Sources/App/A.swift", "Sources/App/B.swift"])
            #expect(abs(after.newest.timeIntervalSinceNow + 10) < 5)
            try FileManager.default.removeItem(atPath: "\(folder)/Sources/App/B.swift")
            try write("// swift-tools-version: 6.3\n", "\(folder)/Package.swift", age: 5)
            #expect(
                SourceSnapshot(of: folder).changes(since: after) == ["Package.swift", "Sources/App/B.swift"]
            )
        }
    }

    @Test func `ignores what editors write beside a file`() throws {
        try withPackage { folder in
            let before = SourceSnapshot(of: folder)
            try write("", "\(folder)/Sources/App/.A.swift.swp")
            try write("", "\(folder)/Sources/App/A.swift~")
            #expect(SourceSnapshot(of: folder).changes(since: before).isEmpty)
        }
    }

    @Test func `finds the executables in a description`() {
        let description = """
            warning: a line of SwiftPM
            {"name":"podcastd","products":[{"name":"podcastd","type":{"executable":null}},
            {"name":"Kit","type":{"library":["automatic"]}}]}
            """
        #expect(AuthorPackage.executables(description) == ["podcastd"])
        #expect(AuthorPackage.executables("error: no package").isEmpty)
    }

    @Test func `refuses a folder without a package`() async {
        let failure = await #expect(throws: CommandFailure.self) { try await AuthorPackage("/proc", product: nil) }
        #expect(failure?.status == .usage)
        #expect(failure?.message == "/proc has no Package.swift")
    }
}
