import Testing
import ViewModelKit
import ViewModelTesting

/// A ViewModel that writes where it must not.
@ViewModel
final class Meddler {
    struct Inputs {
        /// Makes the output write a cell while it is computed.
        let meddle = Input<Void>()
    }
    struct Outputs {
        /// Writes a cell when it has been told to.
        let value: Output<Int>
    }
    struct Actions {
        /// Waits until it is cancelled.
        let wait: Action<Void, Void>
    }
    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(clock: SessionClock) {
        let (told, other) = (Cell(false), Cell(0))
        inputs.meddle.sink { told.value = true }
        outputs = Outputs(
            value: Output {
                if told.value { other.value += 1 }
                return other.value
            }
        )
        actions = Actions(wait: Action { try await clock.sleep(for: .seconds(60)) })
    }
}

/// A ViewModel that saves two values under one name.
@ViewModel
final class Forgetter {
    struct Outputs {
        /// The first value.
        let first: Output<Int>
        /// The second value.
        let second: Output<Int>
    }
    let outputs: Outputs

    init() {
        outputs = Outputs(first: Output(Cell(0, restoring: "value")), second: Output(Cell(1, restoring: "value")))
    }
}

@Suite struct `A mistake of an author` {
    @Test(arguments: ["viewModel.read", "viewModel.bind", "viewModel.open"])
    func `in an init fails the request that makes the instance`(method: String) throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Forgetter.self)
        let client = SessionHarness(catalog, savesSessions: true).connectAnonymously()
        try client.request("session.attach", ["session": "desk"])

        let error = try #require(
            client.begin(method, method.hasSuffix("open") ? ["type": "forgetter"] : ["id": "forgetter"]).error
        )

        #expect(error.code == .internalError)
        let incident = try #require(error.data?["incident"])
        let closed = client.received.contains {
            $0
                == .notification(
                    method: "session.closed",
                    params: ["session": "desk", "reason": "failed", "incident": incident]
                )
        }
        #expect(closed)
    }

    @Test func `ends its session with an incident, and no other`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Meddler.self) { context in Meddler(clock: context.clock) }
        let harness = SessionHarness(catalog)
        let (client, neighbour, other) = (
            harness.connectAnonymously(), harness.connectAnonymously(), harness.connectAnonymously()
        )
        for one in [client, neighbour] { try one.request("session.attach", ["session": "desk"]) }
        try other.bind("meddler")
        let waiting = neighbour.begin("meddler.wait")

        let error = try #require(client.begin("meddler.meddle").error)

        #expect(error.code == .internalError)
        let incident = try #require(error.data?["incident"])
        #expect(waiting.error?.data?["incident"] == incident)
        for one in [client, neighbour] {
            let closed = one.received.compactMap { (message) -> JSONValue? in
                guard case .notification(method: "session.closed", let params) = message else { return nil }
                return params
            }
            #expect(closed == [["session": "desk", "reason": "failed", "incident": incident]])
        }
        #expect(try other.read("meddler").values["value"] == 0)
    }
}
