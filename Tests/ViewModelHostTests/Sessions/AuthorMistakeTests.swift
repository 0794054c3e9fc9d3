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

@Suite struct `A mistake of an author` {
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
