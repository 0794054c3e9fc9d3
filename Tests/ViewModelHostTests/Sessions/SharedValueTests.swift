import Logging
import Synchronization
import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `Values that another daemon has changed` {
    private let store = ValueStore()
    private let loop = ManualLoop(keepsThread: true)
    private let host: Host

    init() throws {
        host = try Self.host(Preference.self, store)
    }

    private static func host<Type: ViewModel & Injectable>(_ type: Type.Type, _ store: ValueStore) throws -> Host {
        var catalog = ViewModelCatalog()
        try catalog.host(type)
        return Host(
            catalog: catalog,
            configuration: HostConfiguration(),
            version: "0",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            store: store,
            storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
        )
    }

    private func connect(to host: Host? = nil) throws -> TestClient {
        let client = TestClient(host: host ?? self.host, loop: loop, uid: 1)
        try client.request(SessionAttach.name, ["session": "desk"])
        try client.bind("preference")
        return client
    }

    /// Reads the values again, and waits for the work of the session.
    private func reread(by host: Host? = nil) async throws {
        let (known, host) = (loop.arrivals, host ?? self.host)
        async let isRead = host.reread(.user(1))
        try await loop.waitForWork(after: known)
        loop.run()
        #expect(await isRead)
    }

    @Test func `are shown together in one frame`() async throws {
        let client = try connect()
        var frames = 0
        client.onFrame { _ in frames += 1 }

        store.set(["skip": "60", "speed": "2"])
        try await reread()

        #expect(client.picture(of: "preference")?["skip"] == "60")
        #expect(client.picture(of: "preference")?["speed"] == "2")
        #expect(frames == 1)
        client.close()
    }

    @Test func `replace a change that was not saved before them, and the session is told`() async throws {
        let client = try connect()
        try client.request("viewModel.bind", ["id": "prompter"])
        try client.request("preference.skip", ["45"])
        try client.request("preference.speed", ["3"])
        store.set(["skip": "60"])
        loop.advance(by: .seconds(2))

        #expect(store.texts == ["skip": "60", "speed": "3"])
        #expect(client.picture(of: "preference")?["skip"] == "60")
        #expect(client.picture(of: "preference")?["speed"] == "3")
        let hints = client.frames.flatMap { $0.events }.compactMap { $0.value["text"]?.stringValue }
        #expect(hints == ["The change of preference.skip was dropped, because another one was saved later"])
        // What is entered now is newer.
        try client.request("preference.skip", ["50"])
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["skip": "50", "speed": "3"])
        client.close()
    }

    @Test func `are not taken for those of others if the answer to their save was lost`() async throws {
        let client = try connect()
        try client.request("preference.skip", ["45"])
        store.losesAnswers = true
        loop.advance(by: .seconds(2))
        try client.request("preference.skip", ["50"])
        store.losesAnswers = false
        loop.advance(by: .seconds(60))
        #expect(store.texts == ["skip": "50"])
        #expect(client.picture(of: "preference")?["skip"] == "50")
        client.close()
    }

    @Test func `are not overwritten by a daemon that could not read them`() async throws {
        store.set(["skip": "60"])
        store.isAway = true
        await host.prepare(1)
        let client = try connect()
        try client.request("preference.skip", ["45"])
        try client.request("preference.speed", ["3"])
        loop.advance(by: .seconds(2))
        store.isAway = false
        loop.advance(by: .seconds(60))
        #expect(store.texts == ["skip": "60", "speed": "3"])
        #expect(client.picture(of: "preference")?["skip"] == "60")
        client.close()
    }

    @Test func `are read again for the next session after an error of the disk`() async throws {
        store.set(["skip": "60"])
        store.error = BrokenDisk()
        await host.prepare(1)
        let client = try connect()
        #expect(client.picture(of: "preference")?["skip"] == "30")
        store.error = nil
        let other = TestClient(host: host, loop: loop, uid: 1)
        try other.request(SessionAttach.name, ["session": "sofa"])
        #expect(try other.read("preference")["skip"] == "60")
        #expect(client.picture(of: "preference")?["skip"] == "60")
        other.close()
        client.close()
    }

    @Test func `that change while they are read for the first time are not missed`() async throws {
        store.set(["skip": "60"])
        store.holdsReads = true
        async let isPrepared: Void = host.prepare(1)
        while store.heldReads == 0 { await Task.yield() }
        store.set(["skip": "70"])
        async let isRead = host.reread(.user(1))
        store.holdsReads = false
        await isPrepared
        #expect(await isRead)
        let client = try connect()
        #expect(client.picture(of: "preference")?["skip"] == "70")
        client.close()
    }

    @Test func `have the present form again after an earlier version has put them aside`() async throws {
        store.set(["skip": "60"])
        let host = try Self.host(Migrated.self, store)
        await host.prepare(1)
        let client = try connect(to: host)
        #expect(client.picture(of: "preference")?["skip"] == "60 s")
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["skip": "60 s"])
        // What the earlier version does for its first session of the user.
        store.set(["skip": nil, "\u{1}aside-of 1 0 skip": "60 s"])
        store.set(["\u{1}version": "0"], quote: "")
        try await reread(by: host)
        #expect(client.picture(of: "preference")?["skip"] == "60 s")
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["skip": "60 s"])
        client.close()
    }

    @Test(arguments: [true, false])
    func `by an earlier version stay beside later ones, which are not migrated again`(isSaved: Bool) async throws {
        store.set(["skip": "60"])
        let host = try Self.host(Migrated.self, store)
        await host.prepare(1)
        let client = try connect(to: host)
        loop.advance(by: .seconds(2))
        try client.request("preference.skip", ["45 s"])
        if isSaved { loop.advance(by: .seconds(2)) }
        // The earlier version has read the value before. It does not erase the later one.
        store.set(["skip": isSaved ? "45 s" : nil, "\u{1}aside-of 1 0 skip": "60 s"])
        store.set(["\u{1}version": "0"], quote: "")
        try await reread(by: host)
        #expect(client.picture(of: "preference")?["skip"] == "45 s")
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["skip": "45 s"])
        client.close()
    }

    @Test func `under a former name are not erased`() async throws {
        store.set(["skip": "60"])
        let host = try Self.host(Renamed.self, store)
        await host.prepare(1)
        let client = try connect(to: host)
        #expect(client.picture(of: "preference")?["jump"] == "60")
        store.set(["skip": "70"])
        try await reread(by: host)
        try client.request("preference.jump", ["5"])
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["skip": "70", "jump": "5"])
        client.close()
    }

    @Test func `and put aside stay beside those that this daemon puts aside`() async throws {
        store.set(["skip": "60"])
        let host = try Self.host(Retyped.self, store)
        await host.prepare(1)
        let client = try connect(to: host)
        store.set(["\u{1}aside 1 skip": "50"])
        try client.request("preference.skip", [45])
        loop.advance(by: .seconds(2))
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["\u{1}aside 1 skip": "50", "\u{1}aside 2 skip": "60"])
        client.close()
    }

    @Test func `and put aside by an earlier version stay beside those that this daemon puts aside`() async throws {
        store.set(["skip": "60 s"])
        store.set(["\u{1}version": "1"], quote: "")
        await host.prepare(1)
        let client = try connect()
        store.set(["\u{1}aside-of 1 0 skip": "50 s"])
        loop.advance(by: .seconds(2))
        loop.advance(by: .seconds(2))
        #expect(store.texts == ["\u{1}aside-of 1 0 skip": "50 s", "\u{1}aside-of 1 1 skip": "60 s"])
        client.close()
    }

    @Test func `and put aside in the last place are reported, because those of this daemon are lost`() async throws {
        store.set(["skip": "60"])
        for number in 1...7 { store.set(["\u{1}aside \(number) skip": "\(number)"]) }
        let host = try Self.host(Retyped.self, store)
        await host.prepare(1)
        let client = try connect(to: host)
        store.set(["\u{1}aside 8 skip": "8"])
        try client.request("preference.skip", [45])
        loop.advance(by: .seconds(2))
        let unread = try client.read("daemon")["unreadValues"]?.arrayValue ?? []
        let problem = "8 values are put aside already, so another one is lost"
        #expect(unread.contains { $0["value"] == "preference.skip" && $0["problem"] == .string(problem) })
        client.close()
    }

    @Test func `and that are of another type are put aside each time before they are replaced`() async throws {
        let host = try Self.host(Retyped.self, store)
        await host.prepare(1)
        let client = try connect(to: host)
        for number in 1...3 {
            store.set(["skip": "\(number)"])
            try await reread(by: host)
            try client.request("preference.skip", [.integer(number)])
            loop.advance(by: .seconds(2))
        }
        #expect(store.texts == ["\u{1}aside 1 skip": "1", "\u{1}aside 2 skip": "2", "\u{1}aside 3 skip": "3"])
        client.close()
    }

    @Test func `that cannot be saved are tried once at a time`() async throws {
        let client = try connect()
        store.error = BrokenDisk()
        for number in 1...50 {
            try client.request("preference.skip", [.string("\(number)")])
            #expect(throws: (any Error).self) { try client.request("preference.store") }
        }
        let attempts = store.saves
        loop.advance(by: .seconds(200))
        #expect(store.saves - attempts < 10)
        client.close()
    }
}

