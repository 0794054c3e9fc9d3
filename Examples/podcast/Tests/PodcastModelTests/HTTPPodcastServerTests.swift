import Foundation
import PodcastModel
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A podcast server over HTTP` {
    private let process: PodcastServerProcess
    private let server: HTTPPodcastServer

    init() throws {
        process = try PodcastServerProcess("--episodes", "50")
        server = HTTPPodcastServer(process.address)
    }

    @Test func `has episodes, which can be deleted`() async throws {
        let episodes = try await server.episodes()
        #expect(episodes.count == 50)
        #expect(episodes[6].title == "Episode 7 about bread")
        #expect(episodes[6].published == Date(timeIntervalSince1970: 1_500_025_200))
        try await server.delete([7, 8])
        #expect(try await server.episodes().count == 48)
        await #expect(throws: PodcastFailure.gone) { try await server.delete([7]) }
    }

    @Test func `gives a sound in parts, which a folder puts together`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "podcast-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = DownloadFolder(path)
        var size = 0, parts = 0
        repeat {
            let part = try await server.part(of: 3, from: size)
            #expect(part.total == 200_003)
            size = try await folder.write(part, of: 3, at: size)
            parts += 1
            #expect(await folder.size(ofPart: 3) == (size < 200_003 ? size : 0))
        } while size < 200_003
        #expect(parts == 4)
        let sound = FileManager.default.contents(atPath: "\(path)/3.mp3")
        #expect(sound == Data((0..<200_003).map { UInt8($0 % 256) }))
    }

    @Test func `fails as declared`() async throws {
        try await process.fail("busy=1")
        await #expect(throws: PodcastFailure.busy) { try await server.part(of: 1, from: 0) }
        await #expect(throws: PodcastFailure.gone) { try await server.part(of: 99, from: 0) }
        await #expect(throws: PodcastFailure.confused(status: 416)) { try await server.part(of: 1, from: 900_000) }
        try await process.fail("cutOff=1")
        await #expect(throws: PodcastFailure.cutOff) { try await server.part(of: 1, from: 0) }
        #expect(try await server.part(of: 1, from: 0).bytes.count == 65_536)
    }

    @Test func `that does not run cannot be reached`() async throws {
        let nobody = HTTPPodcastServer("http://127.0.0.1:1")
        await #expect(throws: PodcastFailure.unreachable) { try await nobody.episodes() }
    }

    @Test func `and a disk that refuses a part`() async throws {
        let folder = DownloadFolder("/dev/null/podcast")
        let error = await #expect(throws: PodcastFailure.self) {
            try await folder.write(Part(bytes: [1], total: 1), of: 1, at: 0)
        }
        guard case .diskFault = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
