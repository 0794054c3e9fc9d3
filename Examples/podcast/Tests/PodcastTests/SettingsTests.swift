import PodcastModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Podcast

@Suite struct `The settings` {
    @Test func `show what is wrong with the seconds, and are reset`() throws {
        let settings = try Harness(Settings.self)
        for (skip, isRight) in [("30", true), ("4", false), ("300", true), ("301", false), ("ten", false)] {
            try settings.send(\.inputs.skip, skip)
            #expect(try (settings.read(\.outputs.skipProblem) == nil) == isRight, "\(skip)")
        }
        try settings.exhaustively {
            try settings.run(\.$reset)
            #expect(try settings.read(\.outputs.skip) == "30")
            #expect(try settings.read(\.outputs.skipProblem) == nil)
        }
    }

    @Test func `belong to the person, not to a session, and are there after a restart`() throws {
        let session = SessionHarness(try TestCatalog().catalog, savesSessions: true)
        let desk = try session.connect(to: "desk"), kitchen = try session.connect(to: "kitchen")
        try kitchen.bind("settings")
        try desk.request("settings.name", ["Radio"])
        #expect(kitchen.picture(of: "settings")?["name"] == "Radio")
        session.advance(by: .seconds(1))
        session.restart()
        #expect(try session.open(Settings.self).read(\.outputs.name) == "Radio")
    }
}
