import FoundationEssentials
import TestSupport
import Testing

@testable import ViewModelConfiguration

@Suite struct FileWatchTests {
    @Test(arguments: ["file", "a/file", "a/b/file"])
    func `a file is noticed in a directory that exists, and in one that is created later`(name: String) async throws {
        let folder = try TemporaryDirectory()
        let file = "\(folder.path)/\(name)"
        let parent = file.dropLast("/file".count)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup { group in
            group.addTask {
                await FileWatch.follow(file) { continuation.yield() }
                continuation.finish()
            }
            group.addTask {
                // The watch begins at any moment of this, so it is repeated.
                while !Task.isCancelled {
                    try? FileManager.default.createDirectory(atPath: String(parent), withIntermediateDirectories: true)
                    _ = FileManager.default.createFile(atPath: file, contents: Data())
                    await Task.yield()
                    if name != "file" { try? FileManager.default.removeItem(atPath: "\(folder.path)/a") }
                    await Task.yield()
                }
            }
            #expect(await changes.first { true } != nil)
            group.cancelAll()
        }
    }
}
