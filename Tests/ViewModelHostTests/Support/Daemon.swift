import ViewModelHost
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

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
            try Board.catalog(work),
            configuration: configuration,
            savesSessions: savesSessions,
            loop: loop
        )
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
