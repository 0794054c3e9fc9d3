import FoundationEssentials
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import ViewModelHost

@Suite struct FileWatchTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test(arguments: ["file", "a/file", "a/b/file"])
    func `a file is noticed in a directory that exists, and in one that is created later`(name: String) async throws {
        let folder = try TemporaryDirectory()
        let file = "\(folder.path)/\(name)"
        let parent = file.dropLast("/file".count)
        try await waitForChange(of: file) {
            try? FileManager.default.createDirectory(atPath: String(parent), withIntermediateDirectories: true)
            _ = FileManager.default.createFile(atPath: file, contents: Data())
        }
    }

    @Test func `a change before the watch begins is noticed`() async throws {
        let folder = try TemporaryDirectory()
        let file = "\(folder.path)/file"
        let stamps = FileStamps(of: [file])
        try folder.write([1], to: "file")
        try await waitForChange(of: file, since: stamps) {}
    }

    @Test func `without an instance of inotify the file is compared, and the next instance is used`() async throws {
        let folder = try TemporaryDirectory()
        let file = "\(folder.path)/file"
        let instances = Mutex(0)
        try await waitForChange(
            of: file,
            makeInstance: {
                let isFirst = instances.withLock { count in
                    count += 1
                    return count <= 2
                }
                return isFirst ? -1 : inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            },
            { try? folder.write([1], to: "file") }
        )
        #expect(instances.withLock { $0 } > 1)
    }

    /// Follows a file, makes a change of it once, and waits until it is noticed.
    private func waitForChange(
        of file: String,
        since stamps: FileStamps? = nil,
        makeInstance: (@Sendable () -> Int32)? = nil,
        _ change: @escaping @Sendable () -> Void
    ) async throws {
        let stamps = stamps ?? FileStamps(of: [file])
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup { group in
            group.addTask {
                let make = makeInstance ?? { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
                await FileWatch.follow({ [file] }, since: stamps, logger: Self.silent, makeInstance: make) {
                    continuation.yield()
                    return nil
                }
                continuation.finish()
            }
            change()
            #expect(await changes.first { true } != nil)
            group.cancelAll()
        }
    }
}
