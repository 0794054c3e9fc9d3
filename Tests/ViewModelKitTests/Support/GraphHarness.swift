import ViewModelKit
import ViewModelTesting

/// A session's empty graph, on which a test wires cells, inputs and outputs.
final class GraphHarness {
    private let harness: SessionHarness
    private let client: TestClient
    /// What is released with the harness.
    private var outputs: [AnyOutput] = []
    let graph: Graph

    init() throws {
        harness = SessionHarness(ViewModelCatalog())
        client = harness.connectAnonymously()
        graph = client.graph
    }

    /// Makes cells, inputs and outputs.
    func wire<Result>(_ body: () throws -> Result) rethrows -> Result {
        try harness.loop.run { try graph.wiring(nil, body) }
    }

    /// Runs a step.
    @discardableResult
    func step<Result>(_ body: () throws -> Result) rethrows -> Result {
        try harness.loop.run { try graph.step(body) }
    }

    /// The time of the next timer; nil if there is none.
    var nextTimer: Duration? { harness.loop.nextDue }

    /// Why the session has ended, as its client was told; nil while it lives.
    var sessionEnd: JSONValue? {
        client.received.compactMap { (message) -> JSONValue? in
            guard case .notification(method: "session.closed", let params) = message else { return nil }
            return params["reason"]
        }.last
    }

    /// Makes an output ready to be committed, as a session does.
    func attach<Value: AnyOutput>(_ output: Value) -> Value {
        output.commitInitialValue()
        return output
    }

    /// Makes a cell and an output that shows it, ready to be committed.
    func cell<Value: Schemable & Equatable>(_ value: Value) -> (Cell<Value>, Output<Value>) {
        let (cell, output) = wire { () -> (Cell<Value>, Output<Value>) in
            let cell = Cell(value)
            return (cell, Output(cell))
        }
        outputs.append(output)
        return (cell, attach(output))
    }

    /// Makes a list of rows and an output that shows it; a binding or `commitInitialValue` makes it ready.
    func list<Row: Schemable & Equatable & Identifiable>(_ rows: [Row]) -> (ListCell<Row>, ListOutput<Row>)
    where Row.ID: Codable {
        wire {
            let cell = ListCell(rows)
            return (cell, ListOutput(cell))
        }
    }

    func advance(by duration: Duration) {
        harness.advance(by: duration)
    }
}
