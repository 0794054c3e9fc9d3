import Logging
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// Attaches to a session whose saved state is the input.
///
/// Lines: the coordinator's scenes, the number and the rows of the shelf, the id, the type and the arguments of an
/// instance. The session comes back with what is sound, and works.
func fuzzRestoring(_ input: UnsafeRawBufferPointer) {
    let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 5, omittingEmptySubsequences: false)
    let lines = parts.map(Array.init)
    func line(_ index: Int) -> [UInt8] { index < lines.count ? lines[index] : [] }
    func text(_ index: Int) -> String { String(decoding: line(index), as: UTF8.self) }
    var saved = SavedSession()
    saved.values[SavedValue.Key(owner: "coordinator", name: "scenes")] = line(0)
    saved.values[SavedValue.Key(owner: "shelf", name: "number")] = line(1)
    saved.values[SavedValue.Key(owner: "shelf", name: "rows")] = line(2)
    saved.values[SavedValue.Key(owner: text(3), name: "number")] = line(1)
    saved.instances = [
        SavedInstance(id: "shelf", type: "shelf", arguments: nil),
        SavedInstance(id: text(3), type: text(4), arguments: lines.count > 5 ? line(5) : nil),
    ]
    do {
        let host = Host(
            catalog: try Shelf.catalog(),
            configuration: .small,
            version: "0",
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() },
            store: SavedStore(saved: saved),
            storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
        )
        let loop = ManualLoop(keepsThread: true)
        let client = TestClient(host: host, loop: loop, uid: 1000)
        try client.request(SessionAttach.name, ["session": "fuzz", "linger": 0])
        let scenes = try client.read("coordinator")
        require(scenes["scenes"] != nil, "no scenes: \(scenes)")
        _ = client.begin("coordinator.open", ["scene": "shelf"])
        try client.bind("coordinator")
        try client.bind("shelf")
        try client.request("shelf.set", [5])
        try client.request("shelf.append", ["id": 1, "text": "one"])
        loop.advance(by: .seconds(2))
        let number = try client.read("shelf")["number"]
        require(number == 5, "the number is \(String(describing: number))")
        require(client.faults.isEmpty, "\(client.faults)")
        let current = try client.read("coordinator")
        require(client.picture(of: "coordinator")?["scenes"] == current["scenes"], "the pictures differ")
        client.close()
        loop.advance(by: .seconds(2))
    } catch let error as ProtocolError {
        fatalError("\(error): \(error.data ?? .null)")
    } catch {
        fatalError("\(error)")
    }
}

/// Holds one saved session, and accepts every save.
private struct SavedStore: Store {
    let saved: SavedSession

    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        AcquiredSession(fence: .single, saved: saved)
    }
    func save(_ changes: SessionChanges) async throws {}
    func erase(_ key: SessionKey, under fence: SessionFence) async throws {}
    func touch(_ key: SessionKey) async throws {}
    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] { [:] }
    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] { [:] }
    func eraseUnused(forDays days: Int) async throws {}
}
