import ViewModelKit
import ViewModelTesting

/// A row of a board.
@Schemable
struct BoardRow: Identifiable {
    let id: Int
    var text: String
}

/// One edit of a board's rows, in a form that a client can send.
@Schemable
struct BoardEdit {
    @Schemable
    enum Kind: String, CaseIterable {
        case insert, remove, replace, move, clear, fill
    }

    let kind: Kind
    let index: Int
    let number: Int
}

/// What the boards of a session share.
final class BoardState {
    let value = Cell(0)
}

/// Every kind of output, changed by every kind of member.
@ViewModel
final class Board {
    struct Inputs {
        /// Sets the value.
        let set = Input<Int>()
        /// Sets the value, and sets it back at once.
        let flicker = Input<Int>()
        /// Changes the rows.
        let edit = Input<BoardEdit>()
        /// Changes everything at once.
        let all = Input<BoardEdit>()
        /// Rings.
        let ring = Input<String>()
        /// Does nothing.
        let idle = Input<Void>()
    }
    struct Outputs {
        /// What was set last.
        let value: Output<Int>
        /// Twice that.
        let double: Output<Int>
        /// Whether it is even.
        let isEven: Output<Bool>
        /// The rows.
        let rows: ListOutput<BoardRow>
        /// The rows, the other way round, derived.
        let reversed: ListOutput<BoardRow>
        /// Rings.
        let bell: Event<String>
        /// Numbers, each when it is set.
        let number: Event<Int>
    }
    struct Actions {
        /// Waits for the test.
        let work: Action<Int, Int>
        /// Waits for the test, any number at once.
        @Policy(.concurrent) let parallel: Action<Int, Int>
        /// Sets the value and gives it back.
        @Policy(.concurrent) let put: Action<Int, Int>
        /// Fails.
        let fail: Action<Void, Void>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(state: BoardState, work: Effect<Int, Int>) {
        let value = state.value
        let rows = ListCell<BoardRow>()
        outputs = Outputs(
            value: Output(value),
            double: Output { value.value * 2 },
            isEven: Output(value.map { $0 % 2 == 0 }),
            rows: ListOutput(rows),
            reversed: ListOutput(rows.map { $0.reversed() }),
            bell: Event(),
            number: Event()
        )
        actions = Actions(
            work: Action { number in
                value.value = number
                let result = try await work(number)
                value.value = result
                return result
            },
            parallel: Action { try await work($0) },
            put: Action { number in
                value.value = number
                return number
            },
            fail: Action { () throws -> Void in
                throw ActionFailure("broken", message: "It is broken", details: "all of it")
            }
        )
        wire(value, rows)
    }

    private func wire(_ value: Cell<Int>, _ rows: ListCell<BoardRow>) {
        let (bell, number) = (outputs.bell, outputs.number)
        let editor = BoardEditor(rows: rows)
        inputs.set.sink {
            value.value = $0
            number.send($0)
        }
        inputs.flicker.sink {
            let old = value.value
            value.value = $0
            value.value = old
        }
        inputs.edit.check { edit in
            guard edit.index >= 0 else {
                throw InvalidValue(path: "/index", expected: "0 or more", found: "\(edit.index)")
            }
        }
        inputs.edit.sink { editor.apply($0) }
        inputs.all.sink { edit in
            value.value = edit.number
            editor.apply(edit)
            bell.send("all")
        }
        inputs.ring.sink { bell.send($0) }
    }
}

/// Applies edits to a list, wherever their indices point.
private final class BoardEditor {
    private let rows: ListCell<BoardRow>
    private var lastID = 0

    init(rows: ListCell<BoardRow>) {
        self.rows = rows
    }

    func apply(_ edit: BoardEdit) {
        let place = rows.count == 0 ? 0 : edit.index % rows.count
        switch edit.kind {
        case .insert: rows.insert(fresh(edit.number), at: place)
        case .remove where rows.count > 0: rows.remove(at: place)
        case .replace where rows.count > 0:
            rows.replace(BoardRow(id: rows[place].id, text: "text \(edit.number)"), at: place)
        case .move where rows.count > 0: rows.move(from: place, to: edit.number % rows.count)
        case .clear: rows.removeAll { $0.id % 4 == edit.number % 4 }
        case .fill: rows.append(contentsOf: (0..<edit.number).map { _ in fresh(edit.index) })
        default: break
        }
    }

    private func fresh(_ number: Int) -> BoardRow {
        lastID += 1
        return BoardRow(id: lastID, text: "row \(number)")
    }
}

extension Board {
    /// A catalog with boards, and with what else a session may have.
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
}
