import Logging
import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// A value whose shape cannot be told.
@Suite struct `A type that cannot be described` {
    private let remedy = "Conform it to SchemaProviding"

    private func unchecked() throws -> ViewModelCatalog {
        var catalog = try Daemon.catalog(Effect())
        try catalog.host(Riddle.self, checksShapes: false) { _ in Riddle() }
        return catalog
    }

    @Test func `is not hosted, and its author is told what to do`() throws {
        var catalog = ViewModelCatalog()
        let error = try #require(throws: CatalogError.self) { try catalog.host(Riddle.self) { _ in Riddle() } }
        #expect(error.description.hasPrefix("riddle cannot be hosted: "))
        #expect(error.description.contains("Riddle.Answer") && error.description.contains(remedy))
        #expect(catalog.entries.isEmpty)
    }

    @Test func `is found by a test of sessions, checked before or not`() throws {
        let catalog = try unchecked()
        let error = try #require(throws: CatalogError.self) { try SessionHarness(catalog) }
        #expect(error.description.contains("Riddle.Answer") && error.description.contains(remedy))
    }

    @Test func `and was not checked takes nothing from the others, and is an incident when it is asked for`() throws {
        let log = LogRecorder(from: .error)
        let host = Host(
            catalog: try unchecked(),
            configuration: HostConfiguration(),
            version: "0",
            logger: log.logger,
            storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
        )
        let client = TestClient(host: host, loop: ManualLoop(keepsThread: true), uid: 1000)
        try client.request("riddle.skip")
        try client.request("board.set", [1])
        for method in ["rpc.discover", "riddle.solve", "rpc.discover"] {
            #expect(client.begin(method, method == "riddle.solve" ? ["42"] : nil).error?.code == .internalError)
        }
        #expect(log.entries.count == 3)
        #expect(log.entries.allSatisfy { $0.facts["error"]?.contains(remedy) == true })
        try client.request("riddle.skip")
    }
}