/// Two preferences of a user.
@ViewModel
private final class Preference {
    @Field(.user) var skip = "30"
    @Field(.user) var speed = "1"
    /// Returns when the values are on disk.
    @Action func store() {}
}

/// A version with a unit.
@ViewModel("preference")
private final class Migrated {
    @Field(.user) var skip = "30 s"

    static var migrations: [SavedMigration] {
        [
            SavedMigration("skip") { saved in
                if let skip = try saved.value("skip", as: String.self) { try saved.set("skip", to: "\(skip) s") }
            }
        ]
    }
}

/// A version with another name.
@ViewModel("preference")
private final class Renamed {
    @Field(.user, formerly: "skip") var jump = "30"
}

/// A version with another type.
@ViewModel("preference")
private final class Retyped {
    @Field(.user) var skip = 30
}

private struct BrokenDisk: Error {}

/// Keeps the values of one user, which the test changes as another daemon would.
final class ValueStore: Store {
    private let values = Mutex<[SavedValue.Key: [UInt8]]>([:])
    private let failure = Mutex<(any Error)?>(nil)
    private let losing = Atomic(false)
    private let holding = Atomic(false)
    private let held = Atomic(0)
    private let saved = Atomic(0)
    /// The session that each client finds, or nil for a new one.
    private let session: SavedSession?

