import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `A session that comes back` {
    private static func session(savesSessions: Bool = true) throws -> SessionHarness {
        var catalog = ViewModelCatalog()
        try catalog.host(Notebook.self) { context in Notebook(count: context.shared { Notebook.Count() }) }
        catalog.scene("settings")
        return SessionHarness(catalog, savesSessions: savesSessions)
    }

    @Test func `leaves none of its restorable values in memory when it ends`() throws {
        let session = try Self.session()
        let client = try session.connect(linger: 0)
        try client.request("notebook.text", ["milk"])
        weak let kept = try client.viewModel("notebook", as: Notebook.self).count.cell
        #expect(kept != nil)
        client.close()
        session.advance(by: .seconds(1))
        #expect(kept == nil)
        #expect(try session.connect().read("notebook")["text"] == "milk")
    }

    @Test func `is gone when it was closed, and where nothing is saved`() throws {
        let closed = try Self.session()
        let unsaved = try Self.session(savesSessions: false)
        for session in [closed, unsaved] {
            let client = try session.connect()
            try client.request("notebook.text", ["milk"])
            try client.request("notebook.keep")
        }
        try closed.connect().request("session.close")
        for session in [closed, unsaved] {
            session.restart()
            #expect(try session.connect().read("notebook")["text"] == "")
        }
    }
}
