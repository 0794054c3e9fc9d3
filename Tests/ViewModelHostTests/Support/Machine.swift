import Logging
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

/// A host on one of several machines that share a database.
final class Machine {
    let name: String
    let loop = ManualLoop()
    let host: Host
    let work = Effect<Int, Int>()
    private let machines: Machines

    fileprivate init(_ name: String, in machines: Machines) throws {
        self.name = name
        self.machines = machines
        var catalog = ViewModelCatalog()
        let work = work
        try catalog.host(Ledger.self) { _ in Ledger(work: work) }
        try catalog.host(Purse.self)
        let node = machines.cluster.node(name)
        host = Host(
            catalog: catalog,
            configuration: HostConfiguration(),
            version: "0",
            logger: LogRecorder(from: .error).logger,
            store: node,
            placement: node,
            storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
        )
    }

    func connect(uid: UInt32 = 1000, scope: AccessScope = .act) -> TestClient {
        TestClient(host: host, loop: loop, uid: uid, scope: scope)
    }

    /// Connects a client and attaches it to the session `desk`.
    func attach(_ more: JSONObject = [:]) throws -> (client: TestClient, reply: JSONValue) {
        let client = connect()
        return (client, try machines.request(client, "session.attach", desk(more)))
    }

    /// Whether a session of this name lives here.
    func hasSession(_ name: String = "desk") -> Bool {
        if case .living = host.directory.find(SessionKey(uid: 1000, name: name)) { true } else { false }
    }
}

/// The params of an attach to the session `desk`.
func desk(_ more: JSONObject = [:]) -> JSONValue {
    var params = more
    params["session"] = "desk"
    return .object(params)
}

/// Machines that share a database, and whose loops the test runs.
final class Machines {
    let cluster = Cluster()
    private(set) var all: [Machine] = []

    init(_ names: String...) throws {
        for name in names { all.append(try Machine(name, in: self)) }
    }

    /// Kills a machine without a warning, and starts another one.
    func kill(_ machine: Machine, replacedBy name: String) throws {
        all.removeAll { $0 === machine }
        machine.loop.execute {}
        all.append(try Machine(name, in: self))
        cluster.cutOff(machine.name)
    }

    subscript(name: String) -> Machine {
        guard let machine = all.first(where: { $0.name == name }) else { fatalError("no machine \(name)") }
        return machine
    }

    /// Runs all loops until nothing is left to do.
    func runUntilIdle() {
        while !all.allSatisfy(\.loop.isIdle) {
            for machine in all { machine.loop.run() }
        }
    }

    /// Ends the sessions of a machine, as a stop does, and calls `letSavesGo` once the session `desk` has ended.
    func endSessions(of machine: Machine, _ letSavesGo: () -> Void) async {
        let host = machine.host
        async let isStopped: Void = host.endSessions()
        while machine.hasSession() {
            await Task.yield()
            runUntilIdle()
        }
        letSavesGo()
        runUntilIdle()
        await isStopped
        runUntilIdle()
    }

    /// Sends a request and returns its result.
    @discardableResult
    func request(_ client: TestClient, _ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
        let request = client.begin(method, params)
        runUntilIdle()
        guard let answer = request.answer else { throw Unanswered(method: method) }
        return try answer.get()
    }

    /// The numbers of the ledger in the client's session.
    func numbers(_ client: TestClient) throws -> JSONValue? {
        try request(client, "viewModel.read", ["id": "ledger"])["values"]?["numbers"]
    }
}

extension TestClient {
    /// The notifications of ended sessions.
    var closed: [JSONValue] { received.compactMap { $0.params(of: "session.closed") } }
}
