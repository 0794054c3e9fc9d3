import PodcastModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Podcast

@Suite struct `The player` {
    private let test: TestCatalog
    private let session: SessionHarness

    init() throws {
        test = try TestCatalog()
        session = SessionHarness(test.catalog, savesSessions: true)
    }

    /// A player with the first episodes of the library in its queue.
    private func player(queue: Int) throws -> Harness<Player> {
        let library = try test.library(in: session)
        let player = try library.open(Player.self)
        for id in 1...queue { try player.send(\.inputs.enqueue, id) }
        return player
    }

    private func queue(_ player: Harness<Player>) throws -> [Int] { try player.read(\.outputs.queue).map(\.id) }

    @Test func `plays the queue from one episode to the next, and stops after the last`() throws {
        let player = try player(queue: 2)
        try player.run(\.$play)
        #expect(try player.read(\.outputs.title) == "1: trains")
        #expect(try queue(player) == [2])
        player.advance(by: .seconds(99))
        #expect(try player.read(\.outputs.position) == 99)
        player.advance(by: .seconds(1))
        #expect(try player.read(\.outputs.title) == "2: bread")
        #expect(try player.read(\.outputs.position) == 0)
        player.advance(by: .seconds(100))
        #expect(try player.read(\.outputs.title) == nil)
        #expect(try !player.read(\.outputs.isPlaying))
        #expect(try !player.isEnabled(\.$play))
    }

    @Test func `refuses an episode that nobody knows, and one that is not in the queue`() throws {
        let player = try player(queue: 1)
        #expect(throws: InvalidValue.self) { try player.send(\.inputs.enqueue, 99) }
        #expect(throws: InvalidValue.self) { try player.send(\.inputs.remove, 2) }
        try player.send(\.inputs.remove, 1)
        #expect(try queue(player) == [])
    }

    @Test func `moves an episode in the queue, and refuses a position outside of it`() throws {
        let player = try player(queue: 3)
        try player.send(\.inputs.move, .init(id: 3, to: 0))
        #expect(try queue(player) == [3, 1, 2])
        #expect(throws: InvalidValue.self) { try player.send(\.inputs.move, .init(id: 3, to: 3)) }
        #expect(throws: InvalidValue.self) { try player.send(\.inputs.move, .init(id: 9, to: 0)) }
        #expect(try queue(player) == [3, 1, 2])
    }

    @Test func `pauses, jumps and skips`() throws {
        let player = try player(queue: 2)
        try player.run(\.$play)
        player.advance(by: .seconds(10))
        try player.exhaustively {
            try player.run(\.$pause)
            player.advance(by: .seconds(1000))
            #expect(try !player.read(\.outputs.isPlaying))
            #expect(try player.isEnabled(\.$play) && !player.isEnabled(\.$pause))
        }
        try player.send(\.inputs.jump, 30)
        #expect(try player.read(\.outputs.position) == 40)
        try player.send(\.inputs.jump, -100)
        #expect(try player.read(\.outputs.position) == 0)
        try player.run(\.$play)
        try player.send(\.inputs.jump, 100)
        player.advance(by: .zero)
        #expect(try player.read(\.outputs.title) == "2: bread")
        try player.run(\.$skip)
        #expect(try !player.isEnabled(\.$skip))
    }

    @Test func `ticks only while it plays and somebody looks`() throws {
        let player = try player(queue: 1)
        #expect(player.frames { player.advance(by: .seconds(10)) }.isEmpty)
        try player.run(\.$play)
        let frames = player.frames { player.advance(by: .seconds(3)) }
        #expect(frames.map(\.values) == [["position": 1], ["position": 2], ["position": 3]])

        let other = try session.connect()
        try player.client.request("viewModel.unbind", ["id": "player"])
        #expect(player.frames { player.advance(by: .seconds(10)) }.isEmpty)
        #expect(try other.read("player")["position"] == 13)
    }

    @Test func `has its queue and its position after a kill, although nobody looked`() throws {
        let player = try player(queue: 3)
        try player.run(\.$play)
        try player.client.request("viewModel.unbind", ["id": "player"])
        player.advance(by: .milliseconds(42_500))
        session.restart()

        let next = try session.open(Player.self)
        #expect(try next.read(\.outputs.title) == "1: trains")
        #expect(try next.read(\.outputs.position) == 42)
        #expect(try queue(next) == [2, 3])
        #expect(try !next.read(\.outputs.isPlaying))
        try next.run(\.$play)
        next.advance(by: .seconds(58))
        #expect(try next.read(\.outputs.title) == "2: bread")
    }
}
