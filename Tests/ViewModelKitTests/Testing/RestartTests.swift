import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `A session that comes back` {
    private static func session() throws -> SessionHarness {
        var catalog = ViewModelCatalog()
        try catalog.host(Notebook.self) { context in Notebook(count: context.shared { Notebook.Count() }) }
        return SessionHarness(catalog, savesSessions: true)
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
}
