public import FoundationEssentials
import Logging
package import ViewModelHost
public import ViewModelKit
package import ViewModelProtocol

/// A daemon without sockets that hosts a catalog's types on virtual time.
///
/// The test runs its sessions.
///
///     var catalog = ViewModelCatalog()
///     try ReferenceViewModels.register(in: &catalog)
///     let session = SessionHarness(catalog)
///     let phone = try session.connect(), desk = try session.connect()
///     try phone.bind("calculator")
///     try desk.request("keypad.press", ["1"])
///     #expect(phone.picture(of: "calculator")?["led"] == "1")
///
/// It has no threads, and its time passes only in ``advance(by:)``.
///
/// Isolation: not `Sendable`. After a suspension of the test itself, access ViewModels through the harness again,
/// because the test may continue on another thread.
public final class SessionHarness {
    /// The name of the session that clients share.
    public static let name = "harness"

    package let loop: ManualLoop
    private(set) package var host: Host
    private var catalog: ViewModelCatalog
    package let log: LogRecorder
    private let uid: UInt32
    /// The person as whom further clients connect; nil for a Unix user.
    ///
    /// A client that attaches brings it to the `User` of the session.
    public var person: User.Identity?
    private var store: MemoryStore?
    private var clients: [Connected] = []

    private struct Connected {
        weak var client: TestClient?
    }

    /// Starts to host a catalog's types.
    ///
    /// - Parameters:
    ///   - catalog: types, scenes and services.
    ///   - uid: the user to whom the sessions belong.
    ///   - person: the person to whom the sessions belong; nil for a Unix user.
    ///   - savesSessions: whether named sessions are saved, and restored after their end and after ``restart(with:)``.
    public convenience init(
        _ catalog: ViewModelCatalog,
        uid: UInt32 = 1000,
        person: User.Identity? = nil,
        savesSessions: Bool = false
    ) {
        self.init(catalog, uid: uid, configuration: HostConfiguration(), savesSessions: savesSessions)
        self.person = person
    }

    /// Starts to host a catalog's types with the test's limits and times.
    package init(
        _ catalog: ViewModelCatalog,
        uid: UInt32 = 1000,
        configuration: HostConfiguration,
        savesSessions: Bool = false,
        loop: ManualLoop = ManualLoop(keepsThread: true)
    ) {
        self.catalog = catalog
        self.uid = uid
        self.loop = loop
        store = savesSessions ? MemoryStore() : nil
        log = LogRecorder(from: .warning)
        host = Self.host(catalog, configuration, store, log)
    }

