import Logging
import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios

/// A model that opens instances.
@SharedModel
final class Gallery {
    private let instances: Instances

    func hang(_ title: String) throws {
        try instances.open(Photo.self, id: "hung", arguments: Photo.Arguments(title: title))
    }
}

/// A ViewModel whose model opens instances.
@ViewModel
final class Curator {
    private let gallery: Gallery

    /// Hangs a photo.
    @Input func hang(_ title: String) throws { try gallery.hang(title) }
}

@Suite struct `An instance` {
    @Test func `is released when it is closed, although others share its state`() throws {
        let client = try Daemon().connect()
        for (type, id) in [("board", "b"), ("echo", "e")] {
            try client.request("viewModel.open", ["type": .string(type), "id": .string(id)])
            try client.bind(id)
        }
        weak let board: Board? = try client.viewModel("b")
        weak let echo: Echo? = try client.viewModel("e")
        try client.request("viewModel.close", ["id": "e"])
        try client.request("viewModel.close", ["id": "b"])
        #expect(board == nil && echo == nil)
    }

    @Test func `is released although its own closures hold it`() throws {
        let client = try Daemon().connect()
        try client.request("viewModel.open", ["type": "knot", "id": "k"])
        weak let knot: Knot? = try client.viewModel("k")
        try client.request("k.tap")
        client.begin("k.wait")
        #expect(try client.read("k")["taps"] == 2)
        try client.request("viewModel.close", ["id": "k"])
        #expect(knot == nil)
    }

    @Test func `is released when the ViewModel that has opened it closes it, or closes`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Album.self, Photo.self)
        let client = SessionHarness(catalog).connectAnonymously()
        try client.request("album.add", ["Sea"])
        try client.request("album.enlarge", ["id": "big", "title": "Sea"])
        weak let first: Photo? = try client.viewModel("photo-1")
        weak let big: Photo? = try client.viewModel("big")
        weak let album: Album? = try client.viewModel("album")
        try client.request("album.shrink")
        #expect(first != nil && big == nil)
        try client.request("viewModel.close", ["id": "album"])
        #expect(first == nil && album == nil)
    }

    @Test func `counts no bytes of a call that closes it`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Ghost.self)
        let harness = SessionHarness(catalog)
        let client = harness.connectAnonymously()
        try client.request("ghost.tell", [.string(String(repeating: "a", count: 5000))])
        #expect(harness.loop.heldBytes(of: 1000) == 0)
    }

    @Test func `stays when another ViewModel closes that shares the model that has opened it`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Curator.self, Photo.self)
        let client = SessionHarness(catalog).connectAnonymously()
        try client.request("curator.hang", ["Sea"])
        try client.request("viewModel.close", ["id": "curator"])
        #expect(try client.read("hung")["title"] == "Sea")
    }

    @Test func `is not restored under an id that is none, although the store has it`() throws {
        let ids = ["rpc", "daemon", "1a", "a b", "photo-1"]
        let instances = ids.map { SavedInstance(id: $0, type: "photo", arguments: Array(#"{"title":"Sea"}"#.utf8)) }
        var catalog = ViewModelCatalog()
        try catalog.host(Photo.self)
        let host = Host(
            catalog: catalog,
            configuration: HostConfiguration(),
            version: "0",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            store: ValueStore(session: SavedSession(instances: instances)),
            storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
        )
        let client = TestClient(host: host, loop: ManualLoop(keepsThread: true), uid: 1000)
        try client.request("session.attach", ["session": "desk"])
        let list = try client.request("viewModel.list").decoded(as: ViewModelList.Result.self).instances
        #expect(list.filter { $0.type == "photo" }.map(\.id) == ["photo-1"])
    }
}
