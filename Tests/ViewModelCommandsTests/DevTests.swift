import Foundation
import Testing

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

@Suite struct `The watch of a package` {
    private func withPackage(_ body: (String) throws -> Void) throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: "\(folder)/Sources/App", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("// swift-tools-version: 6.2\n", "\(folder)/Package.swift")
        try write("let a = 1\n", "\(folder)/Sources/App/A.swift")
        try body(folder)
    }

    /// Writes a file with a time of its own, and returns that.
    @discardableResult
    private func write(_ text: String, _ path: String, age: Double = 60) throws -> Date {
        try Data(text.utf8).write(to: URL(filePath: path))
        let date = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 - age).rounded())
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        return date
    }

    @Test func `sees changed, new and removed files`() throws {
        try withPackage { folder in
            let before = snapshot(of: folder)
            #expect(snapshot(of: folder).changes(since: before).isEmpty)
            try write("let a = 2\n", "\(folder)/Sources/App/A.swift", age: 30)
            try write("let b = 2\n", "\(folder)/Sources/App/B.swift", age: 10)
            let after = snapshot(of: folder)
            #expect(after.changes(since: before) == ["Sources/App/A.swift", "Sources/App/B.swift"])
            try FileManager.default.removeItem(atPath: "\(folder)/Sources/App/B.swift")
            try write("// swift-tools-version: 6.3\n", "\(folder)/Package.swift", age: 5)
            #expect(snapshot(of: folder).changes(since: after) == ["Package.swift", "Sources/App/B.swift"])
        }
    }

    @Test func `sees the folders of all targets, also that of the package, without hidden ones`() throws {
        try withPackage { folder in
            for hidden in [".build/debug", "Tool/.cache"] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(hidden)",
                    withIntermediateDirectories: true
                )
            }
            for sources in [["Tool"], ["."]] {
                let before = snapshot(of: folder, sources)
                try write("let a = 2\n", "\(folder)/Tool/main.swift", age: 30)
                try write("", "\(folder)/.build/debug/a.swift")
                try write("", "\(folder)/Tool/.cache/a.swift")
                #expect(snapshot(of: folder, sources).changes(since: before) == ["Tool/main.swift"])
                try FileManager.default.removeItem(atPath: "\(folder)/Tool/main.swift")
            }
        }
    }

    @Test func `has the time of a save, and of the watch for a file that is removed or older`() throws {
        try withPackage { folder in
            let before = snapshot(of: folder)
            let start = Date.now
            let saved = try write("let a = 2\n", "\(folder)/Sources/App/A.swift", age: -100)
            try write("let b = 2\n", "\(folder)/Sources/App/Old.swift", age: 3600)
            let after = snapshot(of: folder)
            #expect(after.time(of: after.changes(since: before), since: before) == saved)
            let old = after.time(of: ["Sources/App/Old.swift"], since: before)
            #expect((start...Date.now).contains(old))
            try FileManager.default.removeItem(atPath: "\(folder)/Sources/App/Old.swift")
            let removed = snapshot(of: folder)
            let time = removed.time(of: removed.changes(since: after), since: after)
            #expect((start...Date.now).contains(time))
        }
    }

    private func snapshot(of folder: String, _ sources: [String] = ["Sources/App"]) -> SourceSnapshot {
        SourceSnapshot(of: folder, sources: sources)
    }

    @Test func `ignores what editors write beside a file`() throws {
        try withPackage { folder in
            let before = snapshot(of: folder)
            try write("", "\(folder)/Sources/App/.A.swift.swp")
            try write("", "\(folder)/Sources/App/A.swift~")
            #expect(snapshot(of: folder).changes(since: before).isEmpty)
        }
    }

    @Test func `finds the executables and the folders of the targets in a description`() {
        let description = """
            warning: a line of SwiftPM
            {"name":"podcastd","products":[{"name":"podcastd","type":{"executable":null}},
            {"name":"Kit","type":{"library":["automatic"]}}],
            "targets":[{"name":"podcastd","path":"Daemon","type":"executable"},
            {"name":"Kit","path":"Sources/Kit","type":"library"},
            {"name":"KitTests","path":"Tests/KitTests","type":"test"}]}
            """
        #expect(AuthorPackage.executables(description) == ["podcastd"])
        #expect(AuthorPackage.sources(description) == ["Daemon", "Sources/Kit"])
        #expect(AuthorPackage.executables("error: no package").isEmpty)
        #expect(AuthorPackage.sources("error: no package").isEmpty)
    }

    @Test func `refuses a folder without a package`() async {
        let failure = await #expect(throws: CommandFailure.self) { try await AuthorPackage("/proc", product: nil) }
        #expect(failure?.status == .usage)
        #expect(failure?.message == "/proc has no Package.swift")
    }
}
