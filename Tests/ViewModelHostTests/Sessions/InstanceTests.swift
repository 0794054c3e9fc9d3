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

/// A ViewModel that opens photos.
@ViewModel
private final class Binder {
    private let instances: Instances

    /// Opens a photo.
    @Input func add() throws { try instances.open(Photo.self, arguments: Photo.Arguments(title: "Sea")) }
}

/// A version with another name.
@ViewModel(formerly: "binder")
private final class Folder {
    private let instances: Instances

    /// Opens a photo.
    @Input func add() throws { try instances.open(Photo.self, arguments: Photo.Arguments(title: "Sea")) }
}

private struct Torn: Error {}

/// A version whose init opens a photo without an id, and fails.
@ViewModel("binder")
private final class TornBinder {
    init(instances: Instances) throws {
        try instances.open(Photo.self, arguments: Photo.Arguments(title: "half"))
        throw Torn()
    }

    /// Does nothing.
    @Input func add() {}
}

/// A version whose init opens a photo with a title that does not fit.
@ViewModel("binder")
private final class WrongBinder {
    init(instances: Instances) throws { try instances.open(Photo.self, arguments: Photo.Arguments(title: "")) }

    /// Does nothing.
    @Input func add() {}
}

/// A ViewModel whose action goes on after its instance has closed.
@ViewModel
private final class Straggler {
    private let instances: Instances
    private let work: Effect<Int, Int>

    init(instances: Instances, work: Effect<Int, Int>) {
        self.instances = instances
        self.work = work
    }

    /// Waits for the work, and then opens a photo and closes itself.
    @Action func finish() async throws {
        _ = try await work(1)
        _ = try? instances.open(Photo.self, id: "late", arguments: Photo.Arguments(title: "late"))
        instances.close(instances.id)
    }
}

@Suite struct `An instance` {
    private static func catalog<each Type: ViewModel & Injectable>(
        _ type: repeat (each Type).Type
    ) throws -> ViewModelCatalog {
        var catalog = ViewModelCatalog()
        try catalog.host(repeat each type)
        return catalog
    }

    private static func ids(_ client: TestClient) throws -> [String] {
        let instances = try client.request("viewModel.list").decoded(as: ViewModelList.Result.self).instances
        return instances.map(\.id).filter { !InstanceID.builtIn.contains($0) }.sorted()
    }

    /// Returns a daemon that has saved a binder with a photo.
    private static func binder() throws -> SessionHarness {
        let harness = SessionHarness(try catalog(Binder.self, Photo.self), savesSessions: true)
        try harness.connect().request("binder.add")
        harness.advance(by: .seconds(1))
        return harness
    }

    @Test func `of a later time is not that of an action that goes on after its own has closed`() throws {
        let work = Effect<Int, Int>(endsWhenCancelled: false)
        var catalog = try Self.catalog(Photo.self)
        try catalog.host(Straggler.self) { context in
            Straggler(instances: context.instances, work: work)
        }
        let client = SessionHarness(catalog).connectAnonymously()
        let action = client.begin("straggler.finish")
        try client.request("viewModel.close", ["id": "straggler"])
        #expect(action.error?.code == .cancelled)
        try client.request("viewModel.open", ["type": "straggler", "id": "straggler"])
        work.complete(with: 1)
        #expect(try Self.ids(client) == ["straggler"])
    }

    @Test func `closes with the one that has opened it, although that has another name after a restart`() throws {
        let harness = try Self.binder()
        for _ in 1...2 {
            harness.restart(with: try Self.catalog(Folder.self, Photo.self))
            #expect(try Self.ids(harness.connect()) == ["folder", "photo-1"])
            harness.advance(by: .seconds(1))
        }
        let client = try harness.connect()
        try client.request("viewModel.close", ["id": "folder"])
        #expect(try Self.ids(client).isEmpty)
    }

    @Test func `is not restored without the one that has opened it`() throws {
        let harness = try Self.binder()
        var next = try Self.catalog(Photo.self)
        try next.host(Binder.self, isRestored: false)
        harness.restart(with: next)
        #expect(try Self.ids(harness.connect()).isEmpty)
    }

    @Test func `is restored, and no other, while the init of the one that has opened it fails`() throws {
        let harness = try Self.binder()
        for _ in 1...2 {
            harness.restart(with: try Self.catalog(TornBinder.self, Photo.self))
            #expect(try Self.ids(harness.connect()) == ["photo-1"])
            harness.advance(by: .seconds(1))
        }
        harness.restart(with: try Self.catalog(Binder.self, Photo.self))
        #expect(try Self.ids(harness.connect()) == ["binder", "photo-1"])
    }

    @Test func `is forgotten when the one that has opened it closes, although its type is missing`() throws {
        let harness = try Self.binder()
        harness.restart(with: try Self.catalog(Binder.self))
        let client = try harness.connect()
        try client.request("viewModel.close", ["id": "binder"])
        try client.request("viewModel.open", ["type": "binder", "id": "binder"])
        harness.advance(by: .seconds(1))
        harness.restart(with: try Self.catalog(Binder.self, Photo.self))
        #expect(try Self.ids(harness.connect()) == ["binder"])
    }

    @Test func `is not told to have wrong arguments if those are wrong with which its init opens another`() throws {
        let harness = try Self.binder()
        harness.restart(with: try Self.catalog(WrongBinder.self, Photo.self))
        let unread = try harness.connect().read("daemon")["unreadValues"]?.arrayValue ?? []
        #expect(unread.map { $0["problem"] } == ["an instance cannot be made"])
    }

    @Test func `whose init fails is one incident, although an action has opened it`() throws {
        let harness = SessionHarness(try Self.catalog(Album.self, Photo.self))
        let error = harness.connectAnonymously().begin("album.enlarge", ["id": "e", "title": "endless"]).error
        #expect(error?.code == .internalError)
        #expect(harness.incidents.count == 1)
        #expect(error?.data?["incident"]?.stringValue == harness.log.entries.first?.metadata["incident"])
    }

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
        try client.request("ghost.tell", ["value": "a", "_meta": ["key": "k"]])
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
