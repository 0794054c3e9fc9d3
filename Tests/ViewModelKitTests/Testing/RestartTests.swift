import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A session that comes back` {
    private static func session(savesSessions: Bool = true) throws -> SessionHarness {
        var catalog = ViewModelCatalog()
        try catalog.host(Notebook.self) { context in Notebook(count: context.shared { Notebook.Count() }) }
        catalog.scene("settings")
        return SessionHarness(catalog, savesSessions: savesSessions)
    }

    @Test func `has what was restorable, opened and shown when its daemon was killed`() throws {
        let session = try Self.session()
        let client = try session.connect()
        try client.request("viewModel.open", ["type": "notebook", "id": "second"])
        try client.request("notebook.text", ["milk"])
        try client.request("second.text", ["bread"])
        try client.request("second.remark", ["soon"])
        try client.request("second.keep")
        try client.request("coordinator.open", ["scene": "settings"])
        session.advance(by: .seconds(1))

        session.restart()

        let next = try session.connect()
        #expect(try next.read("notebook")["text"] == "milk")
        let second = try next.read("second")
        #expect(second["text"] == "bread" && second["remark"] == "" && second["kept"] == 1)
        #expect(try next.read("notebook")["kept"] == 1)
        #expect(try next.read("coordinator")["scenes"]?[1]?["scene"] == "settings")
        #expect(session.incidents.isEmpty)
    }

    @Test func `has lost what was neither acknowledged by an action nor a second old`() throws {
        let session = try Self.session()
        let client = try session.connect()
        try client.request("notebook.text", ["milk"])
        try client.request("notebook.keep")
        try client.request("notebook.text", ["bread"])
        session.advance(by: .milliseconds(999))

        session.restart()

        #expect(client.begin("notebook.keep").answer == nil, "the former clients are cut off")
        let notebook = try session.connect().read("notebook")
        #expect(notebook["text"] == "milk" && notebook["kept"] == 1)
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

    @Test func `comes back after its linger, too`() throws {
        let session = try Self.session()
        let client = try session.connect(linger: 5)
        try client.request("notebook.text", ["milk"])
        client.close()
        session.advance(by: .seconds(5))
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

    @Test func `does not get the values of an instance that was closed`() throws {
        let session = try Self.session()
        let client = try session.connect()
        try client.request("viewModel.open", ["type": "notebook", "id": "second"])
        try client.request("second.text", ["milk"])
        session.advance(by: .seconds(1))
        try client.request("viewModel.close", ["id": "second"])
        session.advance(by: .seconds(1))
        session.restart()
        let next = try session.connect()
        try next.request("viewModel.open", ["type": "notebook", "id": "second"])
        #expect(try next.read("second")["text"] == "")
    }
}
