package import JSONRPC
import Glibc
import TestSupport
package import ViewModelHost
package import ViewModelKit
import ViewModelProtocol
package import ViewModelTesting

/// The place where a scenario happens: a host in memory, or a server with sockets.
package protocol ScenarioWorld: AnyObject {
    /// Connects a client of this name.
    func connect(_ name: String, uid: UInt32, scope: AccessScope) throws -> any ScenarioConnection
    /// Waits until the work of an action waits for the test.
    func waitForWork(_ isWaiting: () -> Bool)
    /// Lets virtual time pass.
    func advance(by duration: Duration)
    /// The harness of a host in memory, or nil.
    var harness: SessionHarness? { get }
    /// Whether all is done that follows from a message when it has been sent.
    var isSettled: Bool { get }
    /// Does a step that only this world knows, and returns whether it is one.
    func perform(_ step: Scenario.Step) throws -> Bool
}

extension ScenarioWorld {
    package func waitForWork(_ isWaiting: () -> Bool) {}
    package var harness: SessionHarness? { nil }
    package func perform(_ step: Scenario.Step) throws -> Bool { false }
}

/// A client's end of a connection.
package protocol ScenarioConnection: AnyObject {
    /// Sends a message.
    func send(_ text: String)
    /// Returns the next message; nil at the end of the connection, or if nothing comes in a world in memory.
    func receive() throws -> JSONValue?
    /// Ends the input.
    func endInput()
    /// Ends the connection.
    func close()
    /// Whether the client takes frames.
    var takesFrames: Bool { get set }
    /// Whether the daemon has ended the connection.
    var isFinished: Bool { get }
}

/// What a scenario runs with.
package struct ScenarioSetup {
    /// The limits and times that the scenario sets.
    package var configuration = HostConfiguration()
    /// Whether sessions are saved.
    package var savesSessions = false
    /// What the boards wait for.
    let work: Effect<Int, Int>
    /// What the workshops wait for.
    let orders: Effect<Order, Product>

    /// The text of the scenario.
    private let text: String

    private static var settings: [String: WritableKeyPath<HostConfiguration, Int>] {
        [
            "limits.inFlight": \.limits.inFlight, "limits.batch": \.limits.batch, "limits.events": \.limits.events,
            "limits.bindings": \.limits.bindings,
            "limits.instancesPerSession": \.limits.instancesPerSession,
            "limits.sessionsPerUser": \.limits.sessionsPerUser, "limits.messageBytes": \.limits.messageBytes,
            "session.linger": \.session.lingerSeconds, "session.maximumLinger": \.session.maximumLingerSeconds,
        ]
    }

    package init(_ scenario: Scenario) throws {
        text = scenario.steps.map(\.text).joined(separator: "\n")
        var isHeedless = false
        for step in scenario.steps {
            switch step.words.first {
            case "with":
                guard step.words.count == 3, let setting = Self.settings[step.words[1]], let value = Int(step.words[2])
                else { throw ScenarioFailure(step, "no such setting") }
                configuration[keyPath: setting] = value
            case "saves": savesSessions = true
            case "heedless": isHeedless = true
            default: break
            }
        }
        work = Effect(endsWhenCancelled: !isHeedless)
        orders = Effect(endsWhenCancelled: !isHeedless)
    }

    /// The boards, and the other ViewModels that the scenario names.
    package func catalog() throws -> ViewModelCatalog {
        var catalog = try Board.catalog(work)
        // A host describes all of its ViewModels at the first attach.
        func host<Type: ViewModel>(_ type: Type.Type, _ make: @escaping @Sendable (ViewModelContext) throws -> Type)
            throws
        {
            if text.contains(type.contract.name) { try catalog.host(type, make) }
        }
        try host(Workshop.self) { [orders] _ in Workshop(work: orders) }
        try host(Guide.self) { context in
            Guide(coordinator: context.coordinator, prompter: context.prompter, clock: context.clock)
        }
        try host(Notebook.self) { context in Notebook(count: context.shared { Notebook.Count() }) }
        try host(Gauge.self) { _ in Gauge() }
        try host(TicketKiosk.self) { _ in TicketKiosk() }
        try host(Scales.self) { _ in Scales() }
        try host(Search.self) { [work] _ in Search(service: work) }
        try host(Editor.self, Editor.make)
        try host(Attic.self) { _ in Attic() }
        try host(Downloads.self) { [work] _ in Downloads(service: work) }
        try host(Settings.self) { context in Settings(history: context.shared { History() }) }
        try host(OtherSettings.self) { _ in OtherSettings() }
        try host(Door.self) { context in Door(bell: context.shared { Bell() }) }
        try host(Turntable.self) { context in Turntable(clock: context.clock) }
        try host(Radio.self) { context in Radio(clock: context.clock) }
        try host(Typing.self) { _ in Typing() }
        try host(Ghost.self) { try Ghost.make(in: $0) }
        if text.contains("album") || text.contains("photo") { try catalog.host(Album.self, Photo.self) }
        catalog.scene("about")
        catalog.scene("\u{E9}")
        catalog.scene("map", instance: "board")
        return catalog
    }
}

