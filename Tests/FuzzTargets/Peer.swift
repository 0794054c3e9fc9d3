import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// Sends each line of the input as a message, from a client in a session that another client watches.
///
/// The host's messages stay valid, the watcher's picture stays right, and both clients still get answers.
func fuzzPeer(_ input: UnsafeRawBufferPointer) {
    do {
        let session = SessionHarness(try Shelf.catalog(), configuration: .small)
        let (client, watcher) = (try session.connect(), try session.connect())
        try watcher.bind("shelf")
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            client.send(String(decoding: line, as: UTF8.self))
        }
        session.advance(by: .seconds(1))
        require(client.faults.isEmpty, "\(client.faults)")
        require(watcher.faults.isEmpty, "\(watcher.faults)")
        require(session.incidents.isEmpty, "\(session.incidents)")
        // The input may have used any id that `request` would use.
        client.send(#"{"jsonrpc":"2.0","id":"after the input","method":"session.list"}"#)
        let isAnswered = client.received.contains { message in
            if case .result("after the input", _) = message { true } else { false }
        }
        require(isAnswered || client.isFinished, "no answer after \(client.received)")
        try watcher.request("session.list")
        let isClosed = watcher.received.contains { message in
            if case .notification("session.closed", _) = message { true } else { false }
        }
        if !isClosed, let picture = watcher.picture(of: "shelf"), picture["number"] != nil {
            let current = try watcher.read("shelf")
            require(picture["number"] == current["number"], "the pictures differ: \(picture), \(current)")
            require(picture["rows"] == current["rows"], "the pictures differ: \(picture), \(current)")
        }
    } catch let error as ProtocolError {
        fatalError("\(error): \(error.data ?? .null)")
    } catch {
        fatalError("\(error)")
    }
}

extension HostConfiguration {
    /// Limits that a short input reaches.
    static let small: HostConfiguration = {
        var configuration = HostConfiguration()
        configuration.limits.batch = 4
        configuration.limits.inFlight = 4
        configuration.limits.executions = 4
        configuration.limits.events = 4
        configuration.limits.instancesPerSession = 8
        configuration.limits.scenes = 4
        return configuration
    }()
}

/// A row of a shelf.
@Schemable
struct ShelfRow: Identifiable, Sendable {
    let id: Int
    var text: String
}

/// A ViewModel with members of every kind.
@ViewModel
final class Shelf {
    struct Inputs {
        /// Sets the number.
        let set = Input<Int>()
        /// Replaces the rows by as many as asked for, 9 at most.
        let fill = Input<Int>()
        /// Rings.
        let ring = Input<String>()
    }
    struct Outputs {
        /// What was set last.
        let number: Output<Int>
        /// The rows.
        let rows: ListOutput<ShelfRow>
        /// What rang.
        let bell: Event<String>
    }
    struct Actions {
        /// Appends a row and returns its text.
        let append: Action<ShelfRow, String>
        /// Sleeps.
        @Policy(.concurrent) let sleep: Action<Int, Void>
        /// Fails.
        let fail: Action<Void, Void>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(clock: SessionClock) {
        let number = Cell(0, restoring: "number")
        let rows = ListCell<ShelfRow>(restoring: "rows")
        let bell = Event<String>()
        outputs = Outputs(number: Output(number), rows: ListOutput(rows), bell: bell)
        actions = Actions(
            append: Action { row in
                if !rows.value.contains(where: { $0.id == row.id }) { rows.append(row) }
                return row.text
            },
            sleep: Action { try await clock.sleep(for: .milliseconds(min(max($0, 0), 1000))) },
            fail: Action { () throws -> Void in throw ActionFailure("broken", message: "It is broken") }
        )
        inputs.set.sink { number.value = $0 }
        inputs.fill.sink { count in
            rows.removeAll { _ in true }
            for id in 0..<min(max(count, 0), 9) { rows.append(ShelfRow(id: id, text: "row \(id)")) }
        }
        inputs.ring.sink { bell.send($0) }
    }

    /// Makes a catalog with the shelf and a scene.
    static func catalog() throws -> ViewModelCatalog {
        var catalog = ViewModelCatalog()
        try catalog.host(Shelf.self) { context in Shelf(clock: context.clock) }
        catalog.scene("shelf", instance: "shelf")
        return catalog
    }
}
