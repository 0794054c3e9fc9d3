import Logging
package import ViewModelHost
public import ViewModelKit

/// A daemon without sockets: the sessions of a catalog's types, on virtual time, run by the test.
///
///     var catalog = ViewModelCatalog()
///     try ReferenceViewModels.register(in: &catalog)
///     let session = try SessionHarness(catalog)
///     let phone = try session.connect(), desk = try session.connect()
///     try phone.bind("calculator")
///     try desk.request("keypad.press", ["1"])
///     #expect(phone.picture(of: "calculator")?["led"] == "1")
///
/// Nothing happens unless the test does something: there are no threads, and no time passes by itself. Isolation: not
/// `Sendable`; after an `await` of its own a test reaches ViewModels through the harness again.
public final class SessionHarness {
    /// The name of the session that clients share.
    public static let name = "harness"

    package let loop: ManualLoop
    private(set) package var host: Host
    private let catalog: ViewModelCatalog
    private let log: LogRecorder
    private let uid: UInt32
    private var store: MemoryStore?
    private var clients: [Connected] = []

    private struct Connected {
        weak var client: TestClient?
    }

    /// Starts hosting a catalog's types.
    ///
    /// - Parameters:
    ///   - catalog: types, scenes and services, as a daemon is started with.
    ///   - uid: the user whose sessions these are.
    ///   - savesSessions: whether named sessions are saved, and so come back when they have ended and after
    ///     ``restart()``.
    public convenience init(_ catalog: ViewModelCatalog, uid: UInt32 = 1000, savesSessions: Bool = false) throws {
        try self.init(catalog, uid: uid, configuration: HostConfiguration(), savesSessions: savesSessions)
    }

    /// Starts hosting a catalog's types with limits and times of the test's own.
    package init(
        _ catalog: ViewModelCatalog,
        uid: UInt32 = 1000,
        configuration: HostConfiguration,
        savesSessions: Bool = false,
        loop: ManualLoop = ManualLoop(keepsThread: true)
    ) throws {
        self.catalog = catalog
        self.uid = uid
        self.loop = loop
        store = savesSessions ? MemoryStore() : nil
        log = LogRecorder(from: .error)
        host = try Self.host(catalog, configuration, store, log)
    }

    private static func host(
        _ catalog: ViewModelCatalog,
        _ configuration: HostConfiguration,
        _ store: MemoryStore?,
        _ log: LogRecorder
    ) throws -> Host {
        try catalog.checkShapes()
        return Host(
            catalog: catalog,
            configuration: configuration,
            version: "0",
            logger: log.logger,
            store: store,
            storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
        )
    }

    deinit {
        endSessions()
    }

    /// Has the daemon end without a warning, as by `kill -9`, and starts another one on what was saved.
    ///
    /// Every client is disconnected; the next one to connect brings the session back. Saved is what an action has
    /// acknowledged, and what is older than the save interval of one second, which passes in ``advance(by:)``. Without
    /// `savesSessions` nothing comes back.
    ///
    /// - Throws: what starting throws.
    public func restart() throws {
        settle()
        // What is still saved from here on is of no use to anybody.
        let remains = store?.remains
        for connected in clients { connected.client?.close() }
        clients = []
        endSessions()
        store = remains
        host = try Self.host(catalog, host.configuration, remains, log)
    }

    /// A named session would stay for its linger, which never passes.
    private func endSessions() {
        let client = TestClient(host: host, loop: loop, uid: uid)
        let list = try? client.request(SessionList.name).decoded(as: SessionList.Result.self)
        for entry in list?.sessions ?? [] {
            client.begin(SessionClose.name, ["session": .string(entry.session)])
        }
        client.close()
    }

    /// Connects a client to the session that all clients share, or to another one.
    ///
    /// - Parameters:
    ///   - session: the name of the session.
    ///   - linger: the seconds for which it stays without clients.
    /// - Throws: `ProtocolError`, the refusal to attach.
    public func connect(to session: String = SessionHarness.name, linger: Int? = nil) throws -> TestClient {
        let client = connectAnonymously()
        var params: [String: JSONValue] = ["session": .string(session)]
        params["linger"] = linger.map { .integer($0) }
        try client.request(SessionAttach.name, .object(params))
        return client
    }

    /// Connects a client, which has an anonymous session of its own until it attaches to another.
    public func connectAnonymously() -> TestClient {
        connectAnonymously(uid: uid)
    }

    /// Connects a client of another user.
    package func connectAnonymously(uid: UInt32, scope: AccessScope = .act) -> TestClient {
        let client = TestClient(host: host, loop: loop, uid: uid, scope: scope, of: self)
        clients.removeAll { $0.client == nil }
        clients.append(Connected(client: client))
        return client
    }

    // MARK: Time

    /// The virtual time since the start.
    public var now: Duration { loop.now }

    /// Lets virtual time pass; timers run at their times, in the order in which they are due.
    public func advance(by duration: Duration) {
        loop.advance(by: duration)
    }

    /// Does what can be done at once.
    ///
    /// Everything that is asked of a harness or a client begins with it.
    public func settle() {
        loop.run()
    }

    /// Waits until a condition holds, while work goes on outside of the session: in an actor, a task, a thread.
    ///
    /// The condition is looked at when something has come in from there. Where none of that is needed, nothing has to
    /// be waited for.
    ///
    /// - Throws: `CancellationError` when the test is cancelled, by its time limit for instance.
    public func wait(until condition: () throws -> Bool) async throws {
        loop.run()
        while try !condition() {
            try await loop.handOver()
            loop.run()
        }
    }

    // MARK: Faults

    /// The errors that nobody expected, which clients know as -32603 only; the oldest first.
    public var incidents: [String] {
        loop.run()
        return log.errors
    }

    func error(of incident: String) -> String { log.error(of: incident) ?? "an unknown incident" }

    /// What an answer of the host's means, with the facts that are only in the log.
    func explained(_ error: ProtocolError) -> String {
        guard error.code == .internalError, let incident = error.data?["incident"]?.stringValue else {
            return "\(error), \(error.data ?? .null)"
        }
        return self.error(of: incident)
    }
}