    init(session: SavedSession? = nil) { self.session = session }

    /// The error of each call, or nil.
    var error: (any Error)? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }

    /// Whether the machine cannot reach the store.
    var isAway: Bool {
        get { error != nil }
        set { error = newValue ? StoreUnavailable("The store is away") : nil }
    }

    /// Whether the answers to saves are lost.
    var losesAnswers: Bool {
        get { losing.load(ordering: .acquiring) }
        set { losing.store(newValue, ordering: .releasing) }
    }

    /// Whether what is read arrives later.
    var holdsReads: Bool {
        get { holding.load(ordering: .acquiring) }
        set { holding.store(newValue, ordering: .releasing) }
    }

    /// The number of reads that have arrived later.
    var heldReads: Int { held.load(ordering: .acquiring) }

    /// The number of calls that save values.
    var saves: Int { saved.load(ordering: .relaxed) }

    /// The strings by name.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        for (key, text) in values.withLock({ $0 }) { texts[key.name] = JSONValue(text: text)?.stringValue }
        return texts
    }

    func set(_ texts: [String: String?], quote: String = "\"") {
        values.withLock { values in
            for (name, text) in texts {
                values[SavedValue.Key(owner: "preference", name: name)] = text.map {
                    Array("\(quote)\($0)\(quote)".utf8)
                }
            }
        }
    }

    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        AcquiredSession(fence: .single, saved: session)
    }
    func save(_ changes: SessionChanges) async throws {}
    func erase(_ key: SessionKey, under fence: SessionFence) async throws {}
    func touch(_ key: SessionKey) async throws {}
    func eraseUnused(forDays days: Int) async throws {}

    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        if let error { throw error }
        guard area != .daemon else { return [:] }
        let read = values.withLock { $0 }
        if holdsReads { held.add(1, ordering: .releasing) }
        while holdsReads { await Task.yield() }
        return read
    }

    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        saved.add(1, ordering: .relaxed)
        if let error { throw error }
        let newer = values.withLock { values in
            let newer = changes.filter { $0.isOlder(than: values[$0.key]) }.map(\.key)
            for change in changes where !newer.contains(change.key) { values[change.key] = change.text }
            return values.filter { newer.contains($0.key) }
        }
        if losesAnswers { throw StoreUnavailable("The answer was lost") }
        return newer
    }
}
