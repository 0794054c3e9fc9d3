import JSONRPC
import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// A part of both ViewModels.
@ViewModel
final class PairChild {
    /// A number.
    @Output private(set) var number = 0
}

/// A row of both ViewModels.
@Schemable
struct PairRow: Identifiable {
    let id: Int
    /// The text.
    var text: String?

    init(id: Int, text: String? = nil) {
        self.id = id
        self.text = text
    }

    init(number: PairNumber) { self.init(id: number.id) }
}

struct PairNumber: Identifiable, Equatable {
    let id: Int
}

/// Why a call fails.
@Failure
enum PairFailure {
    /// Too much to do.
    @Retryable case busy
    /// No such row.
    case unknown(ids: [Int])
}

/// Each attribute once.
@ViewModel("pair")
final class ShortPair {
    struct Arguments: Codable, Schemable {
        let start: Int

        static var schema: Schema { .object([.init("start", .of(Int.self))]) }
    }

    /// A town.
    @Field(.session) var town = ""
    /// A number with a check.
    @Field(check: { (value: Int) in if value < 0 { throw InvalidValue(expected: "0 or more", found: "\(value)") } })
    var number = 0
    /// A state.
    @Output private(set) var state: PairRow?
    /// A derived state.
    @Output var text: String { "\(town) \(number)" }
    /// A state that changes with time.
    @Output(every: .seconds(1), while: \ShortPair.isOn) var seconds: Int { 1 }
    /// A state that is not compared.
    @Volatile @Output private(set) var noise = 0.5
    /// A list.
    @Output var rows: Rows<PairRow> = []
    /// A derived list.
    @Rows var derived: [PairRow] { rows.value }
    /// A list of shown rows.
    @Rows(of: PairRow.init(number:)) var shown: [PairNumber] { numbers }
    /// The executions.
    @Output var running: Rows<ExecutionRow<Int>> { $send.executions }
    /// An event.
    @Event var arrived: String
    /// A child.
    @Child let part: PairChild

    @State private var numbers: [PairNumber] = []
    private var isOn: Bool { number > 0 }

    init(arguments: Arguments) {
        part = PairChild()
        number = arguments.start
    }

    /// An input without a value.
    @Input func clear() {}
    /// An input with a value.
    @Input func add(_ row: PairRow) throws { rows.append(row) }
    /// An input with an object.
    ///
    /// - Parameters:
    ///   - id: the number
    ///     of the row.
    ///   - text: the new text.
    ///
    /// It is quick.
    @Input func rename(_ id: Int, to text: String? = nil) {}
    /// An action.
    @Action func plain() {}
    /// An action with a policy, a gate, failures and a result.
    @Action(.latest, enabled: \ShortPair.isOn)
    func look(_ text: String) async throws(PairFailure) -> PairRow { PairRow(id: 1) }
    /// An action that lists its executions.
    @Action(.concurrent(limit: 2), id: "id")
    func send(_ id: Int, _ execution: Execution) async {}
    /// An action that runs by itself.
    @Action(.shared, runs: .atOpen)
    func load() async throws -> Int { 1 }
}

/// Each attribute once.
@ViewModel("pair")
final class ExplicitPair {
    struct RenameParameters: Schemable {
        let id: Int
        let to: String?

        static var schema: Schema {
            .object([
                .init("id", .of(Int.self), description: "the number of the row."),
                .init("to", .of(String?.self), required: false, description: "the new text."),
            ])
        }
    }
    struct Arguments: Codable, Schemable {
        let start: Int

        static var schema: Schema { .object([.init("start", .of(Int.self))]) }
    }

    struct Inputs {
        /// A town.
        let town: Input<String>
        /// A number with a check.
        let number: Input<Int>
        /// An input without a value.
        let clear = Input<Void>()
        /// An input with a value.
        let add: Input<PairRow>
        /// An input with an object.
        ///
        /// It is quick.
        let rename = Input<RenameParameters>()
    }
    struct Outputs {
        /// A town.
        let town: Output<String>
        /// A number with a check.
        let number: Output<Int>
        /// A state.
        let state: Output<PairRow?>
        /// A derived state.
        let text: Output<String>
        /// A state that changes with time.
        @Volatile let seconds: Output<Int>
        /// A state that is not compared.
        @Volatile let noise: Output<Double>
        /// A list.
        let rows: ListOutput<PairRow>
        /// A derived list.
        let derived: ListOutput<PairRow>
        /// A list of shown rows.
        let shown: ListOutput<PairRow>
        /// The executions.
        let running: ListOutput<ExecutionRow<Int>>
        /// An event.
        let arrived: Event<String>
    }
    struct Actions {
        /// An action.
        let plain: Action<Void, Void>
        /// An action with a policy, a gate, failures and a result.
        @Policy(.latest) @Throws(PairFailure.self) let look: Action<String, PairRow>
        /// An action that lists its executions.
        @Policy(.concurrent(limit: 2)) let send: ListedAction<Int, Void, Int>
        /// An action that runs by itself.
        @Policy(.shared) let load: Action<Void, Int>
    }
    struct Children {
        /// A child.
        let part: PairChild
    }
    let inputs: Inputs, outputs: Outputs, actions: Actions
    let children = Children(part: PairChild())

    init(arguments: Arguments) {
        let town = Cell("", restoring: "town")
        let number = Cell(arguments.start)
        let (state, noise) = (Cell<PairRow?>(nil), Cell(0.5))
        let rows = ListCell<PairRow>()
        let numbers = Cell<[PairNumber]>([])
        let isOn = number.map { $0 > 0 }
        inputs = Inputs(
            town: Input(assigningTo: town),
            number: Input(assigningTo: number) { value in
                if value < 0 { throw InvalidValue(expected: "0 or more", found: "\(value)") }
            },
            add: Input { row in rows.append(row) }
        )
        let send = ListedAction<Int, Void, Int>(id: \.self) { _, _ in }
        outputs = Outputs(
            town: Output(town),
            number: Output(number),
            state: Output(state),
            text: Output { "\(town.value) \(number.value)" },
            seconds: Output(every: .seconds(1), while: isOn) { 1 },
            noise: Output(noise),
            rows: ListOutput(rows),
            derived: ListOutput { rows.value },
            shown: ListOutput(row: PairRow.init(number:)) { numbers.value },
            running: ListOutput(send.executions),
            arrived: Event()
        )
        actions = Actions(
            plain: Action {},
            look: Action(enabled: isOn) { (_: String) async throws -> PairRow in PairRow(id: 1) },
            send: send,
            load: Action(runs: .atOpen) { () async throws -> Int in 1 }
        )
    }
}

@Suite struct `Both forms of a ViewModel` {
    /// The bytes of `rpc.discover` of a daemon with one ViewModel.
    private func contract<Type: ViewModel & Injectable>(of type: Type.Type) throws -> String {
        var catalog = ViewModelCatalog()
        try catalog.host(type)
        let document = try SessionHarness(catalog).connectAnonymously().request("rpc.discover")
        var writer = JSONWriter()
        document.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `give the same contract to the byte`() throws {
        let (short, explicit) = (try contract(of: ShortPair.self), try contract(of: ExplicitPair.self))
        let difference = zip(short, explicit).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
        #expect(short == explicit, "\(short.dropFirst(max(0, difference - 200)).prefix(400))")
        #expect(short.contains(#""pair":{"#) && short.contains(#""volatile":true"#))
        for name in ["town", "shown", "running", "rename", "look", "part", "unknown"] {
            #expect(short.contains("\"\(name)\""), "\(name)")
        }
    }
}