    private static func host(
        _ catalog: ViewModelCatalog,
        _ configuration: HostConfiguration,
        _ store: MemoryStore?,
        _ log: LogRecorder
    ) -> Host {
        Host(
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

    /// Kills the daemon without a warning, like `kill -9`, and starts another one with the saved sessions.
    ///
    /// All clients are disconnected. The next client that connects restores the session. Saved are values that an
    /// action has acknowledged, and values older than the save interval of one second, which passes in
    /// ``advance(by:)``. Without `savesSessions`, sessions are not restored.
    ///
    /// - Parameter next: another version of the ViewModels, which reads what the present one has saved; nil for the same.
    public func restart(with next: ViewModelCatalog? = nil) {
        runUntilIdle()
        // The copy excludes everything that the old daemon saves from here on.
        let saved = store?.copy
        for connected in clients { connected.client?.close() }
        clients = []
        endSessions()
        store = saved
        catalog = next ?? catalog
        host = Self.host(catalog, host.configuration, saved, log)
    }

    /// Closes all sessions.
    ///
    /// A named session would live for its linger, and virtual time does not advance any more.
    private func endSessions() {
        let client = TestClient(host: host, loop: loop, uid: uid)
        let list = try? client.request(SessionList.name).decoded(as: SessionList.Result.self)
        for entry in list?.sessions ?? [] {
            client.begin(SessionClose.name, ["session": .string(entry.session)])
        }
        client.close()
    }

    /// Connects a client and attaches it to a named session.
    ///
    /// - Parameters:
    ///   - session: the name of the session. By default, all clients share one.
    ///   - linger: the seconds for which the session lives without clients.
    /// - Returns: the client.
    /// - Throws: `ProtocolError` when the session refuses the client.
    public func connect(to session: String = SessionHarness.name, linger: Int? = nil) throws -> TestClient {
        let client = connectAnonymously()
        var params: JSONObject = ["session": .string(session)]
        params["linger"] = linger.map { .integer($0) }
        try client.request(SessionAttach.name, .object(params))
        return client
    }

    /// Connects a client to the session that clients share, and returns a harness for one of its ViewModels.
    ///
    /// Use it to look at a ViewModel again after ``restart(with:)``.
    ///
    ///     session.restart()
    ///     let player = try session.open(Player.self)
    ///
    /// - Parameters:
    ///   - type: the ViewModel's type, which the catalog hosts.
    ///   - id: the id of the instance, by default that of the type's default instance.
    ///   - arguments: the arguments of `viewModel.open`.
    ///   - windows: the windows of lists that the client binds, by output. Without one it binds the whole list.
    /// - Returns: the harness. ``Harness/open(_:id:arguments:windows:)`` opens further ones with the same client.
    /// - Throws: ``HarnessError`` when the ViewModel could not be created, or is not hosted, or when `windows` names
    ///   something other than its lists.
    public func open<Type: ViewModel>(
        _ type: Type.Type,
        id: String? = nil,
        arguments: JSONValue? = nil,
        windows: [String: Window]? = nil
    ) throws -> Harness<Type> {
        try Harness(in: self, id: id, arguments: arguments, windows: windows)
    }

    /// Connects a client.
    ///
    /// It has its own anonymous session until it attaches to another one.
    public func connectAnonymously() -> TestClient {
        connectAnonymously(uid: uid)
    }

    /// Connects a client of another user.
    package func connectAnonymously(uid: UInt32, scope: AccessScope = .act) -> TestClient {
        // As a server does before the first connection of a user.
        if let store {
            for area in [ValueArea.daemon, .user(uid)] { host.load(store.savedValues(of: area), of: area) }
        }
        let person = uid == self.uid ? person : nil
        let client = TestClient(host: host, loop: loop, uid: uid, scope: scope, person: person, of: self)
        clients.removeAll { $0.client == nil }
        clients.append(Connected(client: client))
        return client
    }

    // MARK: Time

    /// The virtual time since the start.
    public var now: Duration { loop.now }

    /// The date of the sessions' clocks, which advances with virtual time.
    ///
    /// It begins with the year 2026, UTC.
    public var date: Date {
        get { loop.date }
        set { loop.date = newValue }
    }

    /// Advances virtual time.
    ///
    /// Timers run at their times, in the order in which they are due.
    public func advance(by duration: Duration) {
        loop.advance(by: duration)
    }

    /// Runs all work that is ready.
    ///
    /// Each call of a harness or a client starts with it.
    public func runUntilIdle() {
        loop.run()
    }

    /// Waits for work outside of the session, in an actor, a task or a thread, until a condition holds.
    ///
    /// The condition is checked after each arrival of such work. Work inside of the session needs no wait.
    ///
    /// - Parameter condition: returns whether the wait is over.
    /// - Throws: the error of `condition`, or `CancellationError` when the test is cancelled, for example by its time
    ///   limit.
    public func wait(until condition: () throws -> Bool) async throws {
        while true {
            // Work that comes while the condition is checked runs within its next read.
            let arrivals = loop.arrivals
            loop.run()
            if try condition() { return }
            try await loop.waitForWork(after: arrivals)
        }
    }

    // MARK: Faults

    /// The unexpected errors, the oldest first.
    ///
    /// Clients see only -32603.
    public var incidents: [String] {
        loop.run()
        return log.errors
    }

    func error(of incident: String) -> String {
        log.entries.first { $0.metadata["incident"] == incident }?.error ?? "an unknown incident"
    }

    /// Returns an error of the host as text, with what only the log has.
    func explained(_ error: ProtocolError) -> String {
        guard error.code == .internalError, let incident = error.data?["incident"]?.stringValue else {
            return "\(error), \(error.data ?? .null)"
        }
        return self.error(of: incident)
    }
}