/// A host in memory, on virtual time, whose clients may be on other loops than their sessions.
package final class MemoryWorld: ScenarioWorld {
    private let session: SessionHarness
    private let loops: [ManualLoop]
    private var connections = 0

    package var harness: SessionHarness? { session }
    package var isSettled: Bool { true }

    /// Starts a host whose connections are spread over a number of loops.
    package init(_ setup: ScenarioSetup, loops count: Int = 1) throws {
        loops = (0..<count).map { _ in ManualLoop(keepsThread: count == 1) }
        session = SessionHarness(
            try setup.catalog(),
            configuration: setup.configuration,
            savesSessions: setup.savesSessions,
            loop: loops[0]
        )
    }

    package func connect(_ name: String, uid: UInt32, scope: AccessScope) throws -> any ScenarioConnection {
        defer { connections += 1 }
        return MemoryConnection(
            session.host,
            loops[connections % loops.count],
            ClientIdentity(uid: uid, pid: 1, scope: scope),
            settle: { [weak self] in self?.settle() }
        )
    }

    package func waitForWork(_ isWaiting: () -> Bool) { settle() }

    package func advance(by duration: Duration) {
        for loop in loops { loop.advance(by: duration) }
        settle()
    }

    private func settle() {
        repeat { for loop in loops { loop.run() } } while loops.contains { !$0.isIdle }
    }
}

/// A connection in memory, whose messages are text.
package final class MemoryConnection: ScenarioConnection, MessageSink {
    private let loop: ManualLoop
    private let settle: () -> Void
    private var peer: RPCPeer?
    private var unread: [[UInt8]] = []
    private var received: [JSONValue] = []
    package private(set) var isFinished = false
    package private(set) var isReady = true

    /// Connects a client on a loop; `settle` runs all loops until nothing is left to do.
    package init(
        _ host: ViewModelHost.Host,
        _ loop: ManualLoop,
        _ identity: ClientIdentity,
        settle: @escaping () -> Void
    ) {
        self.loop = loop
        self.settle = settle
        peer = loop.run { RPCPeer(host: host, loop: loop, identity: identity, sink: self) }
    }

    package func send(_ text: String) {
        loop.run {
            unread.append(Array(text.utf8))
            resumeReading()
        }
        settle()
    }

    package func resumeReading() {
        peer?.resumeBatch()
        while !unread.isEmpty, peer?.messagesWait == false {
            unread.removeFirst().withUnsafeBytes { peer?.receive($0) }
        }
    }

    package func write(_ body: (inout JSONWriter) -> Void) {
        guard !isFinished else { return }
        var writer = JSONWriter()
        body(&writer)
        received.append(JSONValue(text: writer.bytes) ?? .null)
    }

    package func finish() { isFinished = true }

    package func receive() -> JSONValue? {
        settle()
        guard !received.isEmpty else { return Optional.none }
        return received.removeFirst()
    }

    package func endInput() {
        loop.run { peer?.inputEnded() }
        settle()
    }

    package func close() {
        loop.run { peer?.connectionClosed() }
        peer = nil
        settle()
    }

    package var takesFrames: Bool {
        get { isReady }
        set {
            isReady = newValue
            if newValue { loop.run { peer?.sinkReady() } }
        }
    }
}

/// A server with a socket, whose clients block the thread of the scenario.
package final class SocketWorld: ScenarioWorld {
    private let socket: String

    package var isSettled: Bool { false }

    package init(_ socket: String) { self.socket = socket }

    package func connect(_ name: String, uid: UInt32, scope: AccessScope) throws -> any ScenarioConnection {
        SocketConnection(try RawConnection(socket))
    }

    package func advance(by duration: Duration) {}

    package func waitForWork(_ isWaiting: () -> Bool) {
        while !isWaiting() { sched_yield() }
    }
}

private final class SocketConnection: ScenarioConnection {
    private var connection: RawConnection?
    var takesFrames = true
    private(set) var isFinished = false

    init(_ connection: RawConnection) { self.connection = connection }

    func send(_ text: String) { connection?.sendLine(text) }

    func receive() throws -> JSONValue? {
        guard let line = try connection?.line() else {
            isFinished = true
            return nil
        }
        return JSONValue(text: line)
    }

    func endInput() { connection?.shutdownWriting() }
    func close() { connection = nil }
}
