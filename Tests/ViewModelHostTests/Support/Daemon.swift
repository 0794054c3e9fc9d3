import ViewModelHost
import ViewModelKit
import ViewModelTesting

/// A daemon of boards, without sockets.
struct Daemon {
    let work = Effect<Int, Int>()
    let harness: SessionHarness

    init(
        loop: ManualLoop = ManualLoop(keepsThread: true),
        savesSessions: Bool = false,
        _ configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HostConfiguration()
        configure(&configuration)
        harness = SessionHarness(
            try Self.catalog(work),
            configuration: configuration,
            savesSessions: savesSessions,
            loop: loop
        )
    }

    static func catalog(_ work: Effect<Int, Int>) throws -> ViewModelCatalog {
        var catalog = ViewModelCatalog()
        try catalog.host(Board.self) { context in Board(state: context.shared { BoardState() }, work: work) }
        try catalog.host(Echo.self) { context in Echo(state: context.shared { BoardState() }) }
        try catalog.host(Page.self) { _ in Page() }
        try catalog.host(Greeter.self) { context in try Greeter(context.arguments(Greeter.Arguments.self)) }
        try catalog.host(Knot.self) { context in Knot(clock: context.clock) }
        try catalog.host(Watched.self) { _ in Watched() }
        catalog.scene("settings")
        return catalog
    }

    func connect(to session: String = SessionHarness.name, linger: Int? = nil) throws -> TestClient {
        try harness.connect(to: session, linger: linger)
    }
}

extension ReceivedMessage {
    /// The params of a notification of this method.
    func params(of wanted: String) -> JSONValue? {
        if case .notification(wanted, let params) = self { params } else { nil }
    }

    /// Whether it answers a request.
    var isAnswer: Bool {
        switch self {
        case .result, .error, .batch: true
        case .frame, .notification: false
        }
    }
}
