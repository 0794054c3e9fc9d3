import ViewModelKit

/// The rows of a lab.
final class LabRows {
    let cell = ListCell<Lab.Row>()
    private var lastID = 0

    func wire(_ inputs: Lab.Inputs) {
        inputs.append.check { count in
            guard (0...10_000_000).contains(count) else {
                throw InvalidValue(expected: "an integer from 0 to 10000000", found: "\(count)")
            }
        }
        inputs.append.sink { [self] count in
            let first = lastID + 1
            lastID += count
            cell.append(contentsOf: (first..<first + count).lazy.map { Lab.Row(id: $0, text: "row \($0)") })
        }
        inputs.update.check { [cell] update in
            guard cell.index(of: update.id) != nil else {
                throw InvalidValue(path: "/id", expected: "the id of a row", found: "\(update.id)")
            }
        }
        inputs.update.sink { [cell] update in
            guard let index = cell.index(of: update.id) else { return }
            cell.replace(Lab.Row(id: update.id, text: update.text), at: index)
        }
        inputs.move.check { [cell] move in
            for (path, index) in [("/from", move.from), ("/to", move.to)] where !(0..<cell.count).contains(index) {
                let expected = cell.count == 0 ? "rows to move" : "an index from 0 to \(cell.count - 1)"
                throw InvalidValue(path: path, expected: expected, found: "\(index)")
            }
        }
        inputs.move.sink { [cell] in cell.move(from: $0.from, to: $0.to) }
        inputs.removeRows.sink { [cell] ids in cell.removeAll(ids: ids) }
    }
}

/// The sleeps of one lab, with a count of the completed ones.
final class Sleeper {
    private let clock: SessionClock
    private var completed = 0

    init(clock: SessionClock) {
        self.clock = clock
    }

    func run(_ sleep: Lab.Sleep) async throws -> Lab.SleepResult {
        guard sleep.milliseconds >= 0 else {
            throw InvalidValue(path: "/milliseconds", expected: "0 or more", found: "\(sleep.milliseconds)")
        }
        try await clock.sleep(for: .milliseconds(sleep.milliseconds))
        completed += 1
        return Lab.SleepResult(slept: sleep.milliseconds, order: completed)
    }
}
